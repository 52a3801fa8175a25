"""Whether the machine stayed as fast as it was: the reference server's figures through the sweep, and those of all
servers together from block to block. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp, log
from statistics import mean, median

import msgspec

from ab_runner.analysis.measure import rate_of
from ab_runner.model.records import Record, is_valid
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import AFTER, BEFORE, Cell, cell_of
from ab_runner.model.workload import WorkloadName

WORTH_A_WARNING = 0.05
_FEWEST = 3
"""The fewest blocks, and servers: of two it is not known which one is unlike the other."""


class Drift(msgspec.Struct, frozen=True):
    """Requests per second of the reference in one workload, before the sweep and after it or, if it was measured in
    every batch (`batches` of them), the medians of the first third and of the last third of these."""

    workload: WorkloadName
    before: float
    after: float
    batches: int = 0

    @property
    def change(self) -> float:
        """0.02: two per cent faster at the end than at the beginning."""
        return self.after / self.before - 1


def drifts(records: Iterable[Record]) -> list[Drift]:
    """Return the drift of each workload that was measured both times, or in two batches. None of an open load is
    tested."""
    checks: dict[WorkloadName, dict[int, float]] = {}
    batches: dict[WorkloadName, dict[int, dict[int, float]]] = {}
    for record in records:
        if not is_valid(record) or record.server != REFERENCE or not (rate := rate_of(record)):
            continue
        if record.is_reference_check:
            checks.setdefault(record.workload, {})[record.block] = rate
        elif record.batch is not None:
            levels = batches.setdefault(record.workload, {})
            levels.setdefault(record.level, {})[record.batch] = rate
    found = [
        Drift(workload, rates[BEFORE], rates[AFTER])
        for workload, rates in checks.items()
        if BEFORE in rates and AFTER in rates
    ]
    return found + [_over_batches(workload, levels) for workload, levels in batches.items() if _at_most_batches(levels)]


def _at_most_batches(levels: Mapping[int, Mapping[int, float]]) -> list[float]:
    """Return the rates in the order of the batches, at the level that most of these have; none of a single batch."""
    most = max(levels.values(), key=len)
    return [most[batch] for batch in sorted(most)] if len(most) > 1 else []


def _over_batches(workload: WorkloadName, levels: Mapping[int, Mapping[int, float]]) -> Drift:
    rates = _at_most_batches(levels)
    third = max(1, len(rates) // 3)
    return Drift(workload, median(rates[:third]), median(rates[-third:]), len(rates))


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
        if is_valid(record) and not record.is_reference_check and (rate := rate_of(record)):
            cells.setdefault(cell_of(record), {})[record.block] = log(rate)
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
