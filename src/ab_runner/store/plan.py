"""The planned runs of a sweep, their order, and which of them are left. Pure, given a seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ab_runner.model.records import AFTER, BEFORE, Cell, NotMeasured, Record, StartRecord, Sweep, Trial, cell_of
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName


class ServerRun(msgspec.Struct, frozen=True):
    """One server's part of one block: a fresh start, then its cells, workload by workload."""

    block: int
    server: str
    cells: tuple[Cell, ...]


def plan(
    servers: Sequence[Server],
    workloads: Sequence[WorkloadName],
    concurrency: Sequence[int],
    blocks: int,
    seed: int,
    reference: Server | None = None,
) -> list[ServerRun]:
    """Return all blocks in order. With one block the servers keep their order; with several each block shuffles them
    anew, so that a drift of the machine does not always hit the same server, and begins with the next level of
    concurrency, so that none of them is always measured on a young server. The reference comes before and after them,
    with each workload that they have, at the middle one of the levels."""
    if reference is not None:
        shared = [name for name in workloads if any(name in server.workloads for server in servers)]
        cells = tuple(cells_of(reference, shared, [concurrency[len(concurrency) // 2]]))
        return [
            ServerRun(BEFORE, reference.id, cells),
            *plan(servers, workloads, concurrency, blocks, seed),
            ServerRun(AFTER, reference.id, cells),
        ]
    order = list(servers)
    shuffle = random.Random(seed).shuffle
    runs = []
    for block in range(1, blocks + 1):
        if blocks > 1:
            shuffle(order)
        turned = (block - 1) % len(concurrency)
        levels = [*concurrency[turned:], *concurrency[:turned]]
        runs += [ServerRun(block, server.id, tuple(cells_of(server, workloads, levels))) for server in order]
    return [run for run in runs if run.cells]


def plan_of(sweep: Sweep) -> list[ServerRun]:
    """Return what a sweep planned when it began; `--until-precision` may add to it."""
    request = sweep.request
    blocks = request.protocol.blocks
    return plan(sweep.servers, request.workloads, request.concurrency, blocks, request.seed, sweep.reference)


def cells_of(server: Server, workloads: Sequence[WorkloadName], concurrency: Sequence[int]) -> Iterator[Cell]:
    """Yield a server's cells, workload by workload; none of workloads that it does not have."""
    for workload in workloads:
        if workload in server.workloads:
            yield from (Cell(server.id, workload, level) for level in concurrency)


def remaining(runs: Iterable[ServerRun], records: Iterable[Record]) -> list[ServerRun]:
    """Return the runs of a plan that have cells without a record, with just these cells."""
    done = {(record.block, cell_of(record)) for record in records if isinstance(record, Trial | NotMeasured)}
    left = [
        msgspec.structs.replace(run, cells=tuple(cell for cell in run.cells if (run.block, cell) not in done))
        for run in runs
    ]
    return [run for run in left if run.cells]


def starts_so_far(records: Iterable[Record]) -> int:
    """Return how often servers were started, by the highest number of a start."""
    return max((record.start for record in records if isinstance(record, StartRecord | Trial)), default=0)
