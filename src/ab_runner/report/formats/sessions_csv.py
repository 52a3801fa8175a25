"""The result of several sessions as CSV: a row for each cell. docs/formats.md has the columns."""

from __future__ import annotations

from collections.abc import Iterator

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.report.formats.csv import write
from ab_runner.report.say.figures import why_absent
from ab_runner.stats.estimate import Estimate

COLUMNS = (
    "server", "workload", "axis", "level", "measure", "sessions", "of_sessions", "figure", "lowest", "highest",
    "lower_bound", "relative", "relative_low", "relative_high", "rank_best", "rank_worst", "reason",
)  # fmt: skip


def render(analysis: SweepAnalysis) -> str:
    """Return the cells of all servers: figures as ranges over sessions, and relative to the mean of the servers."""
    places = (
        analysis.cell(server.id, workload, level)
        for workload in analysis.workloads
        for server in analysis.servers_of(workload)
        for level in analysis.levels
    )
    return write(COLUMNS, (dict(_row(cell, analysis)) for cell in places if cell is not None))


def _row(summary: CellSummary, analysis: SweepAnalysis) -> Iterator[tuple[str, object]]:
    cell = summary.cell
    yield from (("server", cell.server), ("workload", cell.workload), ("axis", analysis.axis), ("level", cell.level))
    yield "measure", summary.measure
    if summary.sessions:
        yield from zip(("sessions", "of_sessions"), summary.sessions, strict=True)
    if (found := summary.estimate) is None:
        yield "reason", why_absent(summary)
        return
    yield "figure", _digits(found.value)
    if found.range:
        yield from (("lowest", _digits(found.range.low)), ("highest", _digits(found.range.high)))
    yield "lower_bound", summary.is_lower_bound
    if relative := analysis.compared[0].relative.get(cell):
        yield from _relative(relative)
    if rank := analysis.ranks.get(cell):
        yield from (("rank_best", rank.best), ("rank_worst", rank.worst))


def _relative(relative: Estimate) -> Iterator[tuple[str, float]]:
    yield "relative", _digits(relative.value)
    if relative.interval:
        yield "relative_low", _digits(relative.interval.low)
        yield "relative_high", _digits(relative.interval.high)


def _digits(figure: float) -> float:
    return float(f"{figure:.6g}")
