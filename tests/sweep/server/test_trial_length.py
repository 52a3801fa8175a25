from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.workloads import WORKLOADS

from ab_runner.model.load import Load
from ab_runner.model.protocol import PROTOCOLS, for_workloads
from ab_runner.sweep.server.trial_length import lead_in, time_limit, trial_load


def test_a_timed_trial_lasts_until_every_connection_can_have_made_three_requests() -> None:
    second = Load(seconds=1)
    assert trial_load(second, concurrency=100, rate=2_000) == second
    assert trial_load(second, concurrency=500, rate=2_000) == second
    assert trial_load(second, concurrency=1000, rate=1_400) == Load(seconds=3)


def test_a_slow_server_stretches_a_trial_to_five_times_its_length_at_the_most() -> None:
    assert trial_load(Load(seconds=1), concurrency=1000, rate=1) == Load(seconds=5)


def test_a_trial_by_requests_is_never_stretched() -> None:
    assert trial_load(Load(requests=1000), concurrency=1000, rate=1) == Load(requests=1000)


@given(st.integers(1, 60), st.integers(1, 20_000), st.one_of(st.none(), st.floats(0, 1e6)))
def test_a_trial_is_never_shorter_than_asked_nor_longer_than_five_times(
    seconds: int, level: int, rate: float | None
) -> None:
    stretched = trial_load(Load(seconds=seconds), level, rate).seconds
    assert stretched is not None
    assert seconds <= stretched <= 5 * seconds


def test_a_lead_in_is_a_sixteenth_of_its_trial() -> None:
    assert lead_in(Load(seconds=2), concurrency=10, rate=20_000) == Load(seconds=0.125)
    assert lead_in(Load(seconds=2, rate=500), concurrency=10, rate=20_000) == Load(seconds=0.125, rate=500)


def test_a_trial_that_is_stretched_has_no_lead_in() -> None:
    assert lead_in(Load(seconds=1), concurrency=500, rate=1_500) is not None
    assert lead_in(Load(seconds=1), concurrency=500, rate=1_499) is None


@pytest.mark.parametrize(("load", "rate"), [(Load(requests=400), 100.0), (Load(seconds=1), None)])
def test_there_is_no_lead_in_where_the_protocol_counts_requests_or_no_rate_is_known(
    load: Load, rate: float | None
) -> None:
    assert lead_in(load, 10, rate) is None


def test_ab_is_given_more_time_than_its_own_limits_need() -> None:
    assert time_limit(Load(seconds=5), idle_timeout=30, rate=None) > 35
    assert time_limit(Load(requests=1000), idle_timeout=30, rate=10) > 100 + 30


def test_the_protocol_of_2006_is_the_published_one() -> None:
    protocol = for_workloads(PROTOCOLS["2006"], WORKLOADS)
    assert protocol.warm_up_of("small").load == Load(requests=100_000)
    assert protocol.warm_up_of("large").load == Load(requests=2_000)
    assert protocol.trial_of("echo") == Load(requests=200_000)
    assert protocol.trial_of("large") == Load(requests=10_000)
    assert protocol.blocks == 1
