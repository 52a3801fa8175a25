"""Before each trial: a short wait for what the last one left behind to clear, and a record of what remains. Standard
library only: the agent has nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from ab_runner.host import procfs

WAIT_SECONDS = 1.0
"""The longest wait for ports: TIME_WAIT lasts for a minute, which no sweep could wait after each of its trials."""
_CLOSED_PER_SECOND = 200
"""Connections of the load before that a server closes per second, or more: the slowest of spring-boot-2018 took 22 s
for 5,000 of them. Undertow, while it is at that, does not answer on new ones either."""
_LOOK_EVERY = 0.02
_RUNNABLE = 1
"""The program itself, which makes the check."""


class Settled(NamedTuple):
    """What earlier trials had left when the next one began, each None where that is not known, and the seconds that
    were given them to go. `model.resources.Cooldown` has it as it is stored."""

    time_wait: int | None
    runnable: int | None
    waited: float


def longest_wait(connections: int) -> float:
    """Return the seconds that a server which may have so many connections to close is given at most until it rests."""
    return WAIT_SECONDS + connections / _CLOSED_PER_SECOND


def settle(server: int | None, ports: int, connections: int) -> Settled:
    """Wait until the run queue is empty and closed connections leave ports for the next trial, and return what is left.
    `server` is a process in the server's network namespace, None where that cannot be seen from here; that namespace
    has so many `ports`. The server may have so many `connections` to close."""
    return settle_by(lambda: _left(server), ports, longest_wait(connections), time.monotonic, time.sleep)


def settle_by(
    look: Callable[[], tuple[int | None, int | None]],
    ports: int,
    longest: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> Settled:
    """Return what is left after the wait. `look` gives the sockets in TIME_WAIT and the runnable threads of the
    machine, each None where not to be known. The run queue is waited for until `longest`, in seconds, and ports for a
    second. TIME_WAIT sockets may be as many as there are `ports`: Linux gives their ports out again after a second
    (tcp_tw_reuse, which the containers have on)."""
    began = clock()
    while True:
        waiting, runnable = look()
        waited = clock() - began
        is_busy, has_ports = (runnable or 0) > _RUNNABLE, (waiting or 0) <= ports
        if waited >= longest or not (is_busy or (waited < WAIT_SECONDS and not has_ports)):
            return Settled(time_wait=waiting, runnable=runnable, waited=round(waited, 3))
        sleep(_LOOK_EVERY)


def _left(server: int | None) -> tuple[int | None, int | None]:
    waiting: int | None = None
    runnable: int | None = None
    with suppress(OSError):
        runnable = procfs.machine_stat().runnable
    if server is not None:
        with suppress(OSError):
            waiting = procfs.time_wait(server)
    return waiting, runnable
