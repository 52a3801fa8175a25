"""What is read of a server and its generator while a trial runs. Plain tuples of the standard library: the agent, which
has nothing else, sends them as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Reading(NamedTuple):
    """One look. All times are running totals in seconds, `at` by a clock that never goes back."""

    at: float
    server_cpu: float
    generator_cpu: float
    server_cpus_idle: float | None
    """Summed over the CPUs that the server may use; None where some of them cannot be seen, as within LXC."""
    generator_cpus_idle: float | None
    server_cpus_interrupts: float | None
    generator_cpus_interrupts: float | None
    server_stolen: float | None
    """What the hypervisor gave to others, on average over the CPUs that the server may use."""
    generator_stolen: float | None
    stolen: Mapping[int, float]
    """By CPU: those that server and generator may use, as far as they can be seen."""
    memory: int | None
    compiled: float | None = None
    """CPU time of a JVM's compiler threads since the trial began; None where it is no JVM."""


class Thread(NamedTuple):
    """A thread's running totals."""

    cpu_seconds: float
    switches: int
    compiles: bool = False
    """Is it one of a JVM's that do nothing but compile?"""


Threads = Mapping[int, Thread]
"""By their number."""


class Watched(NamedTuple):
    """All that was read in a trial: the looks, and the server's threads at both ends of it."""

    readings: list[Reading]
    before: dict[int, Thread]
    after: dict[int, Thread]
