"""When a warm-up has become steady. No library: the runner needs it while it measures."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from statistics import median

SHORTEST = 5
"""Windows after the last change that are needed to call a rate steady: with fewer the test cannot see any."""
DOUBT = 0.5
"""A change counts as long as it is no less likely than not: to warm up too long costs seconds, too short a figure."""
TOLERANCE = 0.02
"""A change of the median by less than this is none."""


def steady_from(rates: Sequence[float]) -> int | None:
    """The window from which on the rate is steady, None while it is not; `rates` has one for each window so far.

    Pettitt's change-point test (Applied Statistics 28, 1979), applied to what follows the change that it found until
    it finds no more (binary segmentation, as Barrett et al., Virtual Machine Warmup Blows Hot and Cold, OOPSLA 2017,
    look for change points after the fact).
    """
    start = 0
    while len(rates) - start >= SHORTEST:
        change = _change(rates[start:])
        if change is None:
            return start
        start += change
    return None


def _change(rates: Sequence[float]) -> int | None:
    """The window with which a new level begins."""
    size = len(rates)
    strength, at = max((abs(_statistic(rates, split)), split) for split in range(1, size))
    p = 2 * exp(-6 * strength**2 / (size**3 + size**2))
    before, after = median(rates[:at]), median(rates[at:])
    return at if p <= DOUBT and abs(after - before) > TOLERANCE * before else None


def _statistic(rates: Sequence[float], split: int) -> int:
    """Pettitt's U: of all pairs of a window before and one after, how many rise less how many fall."""
    return sum((after > before) - (after < before) for before in rates[:split] for after in rates[split:])
