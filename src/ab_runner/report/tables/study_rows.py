"""A study's own table: every published row, and below it the servers that stand for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec import Struct

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.catalog.studies import Study
from ab_runner.history.quantities import BEST_OF, Quantities
from ab_runner.history.study_rows import StudyRow, StudyRows, control_of
from ab_runner.model.axis import level_text
from ab_runner.report.document import Emphasis, Table, TableCell
from ab_runner.report.say.figures import NO_RECORD, cell_text
from ab_runner.report.say.numbers import NONE, latency_figure, rate_figure, share_figure
from ab_runner.stats.estimate import Estimate


class _Column(Struct, frozen=True):
    heading: str
    of: Callable[[Quantities], float | Estimate | None]
    text: Callable[[float], str]


def _whole(value: float) -> str:
    return f"{value:,.0f}"


_OPEN_BEFORE = _Column("open before", lambda each: each.opened_before, _whole)
"""Of loads that have connections opened before."""
_COLUMNS = (
    _Column("requests/s", lambda each: each.rate, rate_figure),
    _Column(f"best of {BEST_OF}", lambda each: each.best_rate, rate_figure),
    _Column("answered", lambda each: each.answered, _whole),
    _Column("of", lambda each: each.requests, _whole),
    _OPEN_BEFORE,
    _Column("mean ms", lambda each: each.latency_mean, latency_figure),
    _Column("longest ms", lambda each: each.latency_longest, latency_figure),
    _Column("p99 ms from due", lambda each: each.latency_p99, latency_figure),
    _Column("failed %", lambda each: each.failed_share, share_figure),
    _Column("beside: answered %", lambda each: each.beside_answered, share_figure),
    _Column("longest ms beside", lambda each: each.beside_longest, latency_figure),
    _Column("connections served", lambda each: each.connections_served, _whole),
    _Column("bytes/answer", lambda each: each.answer_bytes, lambda value: f"{value:,.1f}"),
    _Column("CPU µs/request", lambda each: each.cpu_us, _whole),
    _Column("KB allocated/request", lambda each: each.allocated_bytes and each.allocated_bytes / 1024, rate_figure),
    _Column("JIT %", lambda each: each.jit_share, share_figure),
    _Column("memory MiB", lambda each: each.memory_bytes and each.memory_bytes / 2**20, _whole),
    _Column("bytes/waiting request", lambda each: each.waiting_bytes, _whole),
)
_MEAN = {
    False: "mean and longest: counted from sending; wrk makes up for what it could not send meanwhile",
    True: "mean and longest: of right answers alone, counted from sending",
}
"""By whether the load is open."""
_NOTES = {
    "requests/s": "requests/s and what follows: medians over starts, with those of runs that failed",
    "answered": "answered and what follows: medians over starts, with those of runs that failed",
    _OPEN_BEFORE.heading: "open before: connections that were open before the first request was due",
    "p99 ms from due": "p99: counted from the time at which a request was due",
    "connections served": "connections served: on average, requests/s times the mean latency (Little's law)",
    "CPU µs/request": "CPU: of the server, the kernel's work for it included",
    "KB allocated/request": "KB allocated: by collections and the size of eden; 1 KB is 1,024 bytes",
    "memory MiB": "memory: the most that the server had during the trial, garbage included",
    "bytes/waiting request": "bytes/waiting request: the most memory that the server had, less that in the trial of "
    "{control} before it, over as many open connections, divided by the number of requests; the median over starts in "
    "which all were answered, with its 95 % interval; growth of a heap and stacks are in it, memory of the kernel is "
    "not",
    "JIT %": "JIT: the compiler's share of the server's CPU time during the trial",
}


def study_tables(found: Sequence[StudyRows], analysis: SweepAnalysis) -> tuple[Table, ...]:
    """Return a table for each workload and level."""
    return tuple(_table(each, analysis) for each in found)


def _table(found: StudyRows, analysis: SweepAnalysis) -> Table:
    possible = [each for each in _COLUMNS if each is not _OPEN_BEFORE or analysis.sweep.request.opened_before]
    known = [column for column in possible if any(column.of(row.quantities) is not None for row in found.rows)]
    workload, level = analysis.sweep.workload(found.workload), level_text(analysis.sweep.request.axis, found.level)
    return Table(
        title=f"{workload.name} at {level}: all that was published, and the same of each run{workload.in_brackets}",
        headings=("server", "counts", *(column.heading for column in known)),
        rows=tuple(_row(row, known, found.study.year) for row in found.rows),
        notes=tuple(_notes(found.study, analysis, {column.heading for column in known})),
        names=2,
    )


def _notes(study: Study, analysis: SweepAnalysis, headings: Collection[str]) -> Iterator[str]:
    if study.about.scaled:
        yield f"scaled here: {study.about.scaled}"
    if study.is_open:
        opened = ", the connections were open before" if _OPEN_BEFORE.heading in headings else ""
        yield (
            f"counts: whether no request failed{opened} and the server kept up: when the last request was due, no more "
            "than 1 % of the requests were unanswered, besides those normally under way"
        )
        yield (
            "failed: here requests without a right answer within the time-out of "
            f"{analysis.sweep.request.protocol.idle_timeout} s; of published rows the errors that the author counted"
        )
    else:
        allowed = 100 * study.about.failures_at_most
        yield f"counts: whether the rate is valid; the study allows {allowed:g} % of failed requests, then and now"
    if "mean ms" in headings:
        yield _MEAN[study.is_open]
    if (plan := analysis.sweep.request.open) and plan.beside:
        yield (
            f"beside: {plan.beside.workload} at {plan.beside.rate}/s in the same run, over connections of its own; the "
            "share is of those due in the last third of a trial; the longest is of those that were answered, from the "
            "time at which they were due; CPU and memory are those of both loads"
        )
    control = control_of(analysis.sweep)
    yield from (text.replace("{control}", control or "") for heading, text in _NOTES.items() if heading in headings)


def _row(row: StudyRow, columns: Sequence[_Column], year: int) -> tuple[TableCell, ...]:
    name = f"{row.server}, {year}" if row.figure else f"  {row.server}"
    return (TableCell(name), _counts(row), *(_cell(column, row.quantities) for column in columns))


def _counts(row: StudyRow) -> TableCell:
    """Return whether a row counts, and why not."""
    if row.figure is not None:
        return TableCell(row.figure.reason, Emphasis.REASON) if row.figure.reason else TableCell("yes")
    if row.cell is None:
        return TableCell(NO_RECORD, Emphasis.FAINT)
    return TableCell("yes") if row.cell.figure is not None else TableCell(cell_text(row.cell), Emphasis.REASON)


def _cell(column: _Column, quantities: Quantities) -> TableCell:
    found = column.of(quantities)
    if found is None:
        return TableCell(NONE, value="")
    value, interval = (found.value, found.interval) if isinstance(found, Estimate) else (found, None)
    around = f" ({column.text(interval.low)} to {column.text(interval.high)})" if interval else ""
    return TableCell(f"{column.text(value)}{around}", value=value)
