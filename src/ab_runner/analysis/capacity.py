"""The capacity of a cell: the rates that half and that 90 % of its trials meet. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ab_runner.model.trial import Trial
from ab_runner.stats.estimate import Estimate
from ab_runner.stats.logistic import curve


class Capacity(msgspec.Struct, frozen=True):
    """`half` and `ninety` are the rates in requests per second that half and that 90 % of the trials of a cell meet.
    `by_batch` has the rates that half of the trials of each start meet, by batch."""

    half: Estimate
    ninety: Estimate
    by_batch: Mapping[int, Sequence[float]]


def capacity_of(trials: Sequence[Trial]) -> Capacity | None:
    """Return the capacity by the steps of these valid searches; None where there is none."""
    steps = [[(step.rate, step.reason is None) for step in trial.search.steps] for trial in trials if trial.search]
    if not steps:
        return None
    found = curve(steps)
    by_batch: dict[int, list[float]] = {}
    for trial, rate in zip((each for each in trials if each.search), found.starts, strict=True):
        by_batch.setdefault(trial.measured_with, []).append(rate)
    return Capacity(found.half, found.ninety, by_batch)
