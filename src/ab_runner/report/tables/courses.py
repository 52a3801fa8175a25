"""What happened in some seconds of each trial: the tables behind the charts of all seconds. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ab_runner.analysis.courses import TrialCourse
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.workload import WorkloadName
from ab_runner.report.document import Table, TableCell
from ab_runner.report.say.numbers import NONE, latency_figure, rate_figure, share_figure
from ab_runner.report.say.words import words_of

_SECONDS = (1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300, 450, 600)
"""Those that tables have: most of what changes does so at the beginning."""

_Figures = Callable[[TrialCourse], Sequence[float | None]]


def course_tables(name: WorkloadName, analysis: SweepAnalysis) -> tuple[Table, ...]:
    """Return the tables of a workload, with a row for each trial and a column for some of its seconds."""
    tables = (
        _table(f"{name}: answers per second", name, analysis, _answered, rate_figure),
        _table(f"{name}: requests that failed", name, analysis, _failed, rate_figure),
        _table(f"{name}: p99 in ms", name, analysis, _p99, latency_figure),
        _table(f"{name}: JIT share of the server's CPU time in %", name, analysis, _jit_share, share_figure),
    )
    return tuple(table for table in tables if table is not None)


def _answered(course: TrialCourse) -> list[float]:
    return [each.answered for each in course.answers]


def _failed(course: TrialCourse) -> list[float]:
    """Return nothing where none failed."""
    failed: list[float] = [each.failed for each in course.answers]
    return failed if any(failed) else []


def _p99(course: TrialCourse) -> list[float | None]:
    return [each.p99 for each in course.answers]


def _jit_share(course: TrialCourse) -> list[float | None]:
    return [each.jit_share for each in course.uses]


def _table(
    title: str, name: WorkloadName, analysis: SweepAnalysis, figures: _Figures, say: Callable[[float], str]
) -> Table | None:
    """Return a table; None where nothing is known of any trial."""
    words, shown = words_of(analysis.sweep.request), {server.id for server in analysis.shown_servers}
    courses = [each for each in analysis.courses if each.cell.workload == name and each.cell.server in shown]
    told = [(course, figures(course)) for course in courses]
    found = [(course, known) for course, known in told if any(value is not None for value in known)]
    if not found:
        return None
    seconds = [second for second in _SECONDS if second <= max(len(known) for _, known in found)]
    rows = (
        (
            TableCell(course.cell.server),
            TableCell(words.heading(course.cell.level), value=course.cell.level),
            TableCell(f"{course.start}", value=course.start),
            *(_cell(known[second - 1] if second <= len(known) else None, say) for second in seconds),
        )
        for course, known in found
    )
    headings = ("server", words.column, "start", *(f"{second} s" for second in seconds))
    return Table(title=title, headings=headings, rows=tuple(rows))


def _cell(value: float | None, say: Callable[[float], str]) -> TableCell:
    return TableCell(NONE, value="") if value is None else TableCell(say(value), value=value)
