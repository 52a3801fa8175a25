"""The ranks of the servers in a row of a table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measurements import decides_by_cpu_time
from ab_runner.model.records import Cell
from ab_runner.model.server import REFERENCE
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import Rank, Ranking, rank

Rankings = Mapping[tuple[WorkloadName, int], Ranking]
"""The ranking of the servers by workload and concurrency."""


def rankings_of(cells: Iterable[Cell], measurements: Mapping[Cell, Measurement]) -> Rankings:
    """Return the ranks at every workload and concurrency. The ceiling, which is no competitor, has none."""
    rows: dict[tuple[WorkloadName, int], dict[str, Measurement]] = {}
    for cell in cells:
        row = rows.setdefault((cell.workload, cell.level), {})
        if cell in measurements and cell.server != REFERENCE:
            row[cell.server] = measurements[cell]
    return {place: rank(row) for place, row in rows.items()}


def ranks_of(rankings: Rankings) -> dict[Cell, Rank]:
    """Return the rank of each cell that has one."""
    return {
        Cell(server, workload, concurrency): found
        for (workload, concurrency), ranking in rankings.items()
        for server, found in ranking.ranks.items()
    }


def best_of(ranking: Ranking) -> frozenset[str]:
    """Return the servers statistically tied for first; none where no server is known to be behind."""
    if all(found.best == 1 for found in ranking.ranks.values()):
        return frozenset()
    return frozenset(server for server, found in ranking.ranks.items() if found.best == 1)


def best_by_cpu_time(ranking: Ranking) -> frozenset[str]:
    """Return those of the best that are ahead of another server by CPU time."""
    return best_of(ranking) & {better for better, _ in ranking.by_cpu_time}


def compares_cpu_time(cells: Iterable[CellSummary]) -> bool:
    """Return whether any two of these servers are compared by CPU time."""
    competitors = (cell for cell in cells if cell.cell.server != REFERENCE)
    return sum(cell.is_lower_bound and decides_by_cpu_time(cell) for cell in competitors) > 1
