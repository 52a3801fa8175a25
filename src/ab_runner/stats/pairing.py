"""The figures by which two servers are compared, where the load generator may have been the limit of either."""

from __future__ import annotations

from msgspec import Struct

from ab_runner.stats.ratio import LogMean


class Measurement(Struct, frozen=True):
    """A server at one workload and concurrency.

    `rate` is of its requests per second, `cpu_efficiency` of its requests per CPU-second, None where its CPU time is
    not known. `is_lower_bound`: the load generator was the limit, so the server is at least as fast as `rate` says. It
    is right-censored.
    """

    rate: LogMean
    cpu_efficiency: LogMean | None = None
    is_lower_bound: bool = False


class Pair(Struct, frozen=True):
    """The two figures to compare, and which of the two orders may be concluded from them. `by_cpu_time`: they are
    requests per CPU-second."""

    first: LogMean
    second: LogMean
    by_cpu_time: bool = False
    first_can_lead: bool = True
    second_can_lead: bool = True


def pair(first: Measurement, second: Measurement) -> Pair | None:
    """Return how to compare these two, or None where nothing can be concluded.

    The rates are compared unless both are lower bounds. Where one is a lower bound, its server can be found to be
    faster, but never slower. Of two lower bounds neither order follows from the rates: then the CPU time per request
    decides, and without it nothing does.
    """
    if first.is_lower_bound and second.is_lower_bound:
        if first.cpu_efficiency is None or second.cpu_efficiency is None:
            return None
        return Pair(first.cpu_efficiency, second.cpu_efficiency, by_cpu_time=True)
    return Pair(
        first.rate,
        second.rate,
        first_can_lead=not second.is_lower_bound,
        second_can_lead=not first.is_lower_bound,
    )
