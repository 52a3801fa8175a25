"""The first table of every report: who has the best figure in each workload, by how much, and what was tested. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measure import Measure, lower_is_better
from ab_runner.analysis.summary import Lead, Order, Standing, WorkloadSummary, figures_shown
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.report.document import Emphasis, Table, TableCell
from ab_runner.report.say.figures import NOTHING
from ab_runner.report.say.numbers import NONE, differences_text, range_figure, two_digits
from ab_runner.report.say.words import Words, words_of
from ab_runner.stats.estimate import FEWEST_STARTS

LEAD = "lead: ratio to the closest server that is significantly behind, compared within blocks"
LEAD_OVER_SESSIONS = LEAD.replace("blocks", "sessions")
TIED = "tied: tested, and not told apart; beside it the smallest difference that each test would have found"
SOME_STARTS_FAILED = "*: some of its trials failed; its rank rests on the others"
TOGETHER = "together"
"""The levels of an order over all of them."""
_MOST_NAMES = 3
"""If there are more servers than this, only their number is shown."""
_RANGE_FROM = 3
"""So many neighbouring levels or more are shown as a range."""


def fastest_table(analysis: SweepAnalysis) -> Table | None:
    """Return the table, with a row for each group of levels that have the same best server; None where no server has a
    figure."""
    words = words_of(analysis.sweep.request)
    workloads = analysis.summary.workloads
    rows = [row for workload in workloads for row in _workload_rows(workload, analysis, words)]
    if not rows:
        return None
    orders = [order for workload in workloads if len(workload.servers) > 1 for order in workload.orders]
    notes = _notes(orders, LEAD_OVER_SESSIONS if analysis.sessions else LEAD)
    is_latency = lower_is_better(analysis.measure)
    best, unit = ("lowest", "ms") if is_latency else ("fastest", words.unit)
    headings = ("workload", words.column, best, unit, "lead", "evidence")
    return Table(title=words.answer, headings=headings, rows=tuple(rows), notes=notes, prose=(2, 5))


def _notes(orders: Sequence[Order], lead: str) -> tuple[str, ...]:
    """Return what explains the words and the star in the rows of these orders."""
    found = {
        lead: any(order.lead for order in orders),
        TIED: any(order.tied for order in orders),
        SOME_STARTS_FAILED: any(order.figure is not None and order.figure.failed for order in orders),
    }
    return tuple(note for note, is_needed in found.items() if is_needed)


def _workload_rows(summary: WorkloadSummary, analysis: SweepAnalysis, words: Words) -> Iterator[tuple[TableCell, ...]]:
    """Yield the rows of a workload. Its name stands on the first."""
    name: str = summary.workload if summary.percentile is None else f"{summary.workload}, p{summary.percentile}"
    if len(summary.servers) < 2:
        cells = [cell for server in summary.servers for cell in analysis.cells_of(server, summary.workload)]
        fastest = TableCell(", ".join(summary.servers), Emphasis.UNSURE)
        why = "the only server with a figure" if summary.servers else "no server has a figure"
        if not summary.servers:
            fastest = TableCell(NONE, Emphasis.UNSURE, value="")
        figures = _figures(cells, analysis.measure, summary.percentile)
        yield TableCell(name), NOTHING, fastest, figures, NOTHING, TableCell(why)
        return
    every = sorted(order.level for order in summary.orders if order.level is not None)
    best = "lowest" if lower_is_better(analysis.measure) else "highest"
    for same in _same_leader(summary.orders):
        levels = sorted(order.level for order in same if order.level is not None)
        cells = [order.figure for order in same if order.figure is not None]
        is_ahead = any(order.behind for order in same)
        yield (
            TableCell(name),
            TableCell(levels_text(levels, every), value=levels[0]) if levels else TableCell(TOGETHER),
            TableCell(
                _fastest(same[0], is_ahead, any(cell.failed for cell in cells), best),
                Emphasis.BEST if is_ahead else Emphasis.UNSURE,
            ),
            _figures(cells, analysis.measure, summary.percentile),
            _lead([order.lead for order in same if order.lead]),
            TableCell(_evidence(same, words)),
        )
        name = ""


def _same_leader(orders: Iterable[Order]) -> list[list[Order]]:
    """Return the orders, those together that have the same leader. One over all levels stands alone."""
    found: dict[tuple[Standing, str, bool, bool], list[Order]] = {}
    for each in orders:
        found.setdefault((each.standing, each.leader, each.behind > 0, each.level is None), []).append(each)
    return list(found.values())


def levels_text(levels: Sequence[int], every: Sequence[int]) -> str:
    """Return `1, 100 to 1,000`: three levels or more that follow each other in `every` are a range. Both rise."""
    runs: list[list[int]] = []
    for level in levels:
        if runs and every.index(level) == every.index(runs[-1][-1]) + 1:
            runs[-1].append(level)
        else:
            runs.append([level])
    return ", ".join(
        f"{run[0]:,} to {run[-1]:,}" if len(run) >= _RANGE_FROM else ", ".join(f"{level:,}" for level in run)
        for run in runs
    )


def _fastest(order: Order, is_ahead: bool, some_failed: bool, best: str) -> str:
    """Return the name of the leader. One that is ahead of nobody only has the best figure, or of all levels together,
    where none is shown, the best mean."""
    only = "" if is_ahead or order.standing is Standing.ALONE else f"{best} {'figure' if order.figure else 'mean'}: "
    return f"{only}{order.leader}{'*' if some_failed else ''}"


def _figures(cells: Iterable[CellSummary], measure: Measure, percentile: int | None) -> TableCell:
    """Return `12,300 to 12,400`, sorted by the lowest of them."""
    found = [cell for cell in cells if cell.figure is not None]
    if not found:
        return NOTHING
    bound = "≥ " if any(cell.is_lower_bound for cell in found) else ""
    figures = [figure for cell in found for figure in figures_shown(cell, percentile)]
    return TableCell(f"{bound}{range_figure(figures, measure)}", value=min(figures))


def _lead(leads: Sequence[Lead]) -> TableCell:
    """Return `1.2 to 1.4 times`, sorted by the lowest of them."""
    if not leads:
        return NOTHING
    factors = sorted(lead.factor for lead in leads)
    bound = "≥ " if any(lead.at_least for lead in leads) else ""
    text = f"{bound}{' to '.join(dict.fromkeys(map(_factor, (factors[0], factors[-1]))))} times"
    return TableCell(text, value=factors[0])


def _factor(factor: float) -> str:
    """Return `1.03`, `1.4`, `12`: below 1.1, two digits would leave nothing of a lead."""
    return f"{factor:.2f}" if factor < 1.095 else two_digits(factor)


def _evidence(orders: Sequence[Order], words: Words) -> str:
    """Return what was tested, of orders with the same leader."""
    match orders[0].standing:
        case Standing.ALONE:
            return "the only server with a figure"
        case Standing.FEW_STARTS:
            return f"not tested: fewer than {FEWEST_STARTS} starts"
        case Standing.TOO_FEW:
            return "not tested: too few servers have figures of enough starts"
        case Standing.TESTED:
            parts = (_ahead_text(orders), _tied_text(orders), _not_compared_text(orders, words))
            return "; ".join(filter(None, parts))


def _ahead_text(orders: Sequence[Order]) -> str:
    """Return `ahead of all 5`, or `ahead of 3 to 4 of 5`."""
    of = [order.compared - 1 for order in orders]
    behind = [order.behind for order in orders]
    if not any(behind):
        return ""
    if set(of) == {1}:
        return "ahead of the other"
    if behind == of:
        return f"ahead of all {of[0]}" if len(set(of)) == 1 else "ahead of all others"
    return f"ahead of {_numbers(behind)} of {_numbers(of)}"


def _tied_text(orders: Sequence[Order]) -> str:
    """Return `tied with 3 to 4 (a difference of 9 % would have shown)`, or with names where they are few."""
    tied = [order for order in orders if order.tied]
    if not tied:
        return ""
    names = dict.fromkeys(name for order in tied for name in order.tied)
    who = ", ".join(names) if len(names) <= _MOST_NAMES else _numbers([len(order.tied) for order in orders])
    sizes = [size for order in tied for size in order.detectable]
    return f"tied with {who} ({differences_text(sizes)} would have shown)"


def _not_compared_text(orders: Sequence[Order], words: Words) -> str:
    numbers = [order.not_compared for order in orders]
    return f"not compared with {_numbers(numbers)} ({words.limit} was the limit)" if any(numbers) else ""


def _numbers(numbers: Sequence[int]) -> str:
    return " to ".join(dict.fromkeys((str(min(numbers)), str(max(numbers)))))
