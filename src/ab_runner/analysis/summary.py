"""Who is ahead of whom, by how much, and how sure that is: a line for each workload, and the confidence. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.drift import WORTH_A_WARNING, Drift
from ab_runner.analysis.rankings import ranked
from ab_runner.model.records import Cell
from ab_runner.model.server import REFERENCE
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.pairing import Pair, pair
from ab_runner.stats.ranking import Ranking
from ab_runner.stats.ratio import ratio

_MOST_NAMES = 3
_WIDE = 0.05
"""Half of an interval, as a share of the figure, from which on it is wide."""


class _Said(msgspec.Struct, frozen=True):
    """What is said of a row: `text`, the servers that it is about, and by what factor the first is ahead of the next:
    None where several may be first. `at_least`: ab was the limit of the first. `by_cpu_time`: the factor is one of
    requests per CPU-second."""

    text: str
    after: str = ""
    lead: float | None = None
    at_least: bool = False
    by_cpu_time: bool = False


def summary(
    cells: Mapping[Cell, CellSummary], concurrency: Sequence[int], drifts: Sequence[Drift], warnings: int
) -> tuple[str, ...]:
    """Of the cells of a sweep; none if nothing was measured."""
    taking_part = [cell for cell in cells.values() if cell.cell.server != REFERENCE]
    workloads = dict.fromkeys(cell.cell.workload for cell in taking_part)
    starved = list(_starved(taking_part))
    if not any(cell.rate is not None for cell in taking_part):
        return tuple(starved)
    lines = [_winners(name, taking_part, concurrency) for name in workloads]
    return (*lines, *starved, f"Confidence: {_confidence(taking_part, drifts, warnings)}")


def _winners(name: WorkloadName, cells: Sequence[CellSummary], concurrency: Sequence[int]) -> str:
    rows = {
        level: [
            each
            for each in cells
            if (each.cell.workload, each.cell.concurrency) == (name, level) and each.rate is not None
        ]
        for level in concurrency
    }
    servers = {cell.cell.server for row in rows.values() for cell in row}
    if not servers:
        return f"{name}: no server has a figure"
    if len(servers) == 1:
        return f"{name}: {next(iter(servers))} alone has figures"
    said: dict[tuple[str, str], dict[int, _Said]] = {}
    for level, row in rows.items():
        if row:
            found = _said(row)
            said.setdefault((found.text, found.after), {})[level] = found
    return f"{name}: {'; '.join(_at_levels(levels) for levels in said.values())}"


def _said(row: Sequence[CellSummary]) -> _Said:
    """Of the servers with a figure in a row: only what was tested."""
    found = ranked(row)
    compared = len(found.ranks)
    if len(row) == 1:
        return _Said(f"{row[0].cell.server} alone has a figure")
    if not compared:
        return _Said("one start, so no order can be told")
    if compared < 2:
        return _Said("too few servers were started more than once to tell an order")
    first = [server for server, rank in found.ranks.items() if rank.best == 1]
    if len(first) == 1:
        return _alone(first[0], row, found)
    ahead = {name: sum(better == name for better, _ in found.faster) for name in first}
    most = max(ahead.values())
    if not most:
        return _Said(f"{compared} servers cannot be told apart")
    leaders = [name for name in first if ahead[name] == most]
    others = len(first) - len(leaders)
    verb = "is" if len(leaders) == 1 else "are each"
    after = "which of them is first cannot be told"
    if others:
        after = f"{others} other{'s' if others > 1 else ''} cannot be excluded from first place"
    return _Said(f"{_names(leaders, compared)} {verb} ahead of {most} of {compared - 1}", f"; {after}")


def _names(names: Sequence[str], of: int) -> str:
    return " and ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} of {of} servers"


def _alone(first: str, row: Sequence[CellSummary], found: Ranking) -> _Said:
    """Everybody is behind the first. The next is the one of them who is nearest to it; where ab limited several, one of
    those."""
    cells = {cell.cell.server: cell for cell in row}
    pairs = [_compared(cells[first], cells[server]) for server in found.ranks if server != first]
    nearest = min(pairs, key=lambda pair: (not pair.by_cpu_time, _factor(pair)))
    return _Said(
        f"{first} is first", lead=_factor(nearest), at_least=not nearest.second_can_lead,
        by_cpu_time=nearest.by_cpu_time,
    )  # fmt: skip


def _compared(one: CellSummary, other: CellSummary) -> Pair:
    found = pair(one.measurement, other.measurement)
    assert found is not None, "who is told from another was compared with it"
    return found


def _factor(pair: Pair) -> float:
    return ratio(pair.first, pair.second).value


def _at_levels(levels: Mapping[int, _Said]) -> str:
    """What is the same at several concurrencies, once."""
    said = next(iter(levels.values()))
    return f"{said.text} at {', '.join(map(str, levels))}{_leads(list(levels.values()))}{said.after}"


def _leads(said: Sequence[_Said]) -> str:
    """`, 1.2 to 1.4 times the next`, by rate and by CPU time apart."""
    texts = []
    for by_cpu_time, of_what in ((False, ""), (True, " in requests per CPU-second")):
        found = [each for each in said if each.lead is not None and each.by_cpu_time == by_cpu_time]
        leads = sorted(each.lead for each in found if each.lead is not None)
        if leads:
            low, high = (f"{lead:.2g}" for lead in (leads[0], leads[-1]))
            factor = low if low == high else f"{low} to {high}"
            at_least = "at least " if any(each.at_least for each in found) else ""
            texts.append(f"{at_least}{factor} times the next{of_what}")
    return f", {' and '.join(texts)}" if texts else ""


def _starved(cells: Iterable[CellSummary]) -> Iterator[str]:
    """The cells that have no rate at their concurrency because most connections waited."""
    found = [
        f"{each.cell.server} {each.cell.workload} at {each.cell.concurrency} ({each.served_text} at a time)"
        for each in cells
        if each.starved
    ]
    if found:
        yield f"starved, so without a rate at that concurrency and without a rank: {', '.join(found)}"


def _confidence(cells: Sequence[CellSummary], drifts: Sequence[Drift], warnings: int) -> str:
    blocks = max(len(cell.by_block) for cell in cells)
    estimates = [cell.estimate for cell in cells if cell.estimate]
    widths = [width for estimate in estimates if (width := estimate.relative_half_width) is not None]
    doubts = list(_doubts(cells, widths, drifts, warnings))
    if blocks == 1:
        return f"none ({'; '.join(('one start: nothing can be told from noise (--blocks 6)', *doubts))})"
    starts = f"{blocks} starts"
    return f"moderate ({'; '.join((starts, *doubts))})" if doubts else f"high ({starts}; intervals are narrow)"


def _doubts(
    cells: Sequence[CellSummary], widths: Sequence[float], drifts: Sequence[Drift], warnings: int
) -> Iterator[str]:
    if widths and median(widths) > _WIDE:
        yield f"half of the intervals are wider than ±{100 * median(widths):.2g} %"
    without = sum(cell.rate is None for cell in cells)
    if without:
        yield f"{without} of {len(cells)} cells {'has' if without == 1 else 'have'} no figure"
    limited = sum(cell.is_lower_bound for cell in cells)
    if limited:
        yield f"{limited} {'cell' if limited == 1 else 'cells'} limited by ab"
    drift = max((abs(each.change) for each in drifts), default=0.0)
    if drift > WORTH_A_WARNING:
        yield f"the machine drifted by up to {100 * drift:.0f} %"
    if warnings:
        yield "1 warning above" if warnings == 1 else f"{warnings} warnings above"
