from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from support.waiting import until

from ab_runner.host.interrupt import Interrupted
from ab_runner.host.procfs import MachineStat, parse_machine_stat
from ab_runner.model.load import Load
from ab_runner.monitor import watch
from ab_runner.monitor.accounting import Look
from ab_runner.monitor.sampler import INTERVAL_SECONDS, ResourceSampler, interval_of
from ab_runner.monitor.watch import ResourceAccounts

PERF_DATA = Path(__file__).parents[1] / "recordings" / "perfdata"
QUICK = 0.01
"""Seconds between two looks."""
CPUS = (min(os.sched_getaffinity(0)),)


pytestmark = pytest.mark.skipif(not Path("/proc/stat").exists(), reason="reads /proc/stat")


class Clock:
    """A tenth of a second passes with each look, however long it takes."""

    now = 0.0

    def monotonic(self) -> float:
        self.now += 0.1
        return self.now


class Server:
    """The accounts of a server that uses half a core, and the counters of a JVM before and after."""

    clock = Clock()

    def __init__(self, lives: Callable[[], bool] = lambda: True, jvm: bool = False) -> None:
        self.accounts: ResourceAccounts | None = ResourceAccounts(self, self.generator_cpu_seconds, CPUS, CPUS)
        self._lives = lives
        self.copies = [gzip.decompress((PERF_DATA / f"jdk17-{when}.gz").read_bytes()) for when in ("before", "after")]
        self._jvm = jvm

    def look(self) -> Look:
        if not self._lives():
            raise ProcessLookupError
        return Look(self.clock.now / 2, 1000)

    def generator_cpu_seconds(self) -> float:
        return self.clock.now / 4

    def processes(self) -> list[int]:
        return [os.getpid()]

    def perf_data(self) -> bytes:
        return self.copies.pop(0) if self._jvm else b""


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(watch, "time", clock)
    monkeypatch.setattr(Server, "clock", clock)
    return clock


def test_a_trial_is_watched_from_its_begin_to_its_end(clock: Clock) -> None:
    with ResourceSampler(Server(), interval=QUICK) as watched:
        until(lambda: clock.now >= 2)
    assert watched.usage is not None
    assert watched.usage.server_cores_busy == pytest.approx(0.5)
    assert watched.usage.generator_cores_busy == pytest.approx(0.25)
    assert watched.usage.server_cpu_seconds == pytest.approx((clock.now - 0.1) / 2), "half of the time"
    assert watched.usage.peak_memory_bytes == 1000
    assert watched.jvm is None


def test_a_jvm_is_asked_before_and_after() -> None:
    with ResourceSampler(Server(jvm=True), interval=QUICK) as watched:
        pass
    assert watched.jvm is not None
    assert watched.jvm.gc_count == 1


def test_a_server_that_dies_in_its_trial_is_counted_until_then() -> None:
    looks = [False, True, True, True]
    with ResourceSampler(Server(lives=lambda: looks.pop()), interval=QUICK) as watched:
        until(lambda: not looks)
    assert watched.usage is not None
    assert watched.usage.server_cpu_seconds > 0


def test_what_the_hypervisor_takes_is_read_at_each_look_and_of_the_cpus_in_use_alone(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def machine_stat() -> MachineStat:
        """A quarter of the time is stolen from each of two CPUs."""
        times = f"1 0 1 1 0 0 0 {round(25 * clock.now)} 0 0"
        return parse_machine_stat(f"cpu {times}\ncpu{CPUS[0]} {times}\ncpu{CPUS[0] + 1} {times}\n")

    monkeypatch.setattr(watch, "machine_stat", machine_stat)
    with ResourceSampler(Server(), interval=QUICK) as watched:
        until(lambda: clock.now >= 2)
    assert watched.usage is not None
    stolen = watched.usage.stolen
    assert stolen is not None
    assert list(stolen.cpus) == list(CPUS)
    looks = round(10 * clock.now)
    assert list(stolen.at) == pytest.approx([look / 10 for look in range(looks)]), "no look besides those for CPU time"
    assert list(stolen.cpus[CPUS[0]]) == pytest.approx([look / 40 for look in range(looks)], abs=0.011)


def test_a_course_has_a_look_in_each_second_and_sums_that_are_those_of_the_trial(clock: Clock) -> None:
    with ResourceSampler(Server(), interval=QUICK, has_course=True) as watched:
        until(lambda: clock.now >= 12)
    assert watched.course is not None
    assert watched.usage is not None
    assert list(watched.course.at) == pytest.approx([*range(1, len(watched.course.at)), clock.now - 0.1], abs=0.11)
    assert sum(watched.course.server_cpu_seconds) == pytest.approx(watched.usage.server_cpu_seconds, abs=0.001)
    assert sum(watched.course.generator_cpu_seconds) == pytest.approx(watched.usage.generator_cpu_seconds, abs=0.001)
    assert set(watched.course.memory_bytes) == {1000}
    assert watched.course.gc_count == ()


def test_the_counters_of_a_jvm_are_read_once_a_second_where_there_is_a_course(clock: Clock) -> None:
    server = Server(jvm=True)
    server.copies[1:1] = [server.copies[0]] * 20
    with ResourceSampler(server, interval=QUICK, has_course=True) as watched:
        until(lambda: clock.now >= 10)
    assert watched.course is not None
    looks = len(watched.course.at)
    assert 9 <= looks <= 11
    assert 22 - len(server.copies) in (looks + 1, looks + 2), "one before, and one more if the last two are one"
    assert watched.course.gc_count == (0,) * looks


def test_without_a_course_they_are_read_before_and_after_alone(clock: Clock) -> None:
    server = Server(jvm=True)
    with ResourceSampler(server, interval=QUICK) as watched:
        until(lambda: clock.now >= 10)
    assert (watched.course, server.copies) == (None, [])


def test_a_server_that_dies_has_a_course_until_then() -> None:
    looks = [False] + [True] * 35
    with ResourceSampler(Server(lives=lambda: looks.pop()), interval=QUICK, has_course=True) as watched:
        until(lambda: not looks)
    assert watched.course is not None
    assert list(watched.course.at) == pytest.approx([1, 2, 3.4], abs=0.11)


def test_an_open_load_has_three_looks_in_the_seconds_that_are_asked_for() -> None:
    assert interval_of(Load(seconds=6, rate=1_000)) == 2.0
    assert interval_of(Load(seconds=6, at_most=24, rate=1_000)) == 2.0
    assert interval_of(Load(seconds=5)) == INTERVAL_SECONDS


def test_where_nothing_can_be_seen_there_is_nothing() -> None:
    server = Server()
    server.accounts = None
    with ResourceSampler(server, interval=QUICK) as watched:
        pass
    assert (watched.usage, watched.limit, watched.jvm) == (None, None, None)


def test_an_interruption_passes_and_ends_the_watching() -> None:
    before = threading.active_count()
    with pytest.raises(Interrupted), ResourceSampler(Server(), interval=QUICK):
        raise Interrupted
    until(lambda: threading.active_count() == before)
