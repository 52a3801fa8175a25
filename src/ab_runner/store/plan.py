"""The planned runs of a sweep, their order, and which of them are left. Pure, given a seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from math import ceil

import msgspec

from ab_runner.model.protocol import SweepRequest
from ab_runner.model.records import Record, StartRecord, is_valid
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import AFTER, BEFORE, Cell, CellRecord, NotMeasured, Trial, cell_of
from ab_runner.model.workload import WorkloadName
from ab_runner.store.reader import Stored


class ServerRun(msgspec.Struct, frozen=True):
    """One server's part of one block: a fresh start, then its cells, workload by workload. Runs of one batch are made
    at the same time; one without a batch is made alone."""

    block: int
    server: str
    cells: tuple[Cell, ...]
    batch: int | None = None


def plan(
    servers: Sequence[Server],
    workloads: Sequence[WorkloadName],
    concurrency: Sequence[int],
    blocks: int,
    seed: int,
    reference: Server | None = None,
    together: int = 1,
    rotates: bool = True,
    reference_at_all_levels: bool = False,
    reference_in_blocks: bool = False,
) -> list[ServerRun]:
    """Return all blocks in order. With one block the servers keep their order; with several each block shuffles them
    anew, so that a drift of the machine does not always hit the same server, and begins with the next level of
    concurrency, so that none of them always comes first after the start of a server; unless it `rotates`, they
    rise in all, and each level has all workloads.

    The reference has each workload that they have, at the middle one of the levels unless it is to be measured at all
    of them: in every batch of up to `together` servers or, where they run one by one, before and after them. With
    `reference_in_blocks` it is then the first one of each block, which may be on a machine of its own."""
    order = [server for server in servers if set(server.workloads) & set(workloads)]
    shuffle = random.Random(seed).shuffle
    runs = []
    for block in range(1, blocks + 1):
        if blocks > 1:
            shuffle(order)
        turned = (block - 1) % len(concurrency) if rotates else 0
        levels = [*concurrency[turned:], *concurrency[:turned]]
        for server in order:
            cells = list(cells_of(server, workloads, levels))
            if not rotates:
                cells.sort(key=lambda cell: cell.level)
            runs.append(ServerRun(block, server.id, tuple(cells)))
    middle = concurrency[len(concurrency) // 2]
    checks = _checks(reference, servers, workloads, concurrency if reference_at_all_levels else [middle])
    if together > 1:
        return _in_batches(runs, together, checks)
    if reference is None or not checks:
        return runs
    if reference_in_blocks:
        return _with_checks_in_blocks(runs, checks)
    return [ServerRun(BEFORE, reference.id, checks), *runs, ServerRun(AFTER, reference.id, checks)]


def _in_batches(runs: Sequence[ServerRun], together: int, checks: Sequence[Cell]) -> list[ServerRun]:
    """Return the runs of each block in batches of almost equal size, and with each batch the `checks` of the
    reference. A batch that has the reference among its servers has no others."""
    batched = []
    number = 1
    for block, of_block in groupby(runs, key=lambda run: run.block):
        here = list(of_block)
        batches = ceil(len(here) / together)
        for at in range(batches):
            batch = [msgspec.structs.replace(run, batch=number) for run in here[at::batches]]
            if checks and all(run.server != checks[0].server for run in batch):
                batch.append(ServerRun(block, checks[0].server, tuple(checks), number))
            batched += batch
            number += 1
    return batched


def _with_checks_in_blocks(runs: Sequence[ServerRun], checks: Sequence[Cell]) -> list[ServerRun]:
    """Return the runs of each block after the `checks` of the reference, unless it is among their servers."""
    checked: list[ServerRun] = []
    reference = checks[0].server
    for block, of_block in groupby(runs, key=lambda run: run.block):
        here = list(of_block)
        if all(run.server != reference for run in here):
            checked.append(ServerRun(block, reference, tuple(checks)))
        checked += here
    return checked


def _checks(
    reference: Server | None,
    servers: Sequence[Server],
    workloads: Sequence[WorkloadName],
    levels: Sequence[int],
) -> tuple[Cell, ...]:
    """Return the cells of the reference that tell what the machine did; none without one."""
    if reference is None:
        return ()
    shared = [name for name in workloads if any(name in server.workloads for server in servers)]
    return tuple(cells_of(reference, shared, levels))


def plan_of(sweep: Sweep) -> list[ServerRun]:
    """Return what a sweep planned."""
    return plan_for(sweep.request, sweep.servers, sweep.reference)


def plan_for(request: SweepRequest, servers: Sequence[Server], reference: Server | None) -> list[ServerRun]:
    """Return what a request is to measure with these servers."""
    return plan(
        servers,
        request.workloads,
        request.levels,
        request.protocol.blocks,
        request.seed,
        reference,
        request.protocol.together,
        rotates=request.axis != "idle",  # what connections took of a heap would be in what is measured without them
        reference_at_all_levels=request.open is not None and request.open.reference_at_all_levels,
        reference_in_blocks=request.swarm,
    )


def batches_of(runs: Iterable[ServerRun]) -> Iterator[list[ServerRun]]:
    """Yield the runs that are made at the same time."""
    batch: list[ServerRun] = []
    for run in runs:
        if batch and (run.batch is None or run.batch != batch[-1].batch):
            yield batch
            batch = []
        batch.append(run)
    if batch:
        yield batch


def cells_of(server: Server, workloads: Sequence[WorkloadName], concurrency: Sequence[int]) -> Iterator[Cell]:
    """Yield a server's cells, workload by workload; none of workloads that it does not have."""
    for workload in workloads:
        if workload in server.workloads:
            yield from (Cell(server.id, workload, level) for level in concurrency)


def left_of(stored: Stored) -> list[ServerRun]:
    """Return what a sweep has still to measure: what was planned and has no record, without the cells that are given
    up."""
    records = [record for record in stored.records if isinstance(record, Trial | NotMeasured)]
    left = remaining(plan_of(stored.sweep), records)
    return without_failed_cells(left, records, stored.sweep.request.failures_to_give_up)


def without_failed_cells(runs: Iterable[ServerRun], records: Iterable[CellRecord], failures: int) -> list[ServerRun]:
    """Return these runs without the cells that failed in so many blocks."""
    failed = Counter(cell_of(record) for record in records if not is_valid(record) and record.server != REFERENCE)
    return _with_cells(runs, lambda run, cell: failed[cell] < failures)


def remaining(runs: Iterable[ServerRun], records: Iterable[Record]) -> list[ServerRun]:
    """Return the runs of a plan that have cells without a record, with just these cells."""
    done = {
        (record.block, record.batch, cell_of(record)) for record in records if isinstance(record, Trial | NotMeasured)
    }
    return _with_cells(runs, lambda run, cell: (run.block, run.batch, cell) not in done)


def _with_cells(runs: Iterable[ServerRun], are_left: Callable[[ServerRun, Cell], bool]) -> list[ServerRun]:
    """Return the runs with their cells that are left, without those that have none."""
    left = (
        msgspec.structs.replace(run, cells=tuple(cell for cell in run.cells if are_left(run, cell))) for run in runs
    )
    return [run for run in left if run.cells]


def starts_so_far(records: Iterable[Record]) -> int:
    """Return how often servers were started, by the highest number of a start."""
    return max((record.start for record in records if isinstance(record, StartRecord | Trial)), default=0)
