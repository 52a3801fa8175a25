"""What is computed from a single trial: its latencies, the connections served, its CPU efficiency. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ab_runner.analysis.measure import measure_of, rate_of
from ab_runner.model.trial import CellRecord, Trial
from ab_runner.stats.estimate import median_of_known
from ab_runner.stats.histogram import Histogram, merge, weighted
from ab_runner.stats.little import served_share

PERCENTILES = (50, 90, 99, 99.9, 100)
PERCENTILE_NAMES = tuple(f"p{each:g}" for each in PERCENTILES)
"""As `Outcome.own_percentiles` has them."""
FEWEST_FOR_P99_9 = 10_000
"""Requests of which ten take longer than p99.9."""
NO_LATENCY: tuple[float | None, ...] = (None,) * len(PERCENTILES)
_CUT_OFF = 0.9
"""A request that took at least this share of a timed trial may have been cut off by the trial's end."""
_SHORTEST_CPU_SECONDS = 1e-6
"""Less is not known of a process."""


class Allocation(msgspec.Struct, frozen=True):
    """The bytes that a JVM allocated for a request, give or take `error` bytes."""

    per_request: float
    error: float


class TrialFigures(msgspec.Struct, frozen=True):
    """A record of a cell with what is computed from it alone. `latency` is in milliseconds, one for each of
    `PERCENTILES`. `served` is the share of the connections that was served at a time. `cpu_efficiency` is the requests
    per CPU-second of the server. Of an open load, `p95` is that of the latencies and `lag_p50` the median of the
    generator's lag, in milliseconds. `allocated` is what a JVM allocated. None where that is not known."""

    record: CellRecord
    latency: tuple[float | None, ...] = NO_LATENCY
    served: float | None = None
    cpu_efficiency: float | None = None
    p95: float | None = None
    lag_p50: float | None = None
    allocated: Allocation | None = None


def figures_of(record: CellRecord) -> tuple[TrialFigures, Histogram]:
    """Return the figures of a record, and the distribution of its latencies. The distribution is large and is not part
    of the figures that are kept."""
    if not isinstance(record, Trial) or record.outcome is None:
        return TrialFigures(record), Histogram()
    spread = weighted(record.outcome.latency.items())
    arrivals = record.outcome.arrivals
    is_open = arrivals is not None
    return TrialFigures(
        record,
        percentiles(spread, is_open),
        _served(record, spread),
        cpu_efficiency(record),
        spread.milliseconds(95) if is_open else None,
        weighted(arrivals.lag.items()).milliseconds(50) if arrivals else None,
        allocation(record),
    ), spread


def figure_of(trial: TrialFigures) -> float | None:
    """Return what a trial adds to the figure of its cell; None where it has nothing to add. The figure of a capacity is
    of the steps of all its searches together."""
    record = trial.record
    if measure_of(record) == "latency":
        return trial.latency[PERCENTILES.index(50)]
    return rate_of(record) if isinstance(record, Trial) else None


def cpu_efficiency(trial: Trial) -> float | None:
    """Return the requests per CPU-second of the server, which compare servers where the generator was the limit of
    their rates. The CPU time of an open load is its share of that of lead-in and load together. It is not known where
    connections were opened before the load, or idle ones beside it: the time that this took is in it."""
    outcome = trial.outcome
    if outcome is None or trial.usage is None or trial.usage.server_cpu_seconds < _SHORTEST_CPU_SECONDS:
        return None
    if outcome.arrivals and (outcome.arrivals.idle_opened or outcome.arrivals.opened_before):
        return None
    share = outcome.seconds / trial.watched_seconds if outcome.seconds else 1
    return round(outcome.answered / (share * trial.usage.server_cpu_seconds), 1) or None


def allocation(trial: Trial) -> Allocation | None:
    """Return what a JVM allocated for a request. None where the error is larger than what was counted."""
    if not trial.course or trial.outcome is None or not trial.outcome.answered:
        return None
    total, error = sum(trial.course.allocated_bytes), trial.course.allocated_error_bytes
    answered = trial.outcome.answered
    return Allocation(total / answered, error / answered) if total >= error > 0 else None


def percentiles(spread: Histogram, is_open: bool = False) -> tuple[float | None, ...]:
    """Return `PERCENTILES` of a distribution in milliseconds. Of an open load p99.9 is None where too few requests tell
    it."""
    unknown = 99.9 if is_open and spread.total < FEWEST_FOR_P99_9 else None
    return tuple(None if each == unknown else spread.milliseconds(each) for each in PERCENTILES)


def own_latency(trials: Sequence[Trial]) -> tuple[float | None, ...] | None:
    """Return the medians over these trials of `PERCENTILES` as their generator computed them itself; None where it did
    not. Percentiles are never merged: those of all requests together are not known."""
    found = [trial.outcome.own_percentiles for trial in trials if trial.outcome and trial.outcome.own_percentiles]
    if not found:
        return None
    return tuple(median_of_known(own.get(name) for own in found) for name in PERCENTILE_NAMES)


def merged(spreads: Sequence[Histogram]) -> Histogram:
    """Return the distribution of all their requests together."""
    return spreads[0] if len(spreads) == 1 else merge(spreads)


def is_cut_off(trials: Iterable[Trial], spreads: Sequence[Histogram]) -> bool:
    """Return whether one of the longest requests took about as long as its timed trial."""
    longest = max((each.longest for each in spreads), default=0)
    return any(
        trial.outcome is not None and trial.outcome.is_timed and longest >= _CUT_OFF * 1e6 * trial.outcome.seconds
        for trial, each in zip(trials, spreads, strict=True)
        if each.counts and each.longest == longest
    )


def _served(trial: Trial, spread: Histogram) -> float | None:
    outcome = trial.outcome
    if outcome is None or outcome.arrivals or not outcome.seconds:
        return None
    mean = spread.mean / 1000 if spread.counts else outcome.own_mean
    if mean is None:
        return None
    return served_share(outcome.completed_per_second, mean / 1000, trial.level, outcome.seconds)
