"""The batches of a sweep: what was planned, without the cells that have failed too often, and further blocks until its
intervals are narrow enough."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator

from ab_runner.model.records import AFTER, CellRecord, Sweep
from ab_runner.store.plan import ServerRun, batches_of, checks_of, in_batches, without_failed_cells
from ab_runner.sweep.events import Event, PlanChanged
from ab_runner.sweep.precision import further_blocks


def batches_to_run(
    runs: Iterable[ServerRun],
    sweep: Sweep,
    records: Iterable[CellRecord],
    show: Callable[[Event], None],
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[list[ServerRun]]:
    """Yield the batches of what was planned and, before the last measurement of the reference, of what the precision
    needs. `records` is read anew for each batch, when all batches before it have been run."""
    runs = list(runs)
    request = sweep.request
    for planned in batches_of(run for run in runs if run.block != AFTER):
        batch = without_failed_cells(planned, records, request.protocol.blocks)
        if fewer := _cells_in(batch) - _cells_in(planned):
            show(PlanChanged(fewer))
        if batch:
            yield batch
    if request.precision is not None:
        began = clock()
        budget = request.budget or math.inf
        for block in further_blocks(records, request.precision, request.seed, lambda: clock() - began > budget):
            if request.protocol.together > 1:
                last = max(record.batch or 0 for record in records)
                block = in_batches(block, request.protocol.together, checks_of(sweep), first=last + 1)
            show(PlanChanged(_cells_in(block)))
            yield from batches_of(block)
    yield from batches_of(run for run in runs if run.block == AFTER)


def _cells_in(runs: Iterable[ServerRun]) -> int:
    return sum(len(run.cells) for run in runs)
