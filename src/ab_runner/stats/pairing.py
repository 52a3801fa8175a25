"""The figures by which two servers are compared, where the load generator may have been the limit of either."""

from __future__ import annotations

from msgspec import Struct

from ab_runner.stats.ratio import LogMean


class Measurement(Struct, frozen=True):
    """A server's figure at one workload and level; a higher one is better. `is_lower_bound`: the load generator was the
    limit, so the server is at least as good as `mean` says. It is right-censored."""

    mean: LogMean
    is_lower_bound: bool = False


class Pair(Struct, frozen=True):
    """The two figures to compare, and which of the two orders may be concluded from them."""

    first: LogMean
    second: LogMean
    first_can_lead: bool = True
    second_can_lead: bool = True


def pair(first: Measurement, second: Measurement) -> Pair | None:
    """Return how to compare these two, or None where nothing can be concluded, because both are lower bounds. Where one
    is, its server can be found to be better, but never worse."""
    if first.is_lower_bound and second.is_lower_bound:
        return None
    return Pair(
        first.mean,
        second.mean,
        first_can_lead=not second.is_lower_bound,
        second_can_lead=not first.is_lower_bound,
    )
