"""What the levels of a sweep are: the columns of its tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from ab_runner.model.limits import Count
from ab_runner.model.load import ArrivalKind, SecondLoad

Axis = Literal["connections", "rate", "peak", "slo", "idle"]
"""`connections` at once, of a closed load. Of an open load: its `rate` in requests per second; that rate in per cent of
the server's `peak`; the bound of an `slo` in milliseconds; or `idle` connections beside it."""
HIGHEST_RATE = 200_000
"""Requests per second of an open load: more than its generator makes."""
Percentile = Literal["p50", "p90", "p99", "p99.9"]


class OpenLoad(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Requests arrive at times that are planned beforehand, whether or not earlier ones have been answered."""

    axis: Literal["rate", "peak", "slo", "idle"]
    rate: Count | None = None
    """Requests per second beside idle connections."""
    percentile: Percentile = "p99"
    """What an SLO bounds."""
    reference_at_all_levels: bool = False
    """Whether latencies of the reference are measured beside all those of the servers. False for `slo`, for
    loads of studies and in older sweeps, which have it at the middle level."""
    is_exact: bool = False
    """A trial has the seconds of the protocol, no load before them, and all of them count, as a study says. Otherwise
    it has a lead-in, and goes on until it has so many clean seconds."""
    arrivals: ArrivalKind = "poisson"
    connections: Count | None = None
    """The most at once. None: as the rate and the workload need."""
    opened_before: Count = 0
    """Connections that are opened before a trial's first request is due."""
    beside: SecondLoad | None = None


def percentage(percentile: Percentile) -> float:
    """Return 99.9 for `p99.9`."""
    return float(percentile.removeprefix("p"))


def exact_text(plan: OpenLoad) -> str:
    """Return what a study says of its open load: `exponential arrivals, at most 4,000 connections`."""
    parts = ["exponential arrivals" if plan.arrivals == "poisson" else "arrivals at equal intervals"]
    if plan.connections is not None:
        parts.append(f"at most {plan.connections:,} connections")
    if plan.opened_before:
        parts.append(f"{plan.opened_before:,} opened before the first request")
    if plan.beside is not None:
        parts.append(f"{plan.beside.workload} at {plan.beside.rate:,}/s beside it")
    return ", ".join(parts)


def lowest_level(axis: Axis) -> int:
    """Return the lowest level that is possible."""
    return 0 if axis == "idle" else 1


def level_text(axis: Axis, level: int) -> str:
    """Return a level as a heading has it: `c=100`, `1,000/s`, `50 %`, `10 ms`, `15,000 idle`."""
    match axis:
        case "connections":
            return f"c={level}"
        case "rate":
            return f"{level:,}/s"
        case "peak":
            return f"{level} %"
        case "slo":
            return f"{level:,} ms"
        case "idle":
            return f"{level:,} idle"


def levels_text(axis: Axis, levels: Iterable[int], open: OpenLoad | None) -> str:
    """Return what the levels of a sweep are, as a line: `concurrency: 1, 10`, `rates: 1,000, 2,000 requests/s`."""
    return ": ".join(named_levels(axis, levels, open))


def named_levels(axis: Axis, levels: Iterable[int], open: OpenLoad | None) -> tuple[str, str]:
    """Return what the levels of a sweep are, and the levels: `concurrency` and `1, 10`."""
    numbers = ", ".join(f"{level:,}" for level in levels)
    match axis:
        case "connections":
            return "concurrency", numbers
        case "rate":
            return "open load, rates", f"{numbers} requests/s"
        case "peak":
            return "open load, rates", f"{numbers} % of each server's peak"
        case "slo":
            percentile = open.percentile if open else "p99"
            return "open load, capacity", f"the rate at which half of the trials have {percentile} ≤ {numbers} ms"
        case "idle":
            return f"open load, {open.rate if open else 0:,} requests/s beside idle connections", numbers
