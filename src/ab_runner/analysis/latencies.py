"""The latencies of a cell of an open load: percentiles of all its starts together, and the generator's part. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

import msgspec

from ab_runner.analysis.trial_figures import FEWEST_FOR_P99_9, TrialFigures, merged
from ab_runner.stats.estimate import Estimate, Interval, median_of_known, percentiles_over_blocks
from ab_runner.stats.histogram import Histogram

COMPARED = (50, 95, 99)
"""The percentiles by which servers are compared."""
TAIL = (99.9, 100)
_LAG_SHARE = 0.1
"""The share of the median latency that the generator's median lag may be without a remark."""


class OpenLatencies(msgspec.Struct, frozen=True):
    """Latencies in milliseconds. `percentiles` are those of all valid trials added up, with an interval over starts;
    p99.9 is missing where too few requests tell it. `by_batch` has the mean of the trials' percentiles in each batch,
    for those of `COMPARED`. `lag` is the median of the trials' median lags; None in older sweeps."""

    percentiles: Mapping[float, Estimate]
    by_batch: Mapping[int, Mapping[int, float]]
    lag: float | None

    @property
    def is_delayed(self) -> bool:
        """Whether the generator's own lag is a large part of the median latency."""
        return self.lag is not None and self.lag > _LAG_SHARE * self.percentiles[50].value


def open_latencies(counted: Sequence[tuple[TrialFigures, Histogram]]) -> OpenLatencies:
    """Return the latencies of trials of a cell, one or more, each of which has some."""
    blocks: dict[int, list[tuple[TrialFigures, Histogram]]] = {}
    for figures, spread in counted:
        blocks.setdefault(figures.record.measured_with, []).append((figures, spread))
    together = [merged([spread for _, spread in found]) for found in blocks.values()]
    told = [
        each for each in (*COMPARED, *TAIL)
        if each != 99.9 or sum(spread.total for spread in together) >= FEWEST_FOR_P99_9
    ]  # fmt: skip
    return OpenLatencies(
        {each: _milliseconds(found) for each, found in zip(told, percentiles_over_blocks(together, told), strict=True)},
        {
            each: {
                batch: fmean(spread.percentile(each) / 1000 for _, spread in found) for batch, found in blocks.items()
            }
            for each in COMPARED
        },
        median_of_known(figures.lag_p50 for figures, _ in counted),
    )


def _milliseconds(estimate: Estimate) -> Estimate:
    interval = estimate.interval
    return Estimate(
        estimate.value / 1000, Interval(interval.low / 1000, interval.high / 1000) if interval is not None else None
    )
