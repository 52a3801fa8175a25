"""Variances from few figures, moderated by those of many cells: empirical Bayes."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf

import numpy as np
from msgspec import Struct
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

_FEWEST = 6
"""The fewest variances whose spread says something."""
_SMALLEST = 1e-5
"""Smaller ones, as a share of their median, count as this: two figures that are equal by chance have no logarithm."""


class Prior(Struct, frozen=True):
    """What is known of a cell's variance before it is measured: as much as `degrees_of_freedom` figures would say.
    `together` are the degrees of freedom of all variances that it is from."""

    variance: float
    degrees_of_freedom: float
    together: float

    def moderated(self, variance: float, degrees_of_freedom: float) -> tuple[float, float]:
        """Return the variance shrunk towards the prior, and its degrees of freedom: at most those that all variances
        have together."""
        if self.degrees_of_freedom == inf:
            return self.variance, self.together
        whole = self.degrees_of_freedom + degrees_of_freedom
        shrunk = (self.degrees_of_freedom * self.variance + degrees_of_freedom * variance) / whole
        return shrunk, min(whole, self.together)


def prior_of(variances: Sequence[tuple[float, float]]) -> Prior | None:
    """Return the prior of these variances, each with its degrees of freedom; None where they are too few.

    The variances are taken as drawn from a scaled inverse chi-squared distribution, which is fitted by the moments of
    their logarithms (G. K. Smyth, "Linear Models and Empirical Bayes Methods for Assessing Differential Expression in
    Microarray Experiments", Statistical Applications in Genetics and Molecular Biology 3, 2004, section 6.2).
    """
    if len(variances) < _FEWEST:
        return None
    values, freedom = np.array(variances, dtype=float).T
    typical = float(np.median(values))
    if typical == 0:
        return None
    logs = np.log(np.maximum(values, _SMALLEST * typical)) - digamma(freedom / 2) + np.log(freedom / 2)
    centre = float(logs.mean())
    beyond_chance = float(logs.var(ddof=1) - polygamma(1, freedom / 2).mean())
    together = float(freedom.sum())
    if beyond_chance <= 0:
        return Prior(exp(centre), inf, together)
    half = _inverse_trigamma(beyond_chance)
    return Prior(exp(centre + float(digamma(half)) - float(np.log(half))), 2 * half, together)


def _inverse_trigamma(value: float) -> float:
    """Return the x whose trigamma is `value`. Trigamma falls, and lies between 1/x and 1/x + 1/x²."""
    low, high = 1 / (value + 1), 1 + 2 / value
    return float(brentq(lambda x: float(polygamma(1, x)) - value, low / 2, high * 2))
