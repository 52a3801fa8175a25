from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.builders import server, sweep

from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import SecondLoad
from ab_runner.sweep.trial.connection_limit import connection_limit, most_connections


@pytest.mark.parametrize("rate", [1, 100, 1_000, 5_000, 10_000, 16_000])
def test_a_server_may_pause_for_a_second_at_each_rate(rate: int) -> None:
    assert connection_limit(rate, keep_alive=True) >= rate


def test_a_connection_that_is_not_kept_counts_until_it_is_closed() -> None:
    assert connection_limit(5_000, keep_alive=False) == 10_000


@pytest.mark.parametrize(("rate", "expected"), [(1, 4_000), (3_999, 4_000), (16_001, 16_000), (200_000, 16_000)])
def test_a_limit_is_not_lower_than_it_was_and_not_more_than_a_host_has(rate: int, expected: int) -> None:
    assert connection_limit(rate, keep_alive=True) == expected


def test_a_study_says_how_many_connections_there_are_and_those_of_a_load_beside_it_come_to_it() -> None:
    request = sweep(server("a-1")).request
    protocol = replace(request.protocol, idle_timeout=10)
    exact = OpenLoad(axis="rate", is_exact=True, connections=300, beside=SecondLoad("small", 5))
    request = replace(request, protocol=protocol, levels=(1_000,), open=exact)
    assert most_connections(request, []) == 300 + 5 * 11
    usual = replace(request, open=OpenLoad(axis="rate"))
    assert most_connections(usual, []) == connection_limit(1_000, keep_alive=True)
