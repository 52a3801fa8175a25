"""What to run, how long and in which order: pure, given a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import ceil

import msgspec

from ab_runner.model import AFTER, BEFORE, Cell, Load, Protocol, Server, Sweep, WarmUp, WorkloadName
from ab_runner.stats.steady import steady_from

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
        warm_up=WarmUp(Load(seconds=5), steady=True, at_most=30),
        large_warm_up=WarmUp(Load(seconds=5), steady=True, at_most=30),
        trial=Load(seconds=2),
        large_trial=Load(seconds=2),
        blocks=6,
        idle_timeout=30,
    ),
    "quick": Protocol(
        name="quick",
        warm_up=WarmUp(Load(seconds=2)),
        large_warm_up=WarmUp(Load(seconds=2)),
        trial=Load(seconds=1),
        large_trial=Load(seconds=1),
        blocks=1,
        idle_timeout=10,
    ),
}

REQUESTS_PER_CONNECTION = 10
"""A timed trial with fewer is called short: up to a tenth of its work can be missing from its rate."""
LONGEST_STRETCH = 5


class ServerRun(msgspec.Struct, frozen=True):
    """One server's part of one block: a fresh start, then its cells, workload by workload, concurrency rising."""

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
    so that a drift of the machine does not always hit the same server. The reference comes before and after them,
    with each workload that they have, at the middle one of the levels of concurrency."""
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
        runs += [ServerRun(block, server.id, tuple(cells_of(server, workloads, concurrency))) for server in order]
    return [run for run in runs if run.cells]


def plan_of(sweep: Sweep) -> list[ServerRun]:
    """What a sweep planned when it began; `--until-precision` may add to it."""
    asked = sweep.asked
    blocks = asked.protocol.blocks
    return plan(sweep.servers, asked.workloads, asked.concurrency, blocks, asked.seed, sweep.reference)


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


def is_over(plan: WarmUp, rates: Sequence[float]) -> bool:
    """Has a warm-up in windows of a second each lasted as long as it should, and is the rate steady or the time up?"""
    seconds = len(rates)
    if seconds < (plan.load.seconds or 0):
        return False
    return steady_from(rates) is not None or seconds >= (plan.at_most or 0)


def time_limit(load: Load, idle_timeout: int, rate: float | None) -> float:
    """Seconds after which a run of the generator is ended from outside: ab's own limits do not see a connection that
    trickles. A run of so many requests may take ten times as long as the warm-up lets expect, an hour where that is
    not known."""
    grace = idle_timeout + 15
    if load.seconds is not None:
        return load.seconds + grace
    assert load.requests is not None
    return grace + (10 * load.requests / rate if rate else 3600)
