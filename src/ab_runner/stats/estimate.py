"""The figure of a cell and its interval: the median over blocks, by a bootstrap over blocks and within."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import sqrt
from statistics import median

import numpy as np
from msgspec import Struct
from scipy.special import ndtr, stdtrit

from ab_runner.stats.histogram import Histogram, merge

CONFIDENCE = 0.95
FEWEST_STARTS = 6
"""The smallest number of blocks whose slowest and fastest enclose the median with 95 % or more (1 - 2^(1-n) = 96.9 %).
From fewer, no method that assumes nothing of the distribution can make such an interval, so there is none."""

_RESAMPLES = 4_000
_SEED = 20_060_317
"""Fixed, so that the same trials always print the same interval."""


class Interval(Struct, frozen=True):
    """Where the true value lies, with 95 % confidence."""

    low: float
    high: float


class Estimate(Struct, frozen=True):
    """A figure; `interval` is None where there were too few blocks for one. Of several sessions it has a `range`
    instead, from the lowest to the highest of their figures, which holds for no other session."""

    value: float
    interval: Interval | None = None
    range: Interval | None = None

    @property
    def relative_half_width(self) -> float | None:
        """Half of the interval as a share of the figure: the 0.03 of "± 3 %"."""
        if self.interval is None:
            return None
        return (self.interval.high - self.interval.low) / 2 / self.value


def median_of_known(values: Iterable[float | None]) -> float | None:
    """Return the median of the values that are known; None if none is."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def median_over_blocks(blocks: Sequence[Sequence[float]]) -> Estimate:
    """The median over blocks of a block's mean; a block holds the figures of its trials of one cell, mostly one.

    The interval is that of a two-level bootstrap: blocks are drawn with replacement, then trials within each block
    drawn (Davison & Hinkley, Bootstrap Methods and their Application, 1997, section 3.8; for benchmarks Kalibera &
    Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013). Its percentiles are not 2.5 and 97.5 but those that
    undo the bootstrap's narrowness for few blocks (Hesterberg, What Teachers Should Know about the Bootstrap, The
    American Statistician 69, 2015: the expanded percentile interval).
    """
    if not blocks or not all(blocks):
        raise ValueError("a figure needs at least one block, and each block at least one trial")
    return _median_over_blocks(tuple(map(tuple, blocks)))


@lru_cache(maxsize=1 << 14)
def _median_over_blocks(blocks: tuple[tuple[float, ...], ...]) -> Estimate:
    """Remembered, because tables, ranks and charts of a sweep are of the same cells."""
    trials = [np.asarray(block, dtype=float) for block in blocks]
    value = float(np.median([block.mean() for block in trials]))
    if len(blocks) < FEWEST_STARTS:
        return Estimate(value)
    medians = _bootstrap_medians(trials)
    tail = _expanded_tail(len(blocks))
    low, high = np.quantile(medians, [tail, 1 - tail])
    return Estimate(value, Interval(float(low), float(high)))


def _bootstrap_medians(trials: Sequence[np.ndarray[tuple[int], np.dtype[np.float64]]]) -> np.ndarray:
    if all(len(block) == 1 for block in trials):  # the usual case, in which no trials are drawn within a block
        return np.asarray(np.median(np.concatenate(trials)[_drawn_blocks(len(trials))], axis=1))
    random = np.random.default_rng(_SEED)
    drawn = random.integers(len(trials), size=(_RESAMPLES, len(trials)))
    means = np.empty(drawn.shape)
    for number, block in enumerate(trials):
        here = drawn == number
        means[here] = block[random.integers(len(block), size=(here.sum(), len(block)))].mean(axis=1)
    return np.median(means, axis=1)


@lru_cache(maxsize=64)
def _drawn_blocks(blocks: int) -> np.ndarray:
    """Return the blocks of each resample: they are the same for all cells."""
    return np.random.default_rng(_SEED).integers(blocks, size=(_RESAMPLES, blocks))


def percentiles_over_blocks(blocks: Sequence[Histogram], percentages: Sequence[float]) -> list[Estimate]:
    """Return these percentiles, in microseconds, of all blocks added up. The interval is that of a bootstrap over
    blocks, expanded as that of `median_over_blocks`; the longest (100) has none, because no resample exceeds it."""
    whole = merge(blocks)
    values = [float(whole.percentile(each)) for each in percentages]
    if len(blocks) < FEWEST_STARTS:
        return [Estimate(value) for value in values]
    buckets = sorted(whole.counts)
    counts = np.array([[block.counts.get(bucket, 0) for bucket in buckets] for block in blocks], dtype=float)
    drawn = np.apply_along_axis(np.bincount, 1, _drawn_blocks(len(blocks)), minlength=len(blocks))
    different, times = np.unique(drawn, axis=0, return_counts=True)
    found = np.concatenate([_of_resamples(part, counts, percentages) for part in np.array_split(different, 8)])
    resampled = np.repeat(np.array(buckets, dtype=float)[found], times, axis=0)
    tail = _expanded_tail(len(blocks))
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    return [
        Estimate(value, Interval(min(value, float(low[at])), max(value, float(high[at]))) if each < 100 else None)
        for at, (value, each) in enumerate(zip(values, percentages, strict=True))
    ]


def _of_resamples(drawn: np.ndarray, counts: np.ndarray, percentages: Sequence[float]) -> np.ndarray:
    """Return the bucket of each percentile (column) of each resample (row). `drawn` has how often it has each block."""
    cumulated = np.cumsum(drawn @ counts, axis=1)
    wanted = [np.ceil(cumulated[:, -1:] * each / 100) for each in percentages]
    return np.stack([(cumulated >= each).argmax(axis=1) for each in wanted], axis=1)


def _expanded_tail(blocks: int) -> float:
    """The probability to cut off on either side: below 0.025, and near it for many blocks."""
    student = stdtrit(blocks - 1, (1 - CONFIDENCE) / 2)
    return float(ndtr(sqrt(blocks / (blocks - 1)) * student))
