from __future__ import annotations

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.batches import Fitted, fit
from ab_runner.stats.ratio import LogMean, contrast

Figures = dict[str, dict[int, float]]


def drawn(
    random: np.random.Generator, servers: int, rounds: int, together: int, noise: np.ndarray, batch_noise: float = 0.05
) -> Figures:
    """Servers that differ by 10 % from one to the next, each once in a round, in batches that are drawn anew."""
    figures: Figures = {f"server-{number}": {} for number in range(servers)}
    for at in range(rounds):
        order = random.permutation(servers)
        for first in range(0, servers, together):
            batch = at * servers + first
            shared = random.normal(0, batch_noise)
            for number in order[first : first + together]:
                own = random.normal(0, noise[number])
                figures[f"server-{number}"][batch] = exp(0.1 * number + shared + own)
    return figures


def difference(found: dict[str, Fitted], one: str, other: str) -> float:
    return found[one].mean - found[other].mean


def test_without_noise_of_their_own_servers_are_as_far_apart_as_they_are_whatever_their_batches_did() -> None:
    figures = drawn(np.random.default_rng(1), 8, 6, 4, np.zeros(8), batch_noise=0.5)
    found = fit(figures, {})
    for number in range(8):
        assert difference(found, f"server-{number}", "server-0") == pytest.approx(0.1 * number)
        assert found[f"server-{number}"].variance == pytest.approx(0, abs=1e-20)


def test_where_all_servers_are_in_every_batch_means_are_those_of_the_logarithms() -> None:
    random = np.random.default_rng(2)
    logs = random.normal(0, 1, (4, 6))
    figures = {f"server-{at}": {batch: exp(value) for batch, value in enumerate(row)} for at, row in enumerate(logs)}
    found = fit(figures, {})
    for at, row in enumerate(logs):
        assert difference(found, f"server-{at}", "server-0") == pytest.approx(row.mean() - logs[0].mean())
        assert found[f"server-{at}"].degrees_of_freedom == pytest.approx(5 * 3 / 4)
        assert found[f"server-{at}"].loadings == pytest.approx(found["server-0"].loadings), "none tells them apart"


def test_a_servers_variance_is_that_of_its_own_noise() -> None:
    """Of six servers in batches of three; the mean over 400 sweeps is known to 3 %. Weights are right."""
    random = np.random.default_rng(3)
    noise = np.array([0.01, 0.01, 0.02, 0.02, 0.04, 0.04])
    true = {f"server-{number}": each**2 for number, each in enumerate(noise)}
    found = [fit(drawn(random, 6, 6, 3, noise), true) for _ in range(400)]
    for server, variance in true.items():
        assert np.mean([each[server].variance for each in found if server in each]) == pytest.approx(variance, rel=0.12)


def test_the_variance_of_a_difference_is_that_of_the_means_and_of_what_they_do_not_share_of_the_batches() -> None:
    """Of six servers in batches of three; the variance over 600 sweeps is known to 6 %."""
    random = np.random.default_rng(4)
    noise = np.full(6, 0.02)
    variances = {f"server-{number}": 0.02**2 for number in range(6)}
    found = [fit(drawn(random, 6, 6, 3, noise), variances) for _ in range(600)]
    seen = np.var([difference(each, "server-0", "server-1") for each in found])
    told = np.mean([variance_of_difference(each, "server-0", "server-1", 0.02**2) for each in found])
    assert told == pytest.approx(seen, rel=0.15)


def test_servers_that_are_in_all_batches_have_the_variance_of_their_means_alone() -> None:
    found = fit(drawn(np.random.default_rng(7), 5, 6, 5, np.full(5, 0.02)), {})
    assert variance_of_difference(found, "server-0", "server-4", 1.0) == pytest.approx(2 / 6)


def variance_of_difference(found: dict[str, Fitted], one: str, other: str, variance: float) -> float:
    """Of the means, where each figure has this variance."""
    first, second = (
        LogMean(found[name].mean, variance / found[name].starts, 10, found[name].loadings) for name in (one, other)
    )
    return contrast([(1.0, first), (-1.0, second)]).standard_error ** 2


@given(st.integers(1, 2))
def test_two_servers_alone_cannot_be_fitted(servers: int) -> None:
    assert fit(drawn(np.random.default_rng(5), servers, 6, 2, np.full(2, 0.01)), {}) == {}


def test_batches_without_a_server_in_common_cannot_be_fitted() -> None:
    apart = {
        **{f"early-{name}": {batch: 100.0 + batch for batch in (1, 2, 3)} for name in "abc"},
        **{f"late-{name}": {batch: 100.0 + batch for batch in (4, 5, 6)} for name in "abc"},
    }
    assert fit(apart, {}) == {}
    assert fit({**apart, "both": {batch: 90.0 + batch for batch in range(1, 7)}}, {}).keys() == {*apart, "both"}


def test_a_block_that_one_server_has_alone_tells_nothing_about_it() -> None:
    """As the machine may have been slower then."""
    random = np.random.default_rng(6)
    figures = drawn(random, 4, 6, 4, np.full(4, 0.01))
    with_more = {**figures, "server-0": {**figures["server-0"], 99: 0.5}}
    alone, more = fit(figures, {}), fit(with_more, {})
    assert difference(more, "server-0", "server-1") == pytest.approx(difference(alone, "server-0", "server-1"))


@given(st.floats(0.1, 10), st.integers(0, 2**32 - 1))
def test_neither_the_unit_nor_a_factor_of_a_batch_changes_the_differences(factor: float, seed: int) -> None:
    figures = drawn(np.random.default_rng(seed), 5, 4, 5, np.full(5, 0.05))
    scaled = {
        server: {batch: figure * (factor if batch == 0 else 7) for batch, figure in by_batch.items()}
        for server, by_batch in figures.items()
    }
    before, after = fit(figures, {}), fit(scaled, {})
    for server in figures:
        assert difference(after, server, "server-0") == pytest.approx(difference(before, server, "server-0"), abs=1e-9)
        assert after[server].variance == pytest.approx(before[server].variance)
