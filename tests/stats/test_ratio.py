from __future__ import annotations

from collections.abc import Sequence
from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

from ab_runner.stats.estimate import Estimate
from ab_runner.stats.ratio import LogMean, LogRatio, in_every_start, log_mean, log_ratio, mean_ratio, start_means
from ab_runner.stats.ratio import ratio as ratio_of_means

SAMPLES = st.lists(st.floats(100, 1e5), min_size=2, max_size=10, unique=True)


def ratio(first: Sequence[float], second: Sequence[float]) -> Estimate:
    return ratio_of_means(log_mean(first), log_mean(second))


def means(*samples: Sequence[float]) -> tuple[LogMean, LogMean]:
    first, second = map(log_mean, samples)
    return first, second


@given(SAMPLES, SAMPLES)
def test_a_ratio_is_welchs_test_of_the_logarithms(first: list[float], second: list[float]) -> None:
    expected = ttest_ind(np.log(first), np.log(second), equal_var=False)
    interval = expected.confidence_interval(0.95)
    found = ratio(first, second)
    assert found.interval is not None
    assert log(found.interval.low) == pytest.approx(interval.low, rel=1e-6, abs=1e-9)
    assert log(found.interval.high) == pytest.approx(interval.high, rel=1e-6, abs=1e-9)
    assert log_ratio([means(first, second)]).p_beyond(0) == pytest.approx(expected.pvalue, rel=1e-6)


@given(SAMPLES, SAMPLES)
def test_the_ratio_the_other_way_round_is_its_reciprocal(first: list[float], second: list[float]) -> None:
    there, back = ratio(first, second), ratio(second, first)
    assert there.interval
    assert back.interval
    assert back.value == pytest.approx(1 / there.value)
    assert back.interval.low == pytest.approx(1 / there.interval.high)


def test_one_block_has_a_ratio_and_no_interval() -> None:
    found = ratio([200], [100])
    assert found.value == pytest.approx(2)
    assert found.interval is None
    assert ratio([200, 201], [100]).interval is None


def test_samples_without_any_variance_have_an_interval_of_no_width() -> None:
    found = ratio([200, 200], [100, 100])
    assert found.interval is not None
    assert (found.value, found.interval.low, found.interval.high) == pytest.approx((2, 2, 2))


def test_a_family_is_the_geometric_mean_of_its_servers_each_counting_once() -> None:
    assert mean_ratio([means([200, 200], [100, 100]), means([50, 50], [100, 100])]).value == pytest.approx(1)


def test_the_interval_of_a_family_covers_the_true_ratio() -> None:
    """Three servers that differ in noise, faster by 1.2, 1.0 and 0.9, six blocks each: 500 families."""
    random = np.random.default_rng(11)
    truth = (1.2 * 1.0 * 0.9) ** (1 / 3)
    covered = 0
    for _ in range(500):
        pairs = [
            means(
                (level * np.exp(random.normal(0, noise, 6))).tolist(),
                np.exp(random.normal(0, noise, 6)).tolist(),
            )
            for level, noise in ((1.2, 0.01), (1.0, 0.03), (0.9, 0.05))
        ]
        interval = mean_ratio(pairs).interval
        covered += interval is not None and interval.low <= truth <= interval.high
    assert 462 <= covered <= 488


def test_a_difference_up_to_the_margin_is_none_and_without_noise_any_other_is_certain() -> None:
    assert LogRatio(0.019, 0.0001, 10).p_beyond(0.02) == pytest.approx(1, abs=1e-6)
    assert LogRatio(0.02, 0, inf).p_beyond(0.02) == 1
    assert LogRatio(-0.021, 0, inf).p_beyond(0.02) == 0


@pytest.mark.parametrize("margin", [0.0, 0.02, 0.05])
def test_at_the_edge_of_the_margin_every_p_is_as_likely_as_any_other(margin: float) -> None:
    """A difference of just the margin, with a known error of 0.03, 4,000 times: a p below 0.05 in 5 % of all cases
    (standard error 0.35 points), below 0.5 in half of them (0.8 points)."""
    found = np.random.default_rng(13).normal(margin, 0.03, 4000)
    p_values = np.array([LogRatio(value, 0.03, inf).p_beyond(margin) for value in found])
    assert np.mean(p_values < 0.05) == pytest.approx(0.05, abs=0.009)
    assert np.mean(p_values < 0.5) == pytest.approx(0.5, abs=0.02)


def test_two_servers_that_differ_by_the_margin_are_told_apart_in_one_of_twenty_cases_at_the_most() -> None:
    """Their errors being estimated, from six blocks each."""
    random = np.random.default_rng(14)
    told = 0
    for _ in range(2000):
        first, second = np.exp(random.normal(0, 0.05, (2, 6)))
        told += log_ratio([means((first * np.exp(0.02)).tolist(), second.tolist())]).p_beyond(0.02) < 0.05
    assert 60 <= told <= 120


@given(st.floats(-1, 1), st.floats(0.001, 0.1), st.floats(2, 50), st.floats(0, 0.2))
def test_a_margin_never_makes_a_difference_more_certain(
    value: float, error: float, freedom: float, margin: float
) -> None:
    difference = LogRatio(value, error, freedom)
    assert 0 <= difference.p_beyond(0) <= difference.p_beyond(margin) <= 1


def test_cells_of_a_start_are_averaged_geometrically_over_those_that_every_start_has() -> None:
    blocks = [{"c1": 100.0, "c10": 400.0, "c100": 7.0}, {"c1": 90.0, "c10": 1000.0}]
    shared = in_every_start(blocks)
    assert shared == ["c1", "c10"]
    assert start_means(blocks, shared) == pytest.approx([200, 300])
    assert in_every_start([]) == []


def test_a_figure_that_has_no_logarithm_is_refused_by_value() -> None:
    with pytest.raises(ValueError, match="not 0"):
        ratio([1, 0], [1, 2])
