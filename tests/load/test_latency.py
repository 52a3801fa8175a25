"""The histogram of a trial against the requests that it stands for."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders

from ab_runner.load.ab_output import AbFigures
from ab_runner.load.latency import distribution
from ab_runner.stats.histogram import merge

LATENCIES = st.lists(st.integers(0, 20_000_000), min_size=1, max_size=3000)


def seen_by_ab(microseconds: list[int]) -> tuple[AbFigures, dict[int, int]]:
    """What ab writes of these requests: -e as in ab_output.parse, and -g rounded to milliseconds."""
    times = sorted(microseconds)
    count = len(times)
    at = {percent: min(int(0.5 + count * percent / 100), count - 1) for percent in range(100)} | {100: count - 1}
    percentiles = {percent: times[rank] / 1000 for percent, rank in at.items()}
    return builders.figures(complete=count, percentiles=percentiles), Counter((time + 500) // 1000 for time in times)


@given(LATENCIES)
def test_no_request_is_lost_and_the_longest_is_exact(microseconds: list[int]) -> None:
    found = distribution(*seen_by_ab(microseconds))
    assert found.total == len(microseconds)
    assert found.longest == max(microseconds)


@pytest.mark.parametrize("stall", [0, 10, 30], ids=["no stall", "some slow requests", "many slow requests"])
@pytest.mark.parametrize("percentage", [50.0, 90.0, 99.0, 99.9])
def test_percentiles_are_those_of_the_requests_within_a_millisecond(percentage: float, stall: int) -> None:
    microseconds = [300 + (number * 7919) % 2_000 for number in range(10_000)] + [
        40_000 + 1_000 * n for n in range(stall)
    ]
    found = distribution(*seen_by_ab(microseconds)).percentile(percentage)
    true = sorted(microseconds)[min(len(microseconds) - 1, int(len(microseconds) * percentage / 100))]
    assert abs(found - true) <= max(1_000, 0.01 * true)


def test_the_body_is_in_microseconds_though_ab_rounds_all_of_it_to_one_millisecond() -> None:
    microseconds = [600 + number % 700 for number in range(70_000)]
    found = distribution(*seen_by_ab(microseconds))
    assert found.percentile(50) == pytest.approx(950, abs=10)
    assert found.percentile(90) == pytest.approx(1230, abs=10)


def test_merged_trials_have_the_percentiles_of_all_their_requests() -> None:
    fast, slow = [1_000] * 9_900 + [5_000] * 100, [20_000] * 10_000
    found = merge([distribution(*seen_by_ab(fast)), distribution(*seen_by_ab(slow))])
    assert found.percentile(49) == pytest.approx(1_000, rel=0.01)
    assert found.percentile(75) == pytest.approx(20_000, rel=0.03)
    assert found.total == 20_000


def test_without_milliseconds_the_last_hundredth_is_spread_to_the_longest() -> None:
    report, _ = seen_by_ab([1_000] * 990 + [100_000] * 10)
    found = distribution(report, {})
    assert found.total == 1_000
    assert found.longest == 100_000


def test_a_trial_without_percentiles_has_no_distribution() -> None:
    assert distribution(builders.figures(percentiles={}), {1: 12_345}).total == 0
