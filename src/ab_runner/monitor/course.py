"""The course of a trial: what it took in each of its seconds, from looks at the running totals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

import msgspec

from ab_runner.model.load import Load
from ab_runner.model.resources import Course
from ab_runner.model.trial import COURSE_SECONDS
from ab_runner.monitor.allocation import allocated
from ab_runner.monitor.hsperfdata import Counters, activity
from ab_runner.monitor.readings import Reading

_SHORTEST_INTERVAL = 0.5
"""Seconds. The last look is where the trial ends, and one that was less than this before it is left out."""

Figure = TypeVar("Figure")


class CourseLook(msgspec.Struct, frozen=True):
    """One look. `counters` are those of a JVM; None where they are not known."""

    reading: Reading
    counters: Counters | None


def has_course(load: Load) -> bool:
    """Return whether a trial with this load has a course. That of an open load has none, because looks delay its
    requests. Nor has one by a number of requests: nobody knows beforehand how long it takes."""
    return load.rate is None and load.seconds is not None and load.seconds >= COURSE_SECONDS


def course_of(looks: Sequence[CourseLook]) -> Course | None:
    """Return what was used from each look to the next, so that the sums are those of the trial; None without two
    looks."""
    if len(looks) > 2 and looks[-1].reading.at - looks[-2].reading.at < _SHORTEST_INTERVAL:
        looks = [*looks[:-2], looks[-1]]
    if len(looks) < 2:
        return None
    began = looks[0].reading.at
    jvm = _known(activity(before.counters, after.counters) for before, after in pairwise(looks))
    heap = _known(allocated(before.counters, after.counters) for before, after in pairwise(looks))
    return Course(
        at=tuple(round(look.reading.at - began, 2) for look in looks[1:]),
        server_cpu_seconds=_used(looks, lambda look: look.reading.server_cpu),
        generator_cpu_seconds=_used(looks, lambda look: look.reading.generator_cpu),
        memory_bytes=_known(look.reading.memory for look in looks[1:]),
        jit_cpu_seconds=_used(looks, lambda look: look.reading.compiled),
        gc_count=tuple(each.gc_count for each in jvm),
        gc_seconds=tuple(round(each.gc_seconds, 4) for each in jvm),
        allocated_bytes=tuple(each.bytes for each in heap),
        allocated_error_bytes=sum(each.error for each in heap) + max((each.eden for each in heap), default=0),
    )


def _used(looks: Sequence[CourseLook], total: Callable[[CourseLook], float | None]) -> tuple[float, ...]:
    """Return how much a total grew from each look to the next. It is rounded before it is subtracted, so that the sum
    has no error of its own."""
    totals = [round(each, 3) for each in _known(total(look) for look in looks)]
    return tuple(max(0.0, round(after - before, 3)) for before, after in pairwise(totals))


def _known(figures: Iterable[Figure | None]) -> tuple[Figure, ...]:
    """Return these figures; none of them where one is not known."""
    found = tuple(figures)
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else ()
