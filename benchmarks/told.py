#!/usr/bin/env python3
"""How many pairs of servers does a sweep tell apart, of those that no lower bound forbids?

PYTHONPATH=src .venv/bin/python benchmarks/told.py SWEEP
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.store.reader import read


class Told(msgspec.Struct, frozen=True):
    """Pairs of servers of all rows together: `told` are in an order, `forbidden` are not compared because the generator
    was the limit."""

    pairs: int
    told: int
    forbidden: int

    @property
    def share(self) -> float:
        """Those in an order as a share of those that could be."""
        return self.told / (self.pairs - self.forbidden)

    def __str__(self) -> str:
        could_be = self.pairs - self.forbidden
        return (
            f"{self.told:,} of {could_be:,} pairs in an order ({self.share:.0%}); {self.forbidden:,} more not compared "
            f"({self.forbidden / self.pairs:.0%} of all), because the generator was the limit"
        )


def told_in(analysis: SweepAnalysis) -> Told:
    """Return how many pairs of the servers that have ranks in a row are told apart."""
    rankings = analysis.rankings.values()
    return Told(
        sum(each.pairs for each in rankings),
        sum(len(each.faster) for each in rankings),
        sum(len(each.not_compared) for each in rankings),
    )


if __name__ == "__main__":
    print(told_in(analyse(read(Path(sys.argv[1])))))
