"""The factor by which one is faster than the other, with an interval: two cells, two sweeps, a family of servers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp, fsum, inf, log, sqrt
from statistics import fmean, variance
from typing import NamedTuple, TypeVar

from msgspec import Struct
from scipy.special import stdtr, stdtrit

from ab_runner.stats.estimate import CONFIDENCE, Estimate, Interval

Key = TypeVar("Key")


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

    def above(self, bound: float) -> LogRatio:
        """By how much it is above that logarithm."""
        return LogRatio(self.value - bound, self.standard_error, self.degrees_of_freedom)

    def ratio(self) -> Estimate:
        reach = -float(stdtrit(self.degrees_of_freedom, (1 - CONFIDENCE) / 2)) * self.standard_error
        return Estimate(exp(self.value), Interval(exp(self.value - reach), exp(self.value + reach)))


def contrast(samples: Iterable[tuple[float, Sequence[float]]]) -> LogRatio:
    """The sum of weight times mean logarithm, of samples of two or more blocks each. Blocks are taken as independent.

    Logarithms, because what disturbs a rate does so in proportion. Each sample keeps its own variance, because servers
    differ in noise: Welch, Biometrika 34 (1947), degrees of freedom after Satterthwaite, Biometrics Bulletin 2 (1946).
    """
    means = [(weight, _mean_log(tuple(sample))) for weight, sample in samples]
    parts = [(weight**2 * mean.variance, mean.degrees_of_freedom) for weight, mean in means]
    whole = fsum(part for part, _ in parts)
    spread = fsum(part**2 / degrees_of_freedom for part, degrees_of_freedom in parts)
    value = fsum(weight * mean.value for weight, mean in means)
    return LogRatio(value, sqrt(whole), whole**2 / spread if spread else inf)


class _Mean(NamedTuple):
    """`variance` is that of the mean, not of what it is of."""

    value: float
    variance: float
    degrees_of_freedom: int


@lru_cache(maxsize=4096)  # a server is compared with each of the others
def _mean_log(sample: tuple[float, ...]) -> _Mean:
    logs = _logs(sample)
    return _Mean(fmean(logs), variance(logs) / len(logs), len(logs) - 1)


def log_ratio(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> LogRatio:
    """The mean over pairs of log(first / second), from two or more blocks of each."""
    share = 1 / len(pairs)
    return contrast(weighted for first, second in pairs for weighted in ((share, first), (-share, second)))


def ratio(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """first / second, each a figure per block: the ratio of their geometric means. No interval from one block."""
    return mean_ratio([(first, second)])


def mean_ratio(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Estimate:
    """The geometric mean of first / second over pairs that were started independently, such as the servers of a
    family in two sweeps (Fleming & Wallace, How Not To Lie With Statistics, CACM 29, 1986: why geometric)."""
    if all(len(sample) > 1 for pair in pairs for sample in pair):
        return log_ratio(pairs).ratio()
    return Estimate(exp(fmean(fmean(_logs(first)) - fmean(_logs(second)) for first, second in pairs)))


def block_means(blocks: Iterable[Mapping[Key, float]], keys: Iterable[Key]) -> list[float]:
    """One figure per block, the geometric mean over these of its cells. Cells of a block share a start of the server,
    so they are averaged before blocks are compared: they are not independent."""
    wanted = list(keys)
    return [exp(fmean(_logs([block[key] for key in wanted]))) for block in blocks]


def in_every_block(blocks: Sequence[Mapping[Key, float]]) -> list[Key]:
    """The cells that can be averaged: every block has a figure of them."""
    return [key for key in blocks[0] if all(key in block for block in blocks)] if blocks else []


def _logs(figures: Sequence[float]) -> list[float]:
    if min(figures) <= 0:
        raise ValueError(f"only positive figures have a ratio, not {min(figures):g}")
    return [log(figure) for figure in figures]
