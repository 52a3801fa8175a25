#!/usr/bin/env python3
"""What two sweeps of the same servers, made back to back, say of the method and of what it costs.

    PYTHONPATH=src .venv/bin/python benchmarks/repeatability.py results/FIRST results/SECOND

- the share of a sweep's wall time that is neither warm-up nor trial (the aim is 5 % or less),
- per cell the coefficient of variation of the two figures (the aim is a median of 3 % or less),
- Kendall's tau of the two orders of medians, per row of the tables,
- pairs of servers that the two rankings put into opposite orders (the aim is none).
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import fmean, median, stdev

from scipy.stats import kendalltau

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.model.protocol import Protocol
from ab_runner.model.records import EndRecord, StartRecord, WarmUpRecord
from ab_runner.model.trial import Cell, Trial
from ab_runner.stats.ranking import contradictions
from ab_runner.store.reader import Stored, read
from ab_runner.sweep.server.warm_up import planned_seconds


def main(folders: list[Path]) -> None:
    sweeps = [analyse(read(folder)) for folder in folders]
    for folder, sweep in zip(folders, sweeps, strict=True):
        changes = ", ".join(f"{drift.workload} {drift.change:+.1%}" for drift in sweep.drifts)
        whole, without = neither(sweep.stored)
        print(
            f"{folder.name}: {whole:.1%} of the time is neither warm-up nor trial ({without:.1%} with ab's start and "
            f"sorting); drift {changes}"
        )
    first, second = (sweep.cells for sweep in sweeps)
    variations = variations_between(*sweeps)
    where, worst = max(variations.items(), key=lambda found: found[1])
    print(
        f"coefficient of variation: median {median(variations.values()):.1%} of {len(variations)} cells, largest "
        f"{worst:.1%} ({where.server} {where.workload} c={where.level})"
    )
    for workload, concurrency in dict.fromkeys((cell.workload, cell.level) for cell in variations):
        row = [cell for cell in variations if (cell.workload, cell.level) == (workload, concurrency)]
        one, other = (sweep.rankings[workload, concurrency] for sweep in sweeps)
        opposite = contradictions(one, other)
        tau = kendalltau(*([rate(cells[cell]) for cell in row] for cells in (first, second))).statistic
        told = " and ".join(f"{len(each.faster)} of {each.pairs} pairs" for each in (one, other))
        print(f"{workload} c={concurrency}: tau {tau:.2f}, {told} told apart, opposite: {opposite or 'none'}")
    print(f"pairs in opposite orders: {opposite_orders(*sweeps)}")


def variations_between(first: SweepAnalysis, second: SweepAnalysis) -> dict[Cell, float]:
    """Return the coefficient of variation of the two figures of each cell that has both."""
    both = [
        cell for cell in first.cells if cell in second.cells and first.cells[cell].figure and second.cells[cell].figure
    ]
    rates = {cell: [rate(each.cells[cell]) for each in (first, second)] for cell in both}
    return {cell: stdev(found) / fmean(found) for cell, found in rates.items()}


def opposite_orders(first: SweepAnalysis, second: SweepAnalysis) -> int:
    """Return how many pairs of servers the two rankings put into opposite orders, of all rows together."""
    both = first.rankings.keys() & second.rankings.keys()
    return sum(len(contradictions(first.rankings[row], second.rankings[row])) for row in both)


def rate(cell: CellSummary) -> float:
    assert cell.figure is not None, "only cells with a figure are compared"
    return cell.figure


def neither(stored: Stored) -> tuple[float, float]:
    """The share of the time from the first start to the end. First with ab's runs whole, as a trial is one run of the
    load generator; then with only the load in them, without ab's start and its sorting."""
    runs = [record for record in stored.records if isinstance(record, Trial | WarmUpRecord)]
    whole = [record.wall_seconds for record in runs if record.wall_seconds is not None]
    leading = sum(record.lead_in_seconds or 0 for record in runs if isinstance(record, Trial))
    if len(whole) < len(runs):
        sys.exit("these sweeps are from before the times of ab's whole runs were recorded")
    wall = seconds_of(stored)
    loaded = sum(seconds_loaded(record, stored.sweep.request.protocol) for record in runs)
    return 1 - (sum(whole) + leading) / wall, 1 - (loaded + leading) / wall


def seconds_of(stored: Stored) -> float:
    """Return the time from the first start of a server to the end of the sweep."""
    first = next(record for record in stored.records if isinstance(record, StartRecord))
    end = next(record for record in stored.records if isinstance(record, EndRecord))
    return (end.at - first.at).total_seconds()


def seconds_loaded(record: Trial | WarmUpRecord, protocol: Protocol) -> float:
    """What ab reports of a trial; of a warm-up, of which only rates are kept, what its windows were meant to take."""
    if isinstance(record, Trial):
        return record.outcome.seconds if record.outcome else 0
    windows = [load.workload for load in record.loads for _ in load.rates]
    return planned_seconds(windows) if protocol.warm_up.load.seconds else 0


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:3]])
