from __future__ import annotations

import math
import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.correlation import mid_ranks, spearman

figures = st.floats(1, 1e6) | st.integers(1, 5).map(float)
pairs = st.lists(st.tuples(figures, figures), min_size=4, max_size=12)


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    assert mid_ranks([30, 10, 20, 20]) == [4, 1, 2.5, 2.5]


@given(st.lists(figures))
def test_ranks_add_up_and_keep_the_order(values: list[float]) -> None:
    ranks = mid_ranks(values)
    assert sum(ranks) == len(values) * (len(values) + 1) / 2
    for one, its_rank in zip(values, ranks, strict=True):
        for other, other_rank in zip(values, ranks, strict=True):
            assert (one < other) == (its_rank < other_rank)


def test_rho_and_interval_are_those_of_the_authors_own_program() -> None:
    """The example of ci.spear in D. G. Bonett's R package statpsych; two values are equal."""
    y = [21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19]
    x = [67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51]
    found = spearman(y, x)
    assert found is not None
    assert found.pairs == 15
    assert found.rho == pytest.approx(0.8699639, abs=1e-7)
    assert found.interval == pytest.approx((0.5840951, 0.9638297), abs=1e-7)


def test_without_ties_rho_is_spearmans_own_formula() -> None:
    """1 - 6 Σd² / (n³ - n), for every order of five."""
    straight = (1, 2, 3, 4, 5)
    for order in permutations(straight):
        squares = sum((a - b) ** 2 for a, b in zip(straight, order, strict=True))
        found = spearman(straight, order)
        assert found is not None
        assert found.rho == pytest.approx(1 - 6 * squares / (5**3 - 5))


def test_the_same_order_has_no_interval_for_fishers_z_is_infinite() -> None:
    same, opposite = spearman([1, 2, 3, 4], [10, 20, 30, 400]), spearman([1, 2, 3, 4], [9, 8, 7, 6])
    assert same is not None
    assert opposite is not None
    assert (same.rho, same.interval) == (1, None)
    assert (opposite.rho, opposite.interval) == (-1, None)


@pytest.mark.parametrize("left", [[], [1, 2, 3], [5, 5, 5, 5]])
def test_too_few_pairs_and_values_without_an_order_have_no_rho(left: list[float]) -> None:
    assert spearman(left, list(range(len(left)))) is None


@given(pairs)
def test_the_interval_lies_about_rho_and_within_bounds(given_pairs: list[tuple[float, float]]) -> None:
    left, right = zip(*given_pairs, strict=True)
    found = spearman(left, right)
    if found is None:
        assert len(set(left)) == 1 or len(set(right)) == 1
    elif found.interval is None:
        assert abs(found.rho) == 1
    else:
        low, high = found.interval
        assert -1 < low < found.rho < high < 1


@given(pairs)
def test_only_the_order_matters_and_not_which_side_is_which(given_pairs: list[tuple[float, float]]) -> None:
    left, right = zip(*given_pairs, strict=True)
    found, swapped = spearman(left, right), spearman(right, left)
    stretched = spearman([math.log(value) for value in mid_ranks(left)], right)
    backwards = spearman([-value for value in left], right)
    if found is None:
        assert swapped is stretched is backwards is None
    else:
        assert swapped is not None
        assert stretched is not None
        assert backwards is not None
        assert found.rho == pytest.approx(swapped.rho) == pytest.approx(stretched.rho) == pytest.approx(-backwards.rho)


def test_the_interval_covers_the_true_rho_about_as_often_as_it_says_for_eight_servers() -> None:
    """2,000 samples of eight from a bivariate normal distribution, whose rho is 6/π asin(r/2)."""
    dice = random.Random(2006)
    truth = 6 / math.pi * math.asin(0.6 / 2)
    covered = 0
    for _ in range(2000):
        left = [dice.gauss(0, 1) for _ in range(8)]
        right = [0.6 * value + 0.8 * dice.gauss(0, 1) for value in left]
        found = spearman(left, right)
        assert found is not None
        covered += found.interval is not None and found.interval[0] <= truth <= found.interval[1]
    assert 0.93 <= covered / 2000 <= 0.98
