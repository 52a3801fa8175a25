"""The versions of a family: what one system did over the years. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import median

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.records import is_valid
from ab_runner.model.server import Server
from ab_runner.model.trial import Cell, cell_of
from ab_runner.model.workload import WorkloadName

FEWEST_VERSIONS = 3


class VersionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one version in a cell that has one. `cpu_us` is the CPU time of the server per request, in
    microseconds, and `allocated_bytes` what its JVM allocated for one, the median over trials. None where that is not
    known."""

    server: Server
    summary: CellSummary
    cpu_us: float | None
    allocated_bytes: float | None


def families_of_versions(servers: Iterable[Server]) -> dict[str, tuple[Server, ...]]:
    """Return the families of which there are enough versions, each with these by release. Variants are left out: they
    are further configurations of a version."""
    members: dict[str, list[Server]] = {}
    for server in servers:
        if server.program == server.id:
            members.setdefault(server.family, []).append(server)
    return {
        family: tuple(sorted(found, key=lambda each: each.released))
        for family, found in sorted(members.items())
        if len(found) >= FEWEST_VERSIONS
    }


def version_figures(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[VersionFigures]:
    """Yield the figures of those families' versions, family by family, of those that have enough of them in this
    workload."""
    having = {cell.server for cell, found in analysis.cells.items() if found.figure and cell.workload == workload}
    allocated = _allocated(workload, analysis)
    for versions in families_of_versions(each for each in analysis.shown_servers if each.id in having).values():
        for server in versions:
            for summary in analysis.cells_of(server.id, workload):
                if summary.figure is not None:
                    efficiency = summary.cpu_efficiency
                    yield VersionFigures(
                        server=server,
                        summary=summary,
                        cpu_us=1e6 / efficiency.value if efficiency else None,
                        allocated_bytes=allocated.get(summary.cell),
                    )


def _allocated(workload: WorkloadName, analysis: SweepAnalysis) -> dict[Cell, float]:
    found: dict[Cell, list[float]] = {}
    for trial in analysis.trials:
        record = trial.record
        if trial.allocated and is_valid(record) and record.workload == workload and not record.is_reference_check:
            found.setdefault(cell_of(record), []).append(trial.allocated.per_request)
    return {cell: median(values) for cell, values in found.items()}
