"""What to run, how long and in which order: pure, given a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import ceil

import msgspec

from ab_runner.model.load import Load
from ab_runner.model.protocol import Protocol, WarmUp
from ab_runner.model.records import AFTER, BEFORE, Cell, Sweep
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName

_UNTIL_WARM = WarmUp(Load(seconds=12), steady=True, at_most=30)

PROTOCOLS: dict[str, Protocol] = {
    "2006": Protocol(
        name="2006",
        warm_up=WarmUp(Load(requests=100_000)),
        large_warm_up=WarmUp(Load(requests=2_000)),
        trial=Load(requests=200_000),
        large_trial=Load(requests=10_000),
        blocks=1,
        idle_timeout=30,
    ),
    "standard": Protocol(
        name="standard",
        warm_up=_UNTIL_WARM,
        large_warm_up=_UNTIL_WARM,
        trial=Load(seconds=2),
        large_trial=Load(seconds=2),
        blocks=6,
        idle_timeout=30,
    ),
    "quick": Protocol(
        name="quick",
        warm_up=_UNTIL_WARM,
        large_warm_up=_UNTIL_WARM,
        trial=Load(seconds=1),
        large_trial=Load(seconds=1),
        blocks=1,
        idle_timeout=10,
    ),
}

REQUESTS_PER_CONNECTION = 10
"""A timed trial with fewer is called short: up to a tenth of its work can be missing from its rate."""
LONGEST_STRETCH = 5
LEAD_IN_SHARE = 1 / 8
"""Of the time of the trial that it leads to."""


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
    """All blocks in order. With one block the servers keep their order; with several each block shuffles them anew,
    so that a drift of the machine does not always hit the same server, and begins with the next level of concurrency,
    so that none of them is always measured on a young server. The reference comes before and after them, with each
    workload that they have, at the middle one of the levels."""
    if reference is not None:
        shared = [each for each in workloads if any(each in server.workloads for server in servers)]
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
    """What a sweep planned when it began; `--until-precision` may add to it."""
    request = sweep.request
    blocks = request.protocol.blocks
    return plan(sweep.servers, request.workloads, request.concurrency, blocks, request.seed, sweep.reference)


def cells_of(server: Server, workloads: Sequence[WorkloadName], concurrency: Sequence[int]) -> Iterator[Cell]:
    for workload in workloads:
        if workload in server.workloads:
            yield from (Cell(server.id, workload, level) for level in concurrency)


def trial_load(load: Load, concurrency: int, rate: float | None) -> Load:
    """The load of one trial, given the rate in requests per second that the warm-up showed.

    A timed trial loses the requests that are under way when time runs out, some `concurrency` of them: with large
    files, 1,000 connections and 2,000 requests per second that is half of what a second brings. So it is stretched
    until every connection can have made ten requests, to five times its length at the most.
    """
    if load.seconds is None or not rate:
        return load
    wanted = REQUESTS_PER_CONNECTION * concurrency / rate
    return Load(seconds=max(load.seconds, ceil(min(wanted, LONGEST_STRETCH * load.seconds))))


def lead_in(load: Load, concurrency: int, rate: float | None) -> Load | None:
    """Return the load that comes before a timed trial and is not counted: the requests of an eighth of its
    time at the warm-up's rate, for a second at the most. None before a trial by requests, and where no rate is
    known."""
    if load.seconds is None or not rate:
        return None
    return Load(requests=max(concurrency, ceil(LEAD_IN_SHARE * load.seconds * rate)), seconds=1)


def time_limit(load: Load, idle_timeout: int, rate: float | None) -> float:
    """Seconds after which a run of the generator is ended from outside: ab's own limits do not see a connection that
    trickles. A run of so many requests may take ten times as long as the warm-up lets expect, an hour where that is
    not known."""
    grace = idle_timeout + 15
    if load.seconds is not None:
        return load.seconds + grace
    assert load.requests is not None
    return grace + (10 * load.requests / rate if rate else 3600)
