"""What the figure of a cell is. Pure."""

from __future__ import annotations

from typing import Literal

from ab_runner.model.axis import Axis
from ab_runner.model.trial import CellRecord, Trial

Measure = Literal["rate", "latency", "capacity"]
"""Requests per second of a closed load; the median of an open load's latencies in milliseconds; or the rate at which
half of the trials meet an SLO, in requests per second."""


def measure_on(axis: Axis) -> Measure:
    """Return what is measured at the levels of that axis."""
    match axis:
        case "connections":
            return "rate"
        case "slo":
            return "capacity"
        case _:
            return "latency"


def measure_of(record: CellRecord) -> Measure:
    """Return what was measured in a trial; of a cell without one, which has no figure, it is the rate."""
    if not isinstance(record, Trial) or not record.is_open:
        return "rate"
    return "latency" if record.search is None else "capacity"


def rate_of(trial: Trial) -> float | None:
    """Return the requests per second of a closed load; None of an open one, whose rate was given."""
    return None if trial.outcome is None or trial.is_open else trial.outcome.rate


def lower_is_better(measure: Measure) -> bool:
    """Return whether a lower figure is the better one. Comparisons take the reciprocals of such figures, so that the
    faster server has the higher one, and a bound of one is a bound of the other."""
    return measure == "latency"
