from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.little import served_share

CONNECTIONS = st.integers(1, 300)
LATENCY = st.floats(0.001, 3)


def share(answered: list[float], concurrency: int, seconds: float) -> float:
    """Of a trial with these latencies."""
    return served_share(len(answered) / seconds, fmean(answered), concurrency, seconds)


def trial(latencies: np.ndarray, seconds: float) -> list[float]:
    """The latencies of one connection whose requests follow each other, as far as they are answered in time."""
    answered: list[float] = latencies[np.cumsum(latencies) <= seconds].tolist()
    return answered


@given(CONNECTIONS, LATENCY, st.integers(1, 200), st.floats(0, 1))
def test_a_server_that_serves_all_connections_alike_has_them_all_however_short_the_trial(
    concurrency: int, latency: float, requests: int, more: float
) -> None:
    """The end cuts off any part of a request."""
    seconds = (requests + more) * latency
    assert share([latency] * requests * concurrency, concurrency, seconds) == pytest.approx(1)


@given(CONNECTIONS, CONNECTIONS, LATENCY, st.integers(50, 200))
def test_a_server_that_serves_some_and_lets_the_others_wait_has_that_share(
    served: int, waiting: int, latency: float, requests: int
) -> None:
    found = share([latency] * requests * served, served + waiting, requests * latency)
    assert found == pytest.approx(min(1, served / (served + waiting)), abs=1 / requests + 1e-9)


def test_256_of_1000() -> None:
    """As httpd-prefork does it: 5 s, 16 ms each."""
    assert share([0.016] * 256 * 312, 1000, 5.0) == pytest.approx(0.256, abs=0.004)


@given(st.floats(0, 1e6), LATENCY, st.integers(1, 20_000), st.floats(0.01, 100))
def test_a_share_is_one(rate: float, latency: float, concurrency: int, seconds: float) -> None:
    assert 0 <= served_share(rate, latency, concurrency, seconds) <= 1


@pytest.mark.parametrize(("requests", "least"), [(2, 0.8), (5, 0.9), (10, 0.93), (100, 0.98)])
@pytest.mark.parametrize("shape", [1, 2, 10], ids=["exponential", "less", "almost equal"])
def test_latencies_that_vary_do_not_make_a_fair_server_look_unfair(requests: int, least: float, shape: int) -> None:
    """1,000 connections with so many requests each."""
    random = np.random.default_rng(requests)
    answered = [each for _ in range(1000) for each in trial(random.gamma(shape, 1 / shape, 20 * requests), requests)]
    assert share(answered, 1000, requests) > least
