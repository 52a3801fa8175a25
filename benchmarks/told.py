#!/usr/bin/env python3
"""How many pairs of servers does the analysis tell apart, and how many did it tell before batches and moderation?

    PYTHONPATH=src .venv/bin/python benchmarks/told.py SWEEP

Both analyse the same records. Before, every cell's figures were taken as independent of those of other servers (Welch's
test on their logarithms, Holm's correction over the pairs of a row).
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from ab_runner.analysis.rankings import Rankings, rankings_of
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ratio import log_mean
from ab_runner.store.reader import read


class Told(msgspec.Struct, frozen=True):
    """Pairs in an order, of all rows together."""

    pairs: int
    before: int
    now: int


def told_in(analysis: SweepAnalysis) -> Told:
    """Return the pairs of servers that have ranks in a row, and how many of them are told apart."""
    before = {
        cell: Measurement(
            log_mean(list(summary.by_batch.values())),
            log_mean(list(summary.cpu_efficiency_by_batch.values())) if summary.cpu_efficiency_by_batch else None,
            summary.is_lower_bound,
        )
        for cell, summary in analysis.cells.items()
        if summary.by_batch
    }
    pairs = sum(len(each.ranks) * (len(each.ranks) - 1) // 2 for each in analysis.rankings.values())
    return Told(pairs, _orders(rankings_of(before, before)), _orders(analysis.rankings))


def _orders(rankings: Rankings) -> int:
    return sum(len(each.faster) for each in rankings.values())


if __name__ == "__main__":
    found = told_in(analyse(read(Path(sys.argv[1]))))
    print(f"{found.pairs:,} pairs, told apart before: {found.before:,}, now: {found.now:,}")
