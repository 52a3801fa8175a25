"""Which servers are faster than which, as far as tests show."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import log

from msgspec import Struct

from ab_runner.stats.holm import holm
from ab_runner.stats.pairing import Measurement, pair
from ab_runner.stats.ratio import LogMean, LogRatio, factor, log_ratio

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


Order = tuple[str, str]
"""A faster server and a slower one."""


class Ranking(Struct, frozen=True):
    """What is known of each two servers that have ranks. `faster` has a pair (a, b) where a is faster than b; it is an
    order. `tied` are the pairs that were tested and not told apart, by the smallest difference that the test could
    have found: 0.09 for 9 %. `not_compared` are those of which lower bounds forbid any conclusion. These two name the
    servers of a pair in alphabetical order. A server with fewer than two starts is in no pair."""

    ranks: dict[str, Rank]
    faster: frozenset[Order] = frozenset()
    tied: Mapping[tuple[str, str], float] = {}
    not_compared: frozenset[tuple[str, str]] = frozenset()

    @property
    def pairs(self) -> int:
        """The number of pairs of servers that have ranks."""
        return len(self.ranks) * (len(self.ranks) - 1) // 2

    def others_of(self, server: str) -> Others:
        """Return how the other servers stand to this one."""
        return Others(
            behind=tuple(sorted(worse for better, worse in self.faster if better == server)),
            ahead=tuple(sorted(better for better, worse in self.faster if worse == server)),
            tied={_other(pair, server): size for pair, size in self.tied.items() if server in pair},
            not_compared=tuple(sorted(_other(pair, server) for pair in self.not_compared if server in pair)),
        )


class Others(Struct, frozen=True):
    """How the others of a ranking stand to one server: `behind` it, `ahead` of it, `tied` with it (and by how much they
    would have to differ to be told apart), or not compared."""

    behind: tuple[str, ...]
    ahead: tuple[str, ...]
    tied: Mapping[str, float]
    not_compared: tuple[str, ...]


def _other(pair: tuple[str, str], server: str) -> str:
    return pair[1] if pair[0] == server else pair[0]


def rank(servers: Mapping[str, Measurement], margin: float = MINIMUM_EFFECT) -> Ranking:
    """Return the ranks of servers at one workload and level.

    Every pair is compared, in what `pairing.pair` says, by Welch's test on the logarithms of a difference beyond
    `margin`. Holm's correction (Scandinavian Journal of Statistics 6, 1979) holds the probability of any wrong order at
    5 % however many servers there are. A server's ranks go from one more than the servers that are faster to all but
    those that are slower: simultaneous confidence intervals for ranks (Al Mohamad, Goeman & van Zwet, Biometrics 78,
    2022). Two that cannot be told apart, or were not compared, therefore share a rank, and ranks that do not touch are
    in an order that was tested.
    """
    compared = {name: measured for name, measured in servers.items() if measured.mean.has_noise}
    faster, tied, not_compared = _tested(compared, margin)
    ranks = {
        name: Rank(
            1 + sum(worse == name for _, worse in faster),
            len(compared) - sum(better == name for better, _ in faster),
        )
        for name in compared
    }
    return Ranking(ranks, faster, tied, not_compared)


def smallest_difference(mean: LogMean) -> float:
    """Return the smallest difference that the test of two servers with this noise, alone, finds: 0.09 for 9 %."""
    return factor(log_ratio([(mean, mean)]).shown_from(log(1 + MINIMUM_EFFECT), ALPHA)) - 1


def contradictions(first: Ranking, second: Ranking) -> list[Order]:
    """The pairs that the first orders one way and the second the other way; as the first has them."""
    return sorted((better, worse) for better, worse in first.faster if (worse, better) in second.faster)


class _Tested(Struct, frozen=True):
    """A pair in the order of its figures. What may not be concluded has a p of 1."""

    order: Order
    difference: LogRatio
    allowed: bool

    def p(self, margin: float) -> float:
        return self.difference.p_beyond(margin) if self.allowed else 1.0


def _tested(
    servers: Mapping[str, Measurement], margin: float
) -> tuple[frozenset[Order], dict[tuple[str, str], float], frozenset[tuple[str, str]]]:
    """Return the orders that were found or follow from those, the pairs that were tested in vain, and the pairs that
    lower bounds keep from any conclusion: both are bounds, or the one that is a bound has the lower figure."""
    tests: list[_Tested] = []
    bounded: list[tuple[str, str]] = []
    for one, other in combinations(sorted(servers), 2):
        compared = pair(servers[one], servers[other])
        if compared is None:
            bounded.append((one, other))
            continue
        difference = log_ratio([(compared.first, compared.second)])
        first_leads = difference.value > 0
        allowed = compared.first_can_lead if first_leads else compared.second_can_lead
        tests.append(_Tested((one, other) if first_leads else (other, one), difference, allowed))
    edge = log(1 + margin)
    certain = holm([test.p(edge) for test in tests], ALPHA)
    faster = _closed({test.order for test, found in zip(tests, certain, strict=True) if found})
    left = max(1, certain.count(False))
    tied = {}
    for test in tests:
        if test.order in faster or test.order[::-1] in faster:
            continue
        if test.allowed:
            tied[_sorted(test.order)] = factor(test.difference.shown_from(edge, ALPHA / left)) - 1
        else:
            bounded.append(_sorted(test.order))
    return faster, tied, frozenset(each for each in bounded if each not in faster and each[::-1] not in faster)


def _sorted(order: Order) -> tuple[str, str]:
    return min(order), max(order)


def _closed(faster: set[Order]) -> frozenset[Order]:
    """With a before b and b before c, a is before c: if the tests are right, so is what follows."""
    names = sorted({name for order in faster for name in order})
    closed = set(faster)
    for middle in names:
        before = [better for better in names if (better, middle) in closed]
        after = [worse for worse in names if (middle, worse) in closed]
        closed |= {(better, worse) for better in before for worse in after}
    return frozenset(closed)
