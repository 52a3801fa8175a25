"""From looks at running totals to what was used in each second."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import reading

from ab_runner.model.load import Load
from ab_runner.monitor.course import CourseLook, course_of, has_course
from ab_runner.monitor.hsperfdata import Counters

COUNTERS: Counters = {
    "sun.os.hrt.frequency": 1000,
    "sun.gc.collector.0.invocations": 0,
    "sun.gc.collector.0.time": 0,
    "sun.gc.generation.0.space.0.name": "eden",
    "sun.gc.generation.0.space.0.capacity": 100,
    "sun.gc.generation.0.space.0.used": 0,
}


def look(at: float, cpu: float = 0.0, compiled: float | None = None, collections: int | None = None) -> CourseLook:
    """A look at a server that has used so much; without `collections` it is no JVM."""
    counters = None
    if collections is not None:
        told = {"sun.gc.collector.0.invocations": collections, "sun.gc.collector.0.time": 10 * collections}
        counters = COUNTERS | told
    return CourseLook(reading(at, cpu, cpu / 2, memory=1_000, compiled=compiled), counters)


def test_each_second_has_what_was_used_since_the_look_before() -> None:
    found = course_of([look(10.0, 5.0, 0.0, 3), look(11.02, 5.75, 0.5, 5), look(12.01, 6.5, 0.6, 5)])
    assert found is not None
    assert found.at == (1.02, 2.01)
    assert (found.server_cpu_seconds, found.generator_cpu_seconds) == ((0.75, 0.75), (0.375, 0.375))
    assert (found.jit_cpu_seconds, found.memory_bytes) == ((0.5, 0.1), (1_000, 1_000))
    assert (found.gc_count, found.gc_seconds) == ((2, 0), (0.02, 0.0))
    assert (found.allocated_bytes, found.allocated_error_bytes) == ((200, 0), 100)


def test_a_server_that_is_no_jvm_has_neither_compiler_nor_collections() -> None:
    found = course_of([look(0.0), look(1.0, 0.5)])
    assert found is not None
    assert (found.jit_cpu_seconds, found.gc_count, found.gc_seconds) == ((), (), ())
    assert (found.allocated_bytes, found.allocated_error_bytes) == ((), 0)


def test_what_one_look_did_not_find_is_not_known_of_any_second() -> None:
    found = course_of([look(0.0, 0.0, 0.0, 0), look(1.0, 0.5, 0.1, None), look(2.0, 1.0, 0.1, 4)])
    assert found is not None
    assert (found.gc_count, found.allocated_bytes) == ((), ())
    assert (found.server_cpu_seconds, found.jit_cpu_seconds) == ((0.5, 0.5), (0.1, 0.0))


@pytest.mark.parametrize(("end", "at"), [(2.1, (1.0, 2.1)), (2.6, (1.0, 2.0, 2.6))])
def test_a_rest_of_less_than_half_a_second_is_part_of_the_last_one(end: float, at: tuple[float, ...]) -> None:
    found = course_of([look(0.0), look(1.0, 1.0), look(2.0, 2.0), look(end, 2.5)])
    assert found is not None
    assert found.at == at
    assert sum(found.server_cpu_seconds) == 2.5


def test_one_look_is_no_course() -> None:
    assert course_of([]) is None
    assert course_of([look(0.0)]) is None


@given(st.lists(st.tuples(st.floats(0, 1.5), st.floats(0, 1.5), st.integers(0, 50)), min_size=1, max_size=100))
def test_the_sums_are_those_of_the_trial(used: Sequence[tuple[float, float, int]]) -> None:
    looks, cpu, compiled, collections = [look(0.0, 0.0, 0.0, 0)], 0.0, 0.0, 0
    for number, (more, compiling, young) in enumerate(used, 1):
        cpu, compiled, collections = cpu + more, compiled + compiling, collections + young
        looks.append(look(float(number), cpu, compiled, collections))
    found = course_of(looks)
    assert found is not None
    assert sum(found.server_cpu_seconds) == pytest.approx(cpu, abs=0.0011)
    assert sum(found.jit_cpu_seconds) == pytest.approx(compiled, abs=0.0011)
    assert (sum(found.gc_count), sum(found.allocated_bytes)) == (collections, 100 * collections)
    assert len(found.at) == len(found.server_cpu_seconds) == len(found.gc_seconds) == len(used)


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        (Load(seconds=10), True),
        (Load(seconds=9.9), False),
        (Load(requests=1_000_000), False),
        (Load(seconds=60, rate=1_000, at_most=240), False),
    ],
    ids=["long", "short", "by requests", "open"],
)
def test_closed_loads_of_ten_seconds_or_more_have_a_course(load: Load, expected: bool) -> None:
    assert has_course(load) is expected
