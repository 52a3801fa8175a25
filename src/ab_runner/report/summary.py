"""Who won, by how much, and can one believe it: a line for each workload, and one for the last question. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

import msgspec

from ab_runner.model import REFERENCE, Cell, WorkloadName
from ab_runner.report.cells import CellSummary
from ab_runner.report.drift import WORTH_A_WARNING, Drift
from ab_runner.report.ranks import Ranked, ranked
from ab_runner.stats.ratio import ratio

_MOST_NAMES = 3
_WIDE = 0.05
"""Half of an interval, as a share of the figure, from which on it is wide."""


class _First(msgspec.Struct, frozen=True):
    """Who is first in a row, and by what factor ahead of the next who can be told apart (None: there is nobody)."""

    names: tuple[str, ...]
    lead: float | None
    by_cost: bool


def summary(
    cells: Mapping[Cell, CellSummary], concurrency: Sequence[int], drifts: Sequence[Drift], warnings: int
) -> tuple[str, ...]:
    """Of the cells of a sweep; none if nothing was measured."""
    taking_part = [cell for cell in cells.values() if cell.cell.server != REFERENCE]
    workloads = dict.fromkeys(cell.cell.workload for cell in taking_part)
    if not any(cell.rate is not None for cell in taking_part):
        return ()
    lines = [_winners(name, taking_part, concurrency) for name in workloads]
    return (*lines, f"to be believed? {_belief(taking_part, drifts, warnings)}")


def _winners(name: WorkloadName, cells: Sequence[CellSummary], concurrency: Sequence[int]) -> str:
    rows = {
        level: [each for each in cells if (each.cell.workload, each.cell.concurrency) == (name, level)]
        for level in concurrency
    }
    firsts: dict[tuple[str, ...], dict[int, _First]] = {}
    for level, row in rows.items():
        if first := _first(row):
            firsts.setdefault(first.names, {})[level] = first
    if not firsts:
        return f"{name}: no server has a figure"
    servers = len({cell.cell.server for row in rows.values() for cell in row if cell.rate is not None})
    if servers == 1:
        return f"{name}: {next(iter(firsts))[0]} alone has figures"
    return f"{name}: {'; '.join(_said(names, levels, servers) for names, levels in firsts.items())}"


def _first(row: Sequence[CellSummary]) -> _First | None:
    rates = {cell.cell.server: cell.rate for cell in row if cell.rate is not None}
    if not rates:
        return None
    found = ranked(row)
    ranks = found.ranking.ranks
    if len(ranks) < 2:
        return _First((max(rates, key=rates.__getitem__),), None, by_cost=False)
    names = tuple(server for server, rank in ranks.items() if rank.best == 1)
    return _First(names, _lead(row, found), found.by_cost)


def _lead(row: Sequence[CellSummary], found: Ranked) -> float | None:
    """Of the best who is told to be ahead of the next, over the next: the best of those who are not among the first."""
    blocks = {cell.cell.server: tuple(cell.blocks(found.by_cost).values()) for cell in row}
    behind = [server for server, rank in found.ranking.ranks.items() if rank.best > 1]
    if not behind:
        return None
    after = max(behind, key=lambda server: ratio(blocks[server], blocks[behind[0]]).value)
    ahead = [better for better, worse in found.ranking.faster if worse == after]
    return max(ratio(blocks[better], blocks[after]).value for better in ahead)


def _said(names: tuple[str, ...], levels: Mapping[int, _First], servers: int) -> str:
    leads = [first.lead for first in levels.values() if first.lead is not None]
    at = f"at {', '.join(map(str, levels))}"
    by_cost = " by CPU time" if any(first.by_cost for first in levels.values()) else ""
    if not leads and len(names) > 1:
        return f"{len(names)} servers cannot be told apart{by_cost} {at}"
    who = ", ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} of {servers} servers"
    verb = "share the first place" if len(names) > 1 else "is first"
    if not leads:
        return f"{who} has the highest figure {at}"
    low, high = (f"{lead:.2g}" for lead in (min(leads), max(leads)))
    factor = low if low == high else f"{low} to {high}"
    return f"{who} {verb}{by_cost} {at}, {factor} times the next"


def _belief(cells: Sequence[CellSummary], drifts: Sequence[Drift], warnings: int) -> str:
    blocks = max(len(cell.by_block) for cell in cells)
    estimates = [cell.estimate for cell in cells if cell.estimate]
    widths = [width for estimate in estimates if (width := estimate.half_width) is not None]
    doubts = list(_doubts(cells, widths, drifts, warnings))
    if blocks == 1:
        return f"no: one block, so that nothing can be told from noise (--blocks 6){_but(doubts)}"
    tested = f"{blocks} blocks, and who is said to be first was tested"
    return f"with care: {tested}{_but(doubts)}" if doubts else f"yes: {tested}, intervals are narrow"


def _but(doubts: Iterable[str]) -> str:
    return "".join(f"; {doubt}" for doubt in doubts)


def _doubts(
    cells: Sequence[CellSummary], widths: Sequence[float], drifts: Sequence[Drift], warnings: int
) -> Iterator[str]:
    if widths and median(widths) > _WIDE:
        yield f"half of the intervals are wider than ±{100 * median(widths):.2g} %"
    without = sum(cell.rate is None for cell in cells)
    if without:
        yield f"{without} of {len(cells)} cells {'has' if without == 1 else 'have'} no figure"
    limited = sum(cell.limit == "generator" for cell in cells)
    if limited:
        yield f"ab was the limit of {limited}, where CPU time decides"
    drift = max((abs(each.change) for each in drifts), default=0.0)
    if drift > WORTH_A_WARNING:
        yield f"the machine drifted by up to {100 * drift:.0f} %"
    if warnings:
        yield "1 warning above" if warnings == 1 else f"{warnings} warnings above"
