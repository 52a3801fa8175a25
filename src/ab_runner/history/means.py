"""The weighted means of cells that a conclusion's claim is tested on. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, fsum, log

from ab_runner.history.evidence import Evidence, Measured
from ab_runner.stats.hypotheses import Means
from ab_runner.stats.ratio import LogMean, log_mean
from ab_runner.stats.sessions import layout

Weighted = tuple[Measured, float]
"""A cell and the weight of the logarithm of its rate in a sum."""


def means_of(cells: Sequence[Weighted], evidence: Evidence) -> Means | None:
    """Return the weighted means of a hypothesis; None where the cells have no block in common.

    Two cells of a workload are compared as for ranks. Cells of one block share its minutes, and those of a server also
    its start, so several are added up within each block first. The sums of different blocks are independent. So it is
    with sessions, whose noise is that of all servers (`_pooled`)."""
    if len(cells) == 2 and len({cell.cell.workload for cell, _ in cells if cell.cell}) < 2:
        return tuple((cell.measurement.mean, weight) for cell, weight in cells if cell.measurement is not None)
    blocks = common_blocks(cell for cell, _ in cells)
    if not blocks:
        return None
    mean = log_mean([exp(fsum(weight * log(cell.values[block]) for cell, weight in cells)) for block in blocks])
    if not all(cell.has_noise for cell, _ in cells):
        mean = LogMean(mean.value)
    elif evidence.is_of_sessions and len({cell.cell.workload for cell, _ in cells if cell.cell}) == 1:
        mean = _pooled(mean.value, cells, blocks, evidence)
    return ((mean, 1.0),)


def _pooled(value: float, cells: Sequence[Weighted], sessions: Sequence[int], evidence: Evidence) -> LogMean:
    """Return a mean over sessions with the noise of all servers that were measured at these levels.

    The weights are a server's times a level's. So each server has the sum over the levels in each session, the layout
    of these sums has their variance s², and the mean has s² / J times the sum of the squared weights of the servers."""
    first = next(cell.cell for cell, _ in cells if cell.cell is not None)
    weights = {cell.cell: weight for cell, weight in cells if cell.cell is not None}
    levels = {cell.level: weight for cell, weight in weights.items() if cell.server == first.server}
    servers: dict[str, dict[int, Mapping[int, float]]] = {}
    for each in evidence.cells.values():
        if each.cell is not None and each.cell.workload == first.workload:
            servers.setdefault(each.cell.server, {})[each.cell.level] = each.values
    found = layout(
        [
            {
                server: fsum(weight * log(rates[level][session]) for level, weight in levels.items())
                for server, rates in servers.items()
                if all(session in rates.get(level, {}) for level in levels)
            }
            for session in sessions
        ]
    )
    squares = fsum((weight / levels[first.level]) ** 2 for cell, weight in weights.items() if cell.level == first.level)
    if not found.degrees_of_freedom:
        return LogMean(value)
    return LogMean(value, squares * found.variance / len(sessions), found.degrees_of_freedom)


def common_blocks(cells: Iterable[Measured]) -> list[int]:
    return sorted(set.intersection(*(set(cell.values) for cell in cells)))
