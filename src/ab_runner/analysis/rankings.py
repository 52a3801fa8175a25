"""The ranks of the servers in a row of a table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measurements import cpu_efficiencies_of, measurements_of
from ab_runner.model.records import Cell
from ab_runner.model.server import REFERENCE
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import Rank, Ranking, rank

Rankings = Mapping[tuple[WorkloadName, int], Ranking]
"""The ranking of the servers by workload and level."""


def rankings_of(cells: Iterable[Cell], measurements: Mapping[Cell, Measurement]) -> Rankings:
    """Return the ranks at every workload and level. The ceiling, which is no competitor, has none."""
    rows: dict[tuple[WorkloadName, int], dict[str, Measurement]] = {}
    for cell in cells:
        row = rows.setdefault((cell.workload, cell.level), {})
        if cell in measurements:
            row[cell.server] = measurements[cell]
    return {place: ranking_of(row) for place, row in rows.items()}


def ranking_of(row: Mapping[str, Measurement]) -> Ranking:
    """Return the ranks in a row, without the ceiling."""
    return rank({server: measured for server, measured in row.items() if server != REFERENCE})


def cpu_efficiency_rankings(cells: Mapping[Cell, CellSummary]) -> Rankings:
    """Return the ranks by requests per CPU-second, which are of a closed load."""
    return rankings_of(cells, measurements_of(cells, cpu_efficiencies_of))


def ranks_of(rankings: Rankings) -> dict[Cell, Rank]:
    """Return the rank of each cell that has one."""
    return {
        Cell(server, workload, concurrency): found
        for (workload, concurrency), ranking in rankings.items()
        for server, found in ranking.ranks.items()
    }


def best_of(ranking: Ranking) -> frozenset[str]:
    """Return the servers that no server was found to be ahead of; none where no server is known to be behind."""
    if all(found.best == 1 for found in ranking.ranks.values()):
        return frozenset()
    return frozenset(server for server, found in ranking.ranks.items() if found.best == 1)
