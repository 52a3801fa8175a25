"""A study's figures beside those of a sweep in all quantities that were published, with the runs that failed. Pure;
`report.tables.study_rows` writes it down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.analysis.trial_figures import TrialFigures
from ab_runner.catalog.studies import Study
from ab_runner.catalog.study_figures import Figure
from ab_runner.history.quantities import Quantities, memory_per_waiting, of_figure, of_trials, trials_by_cell
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName


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
    """Return the workloads and levels of which the study published more than rates and failures; of open loads all that
    were measured. Nothing if the load is not of the study's kind."""
    if not study.is_of_load(analysis.axis):
        return ()
    trials = trials_by_cell(analysis.trials)
    published: dict[tuple[WorkloadName, int], list[Figure]] = {}
    for figure in study.figures:
        published.setdefault((figure.workload, figure.level), []).append(figure)
    found = []
    for workload in analysis.sweep.request.workloads:
        for level in analysis.levels:
            figures = published.get((workload, level), [])
            if study.is_open or any(_says_more(figure) for figure in figures):
                rows = tuple(_rows(analysis, trials, study, workload, level, figures))
                found.append(StudyRows(study, workload, level, rows))
    return tuple(found)


def control_of(sweep: Sweep) -> WorkloadName | None:
    """Return the workload whose requests do not wait, of an open load; None where it has none, or does not begin with
    it: the memory of those before would be in it."""
    first = sweep.request.workloads[0]
    return first if sweep.request.open and not sweep.workload(first).not_before_ms else None


def _says_more(figure: Figure) -> bool:
    return any(each is not None for each in (figure.latency_mean_ms, figure.cpu_us, figure.allocated_bytes))


def _rows(
    analysis: SweepAnalysis,
    trials: Mapping[Cell, Sequence[TrialFigures]],
    study: Study,
    workload: WorkloadName,
    level: int,
    figures: Sequence[Figure],
) -> Iterator[StudyRow]:
    def measured(servers: Iterable[str]) -> Iterator[StudyRow]:
        for server in servers:
            cell = Cell(server, workload, level)
            here = trials.get(cell, ())
            without = trials.get(Cell(server, control, level), ()) if control else ()
            waiting = memory_per_waiting(here, without, analysis.sweep.workload(workload).not_before_ms)
            quantities = msgspec.structs.replace(of_trials(here), waiting_bytes=waiting)
            yield StudyRow(server=server, cell=analysis.cells.get(cell), quantities=quantities)

    control = control_of(analysis.sweep)
    servers = [each for each in analysis.sweep.servers if workload in each.workloads]
    stand_ins: dict[str | None, list[str]] = {}
    for server in servers:
        stand_ins.setdefault(study.stands_for(server), []).append(server.id)
    for figure in figures:
        if figure.server in stand_ins:
            yield StudyRow(server=figure.server, figure=figure, quantities=of_figure(figure))
            named = study.stand_ins[figure.server]
            yield from measured(sorted(stand_ins[figure.server], key=named.index))
    yield from measured(stand_ins.get(None, []))
