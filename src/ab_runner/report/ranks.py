"""The ranks of the servers in a row of a table: by rate, or by cost where ab was the limit. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ab_runner.model import REFERENCE
from ab_runner.report.cells import CellSummary
from ab_runner.stats.ranking import Ranking, rank


class Ranked(msgspec.Struct, frozen=True):
    """`by_cost`: by requests per second of the server's CPU time."""

    by_cost: bool
    ranking: Ranking


def ranked(cells: Iterable[CellSummary]) -> Ranked:
    """Of the cells of one workload and concurrency. The ceiling, which is no competitor, has no rank.

    Where the generator was the limit of any of them, its rate says no more than that the server is at least so fast:
    then all are compared by what a request costs the server.
    """
    cells = [cell for cell in cells if cell.cell.server != REFERENCE]
    by_cost = any(cell.limit == "generator" for cell in cells)
    figures = {cell.cell.server: cell.blocks(by_cost) for cell in cells}
    return Ranked(by_cost, rank({server: list(blocks.values()) for server, blocks in figures.items()}))
