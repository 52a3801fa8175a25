from __future__ import annotations

import pytest

from ab_runner.sweep.trial.connection_limit import connection_limit


@pytest.mark.parametrize("rate", [1, 100, 1_000, 5_000, 10_000, 16_000])
def test_a_server_may_pause_for_a_second_at_each_rate(rate: int) -> None:
    assert connection_limit(rate, keep_alive=True) >= rate


def test_a_connection_that_is_not_kept_counts_until_it_is_closed() -> None:
    assert connection_limit(5_000, keep_alive=False) == 10_000


@pytest.mark.parametrize(("rate", "expected"), [(1, 4_000), (3_999, 4_000), (16_001, 16_000), (200_000, 16_000)])
def test_a_limit_is_not_lower_than_it_was_and_not_more_than_a_host_has(rate: int, expected: int) -> None:
    assert connection_limit(rate, keep_alive=True) == expected
