"""The latencies of a trial as a histogram in microseconds, from ab's two records of them. Pure.

ab writes down every request (-g), but in whole milliseconds, and every hundredth of the sorted requests (-e) in
microseconds. The second has the body of the distribution as exactly as any plot shows it; what lies beyond the 99th
percentile is in the first alone, where a millisecond is little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from ab_runner.load.ab_output import AbFigures
from ab_runner.stats.histogram import Histogram, weighted

_STEPS = 4
"""Values over which the requests between two known latencies are spread evenly."""


def distribution(report: AbFigures, milliseconds: Mapping[int, int]) -> Histogram:
    """Return the latencies of all requests of a trial; without `milliseconds` the last hundredth is spread up to the
    longest."""
    if not report.complete or not {0, 99, 100} <= report.percentiles.keys():
        return Histogram()
    known = [(percent, round(1000 * report.percentiles[percent])) for percent in sorted(report.percentiles)]
    ranks = {percent: report.complete * percent // 100 for percent, _ in known} | {100: report.complete - 1}
    (_, slow), (_, longest) = known[-2:]
    parts = [(longest, 1)]
    for (percent, low), (following, high) in pairwise(known):
        if following < 100 or not milliseconds:
            parts += _spread(low, high, ranks[following] - ranks[percent])
    if milliseconds:
        parts += _tail(milliseconds, ranks[100] - ranks[99], slow, longest)
    return weighted(parts)


def _tail(milliseconds: Mapping[int, int], requests: int, shortest: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield the slowest `requests` except the longest, each millisecond standing for the half before and after it, as
    ab rounds."""
    passed_over = 1
    for value in sorted(milliseconds, reverse=True):
        here = min(requests, milliseconds[value] - passed_over)
        passed_over = 0
        if here:
            low, high = max(shortest, 1000 * value - 500), min(longest, 1000 * value + 499)
            yield from _spread(min(low, high), max(low, high), here)
            requests -= here


def _spread(low: int, high: int, requests: int) -> Iterable[tuple[int, int]]:
    """Yield this many requests, spread evenly from `low` to below `high`: pairs of a latency and how many have it."""
    steps = min(_STEPS, requests)
    for step in range(steps):
        yield low + (high - low) * step // steps, requests * (step + 1) // steps - requests * step // steps
