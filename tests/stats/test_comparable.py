"""Means that are compared, of figures that a machine could give: without noise, equal, in two levels, tiny and huge.

Sums of squares of figures without noise are rounding errors. They differ between the kernels of a linear algebra
library, and may be below 0.
"""

from __future__ import annotations

from itertools import combinations
from math import isfinite, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.comparable import comparable
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import MINIMUM_EFFECT, rank
from ab_runner.stats.ratio import LogMean, contrast, log_mean, log_ratio, ratio

LEVELS = st.floats(1e-3, 1e12)
"""Those that a stored sweep may have."""


def figures(levels: list[float], together: int, noise: list[list[float]]) -> dict[str, dict[int, float]]:
    """Six blocks in batches of so many servers, which rotate from block to block."""
    found: dict[str, dict[int, float]] = {f"s-{number}": {} for number in range(len(levels))}
    for block in range(6):
        for place in range(len(levels)):
            number = (place + block) % len(levels)
            batch = 100 * block + place // together
            found[f"s-{number}"][batch] = levels[number] * noise[number][block]
    return found


NOISE = st.one_of(
    st.just([1.0] * 6),
    st.sampled_from([[1.0, 1.0, 1.0, 1.3, 1.3, 1.3], [1.0, 1.3] * 3, [1.0] * 5 + [1.3]]),
    st.lists(st.floats(1e-6, 1e6), min_size=6, max_size=6),
    st.lists(st.floats(0.97, 1.03), min_size=6, max_size=6),
)
SWEEPS = st.integers(3, 8).flatmap(
    lambda servers: st.builds(
        figures,
        st.lists(st.one_of(st.just(10_000.0), LEVELS), min_size=servers, max_size=servers),
        st.integers(2, servers),
        st.lists(NOISE, min_size=servers, max_size=servers),
    )
)


@given(SWEEPS)
def test_whatever_the_figures_each_two_servers_have_a_finite_difference_with_an_error(
    found: dict[str, dict[int, float]],
) -> None:
    means = comparable(found)
    assert means.keys() == found.keys()
    for one, other in combinations(means, 2):
        difference = log_ratio([(means[one], means[other])])
        assert isfinite(difference.value)
        assert difference.standard_error >= 0
        assert 0 <= difference.p_beyond(log(1 + MINIMUM_EFFECT)) <= 1
        interval = ratio(means[one], means[other]).interval
        assert interval is not None
        assert interval.low <= interval.high


@given(SWEEPS)
def test_whatever_the_figures_the_servers_are_ranked(found: dict[str, dict[int, float]]) -> None:
    ranking = rank({name: Measurement(mean) for name, mean in comparable(found).items()})
    assert ranking.ranks.keys() == found.keys()
    assert all(size >= 0 for size in ranking.tied.values())


@given(st.integers(3, 8), st.integers(2, 8), LEVELS)
def test_equal_figures_of_all_servers_are_no_order(servers: int, together: int, level: float) -> None:
    equal = figures([level] * servers, together, [[1.0] * 6] * servers)
    assert not rank({name: Measurement(mean) for name, mean in comparable(equal).items()}).faster


@pytest.mark.parametrize("variance", [-3e-26, -5e-324, 0.0])
def test_a_variance_that_rounding_made_negative_is_no_variance(variance: float) -> None:
    means = LogMean(log(2), variance, 5.0), LogMean(log(1), variance, 5.0)
    difference = log_ratio([means])
    assert (difference.standard_error, difference.p_beyond(0.02)) == (0, 0)
    found = ratio(*means)
    assert found.interval is not None
    assert (found.value, found.interval.low, found.interval.high) == pytest.approx((2, 2, 2))


def test_a_rounding_error_beside_real_noise_changes_nothing() -> None:
    noisy = log_mean([100.0, 104.0, 99.0, 101.0, 97.0, 102.0])
    quiet, below = LogMean(log(90), 0.0, 5.0), LogMean(log(90), -3e-26, 5.0)
    assert log_ratio([(noisy, below)]) == log_ratio([(noisy, quiet)])


def test_means_share_the_errors_of_their_fit() -> None:
    """As var(a - b) = var(a) + var(b) - 2 cov(a, b)."""
    a = LogMean(1.0, 0.04, 10.0, (0.3, 0.1))
    b = LogMean(0.5, 0.05, 10.0, (0.1, -0.2))
    found = contrast([(1.0, a), (-1.0, b)])
    assert found.standard_error**2 == pytest.approx(0.04 + 0.05 + (0.2**2 + 0.3**2))
    same = contrast([(1.0, a), (-1.0, LogMean(0.5, 0.05, 10.0, a.loadings))])
    assert same.standard_error**2 == pytest.approx(0.09), "what two means share wholly is not in their difference"
