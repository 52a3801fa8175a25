"""The rows and headings that most tables of a sweep have: its servers, and its levels. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import level_text
from ab_runner.model.server import Server
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.report.document import Table, TableCell


def headings_of(analysis: SweepAnalysis) -> tuple[str, ...]:
    """Return the heading of the servers, and one for each level."""
    return ("server", *(level_text(analysis.axis, level) for level in analysis.levels))


def table_of(
    title: str,
    workload: WorkloadName,
    analysis: SweepAnalysis,
    shown: Callable[[Cell], TableCell],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return a table of the servers that have a workload, a row for each."""
    rows = rows_of(workload, analysis.servers_of(workload), analysis, shown)
    return Table(title=title, headings=headings_of(analysis), rows=rows, notes=notes, splits=True)


def rows_of(
    workload: WorkloadName,
    servers: Iterable[Server],
    analysis: SweepAnalysis,
    shown: Callable[[Cell], TableCell],
) -> tuple[tuple[TableCell, ...], ...]:
    """Return a row for each server: its name, and how its cell at each level is shown."""
    return tuple(
        (TableCell(server.id), *(shown(Cell(server.id, workload, level)) for level in analysis.levels))
        for server in servers
    )
