"""From records to cells: all that is known of each cell, as data. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean, median

import msgspec

from ab_runner.analysis.capacity import Capacity, capacity_of
from ab_runner.analysis.disturbed import are_disturbed, is_undisturbed
from ab_runner.analysis.failures import Failure, FailureKind, cell_failure, failures_of, message_of
from ab_runner.analysis.latencies import OpenLatencies, open_latencies
from ab_runner.analysis.measure import Measure, lower_is_better, measure_of
from ab_runner.analysis.remarks import (
    ConnectionsServed,
    Remark,
    jvm_remarks,
    left_out_remarks,
    notes_of,
    stolen_remarks,
)
from ab_runner.analysis.trial_figures import (
    NO_LATENCY,
    TrialFigures,
    figure_of,
    figures_of,
    is_cut_off,
    merged,
    own_latency,
    percentiles,
)
from ab_runner.model.load import NOT_THE_SERVER, Limit
from ab_runner.model.records import Record, is_valid
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell, CellRecord, Trial, cell_of
from ab_runner.stats.estimate import Estimate, median_of_known, median_over_blocks
from ab_runner.stats.histogram import Histogram

_STARVATION_FROM = 100
"""The lowest concurrency at which the share of connections served is checked."""
_NOT_ALL_SERVED = 0.9
"""The share of connections served at a time below which a remark says so."""
_STARVED = 0.5
"""The share of connections served at a time below which there is no rate at this concurrency."""


class CellSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a cell.

    `trials` is the number of its records, including those without a trial, and `failed` is how many of them have no
    valid result. `disturbed` is how many of the valid ones were disturbed. Everything else is of the undisturbed ones,
    or of all valid ones where none is undisturbed.

    `estimate` is the estimated figure of its `measure`: the median over blocks, or the rate that half of the trials
    meet. It is None where half of the trials or more failed, fewer than half of the valid ones are undisturbed, or
    most connections were starved: then there is no figure at this level, and `reason` says why. `rejected` is what was
    measured although it is not valid: the estimate of a disturbed or starved cell, or the median rate where every
    trial of a closed load failed, if the last of them has a rate. `by_batch` has the figures that an estimate comes
    from, by batch or, where the servers ran one by one, by block.

    `cpu_efficiency` is the requests per CPU-second of the server, None where its CPU time is not known;
    `cpu_efficiency_by_batch` has what it comes from. `latency` is in milliseconds, one for each of `PERCENTILES`, of
    all requests of the valid trials together; `longest_is_cut_off`: the longest of them is about as long as its trial,
    so it might have been longer. `latency_by` is the generator if it recorded no requests: they are medians over the
    trials of percentiles that it computed itself. `served` is the share of the connections that was served at a time,
    the median over the valid trials. `limit` is what was the limit in most of the trials, and `limited` in how many of
    the `counted` ones, those with a valid result, it was `limited_by`, the generator or the network. `open_latencies`
    has what is known of an open load's latencies, and `capacity` the rates that shares of the trials meet. `failure`
    describes the trials that failed. `remarks` are what a reader should know. `sessions`: in how many of how many it
    has a figure, of a result of several; `by_batch` then has a figure for each of them.
    """

    cell: Cell
    measure: Measure
    trials: int
    failed: int
    disturbed: int
    estimate: Estimate | None
    rejected: Estimate | None
    by_batch: dict[int, float]
    cpu_efficiency: Estimate | None
    cpu_efficiency_by_batch: dict[int, float]
    latency: tuple[float | None, ...]
    longest_is_cut_off: bool
    served: float | None
    limit: Limit | None
    limited: int
    limited_by: Limit
    counted: int
    open_latencies: OpenLatencies | None
    capacity: Capacity | None
    failure: Failure | None
    remarks: tuple[Remark, ...]
    latency_by: str | None = None
    sessions: tuple[int, int] | None = None

    @property
    def figure(self) -> float | None:
        """The figure of its measure; None without a valid result."""
        return self.estimate.value if self.estimate else None

    @property
    def failure_kind(self) -> FailureKind | None:
        """Why there is no figure; None where there is one."""
        if self.estimate is not None:
            return None
        if self.starved:
            return FailureKind.STARVED
        if self.is_disturbed:
            return FailureKind.DISTURBED
        return self.failure.kind if self.failure else FailureKind.OTHER

    @property
    def starved(self) -> bool:
        """Whether most connections waited while the others were served."""
        return _is_starved(self.cell, self.served)

    @property
    def valid(self) -> int:
        """The number of its valid trials, disturbed or not."""
        return self.trials - self.failed

    @property
    def is_disturbed(self) -> bool:
        """Whether fewer than half of its valid trials are undisturbed."""
        return are_disturbed(self.disturbed, self.valid)

    @property
    def cold(self) -> bool:
        """Whether all trials that failed are of a server whose JIT compiler was still at work."""
        return self.failure is not None and self.failure.kind is FailureKind.COLD

    @property
    def connections_served(self) -> ConnectionsServed | None:
        """How many connections were served at a time; None where that is not known."""
        return None if self.served is None else _connections_served(self.cell, self.served)

    @property
    def has_exact_latency(self) -> bool:
        """Whether its latencies are as exact as they are shown; ab's beyond p99 are whole milliseconds."""
        return self.measure != "rate" or self.latency_by is not None

    @property
    def misses_a_session(self) -> bool:
        """Whether it has a figure in some sessions and not in all."""
        return self.figure is not None and self.sessions is not None and self.sessions[0] < self.sessions[1]

    @property
    def is_lower_bound(self) -> bool:
        """Whether the server may be faster than the figure says, because the generator or the network was the limit of
        one or more of its trials."""
        return self.limited > 0 and self.figure is not None


def cells_and_trials(records: Iterable[Record]) -> tuple[dict[Cell, CellSummary], tuple[TrialFigures, ...]]:
    """Return the cells of the sweep's own blocks, and the figures of every single record, of the reference checks too.

    The latencies of each trial are computed once, and the distributions of one cell are held at a time.
    """
    measured = [record for record in records if isinstance(record, CellRecord)]
    places: dict[tuple[Cell, bool], list[int]] = {}
    for place, record in enumerate(measured):
        places.setdefault((cell_of(record), record.is_reference_check), []).append(place)
    cells: dict[Cell, CellSummary] = {}
    figures: dict[int, TrialFigures] = {}
    for (cell, is_check), found in places.items():
        looked_at = [figures_of(measured[place]) for place in found]
        figures |= {place: each for place, (each, _) in zip(found, looked_at, strict=True)}
        if not is_check:
            cells[cell] = _summary(cell, looked_at)
    return cells, tuple(figures[place] for place in range(len(measured)))


def summarise_cell(cell: Cell, records: Iterable[CellRecord]) -> CellSummary:
    """Return the summary of one or more records of that cell, whatever their block."""
    return _summary(cell, [figures_of(record) for record in records])


def summarise_record(record: CellRecord) -> CellSummary:
    """Return the summary of a cell that has this record alone."""
    return summarise_cell(cell_of(record), [record])


def _summary(cell: Cell, looked_at: Sequence[tuple[TrialFigures, Histogram]]) -> CellSummary:
    records = [figures.record for figures, _ in looked_at]
    failed = [record for record in records if not is_valid(record)]
    counted = [each for each in looked_at if is_valid(each[0].record)]
    if len(failed) >= len(counted):
        counted = []  # the median over blocks would be a failure, and those that are left are the lucky ones
    undisturbed = [each for each in counted if is_undisturbed(each[0].record)]
    disturbed = len(counted) - len(undisturbed)
    counted = undisturbed or counted
    valid = [figures.record for figures, _ in counted if is_valid(figures.record)]
    spreads = [spread for _, spread in counted]
    # Bounds apply to the cell: the share in a single trial may be on either side of one by chance.
    served = median_of_known(figures.served for figures, _ in counted)
    starved = _is_starved(cell, served)
    is_rejected = starved or are_disturbed(disturbed, len(undisturbed) + disturbed)
    capacity = capacity_of(valid)
    by_batch = capacity.by_batch if capacity else _by_batch([figures for figures, _ in counted], figure_of)
    own = own_latency(valid)
    measure = next((found for each in records if (found := measure_of(each)) != "rate"), measure_of(records[0]))
    told = [(figures, spread) for figures, spread in counted if spread.counts]  # others have no clean second
    latencies = open_latencies(told) if told and lower_is_better(measure) else None
    if latencies is not None:
        estimate: Estimate | None = latencies.percentiles[50]
    elif capacity is not None:
        estimate = capacity.half
    else:
        estimate = median_over_blocks(list(by_batch.values())) if by_batch else None
    limits = [] if is_rejected else _limits(valid, latencies)
    bounds = Counter[Limit](limit for limit in limits if limit in NOT_THE_SERVER)
    efficiency = {} if is_rejected else _by_batch([figures for figures, _ in counted], lambda each: each.cpu_efficiency)
    messages = [message_of(record) for record in failed]
    return CellSummary(
        cell=cell,
        measure=measure,
        trials=len(records),
        failed=len(failed),
        disturbed=disturbed,
        estimate=None if is_rejected else estimate,
        rejected=estimate if is_rejected else _rejected(records) if len(failed) == len(records) else None,
        by_batch={} if is_rejected else _means(by_batch),
        cpu_efficiency=median_over_blocks(list(efficiency.values())) if efficiency else None,
        cpu_efficiency_by_batch=_means(efficiency),
        latency=own or _latency(counted),
        latency_by=valid[0].outcome.generator if own and valid[0].outcome else None,
        longest_is_cut_off=is_cut_off(valid, spreads),
        served=served,
        limit=_most_common(limits),
        limited=0 if latencies else bounds.total(),
        limited_by=bounds.most_common(1)[0][0] if bounds else "generator",
        counted=len(valid),
        open_latencies=latencies,
        capacity=capacity,
        failure=cell_failure(messages),
        remarks=(
            *failures_of(messages),
            *notes_of(valid),
            *_served_remarks(cell, served),
            *stolen_remarks(record for record in records if isinstance(record, Trial)),
            *left_out_remarks(valid),
            *jvm_remarks(valid),
        ),
    )


def _by_batch(trials: Iterable[TrialFigures], figure: Callable[[TrialFigures], float | None]) -> dict[int, list[float]]:
    """Return for each batch the figures of its trials, as far as they have one."""
    batches: dict[int, list[float]] = {}
    for trial in trials:
        found = figure(trial)
        if found is not None:
            batches.setdefault(trial.record.measured_with, []).append(found)
    return batches


def _means(batches: Mapping[int, Sequence[float]]) -> dict[int, float]:
    return {batch: mean(figures) for batch, figures in batches.items()}


def _latency(counted: Sequence[tuple[TrialFigures, Histogram]]) -> tuple[float | None, ...]:
    if len(counted) == 1:
        return counted[0][0].latency
    if not counted:
        return NO_LATENCY
    is_open = measure_of(counted[0][0].record) != "rate"
    return percentiles(merged([spread for _, spread in counted]), is_open)


def _rejected(records: Sequence[CellRecord]) -> Estimate | None:
    """Return the median of rates that are not valid; None where the last of these failures has none."""
    outcomes = [record.outcome if isinstance(record, Trial) else None for record in records]
    rates = [outcome.completed_per_second for outcome in outcomes if outcome and outcome.completed]
    last = outcomes[-1]
    is_closed = last is not None and last.arrivals is None
    return Estimate(median(rates)) if last is not None and is_closed and last.completed else None


def _is_starved(cell: Cell, served: float | None) -> bool:
    return served is not None and cell.level >= _STARVATION_FROM and served < _STARVED


def _connections_served(cell: Cell, served: float) -> ConnectionsServed:
    return ConnectionsServed(round(served * cell.level), cell.level)


def _served_remarks(cell: Cell, served: float | None) -> Iterable[ConnectionsServed]:
    if served is not None and cell.level >= _STARVATION_FROM and served < _NOT_ALL_SERVED:
        yield _connections_served(cell, served)


def _limits(valid: Sequence[Trial], latencies: OpenLatencies | None) -> list[Limit | None]:
    """Return what was the limit of each trial. Of latencies the generator is that where its median lag is a large part
    of the median: what makes the p99 of its lag, by which a trial was judged, is not known."""
    if latencies is None:
        return [trial.limit for trial in valid]
    if latencies.is_delayed:
        return ["generator"] * len(valid)
    return [None if trial.limit == "generator" else trial.limit for trial in valid]


def _most_common(limits: Sequence[Limit | None]) -> Limit | None:
    """Return the limit of more than half of the trials."""
    return next((limit for limit, count in Counter(limits).items() if 2 * count > len(limits)), None)


def share_of_ceiling(rate: float, at: Cell, cells: Mapping[Cell, CellSummary]) -> float | None:
    """Return the rate as a share of the ceiling's with the same workload and concurrency, in the same sweep."""
    ceiling = cells.get(Cell(REFERENCE, at.workload, at.level))
    return None if ceiling is None or ceiling.figure is None else rate / ceiling.figure
