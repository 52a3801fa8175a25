"""Who is faster than whom, as far as it can be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log

from msgspec import Struct

from ab_runner.stats.holm import holm
from ab_runner.stats.ratio import log_ratio

WRONG = 0.05
"""The probability that any order within a ranking is wrong, at the most."""
MARGIN = 0.02
"""Differences up to this are taken as none. The blocks of one sweep do not show what differs between two sweeps."""


class Rank(Struct, frozen=True):
    """The ranks that a server may have: `best` to `worst`, one number where that is all there is."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"  # noqa: RUF001


class Ranking(Struct, frozen=True):
    """`faster` has a pair (a, b) where a is faster than b. Who has fewer than two blocks is in neither."""

    ranks: dict[str, Rank]
    faster: frozenset[tuple[str, str]]


def rank(blocks: Mapping[str, Sequence[float]], margin: float = MARGIN) -> Ranking:
    """Ranks by a figure per block, higher being better.

    Every pair is compared by Welch's test on the logarithms, of a difference beyond `margin`. Holm's correction
    (Scandinavian Journal of Statistics 6, 1979) holds the probability of any wrong order at 5 % however many servers
    there are. A server's ranks go from one more than the servers that are faster to all but those that are slower:
    simultaneous confidence intervals for ranks (Al Mohamad, Goeman & van Zwet, Biometrics 78, 2022). Two that cannot
    be told apart therefore share a rank, and ranks that do not touch are in an order that was tested.
    """
    compared = {name: figures for name, figures in blocks.items() if len(figures) > 1}
    faster = _closed(_tested(compared, margin))
    ahead = dict.fromkeys(compared, 0)
    behind = dict.fromkeys(compared, 0)
    for better, worse in faster:
        ahead[worse] += 1
        behind[better] += 1
    return Ranking({name: Rank(1 + ahead[name], len(compared) - behind[name]) for name in compared}, faster)


def contradictions(first: Ranking, second: Ranking) -> list[tuple[str, str]]:
    """The pairs that the first orders one way and the second the other way; as the first has them."""
    return sorted((better, worse) for better, worse in first.faster if (worse, better) in second.faster)


def _tested(blocks: Mapping[str, Sequence[float]], margin: float) -> set[tuple[str, str]]:
    orders, p_values = [], []
    for one, other in combinations(blocks, 2):
        difference = log_ratio([(blocks[one], blocks[other])])
        orders.append((one, other) if difference.value > 0 else (other, one))
        p_values.append(difference.p_beyond(log(1 + margin)))
    return {order for order, certain in zip(orders, holm(p_values, WRONG), strict=True) if certain}


def _closed(faster: set[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """With a before b and b before c, a is before c: if the tests are right, so is what follows from them."""
    names = sorted({name for pair in faster for name in pair})
    closed = set(faster)
    for middle in names:
        before = [better for better in names if (better, middle) in closed]
        after = [worse for worse in names if (middle, worse) in closed]
        closed |= {(better, worse) for better in before for worse in after}
    return frozenset(closed)
