"""What a reader of a sweep's figures should know at once, as lines: starved cells and the confidence. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.summary import Confidence, Summary
from ab_runner.model.text import counted
from ab_runner.report.say.figures import served_text
from ab_runner.report.say.numbers import share_figure
from ab_runner.stats.estimate import FEWEST_STARTS

ONE_SESSION = "one session, so intervals hold for its hours on this machine"
_MOST_STARVED = 4
"""The most starved cells in a short summary."""


def summary_lines(summary: Summary, everything: bool = True) -> tuple[str, ...]:
    """Return a line for the confidence and one for the starved cells, which is shorter unless `everything` is true."""
    return tuple(_lines(summary, everything))


def _lines(summary: Summary, everything: bool) -> Iterator[str]:
    if summary.confidence:
        yield f"Confidence: {_confidence_text(summary.confidence)}"
    if summary.starved:
        yield _starved_line(summary.starved, everything)


def _starved_line(cells: Sequence[CellSummary], everything: bool) -> str:
    shown = cells if everything else cells[:_MOST_STARVED]
    found = [
        f"{each.cell.server} {each.cell.workload} at {each.cell.level} ({served_text(each)} at a time)"
        for each in shown
    ]
    more = f" and {len(cells) - len(shown)} more cells" if len(shown) < len(cells) else ""
    return f"starved, so without a rate at that concurrency and without a rank: {', '.join(found)}{more}"


def _confidence_text(confidence: Confidence) -> str:
    doubts = list(_doubts(confidence))
    if confidence.starts < FEWEST_STARTS:
        starts = "one start" if confidence.starts == 1 else f"{confidence.starts} starts"
        few_starts = f"{starts}: too few to tell differences from noise (--blocks {FEWEST_STARTS})"
        return f"none ({'; '.join((few_starts, *doubts))})"
    sessions = ONE_SESSION
    if confidence.sweeps > 1:
        known = (
            f"half of the relative figures are known to ±{share_figure(confidence.wide)} % or better"
            if confidence.wide
            else ""
        )
        return "; ".join(filter(None, (f"{confidence.sweeps} sessions of {confidence.starts} starts", known, *doubts)))
    if confidence.sessions > 1:
        sessions = f"{confidence.sessions} sessions, so intervals hold for their hours on this machine"
    return "; ".join((f"{confidence.starts} starts", sessions, *(doubts or ["intervals are narrow"])))


def _doubts(confidence: Confidence) -> Iterator[str]:
    if confidence.wide is not None and confidence.sweeps == 1:
        yield f"half of the intervals are wider than {share_figure(2 * confidence.wide)} % of their figure"
    if confidence.disturbed:
        is_or_are = "is" if confidence.disturbed == 1 else "are"
        yield f"{confidence.disturbed} of {confidence.cells} cells {is_or_are} disturbed"
    if confidence.without:
        has = "has" if confidence.without == 1 else "have"
        yield f"{confidence.without} of {confidence.cells} cells {has} no figure"
    if confidence.limited:
        by = " or the ".join(confidence.limited_by)
        yield f"{counted(confidence.limited, 'cell')} limited by the {by}"
    if confidence.drift is not None:
        yield f"the machine drifted by up to {100 * confidence.drift:.0f} %"
    if confidence.warnings:
        yield counted(confidence.warnings, "warning")
