"""The runs of a sweep that continues until its intervals are narrow enough."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator

from ab_runner.model.protocol import SweepRequest
from ab_runner.model.records import AFTER, CellRecord
from ab_runner.store.plan import ServerRun
from ab_runner.sweep.events import CellsAdded, Event
from ab_runner.sweep.precision import further_blocks


def with_further_blocks(
    runs: Iterable[ServerRun],
    request: SweepRequest,
    records: Iterable[CellRecord],
    show: Callable[[Event], None],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[ServerRun]:
    """Return what was planned and, before the last measurement of the reference, what the precision needs. `records` is
    read anew for each block."""
    runs = list(runs)
    yield from (run for run in runs if run.block != AFTER)
    if request.precision is not None:
        began = clock()
        budget = request.budget or math.inf
        for block in further_blocks(records, request.precision, request.seed, lambda: clock() - began > budget):
            show(CellsAdded(sum(len(run.cells) for run in block)))
            yield from block
    yield from (run for run in runs if run.block == AFTER)
