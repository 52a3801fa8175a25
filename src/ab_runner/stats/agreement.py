"""How well two sweeps of the same servers agree."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from scipy.stats import kendalltau


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b (The Treatment of Ties in Ranking Problems, Biometrika 33, 1945) of two lists of figures of the
    same servers: 1 for the same order, -1 for the reverse. None where one list has no order at all."""
    tau = float(kendalltau(first, second, variant="b").statistic)
    return None if tau != tau else tau


def coefficient_of_variation(figures: Sequence[float]) -> float:
    """Standard deviation as a share of the mean; needs two figures."""
    return stdev(figures) / fmean(figures)
