from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.agreement import coefficient_of_variation, kendall_tau

FIGURES = st.integers(0, 9)


@given(st.lists(st.tuples(FIGURES, FIGURES), min_size=2, max_size=15))
def test_tau_b_is_concordant_less_discordant_pairs_corrected_for_ties(figures: list[tuple[int, int]]) -> None:
    first, second = zip(*figures, strict=True)
    pairs = [(a, b) for a in range(len(figures)) for b in range(a)]
    one = [(first[a] > first[b]) - (first[a] < first[b]) for a, b in pairs]
    other = [(second[a] > second[b]) - (second[a] < second[b]) for a, b in pairs]
    untied = (sum(map(abs, one)) * sum(map(abs, other))) ** 0.5
    tau = kendall_tau(first, second)
    if untied == 0:
        assert tau is None
    else:
        assert tau == pytest.approx(sum(x * y for x, y in zip(one, other, strict=True)) / untied)


def test_tau_is_one_for_the_same_order_and_minus_one_for_the_reverse() -> None:
    assert kendall_tau([1, 2, 3], [10, 20, 40]) == pytest.approx(1)
    assert kendall_tau([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)


def test_the_coefficient_of_variation_of_two_sweeps() -> None:
    assert coefficient_of_variation([97, 103]) == pytest.approx(0.0424, abs=1e-4)
    assert coefficient_of_variation([5, 5]) == 0
