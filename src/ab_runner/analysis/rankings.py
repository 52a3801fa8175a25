"""The ranks of the servers in a row of a table. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from statistics import median

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measurements import cpu_efficiencies_of, measurements_of
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import Rank, Ranking, rank, smallest_difference

Rankings = Mapping[tuple[WorkloadName, int], Ranking]
"""The ranking of the servers by workload and level."""


class Pairs(msgspec.Struct, frozen=True):
    """How many pairs of servers are in an order, tied, and not compared, over several rankings."""

    in_order: int
    tied: int
    not_compared: int
    detectable: float | None
    """The difference that would have shown in half of the tied ones; None without any."""


def rankings_of(measurements: Mapping[Cell, Measurement], told: float = inf) -> Rankings:
    """Return the ranks at every workload and level that `difference_told` has within `told`. The ceiling, which is no
    competitor, has none."""
    return {place: ranking_of(row) for place, row in by_row(measurements).items() if difference_told(row) <= told}


def by_row(measurements: Mapping[Cell, Measurement]) -> dict[tuple[WorkloadName, int], dict[str, Measurement]]:
    """Return the measurements of each row by server."""
    rows: dict[tuple[WorkloadName, int], dict[str, Measurement]] = {}
    for cell, measured in measurements.items():
        rows.setdefault((cell.workload, cell.level), {})[cell.server] = measured
    return rows


def difference_told(row: Mapping[str, Measurement]) -> float:
    """Return the smallest difference that the test of two servers as noisy as the reference finds: 0.09 for 9 %. Of
    several sessions, which have one noise for all servers of a row, the reference is not needed. Infinite where the
    noise is not known."""
    means = [each.mean for server, each in row.items() if server == REFERENCE or each.mean.is_pooled]
    return max((smallest_difference(mean) for mean in means if mean.has_noise), default=inf)


def ranking_of(row: Mapping[str, Measurement]) -> Ranking:
    """Return the ranks in a row, without the ceiling."""
    return rank({server: measured for server, measured in row.items() if server != REFERENCE})


def cpu_efficiency_rankings(cells: Mapping[Cell, CellSummary]) -> Rankings:
    """Return the ranks by requests per CPU-second, which are of a closed load."""
    return rankings_of(measurements_of(cells, cpu_efficiencies_of))


def ranks_of(rankings: Rankings) -> dict[Cell, Rank]:
    """Return the rank of each cell that has one."""
    return {
        Cell(server, workload, concurrency): found
        for (workload, concurrency), ranking in rankings.items()
        for server, found in ranking.ranks.items()
    }


def best_cells(rankings: Rankings) -> frozenset[Cell]:
    """Return the cells of the servers that `best_of` has, of all these rankings."""
    return frozenset(
        Cell(server, workload, level) for (workload, level), ranking in rankings.items() for server in best_of(ranking)
    )


def pairs_of(rankings: Iterable[Ranking]) -> Pairs:
    """Return how many of the pairs of servers were told apart."""
    rankings = list(rankings)
    tied = [size for ranking in rankings for size in ranking.tied.values()]
    return Pairs(
        in_order=sum(len(ranking.faster) for ranking in rankings),
        tied=len(tied),
        not_compared=sum(len(ranking.not_compared) for ranking in rankings),
        detectable=median(tied) if tied else None,
    )


def best_of(ranking: Ranking) -> frozenset[str]:
    """Return the servers that no server was found to be ahead of; none where no server is known to be behind."""
    if all(found.best == 1 for found in ranking.ranks.values()):
        return frozenset()
    return frozenset(server for server, found in ranking.ranks.items() if found.best == 1)
