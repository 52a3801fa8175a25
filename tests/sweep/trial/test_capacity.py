from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.sweep.trial.capacity import FURTHER, USUAL_STEPS, search

LOWEST, HIGHEST = 10, 1_000_000


def searched(first: int, capacity: int, highest: int = HIGHEST) -> list[int]:
    """The rates that are tried of a server that meets its SLO up to its capacity."""
    tried: list[int] = []

    def meets(rate: int) -> bool:
        tried.append(rate)
        return rate <= capacity

    search(first, LOWEST, highest, meets)
    return tried


def test_the_rate_is_doubled_until_the_slo_is_missed_and_then_goes_up_and_down_around_the_capacity() -> None:
    assert searched(first=1_000, capacity=5_500) == [1_000, 2_000, 4_000, 8_000, 6_300, 5_000, 6_300, 5_000, 6_300]


def test_the_rate_is_halved_until_the_slo_is_met() -> None:
    assert searched(first=8_000, capacity=1_500) == [8_000, 4_000, 2_000, 1_000, 1_600, 1_250, 1_600, 1_250, 1_600]


def test_a_search_that_begins_near_the_capacity_takes_as_long_as_is_expected() -> None:
    assert len(searched(first=1_000, capacity=1_500)) == USUAL_STEPS


def test_what_is_never_exceeded_is_tried_up_to_the_highest_rate() -> None:
    assert searched(first=1_000, capacity=HIGHEST, highest=3_000) == [1_000, 2_000, 2_500]


def test_a_server_that_meets_it_nowhere_is_tried_down_to_the_lowest_rate() -> None:
    assert searched(first=100, capacity=0) == [100, 50, 25, 12, 10]


@pytest.mark.parametrize("first", [9_500, 10_000, 11_000])
def test_starts_of_other_peaks_try_the_same_rates(first: int) -> None:
    assert searched(first, capacity=15_000) == [10_000, 20_000, 16_000, 12_500, 16_000, 12_500, 16_000]


@given(st.integers(0, 200_000), st.integers(LOWEST, 200_000))
def test_the_search_ends_around_the_capacity_and_tries_rates_again(first: int, capacity: int) -> None:
    tried = searched(first, capacity)
    assert len(tried) <= 2 + 18 + FURTHER
    assert all(LOWEST <= rate <= HIGHEST for rate in tried)
    assert min(tried[-2:]) <= capacity < max(tried[-3:])
    assert len(set(tried)) < len(tried)


@given(st.integers(0, 2_000_000), st.lists(st.booleans(), min_size=60, max_size=60))
def test_a_server_that_meets_it_by_chance_ends_the_search_too(first: int, answers: list[bool]) -> None:
    chance = iter(answers)
    search(first, LOWEST, HIGHEST, lambda rate: LOWEST <= rate <= HIGHEST and next(chance))
