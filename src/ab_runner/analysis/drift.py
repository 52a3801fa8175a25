"""Whether the machine stayed as fast as it was: the reference server's figures before and after the sweep, and those of
all servers together from block to block. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log
from statistics import mean, median

import msgspec

from ab_runner.model.records import AFTER, BEFORE, Cell, Record, cell_of, is_valid
from ab_runner.model.workload import WorkloadName

WORTH_A_WARNING = 0.05
_FEWEST = 3
"""The fewest blocks, and servers: of two it is not known which one is unlike the other."""


class Drift(msgspec.Struct, frozen=True):
    """Requests per second of the reference in one workload."""

    workload: WorkloadName
    before: float
    after: float

    @property
    def change(self) -> float:
        """0.02: two per cent faster after the sweep than before."""
        return self.after / self.before - 1


def drifts(records: Iterable[Record]) -> list[Drift]:
    """Return the drift of each workload that was measured both times."""
    rates = {
        (record.block, record.workload): record.report.requests_per_second
        for record in records
        if is_valid(record) and record.block in (BEFORE, AFTER) and record.report
    }
    return [
        Drift(workload, rate, rates[AFTER, workload])
        for (block, workload), rate in rates.items()
        if block == BEFORE and (AFTER, workload) in rates
    ]


class Shift(msgspec.Struct, frozen=True):
    """A block in which the servers together were faster or slower than in the others; 0.07: seven per cent faster."""

    block: int
    change: float
    servers: int


def shifts(records: Iterable[Record]) -> list[Shift]:
    """Return the shift of each block. A cell's ratio is its rate in that block over its median. A server's is the
    geometric mean over its cells, and the block's is the median over its servers. Cells with fewer than three blocks
    are ignored, and so are blocks that then have fewer than three servers."""
    cells: dict[Cell, dict[int, float]] = {}
    for record in records:
        if is_valid(record) and not record.is_reference_check and record.report:
            cells.setdefault(cell_of(record), {})[record.block] = log(record.report.requests_per_second)
    blocks: dict[int, dict[str, list[float]]] = {}
    for cell, rates in cells.items():
        if len(rates) < _FEWEST:
            continue
        middle = median(rates.values())
        for block, rate in rates.items():
            blocks.setdefault(block, {}).setdefault(cell.server, []).append(rate - middle)
    return [
        Shift(block, exp(median(map(mean, servers.values()))) - 1, len(servers))
        for block, servers in sorted(blocks.items())
        if len(servers) >= _FEWEST
    ]
