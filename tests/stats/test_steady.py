from __future__ import annotations

import random
from collections.abc import Callable
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.steady import SHORTEST, steady_from

RATES = st.lists(st.floats(0, 1e6), max_size=30)


@given(RATES)
def test_steady_needs_five_windows(rates: list[float]) -> None:
    start = steady_from(rates)
    assert start is None or 0 <= start <= len(rates) - SHORTEST


@given(st.floats(0, 1e6), st.integers(5, 30))
def test_a_rate_that_never_changes_is_steady_from_its_first_window(rate: float, windows: int) -> None:
    assert steady_from([rate] * windows) == 0


def test_a_step_is_found_where_it_is_once_five_windows_follow() -> None:
    low, high = [500.0, 510.0, 495.0, 505.0], [1000.0, 990.0, 1010.0, 1005.0, 995.0]
    assert steady_from([*low, *high[:4]]) is None
    assert steady_from([*low, *high]) == 4


def test_a_rate_that_keeps_rising_is_not_steady() -> None:
    assert steady_from([1000 * 1.05**second for second in range(30)]) is None


def test_a_rise_of_less_than_two_percent_is_steady() -> None:
    assert steady_from([1000.0 + second for second in range(10)]) == 0


def test_a_stall_is_a_change() -> None:
    assert steady_from([1000.0, 1001.0, 999.0, 1002.0, 0.0, 0.0, 0.0, 0.0]) is None


@pytest.mark.parametrize("noise", [0.01, 0.03, 0.06])
def test_noise_alone_does_not_prolong_a_warm_up(noise: float) -> None:
    seconds = [_seconds(seed, noise, lambda second: 1.0) for seed in range(200)]
    assert sum(seconds) / len(seconds) < 6.5
    assert max(seconds) < 30


def test_a_warm_up_ends_within_a_few_percent_of_the_final_rate() -> None:
    """A rate that begins at half and nears its final one by a time constant of 2 s, with noise of 3 %."""
    left = [0.5 * exp(-_seconds(seed, 0.03, lambda second: 1 - 0.5 * exp(-second / 2)) / 2) for seed in range(200)]
    assert sum(left) / len(left) < 0.01
    assert sorted(left)[180] < 0.02


def _seconds(seed: int, noise: float, rate: Callable[[float], float]) -> int:
    draw = random.Random(seed).gauss
    rates: list[float] = []
    while len(rates) < 30 and steady_from(rates) is None:
        rates.append(rate(len(rates) + 0.5) * (1 + draw(0, noise)))
    return len(rates)
