"""What is observed of server and generator while a trial runs, as a context manager around it. The JVM's counters are
read before and after, and once a second where the trial has a course."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol

from ab_runner.model.load import Limit, Load
from ab_runner.model.resources import Course, JvmActivity, Usage
from ab_runner.monitor import hsperfdata
from ab_runner.monitor.course import CourseLook, course_of
from ab_runner.monitor.readings import Reading
from ab_runner.monitor.usage import limit_of, usage_of
from ab_runner.monitor.watch import Accounts

INTERVAL_SECONDS = 0.1
"""Eight looks in the loaded part of the shortest trial, which is one second."""
LOOKS_IN_OPEN_LOAD = 3
"""In as many seconds as are asked for. A look takes CPU time of server or generator, and so delays requests of an open
load: ten looks a second made p99 two to three times as long as none (docs/benchmarks.md). Two of three are in the
loaded part."""


class Monitored(Protocol):
    """A server that runs, as far as it can be watched."""

    @property
    def accounts(self) -> Accounts | None:
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
        self._has_course = has_course
        self._course: list[CourseLook] = []

    def __enter__(self) -> ResourceSampler:
        self._counters = hsperfdata.parse(self._running.perf_data())
        if self._accounts is not None:
            self._watching = self._accounts.watch(self._interval, self._look if self._has_course else None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Also when interrupted: it may be reading the counters.
        watched = self._watching.end() if self._accounts is not None else None
        if kind is not None:
            return
        counters = hsperfdata.parse(self._running.perf_data())
        self.jvm = hsperfdata.activity(self._counters, counters)
        if self._accounts is not None and watched is not None:
            self.usage = usage_of(watched.readings, watched.before, watched.after)
            cpus = self._accounts.server_cpus, self._accounts.generator_cpus
            self.limit = limit_of(self.usage, *cpus, self._generators)
            if self._course and watched.readings:
                self.course = course_of([*self._course, CourseLook(watched.readings[-1], counters)])

    def _look(self, reading: Reading) -> None:
        """Keep a look of the course, with the counters of a JVM then. The first one is where the trial began."""
        counters = self._counters
        if self._course and counters is not None:
            counters = hsperfdata.parse(self._running.perf_data())
        self._course.append(CourseLook(reading, counters))
