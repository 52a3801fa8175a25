from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import rank
from ab_runner.stats.ratio import LogMean, log_ratio
from ab_runner.stats.sessions import Layout, layout, over_sessions

TABLE = st.integers(2, 4).flatmap(
    lambda sessions: st.integers(2, 6).flatmap(
        lambda servers: st.lists(
            st.lists(st.floats(-5, 5), min_size=servers, max_size=servers), min_size=sessions, max_size=sessions
        )
    )
)
"""A row of logarithms for each session."""
THREE = [
    {"a": log(1000), "b": log(2000), "c": log(3000)},
    {"a": log(1500), "b": log(3300), "c": log(4400)},
    {"a": log(900), "b": log(1700), "c": log(2900)},
]


def named(table: list[list[float]]) -> list[dict[str, float]]:
    return [{f"s{number}": value for number, value in enumerate(row)} for row in table]


@given(TABLE)
def test_it_is_the_least_squares_fit_of_servers_and_sessions(table: list[list[float]]) -> None:
    sessions, servers = len(table), len(table[0])
    design = np.array(
        [
            [float(i == server) for i in range(servers)] + [float(j == session) for j in range(sessions)]
            for session in range(sessions)
            for server in range(servers)
        ]
    )
    wanted = np.array(table).ravel()
    fitted = np.linalg.lstsq(design, wanted, rcond=None)[0]
    residuals = wanted - design @ fitted
    found = layout(named(table))
    assert found.degrees_of_freedom == (servers - 1) * (sessions - 1)
    assert found.variance == pytest.approx(residuals @ residuals / found.degrees_of_freedom, abs=1e-9)
    parts = fitted[:servers] - fitted[:servers].mean()
    assert list(found.effects.values()) == pytest.approx(list(parts), abs=1e-9)


def test_a_pair_has_the_pooled_variance_and_its_degrees_of_freedom() -> None:
    found = layout(THREE)
    difference = log_ratio([(found.mean("b"), found.mean("a"))])
    ratios = [session["b"] - session["a"] for session in THREE]
    assert difference.value == pytest.approx(np.mean(ratios))
    assert difference.standard_error == pytest.approx((2 * found.variance / 3) ** 0.5)
    assert difference.degrees_of_freedom == pytest.approx(4)


@pytest.mark.parametrize(("further", "part"), [(False, 1 / 3), (True, 1 + 1 / 3)], ids=["mean", "another session"])
def test_the_interval_of_a_relative_figure(further: bool, part: float) -> None:
    table = np.array([list(session.values()) for session in THREE])
    relative = table - table.mean(axis=1, keepdims=True)
    mean = relative.mean(axis=0)
    error = (((relative - mean) ** 2).sum() / 4 * part * (1 - 1 / 3)) ** 0.5
    found = layout(THREE).relative("c", in_another_session=further)
    assert found.value == pytest.approx(exp(mean[2]))
    assert found.interval is not None
    assert found.interval.low == pytest.approx(exp(mean[2] - t.ppf(0.975, 4) * error))
    assert found.interval.high == pytest.approx(exp(mean[2] + t.ppf(0.975, 4) * error))


@given(TABLE, st.randoms(use_true_random=False))
def test_the_order_of_sessions_changes_nothing(table: list[list[float]], random: object) -> None:
    shuffled = sorted(table, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert_same(layout(named(table)), layout(named(shuffled)))


@given(TABLE, st.floats(-3, 3))
def test_a_session_that_is_faster_as_a_whole_changes_no_relative_figure_and_no_rank(
    table: list[list[float]], faster: float
) -> None:
    first, *others = table
    one, other = layout(named(table)), layout(named([[value + faster for value in first], *others]))
    assert_same(one, other)
    assert ranks(one) == ranks(other) or one.variance < 1e-9  # where there is no noise, rounding decides


def assert_same(one: Layout, other: Layout) -> None:
    assert one.variance == pytest.approx(other.variance, abs=1e-9)
    assert one.effects == pytest.approx(other.effects, abs=1e-9)


def ranks(found: Layout) -> dict[str, tuple[int, int]]:
    ranking = rank({server: Measurement(found.mean(server)) for server in found.common})
    return {server: (each.best, each.worst) for server, each in ranking.ranks.items()}


def test_a_server_that_is_not_in_every_session_is_in_no_comparison_and_changes_none() -> None:
    first, *others = THREE
    found = layout([{**first, "d": log(4000)}, *others])
    assert_same(without(found, "d"), layout(THREE))
    assert not found.mean("d").has_noise
    assert found.effects["d"] == pytest.approx(log(4000) - np.mean(list(first.values())))


def without(found: Layout, server: str) -> Layout:
    effects = {name: effect for name, effect in found.effects.items() if name != server}
    return Layout(found.common, effects, found.level, found.sessions, found.variance)


@pytest.mark.parametrize("sessions", [THREE[:1], [{"a": 1.0}, {"a": 2.0}]], ids=["one session", "one server"])
def test_without_degrees_of_freedom_the_noise_is_not_known(sessions: list[dict[str, float]]) -> None:
    found = layout(sessions)
    assert found.degrees_of_freedom == 0
    assert not found.mean("a").has_noise
    assert found.relative("a").interval is None


def test_sessions_without_a_common_server_compare_nothing() -> None:
    found = layout([{"a": 1.0}, {"b": 2.0}])
    assert (found.common, found.degrees_of_freedom) == ((), 0)
    assert found.mean("b") == LogMean(2.0)


def test_figures_over_sessions_are_a_geometric_mean_and_a_range() -> None:
    found = over_sessions([100.0, 400.0, 200.0])
    assert found.value == pytest.approx(200)
    assert found.range is not None
    assert (found.interval, found.range.low, found.range.high) == (None, 100.0, 400.0)
