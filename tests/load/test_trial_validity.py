from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import said_of

from ab_runner.load.trial_validity import ROUNDED_DOWN, too_early


@pytest.mark.parametrize(
    ("microseconds", "not_before_ms", "expected"),
    [
        (0, 0, None),
        (1, 1, None),
        (20_000, 20, None),
        (19_000, 20, None),
        (18_999, 20, "an answer after 19.0 ms, which takes at least 20 ms"),
        (0, 20, "an answer after 0.0 ms, which takes at least 20 ms"),
    ],
)
def test_an_answer_is_too_early_by_more_than_a_clocks_millisecond(
    microseconds: int, not_before_ms: int, expected: str | None
) -> None:
    assert said_of(too_early(microseconds, not_before_ms)) == expected


@given(st.integers(1_000_000, 10**11))
def test_an_answer_that_open_load_has_rounded_down_is_not_too_early(nanoseconds: int) -> None:
    """As its `three_digits` does, of the nanoseconds and then of the microseconds."""

    def three_digits(time: int) -> int:
        dropped = max(0, time.bit_length() - 11)
        return time >> dropped << dropped

    stored = three_digits((three_digits(nanoseconds) + 500) // 1_000)
    assert too_early((1 + ROUNDED_DOWN) * stored, nanoseconds // 1_000_000) is None
    assert stored >= nanoseconds / 1_000 * (1 - ROUNDED_DOWN) - 1
