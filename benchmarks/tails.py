#!/usr/bin/env python3
"""Which percentiles of the latencies of an open load say something of the servers, and not of the moment?

    PYTHONPATH=src .venv/bin/python benchmarks/tails.py [SWEEPS]

SWEEPS are folders with several rates; without any it is the published core-rates. The lines are of percentiles: how
well the order of the servers at one rate agrees with that at another (Spearman's rho, the mean over the pairs of rates;
a server counts by the geometric mean of its starts), and how many pairs of servers the test of ranks would put in an
order over all rates together. Then come the share of the requests that took more than a millisecond, and p99 of all
starts of a server together.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import combinations
from math import exp, log
from pathlib import Path
from statistics import fmean

import msgspec
from scipy.stats import spearmanr

from ab_runner.analysis.measurements import over_levels
from ab_runner.analysis.rankings import ranking_of
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.records import is_valid
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell, cell_of
from ab_runner.paths import RESULTS
from ab_runner.stats.histogram import Histogram, merge, weighted
from ab_runner.stats.ranking import Ranking
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.reader import Stored, read

PERCENTILES = (10, 50, 95, 99, 99.9, 100)
Spreads = Mapping[Cell, Mapping[int, Histogram]]
"""The latencies of cells by batch."""


class Tail(msgspec.Struct, frozen=True):
    """What a percentile tells: `rho` is the agreement between rates."""

    percentile: float
    rho: float
    ranking: Ranking

    def __str__(self) -> str:
        told = f"{len(self.ranking.faster)} of {self.ranking.pairs} pairs in an order"
        return f"p{self.percentile:g}: rho between rates {self.rho:.2f}; {told}"


def main(folders: list[Path]) -> None:
    for folder in folders:
        stored = read(folder)
        print(f"{folder}:")
        for tail in tails_of(stored):
            print(f"  {tail}")
        shares = ", ".join(f"{share:.2%} at {rate:,}/s" for rate, share in above_a_millisecond(stored).items())
        print(f"  longer than 1 ms: {shares}")
        for rate, servers in tails_by_rate(stored).items():
            p99s = ", ".join(f"{server} {p99:.3f}" for server, p99 in sorted(servers.items(), key=lambda each: each[1]))
            print(f"  p99 at {rate:,}/s, ms: {p99s}")


def tails_of(stored: Stored) -> list[Tail]:
    """Return what each percentile tells."""
    spreads = spreads_of(stored)
    cells = analyse(stored).cells
    (workload,) = stored.sweep.request.workloads

    def tail(percentile: float) -> Tail:
        speeds = {
            cell: {batch: 1 / spread.percentile(percentile) for batch, spread in batches.items()}
            for cell, batches in spreads.items()
        }
        together = over_levels(cells, workload, lambda cell: speeds.get(cell.cell, {}))
        return Tail(percentile, _rho(speeds), ranking_of(together))

    return [tail(each) for each in PERCENTILES]


def spreads_of(stored: Stored) -> Spreads:
    """Return the latencies of all valid trials."""
    found: dict[Cell, dict[int, Histogram]] = {}
    for trial in stored.records:
        if is_valid(trial) and trial.outcome is not None:
            found.setdefault(cell_of(trial), {})[trial.measured_with] = weighted(trial.outcome.latency.items())
    return found


def above_a_millisecond(stored: Stored) -> dict[int, float]:
    """Return the share of the requests that took longer, of all servers together by rate."""
    rates: dict[int, list[Histogram]] = {}
    for cell, batches in spreads_of(stored).items():
        if cell.server != REFERENCE:
            rates.setdefault(cell.level, []).extend(batches.values())
    return {rate: sum(map(_above, rates[rate])) / sum(each.total for each in rates[rate]) for rate in sorted(rates)}


def tails_by_rate(stored: Stored) -> dict[int, dict[str, float]]:
    """Return p99 in milliseconds of each server, by rate."""
    rates: dict[int, dict[str, float]] = {}
    for cell, batches in sorted(spreads_of(stored).items(), key=lambda each: each[0].level):
        rates.setdefault(cell.level, {})[cell.server] = merge(batches.values()).percentile(99) / 1_000
    return rates


def _above(spread: Histogram, microseconds: int = 1_000) -> int:
    return sum(count for low, count in spread.counts.items() if low > microseconds)


def _rho(speeds: Mapping[Cell, Mapping[int, float]]) -> float:
    """Return the mean agreement between two rates, of the servers that have figures at both."""
    means: dict[int, dict[str, float]] = {}
    for cell, batches in speeds.items():
        if cell.server == REFERENCE:
            continue
        means.setdefault(cell.level, {})[cell.server] = exp(fmean(map(log, batches.values())))
    rhos = []
    for one, other in combinations(means.values(), 2):
        both = [server for server in one if server in other]
        rhos.append(float(spearmanr([one[each] for each in both], [other[each] for each in both]).statistic))
    return fmean(rhos)


if __name__ == "__main__":
    main([Path(each) for each in sys.argv[1:]] or [RESULTS / PUBLISHED_SWEEPS / "core-rates"])
