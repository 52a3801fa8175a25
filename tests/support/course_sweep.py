"""A sweep of two servers whose trials have a course: the first one of a start was cold and was made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from support.builders import open_outcome, server, sweep, trial

from ab_runner.model.load import Load, Second
from ab_runner.model.protocol import PROTOCOLS
from ab_runner.model.resources import Course
from ab_runner.model.trial import COLD, RepeatedTrial, Trial
from ab_runner.store.reader import Stored

SECONDS = 12
SERVERS = (server("jetty-12.1", workloads=("small",)), server("tomcat-11", workloads=("small",)))


def course(seconds: int = SECONDS, **changes: Any) -> Course:
    """A JVM that fills a CPU, of which the compiler takes less in each second."""
    fields: dict[str, Any] = {
        "at": tuple(float(second) for second in range(1, seconds + 1)),
        "server_cpu_seconds": (1.0,) * seconds,
        "generator_cpu_seconds": (0.5,) * seconds,
        "memory_bytes": (200 << 20,) * seconds,
        "jit_cpu_seconds": tuple(round(0.8 / second, 3) for second in range(1, seconds + 1)),
        "gc_count": (2,) * seconds,
        "gc_seconds": (0.01,) * seconds,
        "allocated_bytes": (250_000_000,) * seconds,
        "allocated_error_bytes": 125_000_000,
    }
    return Course(**fields | changes)


def seconds_of(rates: Sequence[int], failed: int = 0, milliseconds: float = 2.0) -> tuple[Second, ...]:
    """What a generator tells of seconds with so many answers each, a hundredth of them ten times as slow."""
    usual = round(1000 * milliseconds)
    return tuple(
        Second(rate, failed, {usual: rate - rate // 100 - 1, 10 * usual: rate // 100 + 1} if rate else {})
        for rate in rates
    )


def course_trial(name: str, rates: Sequence[int], level: int = 100, failed: int = 0, **changes: Any) -> Trial:
    """A trial of a closed load by open-load."""
    outcome = msgspec.structs.replace(
        open_outcome(1_000), arrivals=None, seconds=float(len(rates)), answered=float(sum(rates)),
        completed=sum(rates), completed_per_second=sum(rates) / len(rates), per_second=seconds_of(rates, failed),
    )  # fmt: skip
    return trial(name, "small", level, **{"outcome": outcome, "course": course(len(rates))} | changes)


WARMING = tuple(1_000 * second for second in range(1, SECONDS + 1))
WARM = (12_000,) * SECONDS


def course_sweep() -> Stored:
    """Two levels; some requests to one server failed."""
    request = sweep(*SERVERS).request
    protocol = msgspec.structs.replace(PROTOCOLS["quick"], trial=Load(seconds=SECONDS))
    request = msgspec.structs.replace(request, protocol=protocol, generator="open-load", workloads=("small",))
    return Stored(
        sweep(*SERVERS, request=request),
        (
            RepeatedTrial(trial=course_trial("tomcat-11", WARMING), reason=COLD),
            course_trial("tomcat-11", WARM),
            course_trial("tomcat-11", WARM, level=1),
            course_trial("jetty-12.1", WARM, start=2, failed=3),
            course_trial("jetty-12.1", WARM, start=2, level=1),
        ),
    )
