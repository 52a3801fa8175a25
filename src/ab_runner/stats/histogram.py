"""Distributions of latencies that can be stored, merged and asked for percentiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil

from msgspec import Struct

_DIGITS = 11
"""Binary digits that are kept of a value: 2048 buckets, as HdrHistogram has for three significant decimal digits."""


class Histogram(Struct, frozen=True):
    """How often which latency occurred: `counts` maps the lowest microsecond of a bucket to the number in it, and
    `longest` is exact. Buckets are those of HdrHistogram (hdrhistogram.org) at three significant digits, kept sparse:
    exact below 2048 µs, narrower than a thousandth of the value from there on."""

    counts: dict[int, int] = {}
    longest: int = 0

    @property
    def by_highest(self) -> dict[int, int]:
        """The number in each bucket by its highest microsecond, in the last bucket by the longest: `weighted` makes the
        same histogram of it."""
        return {min(low + (1 << _shift(low)) - 1, self.longest): count for low, count in self.counts.items()}

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """The mean in microseconds, to the width of a bucket."""
        if not self.counts:
            raise ValueError("an empty histogram has no mean")
        middles = ((low + ((1 << _shift(low)) - 1) / 2, count) for low, count in self.counts.items())
        return sum(middle * count for middle, count in middles) / self.total

    def percentile(self, percentage: float) -> int:
        """The time in microseconds within which that share of the requests was served, to a bucket's upper end."""
        if not self.counts:
            raise ValueError("an empty histogram has no percentiles")
        wanted = ceil(self.total * percentage / 100)
        seen = 0
        for low in sorted(self.counts):
            seen += self.counts[low]
            if seen >= wanted:
                return min(low + (1 << _shift(low)) - 1, self.longest)
        raise ValueError(f"a percentage is at most 100, not {percentage:g}")

    def milliseconds(self, percentage: float) -> float | None:
        """That time in milliseconds; None of an empty distribution."""
        return self.percentile(percentage) / 1000 if self.counts else None


def histogram(microseconds: Iterable[int]) -> Histogram:
    return weighted(Counter(microseconds).items())


def weighted(values: Iterable[tuple[int, int]]) -> Histogram:
    """Return a histogram from pairs of a latency in microseconds and its count."""
    counts: Counter[int] = Counter()
    longest = 0
    for value, count in values:
        counts[value >> _shift(value) << _shift(value)] += count
        longest = max(longest, value)
    return Histogram(dict(sorted(counts.items())), longest)


def merge(histograms: Iterable[Histogram]) -> Histogram:
    """Return one histogram with the values of all."""
    counts: Counter[int] = Counter()
    longest = 0
    for each in histograms:
        counts.update(each.counts)
        longest = max(longest, each.longest)
    return Histogram(dict(sorted(counts.items())), longest)


def _shift(value: int) -> int:
    """Binary digits that are dropped."""
    return max(0, value.bit_length() - _DIGITS)
