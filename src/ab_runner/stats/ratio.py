"""The factor by which one is faster than the other, with an interval: two cells, two sweeps, a family of servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from math import exp, fsum, inf, log, sqrt
from statistics import fmean, variance
from typing import TypeVar

from msgspec import Struct
from scipy.special import stdtr, stdtrit

from ab_runner.stats.estimate import CONFIDENCE, Estimate, Interval

Key = TypeVar("Key")


_LARGEST = 700.0
"""The largest logarithm of a ratio that is told: intervals of few, noisy figures exceed what a float can hold."""


def factor(logarithm: float) -> float:
    """Return the ratio that has this logarithm."""
    return exp(min(logarithm, _LARGEST))


class LogMean(Struct, frozen=True):
    """The mean logarithm of figures from several starts. `variance` is that of the mean and `degrees_of_freedom` those
    of that variance; None and 0 where it is a single figure, whose noise is not known.

    `loadings` are its coefficients of independent errors of variance 1 that it shares with the other means of the same
    fit, and that are not in `variance`: two means have the covariance sum(loading * other loading). Means that are
    not of one fit have none. `is_pooled`: all means of its row have one estimate of the variance together, whose
    degrees of freedom these are.

    Logarithms, because what disturbs a rate does so in proportion."""

    value: float
    variance: float | None = None
    degrees_of_freedom: float = 0.0
    loadings: tuple[float, ...] = ()
    is_pooled: bool = False

    @property
    def geometric(self) -> float:
        """The geometric mean of the figures."""
        return exp(self.value)

    @property
    def has_noise(self) -> bool:
        """Whether the noise is known, so that it can be tested."""
        return self.variance is not None


class LogRatio(Struct, frozen=True):
    """An estimated logarithm of a ratio. `standard_error` is its own, `degrees_of_freedom` those of that error."""

    value: float
    standard_error: float
    degrees_of_freedom: float

    def p_beyond(self, margin: float) -> float:
        """Return the probability of so large a difference, in either direction, if the true one is `margin`: a
        minimum-effect test (Murphy & Myors, Journal of Applied Psychology 84, 1999), exact at that edge of its null
        hypothesis where the error is known. For margin 0 it is Student's test of no difference."""
        size = abs(self.value)
        if self.standard_error == 0:
            return 1.0 if size <= margin else 0.0
        near, far = ((size - margin) / self.standard_error, (size + margin) / self.standard_error)
        return float(stdtr(self.degrees_of_freedom, -near) + stdtr(self.degrees_of_freedom, -far))

    def shown_from(self, margin: float, alpha: float) -> float:
        """Return the smallest difference that could have been found with this error: its p would be at most `alpha`,
        which is halved because `p_beyond` adds both tails."""
        if self.standard_error == 0:
            return margin
        return margin - float(stdtrit(self.degrees_of_freedom, alpha / 2)) * self.standard_error

    def above(self, bound: float) -> LogRatio:
        """By how much it is above that logarithm."""
        return LogRatio(self.value - bound, self.standard_error, self.degrees_of_freedom)

    def ratio(self) -> Estimate:
        """Return the ratio with its interval."""
        if self.standard_error == 0:
            return Estimate(factor(self.value), Interval(factor(self.value), factor(self.value)))
        reach = -float(stdtrit(self.degrees_of_freedom, (1 - CONFIDENCE) / 2)) * self.standard_error
        return Estimate(factor(self.value), Interval(factor(self.value - reach), factor(self.value + reach)))


def log_mean(figures: Sequence[float]) -> LogMean:
    """Return the mean of their logarithms. The figures are of one start each, and taken as independent."""
    return _log_mean(tuple(figures))


@lru_cache(maxsize=4096)  # a server is compared with each of the others
def _log_mean(figures: tuple[float, ...]) -> LogMean:
    logs = logs_of(figures)
    if len(logs) == 1:
        return LogMean(logs[0])
    return LogMean(fmean(logs), variance(logs) / len(logs), len(logs) - 1)


def contrast(parts: Iterable[tuple[float, LogMean]]) -> LogRatio:
    """Return the sum of weight times mean logarithm, of means whose noise is known. They are independent but for the
    errors that means of one fit share.

    Each mean keeps its own variance, because servers differ in noise: Welch, Biometrika 34 (1947), degrees of freedom
    after Satterthwaite, Biometrics Bulletin 2 (1946); means with one pooled variance count as one. The shared errors
    come from all servers of a fit, so they take no degree of freedom away.
    """
    means = list(parts)
    estimates: dict[object, tuple[float, float]] = {}
    for at, (weight, mean) in enumerate(means):
        share, _ = estimates.get(key := "pooled" if mean.is_pooled else at, (0.0, 0.0))
        estimates[key] = share + weight**2 * _variance(mean), mean.degrees_of_freedom
    own = fsum(share for share, _ in estimates.values())
    lost = fsum((share / own) ** 2 / freedom for share, freedom in estimates.values()) if own else 0.0
    shared = zip_longest(*([weight * loading for loading in mean.loadings] for weight, mean in means), fillvalue=0.0)
    whole = own + fsum(fsum(terms) ** 2 for terms in shared)
    value = fsum(weight * mean.value for weight, mean in means)
    return LogRatio(value, sqrt(whole), 1 / lost if lost else inf)


def _variance(mean: LogMean) -> float:
    """Return the mean's own variance. One of figures without noise is a rounding error, which may be below 0."""
    if mean.variance is None:
        raise ValueError("a single figure shows no noise")
    return max(0.0, mean.variance)


def log_ratio(pairs: Sequence[tuple[LogMean, LogMean]]) -> LogRatio:
    """Return the mean over pairs of log(first / second)."""
    share = 1 / len(pairs)
    return contrast(weighted for first, second in pairs for weighted in ((share, first), (-share, second)))


def ratio(first: LogMean, second: LogMean) -> Estimate:
    """Return first / second, the ratio of their geometric means. No interval where the noise of either is not known."""
    return mean_ratio([(first, second)])


def mean_ratio(pairs: Sequence[tuple[LogMean, LogMean]]) -> Estimate:
    """Return the geometric mean of first / second over pairs that were started independently, such as the servers of a
    family in two sweeps (Fleming & Wallace, How Not To Lie With Statistics, CACM 29, 1986: why geometric)."""
    if all(mean.has_noise for pair in pairs for mean in pair):
        return log_ratio(pairs).ratio()
    return Estimate(exp(fmean(first.value - second.value for first, second in pairs)))


def start_means(starts: Iterable[Mapping[Key, float]], keys: Iterable[Key]) -> list[float]:
    """Return a figure for each start, the geometric mean over these of its cells. Cells of one start are not
    independent, so they are averaged before starts are compared."""
    wanted = list(keys)
    return [exp(fmean(logs_of([start[key] for key in wanted]))) for start in starts]


def in_every_start(starts: Sequence[Mapping[Key, float]]) -> list[Key]:
    """Return the cells that can be averaged: every start has a figure of them."""
    return [key for key in starts[0] if all(key in start for start in starts)] if starts else []


def logs_of(figures: Sequence[float]) -> list[float]:
    """Return their logarithms. ValueError where one has none."""
    if min(figures) <= 0:
        raise ValueError(f"only positive figures have a ratio, not {min(figures):g}")
    return [log(figure) for figure in figures]
