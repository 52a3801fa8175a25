"""Figures and cells as text: every text about a cell in a report is made here. Pure."""

from __future__ import annotations

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.failures import Failure, FailureKind
from ab_runner.analysis.measure import Measure
from ab_runner.analysis.remarks import (
    WORTH_A_REMARK,
    ConnectionsServed,
    JvmRemark,
    JvmWork,
    Note,
    Remark,
    SecondsLeftOut,
    StolenTime,
)
from ab_runner.model.axis import Axis, level_text
from ab_runner.model.load import Limit
from ab_runner.model.records import StartRecord
from ab_runner.report.document import Emphasis, TableCell
from ab_runner.report.say.messages import Sentence, brief_text, sentence_of, summary_text, together, whole_text
from ab_runner.report.say.numbers import NONE, estimate_figure, figure_of, latency_figures, value_figure, width_figure
from ab_runner.stats.ranking import Rank

NO_RECORD = "not run"
NOTHING = TableCell(NONE, value="")
AT_LEAST = "≥ (of a ratio also ≤): the generator was the limit of a figure, so its server may be faster"
_LINK_FULL = "≥ … n: the network was the limit, for the link to a load host was full; the server may be faster"
_OPEN_LIMITS: dict[Limit, str] = {
    "server": "s: the server's cores were full",
    "machine": "m: server and {generator} shared full cores",
}
_LIMITS: dict[Measure, dict[Limit, str]] = {
    "rate": {
        "generator": "≥ … g: {generator} was the limit, for its core was full and the server's were not; the server "
        "may be faster (g 2/6: in two of six trials)",
        "server": "s: the server's cores were full",
        "machine": "m: server and {generator} shared full cores",
        "network": _LINK_FULL,
    },
    "latency": {
        "generator": "g: more than a tenth of the median is the median lag of {generator}",
        "network": "n: the link to a load host was full",
        **_OPEN_LIMITS,
    },
    "capacity": {
        "generator": "≥ … g: {generator} was late or at its own limit; the server may be faster (g 2/6: in two of six "
        "trials)",
        "network": _LINK_FULL,
        **_OPEN_LIMITS,
    },
}
_BRIEF_AT_MOST = 14
"""The most characters of a reason where there is little room; for a longer one its kind is shown."""
BRIEF_KINDS: dict[FailureKind, str] = {
    FailureKind.COLD: "cold",
    FailureKind.STARVED: "starved",
    FailureKind.DISTURBED: "disturbed",
    FailureKind.FAILED_REQUESTS: "failed",
    FailureKind.INCOMPLETE: "incomplete",
    FailureKind.WRONG_ANSWER: "wrong answer",
    FailureKind.NO_HTTP_1_0: "no HTTP/1.0",
    FailureKind.NO_KEEP_ALIVE: "no keep-alive",
    FailureKind.OVERLOADED: "overloaded",
    FailureKind.GENERATOR: "generator",
    FailureKind.TIMEOUT: "timeout",
    FailureKind.CONNECTION: "no connection",
    FailureKind.NOT_STARTED: "not started",
    FailureKind.ENDED: "server ended",
    FailureKind.OTHER: "failed",
}


def limit_texts(measure: Measure, generator: str) -> dict[Limit, str]:
    """Return what the letters mean that say what was the limit."""
    return {limit: text.format(generator=generator) for limit, text in _LIMITS[measure].items()}


def of_cpu_time(limit: str) -> str:
    """Return what a ratio of requests per CPU-second is, given what can be the limit in the place of a server."""
    return f"CPU: of requests per CPU-second of the server, because {limit} was the limit of both rates"


def cell_text(cell: CellSummary) -> str:
    """Return the text of a cell: its figure, with a star if it has remarks, or why it has none."""
    if cell.figure is None:
        return _reason_text(cell)
    return f"{main_text(cell)} {beyond_text(cell)}".rstrip() + star_of(cell)


def star_of(cell: CellSummary) -> str:
    """Return the star of a figure that has remarks. Where trials failed, the cell says so itself and has none."""
    return "*" if cell.remarks and not cell.failed else ""


def main_text(cell: CellSummary) -> str:
    """Return the figure alone, with `≥` before one that is a lower bound; without a figure, why there is none."""
    if cell.estimate is None:
        return _reason_text(cell)
    figure = value_figure(cell.estimate, cell.measure)
    return f"≥ {figure}" if cell.is_lower_bound else figure


def limit_of(cell: CellSummary) -> Limit | None:
    """Return the limit that a cell shows: the generator or the network where it was that of any trial."""
    return cell.limited_by if cell.is_lower_bound else cell.limit


def limit_text(cell: CellSummary) -> str:
    """Return the letter of a cell's limit, with the number of trials that the server did not limit unless it is all."""
    limit = limit_of(cell)
    of = f" {cell.limited}/{cell.counted}" if 0 < cell.limited < cell.counted else ""
    return f"{limit[0]}{of}" if limit else ""


def beyond_text(cell: CellSummary) -> str:
    """Return the details of a figure: the width of its interval, the trials that failed or were disturbed, and the
    sessions that have it."""
    if cell.estimate is None:
        return ""
    said = [*([_failed_text(cell)] if cell.failed else []), *([undisturbed_text(cell)] if cell.disturbed else [])]
    said += [sessions_text(cell)] if cell.misses_a_session else []
    details = f"({'; '.join(said)})" if said else ""
    return f"{width_figure(cell.estimate)} {details}".strip()


def sessions_text(cell: CellSummary) -> str:
    """Return `in 2 of 3 sessions`; nothing for a cell of one sweep."""
    return f"in {cell.sessions[0]} of {cell.sessions[1]} sessions" if cell.sessions else ""


def undisturbed_text(cell: CellSummary) -> str:
    """Return `4 of 6 undisturbed`, or `disturbed` if none is."""
    undisturbed = cell.valid - cell.disturbed
    return f"{undisturbed} of {cell.valid} undisturbed" if undisturbed else "disturbed"


def _reason_text(cell: CellSummary) -> str:
    """Return why there is no figure, after the number that was measured, as in the 2006 tables: `190 (9991 failed)`."""
    if cell.starved:
        said = [served_text(cell), *([_failed_text(cell)] if cell.failed else [])]
        return _rejected_text(cell, "; ".join(said))
    if cell.is_disturbed:
        return _rejected_text(cell, "; ".join(dict.fromkeys(("disturbed", undisturbed_text(cell)))))
    if cell.failed == cell.trials:
        return _rejected_text(cell, _failure_text(cell.failure))
    return _failed_text(cell)


def _rejected_text(cell: CellSummary, why: str) -> str:
    return f"{estimate_figure(cell.rejected, cell.measure)} ({why})" if cell.rejected else why


def rank_cell(rank: Rank | None, cell: CellSummary | None) -> TableCell:
    """Return a cell of the table of ranks, which is sorted by the best rank that a server may have."""
    return TableCell(rank_text(rank, cell), value=rank.best) if rank else NOTHING


def rank_text(rank: Rank, cell: CellSummary | None) -> str:
    """Return `2–4`, or `2–4 (1 of 6 failed)` where the rank rests on the trials that did not fail."""  # noqa: RUF002
    if cell is None or not cell.failed:
        return str(rank)
    return f"{rank} ({cell.failed} of {cell.trials} {'cold' if cell.cold else 'failed'})"


def _failed_text(cell: CellSummary) -> str:
    """Return `1 of 3 failed: reset`, or `2 of 6 cold: …`. How many requests failed is in the notes."""
    why = _brief_failure(cell.failure)
    return f"{cell.failed} of {cell.trials}{'' if cell.cold else ' failed:'} {why}"


def _failure_text(failure: Failure | None) -> str:
    return together(map(sentence_of, failure.messages))[0].text if failure else "failed"


def _brief_failure(failure: Failure | None) -> str:
    return brief_text(failure.messages[0]) if failure and len(failure.messages) == 1 else _failure_text(failure)


def why_absent(cell: CellSummary) -> str:
    """Return why a cell has no figure, without what was measured of a starved one."""
    return served_text(cell) if cell.starved else cell_text(cell)


def served_text(cell: CellSummary) -> str:
    """Return `257 of 1,000 connections served`; nothing where that is not known."""
    return _served_text(cell.connections_served) if cell.connections_served else ""


def _served_text(connections: ConnectionsServed) -> str:
    return f"{connections.served:,} of {connections.of:,} connections served"


def remark_text(remark: Remark) -> str:
    """Return a remark as text."""
    match remark:
        case Failure() | Note():
            return summary_text(remark.messages)
        case StolenTime():
            return stolen_sentence(remark).text
        case SecondsLeftOut():
            return left_out_sentence(remark).text
        case ConnectionsServed():
            return f"about {_served_text(remark)} at a time"
        case JvmRemark():
            return f"{jvm_text(remark.work)} {jvm_trials_text(remark)}"


def stolen_sentence(stolen: StolenTime) -> Sentence:
    """Return what the hypervisor gave to others."""
    low, high = (f"{100 * share:.1f}" for share in (stolen.low, stolen.high))
    return Sentence("the hypervisor gave ", low, high, " % of the CPU time to others", (stolen.low, stolen.high))


def left_out_sentence(seconds: SecondsLeftOut) -> Sentence:
    """Return the share of the seconds that were left out, and why."""
    share = seconds.left_out / seconds.of
    after = " % of the seconds left out: the hypervisor took CPU time in them or in the second before"
    return Sentence("", f"{100 * share:.0f}", f"{100 * share:.0f}", after, (share, share))


def jvm_text(work: JvmWork) -> str:
    """Return what the JVM did besides its work, and the share above which a remark reports it."""
    share = f"{100 * WORTH_A_REMARK:g} %"
    return {
        JvmWork.GC: f"GC took more than {share} of the time",
        JvmWork.JIT_OF_CPU_TIME: f"the JIT took more than {share} of the server's CPU time",
        JvmWork.JIT_OF_TIME: f"the JIT took more than {share} of the time",
    }[work]


def jvm_trials_text(remark: JvmRemark) -> str:
    """Return `in 2 of 6 trials`."""
    return f"in {remark.trials} of {remark.of} trial{'s' if remark.of > 1 else ''}"


def cpu_efficiency_cell(cell: CellSummary | None) -> TableCell:
    """Return the requests per CPU-second of the server, with their interval."""
    found = cell.cpu_efficiency if cell else None
    return TableCell(estimate_figure(found), value=found.value) if found else NOTHING


def shows_latencies(cell: CellSummary) -> bool:
    """Return whether the latencies of a cell are shown: not those of one without a rate, unless it is starved."""
    return cell.figure is not None or cell.starved


def latency_cell(cell: CellSummary | None) -> TableCell:
    """Return the latencies of a cell, which are sorted by the median."""
    if cell is None or not shows_latencies(cell):
        return NOTHING
    *body, longest = latency_figures(cell.latency, exact=cell.has_exact_latency)
    cut_off = "≥ " if cell.longest_is_cut_off else ""
    text = " / ".join((*body, f"{cut_off}{longest}{'*' if cell.starved else ''}"))
    return TableCell(text, value=cell.latency[0])


def figure_cell(cell: CellSummary | None, is_best: bool = False) -> TableCell:
    """Return a cell of the table of figures, with a letter for what was the limit."""
    if cell is None:
        return TableCell(NO_RECORD, Emphasis.REASON)
    letter = f" {limit_text(cell)}".rstrip()
    emphasis = Emphasis.NONE
    if is_best:
        emphasis = Emphasis.BEST
    elif cell.figure is None or cell.failed:
        emphasis = Emphasis.REASON
    elif cell.is_lower_bound:
        emphasis = Emphasis.LOWER_BOUND
    return TableCell(f"{cell_text(cell)}{letter}", emphasis, _brief(cell, letter))


def _brief(cell: CellSummary, letter: str) -> tuple[str, ...]:
    """Return the figure, and below it its details; or the reason in a few words."""
    failed = f"{cell.failed}/{cell.trials} {'cold' if cell.cold else 'failed'}" if cell.failed else ""
    if cell.failure_kind is not None:
        if cell.failure_kind is FailureKind.DISTURBED and cell.rejected is not None:
            return (figure_of(cell.measure, cell.rejected.value), BRIEF_KINDS[cell.failure_kind])
        if 0 < cell.failed < cell.trials and not cell.starved:
            return (failed,)
        said = _failure_text(cell.failure) if cell.failure and not cell.starved else ""
        return (said if 0 < len(said) <= _BRIEF_AT_MOST else BRIEF_KINDS[cell.failure_kind],)
    assert cell.estimate is not None, "a cell without a reason has a figure"
    undisturbed = f"{cell.valid - cell.disturbed}/{cell.valid} undisturbed" if cell.disturbed else ""
    missing = sessions_text(cell) if cell.misses_a_session else ""
    details = " ".join(filter(None, (width_figure(cell.estimate), failed, undisturbed, missing)))
    if not details:
        return (f"{main_text(cell)}{star_of(cell)}{letter}",)
    return (main_text(cell), details + star_of(cell) + letter)


# --- records -----------------------------------------------------------------------------------------------------


_UNITS: dict[Measure, str] = {"rate": "rps", "latency": "ms p50", "capacity": "rps"}


def result_text(summary: CellSummary, axis: Axis = "connections") -> str:
    """Return `tomcat-5.5.15 small c=100: 12,345 rps`, or the reason why not."""
    cell = summary.cell
    figure = cell_text(summary)
    unit = f" {_UNITS[summary.measure]}" if summary.figure is not None else ""
    return f"{cell.server} {cell.workload} {level_text(axis, cell.level)}: {figure}{unit}"


def start_text(record: StartRecord) -> str:
    """Return `tomcat-5.5.15 start: 1.2 s`, or why it did not start."""
    how = whole_text(record.error) if record.error else f"{record.seconds:.1f} s"
    return f"{record.server} start: {how}"
