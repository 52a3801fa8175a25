from __future__ import annotations

import pytest
from support.builders import said_of

from ab_runner.load.trial_validity import too_early


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
