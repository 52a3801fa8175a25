from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import polygamma

from ab_runner.stats.moderation import Prior, prior_of
from ab_runner.stats.moderation import _inverse_trigamma as inverse_trigamma


@given(st.floats(1e-4, 1e4))
def test_the_inverse_of_trigamma_is_its_inverse(value: float) -> None:
    assert polygamma(1, inverse_trigamma(value)) == pytest.approx(value, rel=1e-6)


def test_the_prior_is_found_again_in_variances_that_were_drawn_from_it() -> None:
    random = np.random.default_rng(1)
    true = 4.0 * 10 / random.chisquare(10, 4000)
    seen = true * random.chisquare(5, 4000) / 5
    prior = prior_of([(float(variance), 5.0) for variance in seen])
    assert prior is not None
    assert prior.degrees_of_freedom == pytest.approx(10, rel=0.2)
    assert prior.variance == pytest.approx(4, rel=0.05)


def test_variances_that_differ_by_chance_alone_are_all_the_same() -> None:
    equal = [(2.0, 5.0)] * 10
    prior = prior_of(equal)
    assert prior is not None
    assert prior.degrees_of_freedom == inf
    variance, freedom = prior.moderated(2.0, 5.0)
    assert freedom == 50
    assert variance == prior.variance


def test_a_variance_is_moved_towards_the_prior_by_the_weight_of_each() -> None:
    assert Prior(1.0, 5.0, 100.0).moderated(3.0, 5.0) == (2.0, 10.0)
    assert Prior(1.0, 15.0, 100.0).moderated(3.0, 5.0) == (1.5, 20.0)
    assert Prior(1.0, 15.0, 12.0).moderated(3.0, 5.0) == (1.5, 12.0)


def test_few_variances_and_such_without_any_noise_make_no_prior() -> None:
    assert prior_of([(1.0, 5.0)] * 5) is None
    assert prior_of([(0.0, 5.0)] * 10) is None
    assert prior_of([(0.0, 5.0), *[(1.0, 5.0)] * 10]) is not None
