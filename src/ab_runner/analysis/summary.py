"""Which servers are ahead, by how much, and how certain that is: an order for each workload, and the confidence.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from statistics import median

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.drift import WORTH_A_WARNING, Drift
from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.rankings import Rankings
from ab_runner.analysis.reasons import Reason
from ab_runner.model.records import Cell
from ab_runner.model.server import REFERENCE
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.pairing import Measurement, Pair, pair
from ab_runner.stats.ranking import Ranking
from ab_runner.stats.ratio import ratio

_WIDE = 0.05
"""An interval is wide if half of it is more than this share of the figure."""


class Standing(Enum):
    """What is known of the order of the servers at one workload and concurrency."""

    ALONE = "alone"
    """Only one server has a figure."""
    FEW_STARTS = "few starts"
    TOO_FEW = "too few"
    """Fewer than two servers have figures that can be tested."""
    FIRST = "first"
    """All other servers are behind one server."""
    AHEAD = "ahead"
    """Several servers are tied for first, and some are ahead of others."""
    EQUAL = "equal"
    """No server is ahead of another."""


class Lead(msgspec.Struct, frozen=True):
    """By what factor the first is ahead of the nearest server that is behind it. `at_least`: ab was the limit of the
    first. `by_cpu_time`: the factor is one of requests per CPU-second."""

    factor: float
    at_least: bool
    by_cpu_time: bool


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """The order of the servers at one workload and concurrency, as far as it was tested.

    `leaders` of the `compared` servers are each ahead of `ahead_of` others. `others` besides them may be first too.
    Where no order was tested for want of starts, the leader is the server with the best figure. Where servers are
    equal there is none.
    """

    standing: Standing
    compared: int = 0
    leaders: tuple[str, ...] = ()
    ahead_of: int = 0
    others: tuple[str, ...] = ()


class OrderAtLevels(msgspec.Struct, frozen=True):
    """An order that is the same at several concurrencies. `leads` has the leads there over the nearest server that is
    behind, if there is one, and `cells` those of the leaders, or of all compared servers where there are none."""

    order: Order
    levels: tuple[int, ...]
    leads: tuple[Lead, ...]
    cells: tuple[CellSummary, ...]


class WorkloadSummary(msgspec.Struct, frozen=True):
    """`servers` have a figure in this workload. `orders` is empty where there are fewer than two."""

    workload: WorkloadName
    servers: tuple[str, ...]
    orders: tuple[OrderAtLevels, ...]


class Confidence(msgspec.Struct, frozen=True, kw_only=True):
    """What supports or weakens the figures. `wide` is half the width of the median interval, as a share of its
    figure, and `drift` the largest of the reference, each None where it is small. Of the `cells`, `disturbed` are
    disturbed, `without` have no figure for another reason, and ab was the limit of `limited`."""

    starts: int
    wide: float | None
    cells: int
    disturbed: int
    without: int
    limited: int
    drift: float | None
    warnings: int


class Summary(msgspec.Struct, frozen=True):
    """The summary of a sweep. `starved` are the cells that have no rate because most connections waited. Without any
    figure there are neither workloads nor confidence."""

    workloads: tuple[WorkloadSummary, ...] = ()
    starved: tuple[CellSummary, ...] = ()
    confidence: Confidence | None = None


def summary_of(
    cells: Mapping[Cell, CellSummary],
    measurements: Mapping[Cell, Measurement],
    rankings: Rankings,
    levels: Sequence[int],
    drifts: Sequence[Drift],
    warnings: int,
) -> Summary:
    """Return the summary of the cells of a sweep; `warnings` is the number of its warnings."""
    taking_part = [cell for cell in cells.values() if cell.cell.server != REFERENCE]
    starved = tuple(cell for cell in taking_part if cell.starved)
    if not any(cell.figure is not None for cell in taking_part):
        return Summary(starved=starved)
    workloads = dict.fromkeys(cell.cell.workload for cell in taking_part)
    return Summary(
        tuple(_workload(name, taking_part, measurements, rankings, levels) for name in workloads),
        starved,
        _confidence(taking_part, drifts, warnings),
    )


def _workload(
    name: WorkloadName,
    cells: Iterable[CellSummary],
    measurements: Mapping[Cell, Measurement],
    rankings: Rankings,
    levels: Sequence[int],
) -> WorkloadSummary:
    rows: dict[int, list[CellSummary]] = {level: [] for level in levels}
    for cell in cells:
        if cell.cell.workload == name and cell.figure is not None and cell.cell.level in rows:
            rows[cell.cell.level].append(cell)
    servers = dict.fromkeys(cell.cell.server for row in rows.values() for cell in row)
    orders: dict[Order, dict[int, Lead | None]] = {}
    if len(servers) > 1:
        for level, row in rows.items():
            if row:
                order, lead = _order(row, measurements, rankings[name, level])
                orders.setdefault(order, {})[level] = lead
    return WorkloadSummary(
        name,
        tuple(servers),
        tuple(
            OrderAtLevels(
                order,
                tuple(leads),
                tuple(lead for lead in leads.values() if lead is not None),
                tuple(
                    cell
                    for level in leads
                    for cell in rows[level]
                    if cell.cell.server in (order.leaders or rankings[name, level].ranks)
                ),
            )
            for order, leads in orders.items()
        ),
    )


def _order(
    row: Sequence[CellSummary], measurements: Mapping[Cell, Measurement], ranking: Ranking
) -> tuple[Order, Lead | None]:
    """Return the order of the servers with a figure, and the smallest lead of those that lead, if there is one."""
    compared = len(ranking.ranks)
    if len(row) == 1:
        return Order(standing=Standing.ALONE, leaders=(row[0].cell.server,)), None
    if compared < 2:
        best = max(row, key=_speed)
        standing = Standing.TOO_FEW if compared else Standing.FEW_STARTS
        return Order(standing=standing, compared=len(row), leaders=(best.cell.server,)), None
    first = [server for server, rank in ranking.ranks.items() if rank.best == 1]
    ahead = {name: sum(better == name for better, _ in ranking.faster) for name in first}
    most = max(ahead.values())
    if not most:
        return Order(standing=Standing.EQUAL, compared=compared), None
    leaders = tuple(name for name in first if ahead[name] == most)
    order = Order(
        standing=Standing.FIRST if len(first) == 1 else Standing.AHEAD,
        compared=compared,
        leaders=leaders,
        ahead_of=most,
        others=tuple(name for name in first if name not in leaders),
    )
    leads = [lead for name in leaders if (lead := _lead(name, row, measurements, ranking))]
    return order, min(leads, key=_nearness, default=None)


def _speed(cell: CellSummary) -> float:
    figure = cell.figure or 0.0
    return -figure if lower_is_better(cell.measure) else figure


def _lead(
    first: str, row: Sequence[CellSummary], measurements: Mapping[Cell, Measurement], ranking: Ranking
) -> Lead | None:
    """Return the lead over the nearest of the servers that are behind this one; where ab limited several, over one of
    those. None where none of them can be compared with it."""
    here = {cell.cell.server: measurements[cell.cell] for cell in row}
    behind = [server for better, server in ranking.faster if better == first]
    pairs = (pair(here[first], here[server]) for server in behind)
    leads = (Lead(_factor(each), not each.second_can_lead, each.by_cpu_time) for each in pairs if each)
    return min(leads, key=_nearness, default=None)


def _nearness(lead: Lead) -> tuple[bool, float]:
    return not lead.by_cpu_time, lead.factor


def _factor(pair: Pair) -> float:
    return ratio(pair.first, pair.second).value


def _confidence(cells: Sequence[CellSummary], drifts: Sequence[Drift], warnings: int) -> Confidence:
    estimates = [cell.estimate for cell in cells if cell.estimate]
    widths = [width for estimate in estimates if (width := estimate.relative_half_width) is not None]
    wide = median(widths) if widths else 0.0
    drift = max((abs(each.change) for each in drifts), default=0.0)
    return Confidence(
        starts=max(len(cell.by_batch) for cell in cells),
        wide=wide if wide > _WIDE else None,
        cells=len(cells),
        disturbed=sum(cell.reason is Reason.DISTURBED for cell in cells),
        without=sum(cell.figure is None and cell.reason is not Reason.DISTURBED for cell in cells),
        limited=sum(cell.is_lower_bound for cell in cells),
        drift=drift if drift > WORTH_A_WARNING else None,
        warnings=warnings,
    )
