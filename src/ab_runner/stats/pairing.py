"""The figures by which two servers are compared, where the load generator may have been the limit of either."""

from __future__ import annotations

from msgspec import Struct

Sample = tuple[float, ...]
"""One figure per block."""


class Measurement(Struct, frozen=True):
    """A server at one workload and concurrency.

    `rates` are requests per second, `cpu_efficiency` requests per CPU-second of the server, empty where its CPU time is
    not known. `is_lower_bound`: the load generator was the limit, so the server is at least as fast as `rates` say.
    They are right-censored.
    """

    rates: Sample
    cpu_efficiency: Sample = ()
    is_lower_bound: bool = False


class Pair(Struct, frozen=True):
    """The two samples to compare, and which of the two orders may be concluded from them. `by_cpu_time`: they are
    requests per CPU-second."""

    first: Sample
    second: Sample
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
        if not (first.cpu_efficiency and second.cpu_efficiency):
            return None
        return Pair(first.cpu_efficiency, second.cpu_efficiency, by_cpu_time=True)
    return Pair(
        first.rates,
        second.rates,
        first_can_lead=not second.is_lower_bound,
        second_can_lead=not first.is_lower_bound,
    )
