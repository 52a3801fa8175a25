"""The summary of a sweep as lines. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.summary import Confidence, Lead, Order, OrderAtLevels, Standing, Summary, WorkloadSummary
from ab_runner.report.figures import numbers_text, served_text
from ab_runner.stats.estimate import FEWEST_STARTS

_MOST_ORDERS = 2
"""The most orders of a workload in a short summary."""
_MOST_STARVED = 4
"""The most starved cells in a short summary."""


def summary_lines(summary: Summary, everything: bool = True) -> tuple[str, ...]:
    """Return a line for each workload, for the starved cells, and for the confidence; shorter ones unless `everything`
    is true."""
    return tuple(_lines(summary, everything))


def _lines(summary: Summary, everything: bool) -> Iterator[str]:
    for workload in summary.workloads:
        yield _workload_line(workload, everything)
    if summary.starved:
        yield _starved_line(summary.starved, everything)
    if summary.confidence:
        yield f"Confidence: {_confidence_text(summary.confidence)}"


def _workload_line(summary: WorkloadSummary, everything: bool) -> str:
    if not summary.servers:
        return f"{summary.workload}: no server has a figure"
    if len(summary.servers) == 1:
        return f"{summary.workload}: {summary.servers[0]} alone has figures"
    orders = summary.orders if everything else summary.orders[:_MOST_ORDERS]
    texts = [_at_levels(order) for order in orders]
    if others := [level for order in summary.orders[len(orders) :] for level in order.levels]:
        texts.append(f"see report --all for {numbers_text(others)}")
    return f"{summary.workload}: {'; '.join(texts)}"


def _at_levels(order: OrderAtLevels) -> str:
    return f"{_order_text(order.order)} at {numbers_text(order.levels)}{_leads_text(order.leads)}{_after(order.order)}"


def _order_text(order: Order) -> str:
    standing = order.standing
    match standing:
        case Standing.ALONE:
            return f"{order.named[0]} alone has a figure"
        case Standing.FEW_STARTS:
            return f"fewer than {FEWEST_STARTS} starts, so no order can be told"
        case Standing.TOO_FEW:
            return "too few servers have figures of enough starts to tell an order"
        case Standing.FIRST:
            return f"{order.named[0]} is first"
        case Standing.EQUAL:
            return f"{order.compared} servers cannot be told apart"
        case Standing.AHEAD:
            names = " and ".join(order.named) if order.named else f"{order.leaders} of {order.compared} servers"
            verb = "is" if order.leaders == 1 else "are each"
            return f"{names} {verb} ahead of {order.ahead_of} of {order.compared - 1}"


def _after(order: Order) -> str:
    if order.standing is not Standing.AHEAD:
        return ""
    if order.others:
        return f"; {order.others} other{'s' if order.others > 1 else ''} cannot be excluded from first place"
    return "; which of them is first cannot be told"


def _leads_text(leads: Sequence[Lead]) -> str:
    """Return `, 1.2 to 1.4 times the next`, by rate and by CPU time apart."""
    texts = []
    for by_cpu_time, of_what in ((False, ""), (True, " in requests per CPU-second")):
        found = [lead for lead in leads if lead.by_cpu_time == by_cpu_time]
        if found:
            factors = sorted(lead.factor for lead in found)
            low, high = (f"{factor:.2g}" for factor in (factors[0], factors[-1]))
            factor = low if low == high else f"{low} to {high}"
            at_least = "at least " if any(lead.at_least for lead in found) else ""
            texts.append(f"{at_least}{factor} times the next{of_what}")
    return f", {' and '.join(texts)}" if texts else ""


def _starved_line(cells: Sequence[CellSummary], everything: bool) -> str:
    shown = cells if everything else cells[:_MOST_STARVED]
    found = [
        f"{each.cell.server} {each.cell.workload} at {each.cell.concurrency} ({served_text(each)} at a time)"
        for each in shown
    ]
    more = f" and {len(cells) - len(shown)} more cells" if len(shown) < len(cells) else ""
    return f"starved, so without a rate at that concurrency and without a rank: {', '.join(found)}{more}"


def _confidence_text(confidence: Confidence) -> str:
    doubts = list(_doubts(confidence))
    if confidence.level == "none":
        starts = "one start" if confidence.starts == 1 else f"{confidence.starts} starts"
        few_starts = f"{starts}: too few to tell differences from noise (--blocks {FEWEST_STARTS})"
        return f"none ({'; '.join((few_starts, *doubts))})"
    starts = f"{confidence.starts} starts"
    if confidence.level == "high":
        return f"high ({starts}; intervals are narrow)"
    return f"moderate ({'; '.join((starts, *doubts))})"


def _doubts(confidence: Confidence) -> Iterator[str]:
    if confidence.wide is not None:
        yield f"half of the intervals are wider than ±{100 * confidence.wide:.2g} %"
    if confidence.without:
        has = "has" if confidence.without == 1 else "have"
        yield f"{confidence.without} of {confidence.cells} cells {has} no figure"
    if confidence.limited:
        yield f"{confidence.limited} {'cell' if confidence.limited == 1 else 'cells'} limited by ab"
    if confidence.drift is not None:
        yield f"the machine drifted by up to {100 * confidence.drift:.0f} %"
    if confidence.warnings:
        yield "1 warning" if confidence.warnings == 1 else f"{confidence.warnings} warnings"
