from __future__ import annotations

import gzip
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ab_runner.host.interrupt import Interrupted
from ab_runner.model.load import Load
from ab_runner.monitor.accounting import Look, ResourceAccounts
from ab_runner.monitor.sampler import INTERVAL_SECONDS, ResourceSampler, interval_of

PERF_DATA = Path(__file__).parents[1] / "recordings" / "perfdata"
QUICK = 0.01
"""Seconds between two looks."""
CPUS = (min(os.sched_getaffinity(0)),)


pytestmark = pytest.mark.skipif(not Path("/proc/stat").exists(), reason="reads /proc/stat")


class Server:
    """The accounts of a server that uses half a core, and the counters of a JVM before and after."""

    def __init__(self, lives: Callable[[], bool] = lambda: True, jvm: bool = False) -> None:
        self.accounts: ResourceAccounts | None = ResourceAccounts(self, self.generator_cpu_seconds, CPUS, CPUS)
        self._lives = lives
        self._copies = [gzip.decompress((PERF_DATA / f"jdk17-{when}.gz").read_bytes()) for when in ("before", "after")]
        self._jvm = jvm

    def look(self) -> Look:
        if not self._lives():
            raise ProcessLookupError
        return Look(time.monotonic() / 2, 1000)

    def generator_cpu_seconds(self) -> float:
        return time.monotonic() / 4

    def processes(self) -> list[int]:
        return [os.getpid()]

    def perf_data(self) -> bytes:
        return self._copies.pop(0) if self._jvm else b""


def test_a_trial_is_watched_from_its_begin_to_its_end() -> None:
    with ResourceSampler(Server(), interval=QUICK) as watched:
        time.sleep(0.5)
    assert watched.usage is not None
    assert watched.usage.server_cores_busy == pytest.approx(0.5, rel=0.2)
    assert watched.usage.generator_cores_busy == pytest.approx(0.25, rel=0.2)
    assert watched.usage.server_cpu_seconds >= 0.2, "half of the time"
    assert watched.usage.peak_memory_bytes == 1000
    assert watched.jvm is None


def test_a_jvm_is_asked_before_and_after() -> None:
    with ResourceSampler(Server(jvm=True), interval=QUICK) as watched:
        pass
    assert watched.jvm is not None
    assert watched.jvm.gc_count == 1


def test_a_server_that_dies_in_its_trial_is_counted_until_then() -> None:
    looks = iter([True] * 3)
    with ResourceSampler(Server(lives=lambda: next(looks, False)), interval=QUICK) as watched:
        time.sleep(0.1)
    assert watched.usage is not None
    assert watched.usage.server_cpu_seconds > 0


def test_an_open_load_is_disturbed_by_ten_looks_however_long_it_is() -> None:
    assert interval_of(Load(seconds=5, rate=1_000)) == 0.5
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
    for _ in range(100):
        if threading.active_count() == before:
            return
        time.sleep(0.05)
    pytest.fail("it still watches")
