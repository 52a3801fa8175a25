"""The first table of every report: who is fastest in each workload, by how much, and how sure that is. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.summary import Lead, Order, OrderAtLevels, Standing, WorkloadSummary
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.report.document import Emphasis, Table, TableCell
from ab_runner.report.figures import CPU_TIME_MARK, NONE, OF_CPU_TIME, bound_of, range_figure
from ab_runner.report.words import words_of
from ab_runner.stats.estimate import FEWEST_STARTS

LEAD = "lead: over the nearest of the servers that are known to be slower, compared within blocks"
SOME_STARTS_FAILED = "*: some of its trials failed; its rank rests on the others"
_MOST_NAMES = 3
"""If there are more servers than this, only their number is shown."""
_RANGE_FROM = 3
"""So many neighbouring levels or more are shown as a range."""


def fastest_table(analysis: SweepAnalysis) -> Table | None:
    """Return the table, with a row for each group of levels that have the same fastest servers; None where no server
    has a figure."""
    rows = [row for workload in analysis.summary.workloads for row in _workload_rows(workload, analysis)]
    if not rows:
        return None
    texts = [[cell.text for cell in row] for row in rows]
    notes = [LEAD] if any(lead != NONE for *_, lead, _ in texts) else []
    notes += [OF_CPU_TIME] if any(CPU_TIME_MARK in lead for *_, lead, _ in texts) else []
    notes += [SOME_STARTS_FAILED] if any(fastest.endswith("*") for _, _, fastest, *_ in texts) else []
    words = words_of(analysis.sweep.request)
    headings = ("workload", words.column, "fastest", words.unit, "lead", "how sure")
    return Table(title=words.answer, headings=headings, rows=tuple(rows), notes=tuple(notes), prose=(2, 5))


def _workload_rows(summary: WorkloadSummary, analysis: SweepAnalysis) -> Iterator[tuple[TableCell, ...]]:
    """Yield the rows of a workload. Its name stands on the first."""
    if len(summary.servers) < 2:
        cells = [cell for server in summary.servers for cell in analysis.cells_of(server, summary.workload)]
        fastest = ", ".join(summary.servers) or NONE
        why = "the only server with a figure" if summary.servers else "no server has a figure"
        yield _row(summary.workload, NONE, fastest, _rates(cells), NONE, why, Emphasis.UNSURE)
        return
    name: str = summary.workload
    every = sorted(level for each in summary.orders for level in each.levels)
    for same in _same_leaders(summary.orders):
        levels = sorted(level for each in same for level in each.levels)
        order = same[0].order
        cells = [cell for each in same for cell in each.cells]
        yield _row(
            name,
            levels_text(levels, every),
            _fastest(
                [each.order for each in same], any(cell.failed for cell in cells), lower_is_better(analysis.measure)
            ),
            _rates(cells),
            _lead_text([lead for each in same for lead in each.leads]),
            _certainty([each.order for each in same]),
            Emphasis.BEST if order.ahead_of else Emphasis.UNSURE,
        )
        name = ""


def _row(
    workload: str, levels: str, fastest: str, rates: str, lead: str, certainty: str, emphasis: Emphasis
) -> tuple[TableCell, ...]:
    texts = [TableCell(text) for text in (workload, levels, fastest, rates, lead, certainty)]
    return (*texts[:2], TableCell(fastest, emphasis), *texts[3:])


def _same_leaders(orders: Iterable[OrderAtLevels]) -> list[list[OrderAtLevels]]:
    """Return the orders, those together in which the same servers lead."""
    found: dict[tuple[Standing, frozenset[str]], list[OrderAtLevels]] = {}
    for each in orders:
        found.setdefault((each.order.standing, frozenset(each.order.leaders)), []).append(each)
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


def _fastest(orders: Sequence[Order], some_failed: bool, is_lowest: bool) -> str:
    order = orders[0]
    match order.standing:
        case Standing.EQUAL:
            text = f"{_numbers([each.compared for each in orders])} servers tied"
        case Standing.FEW_STARTS | Standing.TOO_FEW:
            text = f"{'lowest' if is_lowest else 'highest'} figure: {order.leaders[0]}"
        case _ if len(order.leaders) > _MOST_NAMES:
            text = f"one of {len(order.leaders)} servers"
        case _:
            text = " or ".join(order.leaders)
    return f"{text}*" if some_failed else text


def _rates(cells: Iterable[CellSummary]) -> str:
    found = [cell for cell in cells if cell.figure is not None]
    if not found:
        return NONE
    measure = found[0].measure
    bound = f"{bound_of(measure)} " if any(cell.is_lower_bound for cell in found) else ""
    return f"{bound}{range_figure((cell.figure for cell in found if cell.figure is not None), measure)}"


def _lead_text(leads: Sequence[Lead]) -> str:
    """Return `1.2 to 1.4 times`, by rate and by CPU time apart."""
    texts = []
    for by_cpu_time in (False, True):
        if found := [lead for lead in leads if lead.by_cpu_time == by_cpu_time]:
            factors = sorted(lead.factor for lead in found)
            factor = " to ".join(dict.fromkeys(map(_factor, (factors[0], factors[-1]))))
            bound = "≥ " if any(lead.at_least for lead in found) else ""
            texts.append(f"{bound}{factor} times{CPU_TIME_MARK if by_cpu_time else ''}")
    return ", ".join(texts) or NONE


def _factor(factor: float) -> str:
    """Return `1.03`, `1.4`, `12`: below 1.1, two digits would leave nothing of a lead."""
    return f"{factor:.2f}" if factor < 1.095 else f"{factor:.2g}"


def _certainty(orders: Sequence[Order]) -> str:
    """Return what was tested, of orders with the same leaders."""
    order = orders[0]
    match order.standing:
        case Standing.ALONE:
            return "the only server with a figure"
        case Standing.FEW_STARTS:
            return f"not tested: fewer than {FEWEST_STARTS} starts"
        case Standing.TOO_FEW:
            return "not tested: too few servers have figures of enough starts"
        case Standing.EQUAL:
            return "tested: they cannot be told apart"
        case Standing.FIRST | Standing.AHEAD:
            each = "each " if len(order.leaders) > 1 else ""
            return f"tested: {each}ahead of {_ahead_of(orders)}{_others(orders)}"


def _ahead_of(orders: Sequence[Order]) -> str:
    """Return `all 5`, or `3 to 4 of 5`, or words where the number differs or is one."""
    of = [order.compared - 1 for order in orders]
    if set(of) == {1}:
        return "the other"
    if all(order.ahead_of == other for order, other in zip(orders, of, strict=True)):
        return f"all {of[0]}" if len(set(of)) == 1 else "all others"
    return f"{_numbers([order.ahead_of for order in orders])} of {_numbers(of)}"


def _others(orders: Sequence[Order]) -> str:
    """Return who else may be first."""
    leaders = orders[0].leaders
    numbers = [len(order.others) for order in orders]
    if not any(numbers):
        return "; which of them is first cannot be told" if len(leaders) > 1 else ""
    names = dict.fromkeys(name for order in orders for name in order.others)
    if len(names) <= _MOST_NAMES:
        return f"; {' or '.join(names)} may be first too"
    return f"; {_numbers(numbers)} others may be first too"


def _numbers(numbers: Sequence[int]) -> str:
    return " to ".join(dict.fromkeys((str(min(numbers)), str(max(numbers)))))
