"""A study's own table: every published row, and below it the servers that stand for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.history.study_rows import BEST_OF, Quantities, StudyRow, StudyRows
from ab_runner.model.axis import level_text
from ab_runner.report.document import Emphasis, Table, TableCell
from ab_runner.report.say.figures import NO_RECORD, cell_text
from ab_runner.report.say.numbers import NONE, latency_figure, rate_figure, share_figure


class _Column(Struct, frozen=True):
    heading: str
    of: Callable[[Quantities], float | None]
    text: Callable[[float], str]


def _whole(value: float) -> str:
    return f"{value:,.0f}"


_COLUMNS = (
    _Column("requests/s", lambda each: each.rate, rate_figure),
    _Column(f"best of {BEST_OF}", lambda each: each.best_rate, rate_figure),
    _Column("mean ms", lambda each: each.latency_mean, latency_figure),
    _Column("longest ms", lambda each: each.latency_longest, latency_figure),
    _Column("failed %", lambda each: each.failed_share, share_figure),
    _Column("connections served", lambda each: each.connections_served, _whole),
    _Column("bytes/answer", lambda each: each.answer_bytes, lambda value: f"{value:,.1f}"),
    _Column("CPU µs/request", lambda each: each.cpu_us, _whole),
    _Column("KB allocated/request", lambda each: each.allocated_bytes and each.allocated_bytes / 1024, rate_figure),
)
_NOTES = {
    "requests/s": "requests/s and what follows: medians over starts, with those of runs that failed",
    "mean ms": "mean and longest: counted from sending; wrk makes up for what it could not send meanwhile",
    "connections served": "connections served: on average, requests/s times the mean latency (Little's law)",
    "CPU µs/request": "CPU: of the server, the kernel's work for it included",
    "KB allocated/request": "KB allocated: by collections and the size of eden; 1 KB is 1,024 bytes",
}


def study_tables(found: Sequence[StudyRows], analysis: SweepAnalysis) -> tuple[Table, ...]:
    """Return a table for each workload and level."""
    return tuple(_table(each, analysis) for each in found)


def _table(found: StudyRows, analysis: SweepAnalysis) -> Table:
    known = [column for column in _COLUMNS if any(column.of(row.quantities) is not None for row in found.rows)]
    workload, level = analysis.sweep.workload(found.workload), level_text(analysis.sweep.request.axis, found.level)
    return Table(
        title=f"{workload.name} at {level}: all that was published, and the same of each run{workload.in_brackets}",
        headings=("server", "counts", *(column.heading for column in known)),
        rows=tuple(_row(row, known, found.study.year) for row in found.rows),
        notes=(
            *((f"scaled here: {found.study.about.scaled}",) if found.study.about.scaled else ()),
            f"counts: whether the rate is valid; the study allows {100 * found.study.about.failures_at_most:g} % of "
            "failed requests, then and now",
            *(_NOTES[column.heading] for column in known if column.heading in _NOTES),
        ),
        names=2,
    )


def _row(row: StudyRow, columns: Sequence[_Column], year: int) -> tuple[TableCell, ...]:
    name = f"{row.server}, {year}" if row.figure else f"  {row.server}"
    return (TableCell(name), _counts(row), *(_cell(column, row.quantities) for column in columns))


def _counts(row: StudyRow) -> TableCell:
    """Return whether the rate of a row is valid, and why not."""
    if row.figure is not None:
        return TableCell(row.figure.reason, Emphasis.REASON) if row.figure.reason else TableCell("yes")
    if row.cell is None:
        return TableCell(NO_RECORD, Emphasis.FAINT)
    return TableCell("yes") if row.cell.figure is not None else TableCell(cell_text(row.cell), Emphasis.REASON)


def _cell(column: _Column, quantities: Quantities) -> TableCell:
    value = column.of(quantities)
    return TableCell(NONE, value="") if value is None else TableCell(column.text(value), value=value)
