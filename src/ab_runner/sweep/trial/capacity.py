"""The search for the highest rate at which a server meets an SLO. Pure, but for the trial that the caller makes of each
rate."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log, log2, sqrt

import msgspec

PRECISION = 1.05
"""The search ends when the lowest rate at which the SLO was missed is at most so many times the highest at which it was
met."""
USUAL_STEPS = 2 + ceil(log2(log(2) / log(PRECISION)))
"""The rates that a search tries if the SLO is met at the first one and missed at twice as much."""


class Bracket(msgspec.Struct, frozen=True):
    """Rates in requests per second: `met` is the highest at which the SLO was met, 0 if there is none. `missed` is the
    lowest above it at which it was missed; None if it was met at the highest of all."""

    met: int
    missed: int | None


def search(first: int, lowest: int, highest: int, meets: Callable[[int], bool]) -> Bracket:
    """Return the bracket of a server's capacity between `lowest` and `highest`. From `first` the rate is doubled until
    the SLO is missed, or halved until it is met; then the bracket is bisected, by its geometric mean, to `PRECISION`.
    No rate is tried twice."""
    met, missed = 0, None
    rate = min(max(first, lowest), highest)
    while True:
        if meets(rate):
            met = rate
            if met == highest:
                return Bracket(met, None)
            if missed is None:
                rate = min(2 * met, highest)
                continue
        else:
            missed = rate
            if met == 0:
                if missed == lowest:
                    return Bracket(0, missed)
                rate = max(missed // 2, lowest)
                continue
        assert missed is not None, "it is known by now, or the rate was doubled"
        if missed <= PRECISION * met or missed - met <= 1:
            return Bracket(met, missed)
        rate = round(sqrt(met * missed))
