"""Whether two measurements put the same things into the same order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, correlation

from msgspec import Struct

FEWEST = 4
"""Fisher's z has a standard error from four pairs on."""


class RankCorrelation(Struct, frozen=True):
    """Spearman's rho of `pairs` pairs. `interval` is None where one order is the other, or its reverse: Fisher's z
    is infinite there."""

    pairs: int
    rho: float
    interval: tuple[float, float] | None


def mid_ranks(values: Sequence[float]) -> list[float]:
    """The rank of each, 1 for the smallest; equal ones share the mean of the ranks that they take up.

    M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945), 239-251."""
    ordered = sorted(values)
    first = {value: position for position, value in reversed(list(enumerate(ordered, 1)))}
    last = {value: position for position, value in enumerate(ordered, 1)}
    return [(first[value] + last[value]) / 2 for value in values]


def spearman(left: Sequence[float], right: Sequence[float], confidence: float = 0.95) -> RankCorrelation | None:
    """Spearman's rho, Pearson's correlation of the mid-ranks, with its interval; None for fewer than `FEWEST` pairs and
    where all values of one side are equal.

    The interval is Fisher's z with the standard error sqrt((1 + rho²/2) / (n - 3)) of D. G. Bonett and T. A. Wright,
    "Sample size requirements for estimating Pearson, Kendall and Spearman correlations", Psychometrika 65 (2000),
    23-28, https://doi.org/10.1007/BF02294183."""
    pairs = len(left)
    if pairs < FEWEST or len(set(left)) == 1 or len(set(right)) == 1:
        return None
    rho = correlation(mid_ranks(left), mid_ranks(right))
    if math.isclose(abs(rho), 1):
        return RankCorrelation(pairs, math.copysign(1, rho), None)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt((1 + rho**2 / 2) / (pairs - 3))
    z = math.atanh(rho)
    return RankCorrelation(pairs, rho, (math.tanh(z - reach), math.tanh(z + reach)))
