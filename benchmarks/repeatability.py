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
from statistics import median

from ab_runner.model import EndRecord, StartRecord, Trial, WarmUpRecord
from ab_runner.report.cells import CellSummary, summarise
from ab_runner.report.drift import drifts
from ab_runner.report.ranks import ranked
from ab_runner.stats.agreement import coefficient_of_variation, kendall_tau
from ab_runner.stats.ranking import contradictions
from ab_runner.store import Stored, read


def main(folders: list[Path]) -> None:
    sweeps = [read(folder) for folder in folders]
    for folder, stored in zip(folders, sweeps, strict=True):
        changes = ", ".join(f"{drift.workload} {drift.change:+.1%}" for drift in drifts(stored.records))
        print(f"{folder.name}: {neither(stored):.1%} of the time is neither warm-up nor trial; drift {changes}")
    first, second = (summarise(stored.records) for stored in sweeps)
    both = [cell for cell in first if cell in second and first[cell].rate and second[cell].rate]
    variations = [coefficient_of_variation([rate(first[cell]), rate(second[cell])]) for cell in both]
    worst, where = max(zip(variations, both, strict=True))
    print(
        f"coefficient of variation: median {median(variations):.1%} of {len(both)} cells, largest {worst:.1%} "
        f"({where.server} {where.workload} c={where.concurrency})"
    )
    wrong = 0
    for workload, concurrency in dict.fromkeys((cell.workload, cell.concurrency) for cell in both):
        row = [cell for cell in both if (cell.workload, cell.concurrency) == (workload, concurrency)]
        one, other = ranked(first[cell] for cell in row), ranked(second[cell] for cell in row)
        opposite = contradictions(one.ranking, other.ranking)
        wrong += len(opposite)
        tau = kendall_tau(*([rate(cells[cell]) for cell in row] for cells in (first, second)))
        by = " and ".join("by cost" if each.by_cost else "by rate" for each in (one, other))
        told = f"{len(one.ranking.faster)} and {len(other.ranking.faster)} pairs told apart {by}"
        print(
            f"{workload} c={concurrency}: tau {tau if tau is None else round(tau, 2)}, {told}, "
            f"opposite: {opposite or 'none'}"
        )
    print(f"pairs in opposite orders: {wrong}")


def rate(cell: CellSummary) -> float:
    assert cell.rate is not None, "only cells with a figure are compared"
    return cell.rate


def neither(stored: Stored) -> float:
    """From the first start to the end. Of a run of ab only the seconds that it reports count as load: what it does
    before and after them (memory, sorting) is on the other side, though it is of a trial as well."""
    starts = [record for record in stored.records if isinstance(record, StartRecord)]
    end = next(record for record in stored.records if isinstance(record, EndRecord))
    wall = (end.at - starts[0].at).total_seconds()
    load = sum(record.report.seconds for record in stored.records if isinstance(record, Trial) and record.report)
    plans = stored.sweep.asked.protocol
    for record in stored.records:
        if isinstance(record, WarmUpRecord):
            plan = plans.warm_up_of(record.workload)
            load += len(record.rates) * (1 if plan.steady else plan.load.seconds or 0)
    return 1 - load / wall


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:3]])
