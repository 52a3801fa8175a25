"""The most connections that an open load may have at once. Pure.

A request that finds no connection is refused, and a trial with a refused request is not valid. So the limit says how
long a server may answer nothing, if it makes up for that afterwards: the pause is then in the latencies. 4,000
connections are 4 s at 1,000 requests per second, but 0.08 s at 50,000, which is less than some garbage collections.
"""

from __future__ import annotations

from collections.abc import Iterable

from ab_runner.model.protocol import SweepRequest
from ab_runner.model.workload import Workload

PAUSE_SECONDS = 1
"""The pause that shows as latency at every rate up to `MOST`: a fifth of a trial."""
CLOSING_SECONDS = 1
"""How long open-load waits for a server to close a connection that is not kept. It counts until then."""
FEWEST = 4_000
"""A low rate can have more patience, and the published sweeps had as many connections at all rates."""
MOST = 16_000
"""What a usual host has: 20,000 open files, and 28,232 local ports, of which some wait in TIME_WAIT. Servers that bound
their connections allow 20,000 here. Beyond 16,000 requests per second the pause is therefore shorter: 0.32 s at
50,000."""


def connection_limit(rate: int, keep_alive: bool) -> int:
    """Return the most connections of an open load with so many requests per second."""
    seconds = PAUSE_SECONDS if keep_alive else PAUSE_SECONDS + CLOSING_SECONDS
    return min(max(FEWEST, seconds * rate), MOST)


def most_connections(request: SweepRequest, workloads: Iterable[Workload]) -> int:
    """Return the most connections that a trial of this sweep may need at once, without idle ones."""
    plan = request.open
    if plan is None:
        return max(request.levels)
    beside = plan.beside.rate * (request.protocol.idle_timeout + CLOSING_SECONDS) if plan.beside else 0
    if plan.connections is not None:
        return beside + plan.connections
    rate = max(request.levels) if request.axis == "rate" else plan.rate
    if rate is None:  # that of a server, which is not known yet
        return beside + MOST
    return beside + connection_limit(rate, all(workload.keep_alive for workload in workloads))
