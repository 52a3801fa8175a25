"""The time that a sweep has for repeats of disturbed trials."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SHARE = 0.1
"""The share of its expected time that a sweep may spend on repeats."""
PAUSE_SECONDS = 2.0
"""Before a repeat. The hypervisor takes CPU time in bursts: in the published sweeps, 14 of 16 disturbed trials were
followed by an undisturbed one after 2 s. A longer pause leaves time for fewer repeats."""


class RepeatBudget:
    """The seconds that repeats may take, their pauses included. Without any, no trial is repeated."""

    def __init__(
        self,
        seconds: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._left = seconds
        self._clock = clock
        self._sleep = sleep

    def allows(self, seconds: float) -> bool:
        """Return whether a pause and a trial of so many seconds are within what is left."""
        return PAUSE_SECONDS + seconds <= self._left

    @contextmanager
    def repeat(self) -> Iterator[None]:
        """Pause, and take what that and the block need from what is left."""
        began = self._clock()
        try:
            self._sleep(PAUSE_SECONDS)
            yield
        finally:
            self._left -= self._clock() - began
