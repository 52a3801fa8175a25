"""Watches server and generator while a trial runs: a thread looks at their accounts. The JVM's counters are read before
and after, and once a second where the trial has a course."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Protocol

from ab_runner.host.procfs import machine_stat
from ab_runner.model.load import Limit, Load
from ab_runner.model.resources import Course, JvmActivity, Usage
from ab_runner.monitor import hsperfdata
from ab_runner.monitor.accounting import ResourceAccounts, ThreadAccounts, stolen, total
from ab_runner.monitor.course import CourseLook, course_of
from ab_runner.monitor.hsperfdata import Counters
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
    course: Course | None = None

    def __init__(
        self,
        running: Monitored,
        generators: int = 1,
        interval: float = INTERVAL_SECONDS,
        has_course: bool = False,
    ) -> None:
        """`generators` is how many processes make the load, `interval` the seconds between two looks. `has_course`:
        whether what happens in each second is wanted too."""
        self._running = running
        self._generators = generators
        self._interval = interval
        self._accounts = running.accounts
        self._readings: list[Reading] = []
        self._has_course = has_course
        self._course: list[CourseLook] = []
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
        if self._accounts:
            self._watcher.join()  # also when interrupted: it may be reading the counters
        if kind is not None:
            return
        counters = hsperfdata.parse(self._running.perf_data())
        if self._accounts:
            self.usage = usage_of(self._readings, self._threads.before, self._threads.after())
            cpus = self._accounts.server_cpus, self._accounts.generator_cpus
            self.limit = limit_of(self.usage, *cpus, self._generators)
            if self._course:
                self.course = course_of([*self._course, self._look(counters)])
        self.jvm = hsperfdata.activity(self._counters, counters)

    def _watch(self, accounts: ResourceAccounts) -> None:
        """Look at once, from time to time and at the end, as long as the server is there."""
        with suppress(OSError):
            over = False
            while not over:
                self._readings.append(_read(accounts))
                self._threads.sample()
                if self._has_course:
                    self._look_each_second()
                over = self._over.wait(self._interval)
            self._readings.append(_read(accounts))
            self._threads.sample()

    def _look_each_second(self) -> None:
        """Keep the last reading, if it is the first one in a second of the trial, with the JVM's counters then."""
        began = self._readings[0].at
        if not self._course:
            self._course.append(self._look(self._counters))
        elif int(self._readings[-1].at - began) > int(self._course[-1].reading.at - began):
            is_jvm = self._counters is not None
            self._course.append(self._look(hsperfdata.parse(self._running.perf_data()) if is_jvm else None))

    def _look(self, counters: Counters | None) -> CourseLook:
        return CourseLook(self._readings[-1], self._threads.compiled(), counters)


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
