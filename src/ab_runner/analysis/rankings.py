"""The ranks of the servers in a row of a table. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ab_runner.analysis.cells import CellSummary
from ab_runner.model.server import REFERENCE
from ab_runner.stats.ranking import Ranking, rank

BY_CPU_TIME = "two servers whose rates were both limited by ab are compared by requests per CPU-second"


def ranked(cells: Iterable[CellSummary]) -> Ranking:
    """Return the ranks of the cells of one workload and concurrency. The ceiling, which is no competitor, has none."""
    return rank({cell.cell.server: cell.measurement for cell in cells if cell.cell.server != REFERENCE})


def compares_cpu_time(cells: Iterable[CellSummary]) -> bool:
    """Return whether any two of these are compared by CPU time."""
    return sum(cell.is_lower_bound for cell in cells if cell.cell.server != REFERENCE) > 1
