"""Which servers are faster than which, as far as tests show."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import log

from msgspec import Struct

from ab_runner.stats.holm import holm
from ab_runner.stats.pairing import Measurement, pair
from ab_runner.stats.ratio import log_ratio

ALPHA = 0.05
"""The highest probability that any order within a ranking is wrong."""
MINIMUM_EFFECT = 0.02
"""Differences up to this count as no difference. The blocks of one sweep do not show what differs between two
sweeps."""


class Rank(Struct, frozen=True):
    """The ranks that a server may have: `best` to `worst`, one number where that is all there is."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"  # noqa: RUF001


class Ranking(Struct, frozen=True):
    """`faster` has a pair (a, b) where a is faster than b; it is an order. `by_cpu_time` has those of its pairs that
    the CPU time per request decided. A server with fewer than two starts is in none of them."""

    ranks: dict[str, Rank]
    faster: frozenset[tuple[str, str]]
    by_cpu_time: frozenset[tuple[str, str]] = frozenset()


Order = tuple[str, str]
"""A faster server and a slower one."""


def rank(servers: Mapping[str, Measurement], margin: float = MINIMUM_EFFECT) -> Ranking:
    """Return the ranks of servers at one workload and concurrency.

    Every pair is compared, in what `pairing.pair` says, by Welch's test on the logarithms of a difference beyond
    `margin`. Holm's correction (Scandinavian Journal of Statistics 6, 1979) holds the probability of any wrong order at
    5 % however many servers there are. A server's ranks go from one more than the servers that are faster to all but
    those that are slower: simultaneous confidence intervals for ranks (Al Mohamad, Goeman & van Zwet, Biometrics 78,
    2022). Two that cannot be told apart therefore share a rank, and ranks that do not touch are in an order that was
    tested.
    """
    compared = {name: measured for name, measured in servers.items() if measured.rate.has_noise}
    by_rate, by_cpu_time = map(_closed, _tested(compared, margin))
    by_cpu_time = _borne_out(by_cpu_time, by_rate)
    faster = by_rate | by_cpu_time
    ahead = dict.fromkeys(compared, 0)
    behind = dict.fromkeys(compared, 0)
    for better, worse in faster:
        ahead[worse] += 1
        behind[better] += 1
    ranks = {name: Rank(1 + ahead[name], len(compared) - behind[name]) for name in compared}
    return Ranking(ranks, faster, by_cpu_time)


def contradictions(first: Ranking, second: Ranking) -> list[Order]:
    """The pairs that the first orders one way and the second the other way; as the first has them."""
    return sorted((better, worse) for better, worse in first.faster if (worse, better) in second.faster)


def _tested(servers: Mapping[str, Measurement], margin: float) -> tuple[set[Order], set[Order]]:
    """Return the orders that were established by rate and by CPU time. What may not be concluded has a p of 1."""
    orders: list[tuple[Order, bool]] = []
    p_values = []
    for one, other in combinations(servers, 2):
        compared = pair(servers[one], servers[other])
        if compared is None or not (compared.first.has_noise and compared.second.has_noise):
            continue
        difference = log_ratio([(compared.first, compared.second)])
        first_leads = difference.value > 0
        orders.append(((one, other) if first_leads else (other, one), compared.by_cpu_time))
        allowed = compared.first_can_lead if first_leads else compared.second_can_lead
        p_values.append(difference.p_beyond(log(1 + margin)) if allowed else 1.0)
    told: tuple[set[Order], set[Order]] = set(), set()
    for (order, by_cpu_time), certain in zip(orders, holm(p_values, ALPHA), strict=True):
        if certain:
            told[by_cpu_time].add(order)
    return told


def _borne_out(by_cpu_time: frozenset[Order], by_rate: frozenset[Order]) -> frozenset[Order]:
    """Return those orders by CPU time that the rates bear out: with them, `by_rate` is an order still.

    Rates and CPU time are two scales: with a before b by CPU time and b before c by rate, a need not be before c. So a
    is before b only if a is faster than everybody that b is faster than."""
    slower: dict[str, set[str]] = {}
    for better, worse in by_rate:
        slower.setdefault(better, set()).add(worse)
    return frozenset(
        (better, worse) for better, worse in by_cpu_time if slower.get(worse, set()) <= slower.get(better, set())
    )


def _closed(faster: set[Order]) -> frozenset[Order]:
    """With a before b and b before c on one scale, a is before c: if the tests are right, so is what follows."""
    names = sorted({name for order in faster for name in order})
    closed = set(faster)
    for middle in names:
        before = [better for better in names if (better, middle) in closed]
        after = [worse for worse in names if (middle, worse) in closed]
        closed |= {(better, worse) for better in before for worse in after}
    return frozenset(closed)
