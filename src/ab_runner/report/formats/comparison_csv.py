"""A comparison as CSV: a row for each cell, and for each family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.comparison import CellChange, FamilyChange, SweepComparison
from ab_runner.model.axis import Axis
from ab_runner.report.formats.csv import ratio_columns, write
from ab_runner.report.say.figures import NO_RECORD, cell_text

COLUMNS = (
    "before", "after", "family", "server", "workload", "concurrency", "before_requests_per_second", "before_text",
    "after_requests_per_second", "after_text", "of_cpu_seconds", "ratio", "ratio_low", "ratio_high", "change",
    "too_slow", "before_lower_bound", "after_lower_bound", "before_revision", "after_revision", "axis", "level",
    "before_figure", "after_figure",
)  # fmt: skip


def render(compared: Iterable[SweepComparison]) -> str:
    """Return the changes of each sweep relative to the first."""
    return write(COLUMNS, (row for each in compared for row in _rows(each)))


def _rows(each: SweepComparison) -> Iterator[dict[str, object]]:
    sweeps: dict[str, object] = {"before": each.before.id, "after": each.after.id}
    servers = {server.id: server for server in (*each.before.servers, *each.after.servers)}
    for cell in each.cells:
        server = servers[cell.cell.server]
        revisions = each.revised.get(server.id, (server.revision, server.revision))
        row = sweeps | {"family": server.family} | dict(_cell(cell, each.after.request.axis)) | dict(_change(cell))
        yield row | dict(_revisions(cell, *revisions))
    for family in each.families:
        yield sweeps | {"family": family.family} | dict(_change(family))


def _cell(cell: CellChange, axis: Axis) -> Iterator[tuple[str, object]]:
    yield "server", cell.cell.server
    yield "workload", cell.cell.workload
    yield "axis", axis
    yield "level", cell.cell.level
    if axis == "connections":
        yield "concurrency", cell.cell.level
    yield "of_cpu_seconds", cell.by_cpu_time
    yield from _figure("before", cell.before)
    yield from _figure("after", cell.after)


def _revisions(cell: CellChange, before: int, after: int) -> Iterator[tuple[str, object]]:
    """Yield the server's revision in each sweep that has the cell."""
    if cell.before:
        yield "before_revision", before
    if cell.after:
        yield "after_revision", after


def _figure(side: str, summary: CellSummary | None) -> Iterator[tuple[str, object]]:
    figure = summary.figure if summary else None
    yield f"{side}_figure", figure
    yield f"{side}_requests_per_second", None if summary is None or summary.measure == "latency" else figure
    yield f"{side}_text", cell_text(summary) if summary else NO_RECORD
    yield f"{side}_lower_bound", summary.is_lower_bound if summary else None


def _change(each: CellChange | FamilyChange) -> Iterator[tuple[str, object]]:
    yield from ratio_columns(each.ratio).items()
    yield "change", each.change
    yield "too_slow", each.too_slow
