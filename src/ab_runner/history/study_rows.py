"""A study's figures beside those of a sweep in all quantities that were published, with the runs that failed. Pure;
`report.tables.study_rows` writes it down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.analysis.trial_figures import TrialFigures
from ab_runner.catalog.studies import Study
from ab_runner.catalog.study_figures import Figure
from ab_runner.model.trial import Cell, Trial
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.histogram import weighted
from ab_runner.stats.little import under_way

BEST_OF = 3
"""Runs of which authors who repeat theirs publish the best."""


class Quantities(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a server at one workload and level; None is not known. Latencies are in milliseconds, counted
    from sending. Bytes and CPU time in microseconds are those of one request."""

    rate: float | None = None
    best_rate: float | None = None
    """The highest of the first `BEST_OF` starts; None of a published figure, which may be one."""
    latency_mean: float | None = None
    latency_longest: float | None = None
    failed_share: float | None = None
    connections_served: float | None = None
    """On average, by Little's law: rate times mean latency."""
    answer_bytes: float | None = None
    cpu_us: float | None = None
    allocated_bytes: float | None = None


class StudyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A published figure, or the cell of a server that was measured."""

    server: str
    figure: Figure | None = None
    cell: CellSummary | None = None
    quantities: Quantities


class StudyRows(msgspec.Struct, frozen=True):
    """One workload at one level: each published server, and below it those that stand for it; then all others."""

    study: Study
    workload: WorkloadName
    level: int
    rows: tuple[StudyRow, ...]


def study_rows(analysis: SweepAnalysis, study: Study) -> tuple[StudyRows, ...]:
    """Return the workloads and levels of a closed load of which the study published more than rates and failures."""
    if not analysis.is_closed:
        return ()
    published: dict[tuple[WorkloadName, int], list[Figure]] = {}
    for figure in study.figures:
        published.setdefault((figure.workload, figure.concurrency), []).append(figure)
    found = []
    for workload in analysis.sweep.request.workloads:
        for level in analysis.levels:
            figures = published.get((workload, level), [])
            if any(_says_more(figure) for figure in figures):
                rows = tuple(_rows(analysis, study, workload, level, figures))
                found.append(StudyRows(study, workload, level, rows))
    return tuple(found)


def _says_more(figure: Figure) -> bool:
    return any(each is not None for each in (figure.latency_mean_ms, figure.cpu_us, figure.allocated_bytes))


def _rows(
    analysis: SweepAnalysis, study: Study, workload: WorkloadName, level: int, figures: Sequence[Figure]
) -> Iterator[StudyRow]:
    servers = [each for each in analysis.sweep.servers if workload in each.workloads]
    stand_ins: dict[str | None, list[str]] = {}
    for server in servers:
        stand_ins.setdefault(study.stands_for(server), []).append(server.id)
    for figure in figures:
        if figure.server in stand_ins:
            yield StudyRow(server=figure.server, figure=figure, quantities=of_figure(figure))
            named = study.stand_ins[figure.server]
            yield from _measured(analysis, workload, level, sorted(stand_ins[figure.server], key=named.index))
    yield from _measured(analysis, workload, level, stand_ins.get(None, []))


def _measured(
    analysis: SweepAnalysis, workload: WorkloadName, level: int, servers: Iterable[str]
) -> Iterator[StudyRow]:
    for server in servers:
        cell = Cell(server, workload, level)
        trials = [each for each in analysis.trials if _is_of(each, cell)]
        yield StudyRow(server=server, cell=analysis.cells.get(cell), quantities=of_trials(trials))


def _is_of(trial: TrialFigures, cell: Cell) -> bool:
    record = trial.record
    is_own = isinstance(record, Trial) and record.outcome is not None and not record.is_reference_check
    return is_own and Cell(record.server, record.workload, record.level) == cell


def of_figure(figure: Figure) -> Quantities:
    """Return what was published of a server."""
    failed, requests = figure.failed_requests, figure.requests
    return Quantities(
        rate=figure.requests_per_second,
        latency_mean=figure.latency_mean_ms,
        latency_longest=figure.latency_longest_ms,
        failed_share=None if failed is None or requests is None else failed / requests,
        connections_served=figure.connections_served,
        answer_bytes=figure.answer_bytes,
        cpu_us=figure.cpu_us,
        allocated_bytes=figure.allocated_bytes,
    )


def of_trials(trials: Sequence[TrialFigures]) -> Quantities:
    """Return the medians over trials, failed ones too: a study shows what a run that failed did."""
    each = [_of_trial(trial) for trial in trials]
    found = {name: _median(getattr(one, name) for one in each) for name in Quantities.__struct_fields__}
    rates = [one.rate for one in each[:BEST_OF] if one.rate is not None]
    return Quantities(**found | {"best_rate": max(rates, default=None)})


def _of_trial(trial: TrialFigures) -> Quantities:
    record = trial.record
    assert isinstance(record, Trial), "others are left out"
    assert record.outcome is not None, "so are those without an outcome"
    outcome, spread = record.outcome, weighted(record.outcome.latency.items())
    mean = spread.mean / 1000 if spread.counts else outcome.own_mean
    longest = spread.longest / 1000 if spread.counts else outcome.own_percentiles.get("p100")
    return Quantities(
        rate=outcome.rate,
        latency_mean=mean,
        latency_longest=longest,
        failed_share=outcome.failed_at_least / outcome.requests if outcome.requests else None,
        connections_served=None if mean is None else under_way(outcome.rate, mean),
        answer_bytes=outcome.received_bytes / outcome.answered if outcome.answered else None,
        cpu_us=1e6 / trial.cpu_efficiency if trial.cpu_efficiency else None,
        allocated_bytes=trial.allocated.per_request if trial.allocated else None,
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
