from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ab_runner.sweep.trial.capacity import PRECISION, Bracket, search

LOWEST, HIGHEST = 10, 1_000_000


def searched(first: int, capacity: int, highest: int = HIGHEST) -> tuple[Bracket, list[int]]:
    """The bracket of a server that meets its SLO up to its capacity, and the rates that were tried."""
    tried: list[int] = []

    def meets(rate: int) -> bool:
        tried.append(rate)
        return rate <= capacity

    return search(first, LOWEST, highest, meets), tried


def test_the_rate_is_doubled_until_the_slo_is_missed_and_the_bracket_is_bisected() -> None:
    bracket, tried = searched(first=1_000, capacity=5_000)
    assert tried[:4] == [1_000, 2_000, 4_000, 8_000]
    assert bracket.met <= 5_000 < (bracket.missed or 0) <= PRECISION * bracket.met


def test_the_rate_is_halved_until_the_slo_is_met() -> None:
    bracket, tried = searched(first=8_000, capacity=1_500)
    assert tried[:4] == [8_000, 4_000, 2_000, 1_000]
    assert bracket.met <= 1_500 < (bracket.missed or 0)


def test_what_is_never_exceeded_has_no_upper_end() -> None:
    assert searched(first=1_000, capacity=HIGHEST, highest=3_000)[0] == Bracket(3_000, None)


def test_a_server_that_meets_it_nowhere_has_no_capacity() -> None:
    assert searched(first=1_000, capacity=0)[0] == Bracket(0, LOWEST)


@given(st.integers(1, 200_000), st.integers(LOWEST, 200_000))
def test_the_capacity_is_in_the_bracket_and_no_rate_is_tried_twice(first: int, capacity: int) -> None:
    bracket, tried = searched(first, capacity)
    assert bracket.missed is not None
    assert bracket.met <= capacity < bracket.missed
    assert bracket.missed <= max(PRECISION * bracket.met, bracket.met + 1)
    assert len(tried) == len(set(tried)) <= 2 + 18 + 6


@given(st.integers(1, 200_000), st.lists(st.booleans(), min_size=60, max_size=60))
def test_a_server_that_meets_it_by_chance_ends_the_search_too(first: int, answers: list[bool]) -> None:
    chance = iter(answers)
    bracket = search(first, LOWEST, HIGHEST, lambda rate: next(chance))
    assert bracket.met < (bracket.missed or HIGHEST + 1)
