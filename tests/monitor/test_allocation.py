"""What a JVM allocated, by its collections."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.monitor.allocation import Allocated, allocated
from ab_runner.monitor.hsperfdata import Counters, parse

RECORDED = Path(__file__).parents[1] / "recordings" / "perfdata"
SPACE = "sun.gc.generation.0.space.0"
YOUNG, FULL = "sun.gc.collector.0.invocations", "sun.gc.collector.1.invocations"
BEFORE: Counters = {
    YOUNG: 3, FULL: 1, f"{SPACE}.name": "eden", f"{SPACE}.capacity": 1_000, f"{SPACE}.used": 400,
    "sun.gc.generation.0.space.1.name": "s0", "sun.gc.generation.0.space.1.capacity": 50,
}  # fmt: skip


def counters(name: str) -> Counters | None:
    return parse(gzip.decompress((RECORDED / f"{name}.gz").read_bytes()))


@pytest.mark.parametrize(
    ("jdk", "waste", "used"),
    [
        (8, 14_217_521 + 797 + 21, 75_108_752 - 62_978_456),
        (17, 14_242_599 + 1_575, 74_946_504 - 63_043_680),
        (25, 14_843_372 + 1_159, 0),
    ],
)
def test_a_collection_finds_eden_but_for_the_ends_of_buffers_and_what_came_after_it_counts_where_the_jvm_tells(
    jdk: int, waste: int, used: int
) -> None:
    eden = 143_130_624 - 8 * waste
    found = allocated(counters(f"jdk{jdk}-before"), counters(f"jdk{jdk}-after"))
    assert found == Allocated(eden + used, 0, eden)


def test_without_a_collection_it_is_what_was_put_into_eden() -> None:
    assert allocated(BEFORE, BEFORE | {f"{SPACE}.used": 700}) == Allocated(300, 0, 1_000)


def test_a_collection_finds_the_eden_that_there_was_before_it() -> None:
    after = BEFORE | {YOUNG: 4, f"{SPACE}.capacity": 5_000, f"{SPACE}.used": 0}
    assert allocated(BEFORE, after) == Allocated(600, 0, 1_000)


def test_a_full_collection_may_have_found_a_whole_eden_and_takes_nothing_back() -> None:
    assert allocated(BEFORE, BEFORE | {FULL: 3, f"{SPACE}.used": 0}) == Allocated(0, 2_000, 1_000)


def test_with_g1_a_sum_may_be_off_by_a_tenth() -> None:
    g1: Counters = {"sun.gc.collector.0.name": "G1 young collection pauses", YOUNG: 13}
    assert allocated(BEFORE, BEFORE | g1) == Allocated(10_000, 1_000, 1_000)


@pytest.mark.parametrize(
    "after",
    [
        None,
        {YOUNG: 7, f"{SPACE}.name": "Z heap", f"{SPACE}.capacity": 1_000},
        BEFORE | {"sun.gc.tlab.gcWaste": 125},
        BEFORE | {"sun.gc.tlab.gcWaste": -(2**60)},
        BEFORE | {YOUNG: 2},
        BEFORE | {FULL: 0},
        BEFORE | {YOUNG: "a text"},
        BEFORE | {YOUNG: 2**63 - 1},
    ],
    ids=["gone", "no eden", "nothing but waste", "negative", "another JVM", "other", "text", "more than a JVM can"],
)
def test_where_it_cannot_be_known(after: Counters | None) -> None:
    assert allocated(BEFORE, after) is None
    assert allocated(after, None) is None


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=5, max_size=5), st.booleans())
def test_any_numbers_give_what_can_be_stored_or_nothing(numbers: list[int], is_before: bool) -> None:
    names = (YOUNG, FULL, f"{SPACE}.capacity", f"{SPACE}.used", "sun.gc.tlab.gcWaste")
    changed = BEFORE | dict(zip(names, numbers, strict=True))
    found = allocated(changed, BEFORE) if is_before else allocated(BEFORE, changed)
    assert found is None or all(0 <= each <= 2**53 for each in found)
