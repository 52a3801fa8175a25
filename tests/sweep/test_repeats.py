"""The time that a sweep has for repeats."""

from __future__ import annotations

import pytest

from ab_runner.sweep.repeats import PAUSE_SECONDS, RepeatBudget


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_without_time_no_repeat_is_allowed() -> None:
    assert not RepeatBudget().allows(0)


def test_a_repeat_takes_its_pause_and_what_it_needs_itself() -> None:
    time = Time()
    budget = RepeatBudget(2 * PAUSE_SECONDS + 10, time.clock, time.sleep)
    assert budget.allows(PAUSE_SECONDS + 10)
    assert not budget.allows(PAUSE_SECONDS + 10.1)
    with budget.repeat():
        time.sleep(4)
    assert budget.allows(6)
    assert not budget.allows(6.1)


def fail_after(seconds: float, time: Time) -> None:
    time.sleep(seconds)
    raise OSError("full")


def test_a_repeat_that_fails_has_taken_its_time_too() -> None:
    time = Time()
    budget = RepeatBudget(PAUSE_SECONDS + 5, time.clock, time.sleep)
    with pytest.raises(OSError, match="full"), budget.repeat():
        fail_after(5, time)
    assert not budget.allows(0)
