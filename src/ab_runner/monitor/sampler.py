"""Watches server and generator while a trial runs: a thread looks at their accounts, and the JVM's counters are read
before and after."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Protocol

from ab_runner.host.procfs import machine_stat
from ab_runner.model.load import Limit, Load
from ab_runner.model.resources import JvmActivity, Usage
from ab_runner.monitor import hsperfdata
from ab_runner.monitor.accounting import ResourceAccounts, ThreadAccounts, stolen, total
from ab_runner.monitor.usage import Reading, limit_of, usage_of

INTERVAL_SECONDS = 0.1
"""Eight looks in the loaded part of the shortest trial, which is one second."""
LOOKS_IN_OPEN_LOAD = 3
"""In as many seconds as are asked for. A look takes CPU time of server or generator, and so delays requests of an open
load: ten looks a second made p99 two to three times as long as none (docs/benchmarks.md). Two of three are in the
loaded part."""


class Monitored(Protocol):
    """A server that runs, as far as it can be watched."""

    @property
    def accounts(self) -> ResourceAccounts | None:
        """Return the accounts of its CPU time and memory; None where this system does not show them."""

    def perf_data(self) -> bytes:
        """Return a copy of its JVM's performance counters; empty if there are none."""


def interval_of(load: Load) -> float:
    """Return the seconds between two looks at this load."""
    if load.rate is None or load.seconds is None:
        return INTERVAL_SECONDS
    return load.seconds / LOOKS_IN_OPEN_LOAD


class ResourceSampler:
    """Watches one trial, as a context manager; the results are there after it."""

    usage: Usage | None = None
    limit: Limit | None = None
    jvm: JvmActivity | None = None

    def __init__(self, running: Monitored, generators: int = 1, interval: float = INTERVAL_SECONDS) -> None:
        """`generators` is how many processes make the load, `interval` the seconds between two looks."""
        self._running = running
        self._generators = generators
        self._interval = interval
        self._accounts = running.accounts
        self._readings: list[Reading] = []
        self._over = threading.Event()

    def __enter__(self) -> ResourceSampler:
        self._counters = hsperfdata.parse(self._running.perf_data())
        if self._accounts:
            self._threads = ThreadAccounts(self._accounts.server)
            self._watcher = threading.Thread(target=self._watch, args=(self._accounts,), daemon=True)
            self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if kind is not None:
            return
        if self._accounts:
            self._watcher.join()
            self.usage = usage_of(self._readings, self._threads.before, self._threads.after())
            cpus = self._accounts.server_cpus, self._accounts.generator_cpus
            self.limit = limit_of(self.usage, *cpus, self._generators)
        self.jvm = hsperfdata.activity(self._counters, hsperfdata.parse(self._running.perf_data()))

    def _watch(self, accounts: ResourceAccounts) -> None:
        """Look at once, from time to time and at the end, as long as the server is there."""
        with suppress(OSError):
            over = False
            while not over:
                self._readings.append(_read(accounts))
                self._threads.sample()
                over = self._over.wait(self._interval)
            self._readings.append(_read(accounts))


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
