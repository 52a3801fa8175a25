"""Watches server and generator while a trial runs: a thread that looks at their accounts. Standard library only: it
runs in the runner or in the agent (`agent/`), wherever the accounts can be seen."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from ab_runner.host.cooldown import Settled, settle
from ab_runner.host.procfs import machine_stat
from ab_runner.monitor.accounting import CpuAccounting, ThreadAccounts, stolen, total
from ab_runner.monitor.readings import Reading, Watched

EachSecond = Callable[[Reading], None]
"""Is told the first look in each second of a trial, and may take its time."""


class Watching(Protocol):
    """A trial that is watched."""

    def end(self) -> Watched:
        """End it, with a last look, and return what was read; nothing where it could not be seen any more."""


class Accounts(Protocol):
    """What can be seen of a server, of its generator and of their machine, with the CPUs that each may use."""

    @property
    def server_cpus(self) -> tuple[int, ...]: ...

    @property
    def generator_cpus(self) -> tuple[int, ...]: ...

    def watch(self, interval: float, each_second: EachSecond | None = None) -> Watching:
        """Look at them every `interval` seconds from now on."""

    def settle(self, ports: int, connections: int) -> Settled:
        """Wait for what earlier trials left, as `host.cooldown` does, and return what remains."""


@dataclass(frozen=True)
class ResourceAccounts:
    """The accounts of a server and of its generator as this machine shows them."""

    server: CpuAccounting
    generator_cpu_seconds: Callable[[], float]
    server_cpus: tuple[int, ...]
    generator_cpus: tuple[int, ...]

    def watch(self, interval: float, each_second: EachSecond | None = None) -> Watch:
        """Look at them every `interval` seconds from now on, in a thread."""
        return Watch(self, interval, each_second)

    def settle(self, ports: int, connections: int) -> Settled:
        """Wait for what earlier trials left, and return what remains."""
        process: int | None = None
        with suppress(OSError):
            process = next(iter(self.server.processes()), None)
        return settle(process, ports, connections)


def accounts_of(
    server: CpuAccounting,
    generator_cpu_seconds: Callable[[], float],
    server_cpus: tuple[int, ...],
    generator_cpus: tuple[int, ...],
) -> ResourceAccounts:
    """Return the accounts of a server and of its generator. The CPUs are those that each is pinned to; where nothing is
    pinned, each may use all."""
    everything = tuple(os.sched_getaffinity(0))
    return ResourceAccounts(server, generator_cpu_seconds, server_cpus or everything, generator_cpus or everything)


class Watch:
    """One trial that is watched, from when this is made: a look at once, from time to time and at the end, as long as
    the server is there."""

    def __init__(self, accounts: ResourceAccounts, interval: float, each_second: EachSecond | None = None) -> None:
        self._accounts = accounts
        self._interval = interval
        self._each_second = each_second
        self._told: Reading | None = None
        self._readings: list[Reading] = []
        self._threads = ThreadAccounts(accounts.server)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> Watched:
        """End it, with a last look, and return what was read."""
        self._over.set()
        self._thread.join()
        return Watched(self._readings, self._threads.before, self._threads.after())

    def _run(self) -> None:
        with suppress(OSError):
            over = False
            while not over:
                self._look()
                if self._each_second is not None:
                    self._tell(self._each_second)
                over = self._over.wait(self._interval)
            self._look()

    def _look(self) -> None:
        reading = _read(self._accounts)
        self._threads.sample()
        self._readings.append(reading._replace(compiled=self._threads.compiled()))

    def _tell(self, each_second: EachSecond) -> None:
        """Tell the last look, if it is the first one in a second of the trial."""
        began, last = self._readings[0].at, self._readings[-1]
        if self._told is None or int(last.at - began) > int(self._told.at - began):
            self._told = last
            each_second(last)


def _read(accounts: ResourceAccounts) -> Reading:
    at, look, times = time.monotonic(), accounts.server.look(), machine_stat().cpus
    return Reading(
        at=at,
        server_cpu=look.cpu_seconds,
        generator_cpu=accounts.generator_cpu_seconds(),
        server_cpus_idle=total(times, accounts.server_cpus, "idle"),
        generator_cpus_idle=total(times, accounts.generator_cpus, "idle"),
        server_cpus_interrupts=total(times, accounts.server_cpus, "interrupts"),
        generator_cpus_interrupts=total(times, accounts.generator_cpus, "interrupts"),
        server_stolen=stolen(times, accounts.server_cpus),
        generator_stolen=stolen(times, accounts.generator_cpus),
        stolen={
            cpu: times[cpu].stolen for cpu in sorted({*accounts.server_cpus, *accounts.generator_cpus}) if cpu in times
        },
        memory=look.memory_bytes,
    )
