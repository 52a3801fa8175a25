"""Which servers are ahead, by how much, and how certain that is: an order for each workload, and the confidence.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from statistics import median

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.compared import Compared
from ab_runner.analysis.drift import WORTH_A_WARNING, Drift
from ab_runner.analysis.failures import FailureKind
from ab_runner.analysis.measure import lower_is_better
from ab_runner.model.load import Limit
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.estimate import Estimate
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import Ranking
from ab_runner.stats.ratio import ratio

_WIDE = 0.05
"""An interval is wide if half of it is more than this share of the figure."""


class Standing(Enum):
    """What is known of the order of the servers in a row of figures."""

    ALONE = "alone"
    """Only one server has a figure."""
    FEW_STARTS = "few starts"
    TOO_FEW = "too few"
    """Fewer than two servers have figures that can be tested."""
    TESTED = "tested"


class Lead(msgspec.Struct, frozen=True):
    """The ratio of the best figure to that of the closest server that was found to be behind. `at_least`: the generator
    was the limit of the best."""

    factor: float
    at_least: bool


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """How the others stand to the server with the best figure, its `leader`. `level` is None for all levels together.

    Of the `compared` servers, `leader` among them, `behind` are behind it, `tied` were tested and not told apart from
    it, and `not_compared` were not, because the generator was the limit. `detectable` has the smallest difference that
    the test of each that is tied would have found: 0.09 for 9 %."""

    standing: Standing
    level: int | None
    leader: str
    figure: CellSummary | None
    compared: int
    behind: int = 0
    tied: tuple[str, ...] = ()
    detectable: tuple[float, ...] = ()
    not_compared: int = 0
    lead: Lead | None = None


class WorkloadSummary(msgspec.Struct, frozen=True):
    """`servers` have a figure in this workload. `orders` has one for each level that has a ranking, and is empty where
    there are fewer than two servers. `percentile` is the one of the latencies, None of rates."""

    workload: WorkloadName
    servers: tuple[str, ...]
    orders: tuple[Order, ...]
    percentile: int | None = None


class Confidence(msgspec.Struct, frozen=True, kw_only=True):
    """What supports or weakens the figures. `wide` is half the width of the median interval, as a share of its
    figure, and `drift` the largest of the reference, each None where it is small. Of the `cells`, `disturbed` are
    disturbed, and `without` have no figure for another reason. What is in `limited_by` was the limit of one or more
    trials of `limited`. Intervals of one of the `sessions` hold for its hours alone. `sweeps`: of how many the result
    is made; `wide` is then that of the relative rates, and known however small it is."""

    starts: int
    wide: float | None
    cells: int
    disturbed: int
    without: int
    limited: int
    limited_by: tuple[Limit, ...]
    drift: float | None
    warnings: int
    sessions: int
    sweeps: int = 1


class Summary(msgspec.Struct, frozen=True):
    """The summary of a sweep. `starved` are the cells that have no rate because most connections waited. Without any
    figure there are neither workloads nor confidence."""

    workloads: tuple[WorkloadSummary, ...] = ()
    starved: tuple[CellSummary, ...] = ()
    confidence: Confidence | None = None


def summary_of(
    cells: Mapping[Cell, CellSummary],
    compared: Sequence[Compared],
    levels: Sequence[int],
    drifts: Sequence[Drift],
    warnings: int,
    sessions: int = 1,
) -> Summary:
    """Return the summary of the cells of a sweep; `warnings` is the number of its warnings, and `sessions` how often it
    was begun or resumed."""
    taking_part = [cell for cell in cells.values() if cell.cell.server != REFERENCE]
    starved = tuple(cell for cell in taking_part if cell.starved)
    if not any(cell.figure is not None for cell in taking_part):
        return Summary(starved=starved)
    workloads = dict.fromkeys(cell.cell.workload for cell in taking_part)
    return Summary(
        tuple(_workload(name, taking_part, each, levels) for name in workloads for each in compared),
        starved,
        _confidence(taking_part, drifts, warnings, sessions),
    )


def _workload(
    name: WorkloadName, cells: Iterable[CellSummary], compared: Compared, levels: Sequence[int]
) -> WorkloadSummary:
    rows: dict[int, list[CellSummary]] = {level: [] for level in levels}
    for cell in cells:
        if cell.cell.workload == name and cell.figure is not None and cell.cell.level in rows:
            rows[cell.cell.level].append(cell)
    servers = tuple(dict.fromkeys(cell.cell.server for row in rows.values() for cell in row))
    orders = []
    if len(servers) > 1:
        for level, row in rows.items():
            if row and (name, level) in compared.rankings:
                figures = {cell.cell.server: cell for cell in row}
                here = {server: compared.measurements[cell.cell] for server, cell in figures.items()}
                orders.append(_order(level, figures, here, compared.rankings[name, level], compared.percentile))
        if name in compared.over_levels and len(orders) > 1:
            measurements, ranking = compared.over_levels[name]
            if len(ranking.ranks) > 1:
                orders.append(_order(None, {}, measurements, ranking))
    return WorkloadSummary(name, servers, tuple(orders), compared.percentile)


def _order(
    level: int | None,
    figures: Mapping[str, CellSummary],
    measurements: Mapping[str, Measurement],
    ranking: Ranking,
    percentile: int | None = None,
) -> Order:
    """Return the order of the servers with a figure. The leader has the best figure of those that no other was found to
    be ahead of."""
    ranked = [server for server, rank in ranking.ranks.items() if rank.best == 1]
    names = ranked if len(ranking.ranks) > 1 else list(figures)
    leader = max(names, key=lambda server: _speed(figures.get(server), measurements[server], percentile))
    if len(ranking.ranks) < 2:
        standing = Standing.TOO_FEW if ranking.ranks else Standing.FEW_STARTS
        return Order(
            standing=Standing.ALONE if len(figures) == 1 else standing,
            level=level, leader=leader, figure=figures.get(leader), compared=len(figures),
        )  # fmt: skip
    others = ranking.others_of(leader)
    return Order(
        standing=Standing.TESTED,
        level=level,
        leader=leader,
        figure=figures.get(leader),
        compared=len(ranking.ranks),
        behind=len(others.behind),
        tied=tuple(others.tied),
        detectable=tuple(others.tied.values()),
        not_compared=len(others.not_compared),
        lead=_lead(leader, others.behind, measurements),
    )


def figures_shown(cell: CellSummary, percentile: int | None) -> tuple[float, ...]:
    """Return the figure of a cell that tables show, that percentile of its latencies where one is given; the lowest and
    the highest of several sessions."""
    shown = _shown(cell, percentile)
    return (shown.range.low, shown.range.high) if shown.range else (shown.value,)


def _shown(cell: CellSummary, percentile: int | None) -> Estimate:
    if percentile is not None and cell.open_latencies is not None:
        return cell.open_latencies.percentiles[percentile]
    assert cell.estimate is not None, "cells without a figure are left out"
    return cell.estimate


def _speed(cell: CellSummary | None, measurement: Measurement, percentile: int | None) -> float:
    """Return what is the higher the better: the figure that tables show, or its negative where lower ones are better.
    All levels together have none."""
    if cell is None:
        return measurement.mean.value
    shown = _shown(cell, percentile).value
    return -shown if lower_is_better(cell.measure) else shown


def _lead(first: str, behind: Sequence[str], measurements: Mapping[str, Measurement]) -> Lead | None:
    """Return the lead over the closest of the servers that are behind; None where there is none."""
    here = measurements[first]
    factors = [ratio(here.mean, measurements[server].mean).value for server in behind]
    return Lead(min(factors), here.is_lower_bound) if factors else None


def _confidence(cells: Sequence[CellSummary], drifts: Sequence[Drift], warnings: int, sessions: int) -> Confidence:
    estimates = [cell.estimate for cell in cells if cell.estimate]
    widths = [width for estimate in estimates if (width := estimate.relative_half_width) is not None]
    wide = median(widths) if widths else 0.0
    drift = max((abs(each.change) for each in drifts), default=0.0)
    return Confidence(
        starts=max(len(cell.by_batch) for cell in cells),
        wide=wide if wide > _WIDE else None,
        cells=len(cells),
        disturbed=sum(cell.failure_kind is FailureKind.DISTURBED for cell in cells),
        without=sum(cell.figure is None and cell.failure_kind is not FailureKind.DISTURBED for cell in cells),
        limited=sum(cell.is_lower_bound for cell in cells),
        limited_by=tuple(sorted({cell.limited_by for cell in cells if cell.is_lower_bound})),
        drift=drift if drift > WORTH_A_WARNING else None,
        warnings=warnings,
        sessions=sessions,
    )
