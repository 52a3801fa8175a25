"""The rates that a search for a capacity tries. Pure, but for the trial that the caller makes of each rate."""

from __future__ import annotations

from collections.abc import Callable
from math import log

_R10 = (100, 125, 160, 200, 250, 315, 400, 500, 630, 800)
_RATES = sorted({each * 10**decade // 100 for decade in range(7) for each in _R10})
"""The series R10 of preferred numbers (ISO 3): each is about 1.26 times the one before, which is near the standard
deviation of the curve that is fitted to the trials. There they tell most (Dixon & Mood, A Method for Obtaining and
Analyzing Sensitivity Data, Journal of the American Statistical Association 43, 1948)."""
_DOUBLE = 3
"""Places of the series that twice the rate is away."""
FURTHER = 5
"""Trials after the first met and the first missed one."""
USUAL_STEPS = 2 + FURTHER
"""The trials of a search in which the SLO is met at the first rate and missed at twice as much."""


def search(first: int, lowest: int, highest: int, meets: Callable[[int], bool]) -> None:
    """Try the rates of a search for the one that half of the trials meet, of a series between `lowest` and `highest`,
    the same for all starts and servers. From `first` the rate is doubled until the SLO is missed, or halved until it is
    met. From the middle of these two, `FURTHER` trials go one place up after each that met it, and one down after each
    that missed it, so that most rates near the wanted one are tried again. A search ends early if the SLO is met at the
    highest rate of all, or missed at the lowest, before it was missed or met."""
    rates = [rate for rate in _RATES if lowest <= rate <= highest]
    last = len(rates) - 1
    place = min(range(len(rates)), key=lambda each: abs(log(rates[each] / max(first, 1))))
    met: int | None = None
    missed: int | None = None
    while met is None or missed is None:
        if meets(rates[place]):
            met, end, further = place, last, _DOUBLE
        else:
            missed, end, further = place, 0, -_DOUBLE
        if place == end:
            return
        place = min(max(place + further, 0), last)
    place = (met + missed + 1) // 2
    for _ in range(FURTHER):
        place = min(max(place + (1 if meets(rates[place]) else -1), 0), last)
