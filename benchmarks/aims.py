#!/usr/bin/env python3
"""Are the toolkit's aims met? Computes each from the records in benchmarks/records and exits with 1 if one is missed.

make aims
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from math import log
from pathlib import Path
from statistics import median

import msgspec
import sessions
import swarm
import sweep_times
from adapters import AIM
from make_bench import MakeBench
from overhead import RatePair, ratio_of, said
from pairs import PairTrial, factor_of, factors
from repeatability import opposite_orders, seconds_of, variations_between
from rows import rows_in
from suite_time import TARGETS, SuiteTime, newest
from told import told_in
from warmup import WarmUpRow

import generators
from ab_runner.analysis.measurements import over_levels
from ab_runner.analysis.rankings import ranking_of
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.catalog.workloads import load_workloads
from ab_runner.model.records import is_valid
from ab_runner.model.trial import Cell, cell_of
from ab_runner.model.workload import WorkloadName
from ab_runner.paths import RESULTS, WORKLOADS
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.reader import read

RECORDS = Path(__file__).parent / "records"
TWINS = ("2006-jdk25", "2006-jdk25-again")
ROSTER = ("all-small", "all-large", "all-echo")
"""All servers."""
RATES = "core-rates"
RATES_WORKLOAD: WorkloadName = "small-keepalive"
TOLD_AT_LEAST = 0.5
P99_RATES = (2_000, 5_000)


class Aim(msgspec.Struct, frozen=True):
    """`text` says what was wanted and what was found. `met` is None where nothing was measured yet that could tell."""

    text: str
    met: bool | None


_MARKS = {True: "met   ", False: "MISSED", None: "-     "}


def main() -> int:
    aims = [
        *warm(10), *warm(100), *suite(), *bench(), *named_times(), *other_named_times(), *twins(), *roster(), *orders(),
        *rates(), *over_sessions(), *adapters(), *load_generators(), *overhead(), *over_nodes(),
    ]  # fmt: skip
    for aim in aims:
        print(f"{_MARKS[aim.met]}  {aim.text}")
    return 1 if any(aim.met is False for aim in aims) else 0


def warm(concurrency: int) -> Iterator[Aim]:
    """The first counted trial over the rate after 20 s more of the same load (benchmarks/warmup.py)."""
    rows = rows_in(RECORDS / f"warm-up-c{concurrency}.jsonl", WarmUpRow)
    jvm = ratios([row for row in rows if row.kind == "jvm"])
    native = ratios([row for row in rows if row.kind != "jvm"])
    what = f"first trial at c={concurrency} over the rate 20 s later"
    without = sum(row.kind == "jvm" for row in rows) - len(jvm)
    yield Aim(
        f"{what}, median of {len(jvm)} JVM cells: {median(jvm):.3f} (at least 0.97; {without} more have no figure)",
        median(jvm) >= 0.97,
    )
    low, noise = share_below(jvm), share_below(native)
    yield Aim(
        f"{what}, cells below 0.90: {low:.1%} of {len(jvm)} JVM cells, {noise:.1%} of {len(native)} native cells "
        "(at most 5 points more)",
        low <= noise + 0.05,
    )


def suite() -> Iterator[Aim]:
    """`make check` and `make test` in a fresh clone (benchmarks/suite_time.py)."""
    records = rows_in(RECORDS / "suite-time.jsonl", SuiteTime, missing_ok=True)
    check, test = (newest(records, target) for target in TARGETS)
    what = "make check, after its set-up"
    yield Aim(
        f"{what}: {check.seconds:.0f} s (at most 60)" if check else f"{what}: not measured (at most 60 s)",
        check is not None and check.seconds <= 60,
    )
    what = "make test with its set-up, from nothing"
    if test is None:
        yield Aim(f"{what}: not measured (at most 18 minutes)", False)
        return
    minutes = (test.set_up_seconds + test.seconds) / 60
    images = f"{test.images_before} images built before (0)"
    yield Aim(f"{what}: {minutes:.1f} minutes (at most 18), {images}", minutes <= 18 and test.images_before == 0)


def made_bench() -> MakeBench:
    return msgspec.json.decode((RECORDS / "make-bench.json").read_bytes(), type=MakeBench)


def bench() -> Iterator[Aim]:
    """`make bench` from a fresh clone on a machine with an engine (benchmarks/make_bench.py)."""
    found = made_bench()
    sweep, whole = found.sweep_seconds / 60, found.seconds / 60
    yield Aim(f"the sweep of make bench: {sweep:.1f} minutes (at most 5)", sweep <= 5)
    built = f"with {found.images_before} of its images built before"
    yield Aim(f"make bench from a fresh clone, {built}: {whole:.1f} minutes (at most 8)", whole <= 8)


def named_times() -> Iterator[Aim]:
    """The time that a sweep names beforehand over the time that it took (benchmarks/sweep_times.py)."""
    shares = {}
    for folder in sweep_times.published():
        stored = read(folder)
        shares[folder.name] = sweep_times.expected_of(stored).seconds / seconds_of(stored)
    low, high = min(shares, key=lambda name: shares[name]), max(shares, key=lambda name: shares[name])
    yield Aim(
        f"time named beforehand over time taken, {len(shares)} sweeps: {shares[low]:.2f} ({low}) to {shares[high]:.2f} "
        f"({high}) (0.85 to 1.15)",
        shares[low] >= 0.85 and shares[high] <= 1.15,
    )


def other_named_times() -> Iterator[Aim]:
    """The same of `make bench`, and of sweeps that are not published."""
    bench = made_bench()
    if bench.named_seconds is None:
        yield Aim("time named beforehand over time taken, make bench: not measured (0.85 to 1.15)", False)
    else:
        yield _named("make bench", bench.named_seconds, bench.sweep_seconds)
    for each in sweep_times.named_times_in(RECORDS / "sweep-times.jsonl"):
        yield _named(each.name, each.named_seconds, each.took_seconds, ", in whole minutes" * each.in_minutes)


def _named(name: str, named: float, took: float, how: str = "") -> Aim:
    share = named / took
    return Aim(
        f"time named beforehand over time taken, {name}: {share:.2f} ({named / 60:.1f} of {took / 60:.1f} "
        f"minutes{how}; 0.85 to 1.15)",
        0.85 <= share <= 1.15,
    )


def twins() -> Iterator[Aim]:
    """Two sweeps of the servers of 2006, made one after the other."""
    first, second = map(published, TWINS)
    made_twice = f"a sweep of {len(first.sweep.servers)} servers made twice"
    opposite = opposite_orders(first, second)
    yield Aim(f"{made_twice}: {opposite} pairs in opposite orders (0)", opposite == 0)
    variations = variations_between(first, second).values()
    yield Aim(
        f"{made_twice}: coefficient of variation, median of {len(variations)} cells: {median(variations):.1%} "
        "(at most 3 %)",
        median(variations) <= 0.03,
    )
    yield from map(told, TWINS, (first, second))


def roster() -> Iterator[Aim]:
    """Six starts of all servers, in a sweep for each kind of workload."""
    sweeps = [published(name) for name in ROSTER]
    minutes = sum(seconds_of(each.stored) for each in sweeps) / 60
    workloads = [name for each in sweeps for name in each.workloads]
    missing = [name for name in load_workloads(WORKLOADS) if name not in workloads]
    yield Aim(
        f"six starts of all servers, {', '.join(workloads)}: {minutes:.0f} minutes in {len(sweeps)} sweeps "
        f"(at most 165 with all workloads; missing: {', '.join(missing) or 'none'})",
        minutes <= 165 and not missing,
    )
    yield from map(told, ROSTER, sweeps)


def told(name: str, analysis: SweepAnalysis) -> Aim:
    """Pairs of servers in an order, of those that no lower bound forbids."""
    found = told_in(analysis)
    return Aim(f"{name}: {found} (at least {TOLD_AT_LEAST:.0%} of those that can be)", found.share >= TOLD_AT_LEAST)


def orders() -> Iterator[Aim]:
    """No order puts the server with the lower figure ahead."""
    found = against = 0
    for name in (*TWINS, *ROSTER):
        analysis = published(name)
        for (workload, level), ranking in analysis.rankings.items():
            for pair in ranking.faster:
                better, worse = (analysis.cells[Cell(server, workload, level)].figure or 0.0 for server in pair)
                found, against = found + 1, against + (better < worse)
    yield Aim(f"{found:,} orders of closed loads: {against} have the lower median ahead (0)", against == 0)


def rates() -> Iterator[Aim]:
    """Pairs of servers told apart by their latencies at all rates of core-rates together. The generator's own lag
    should tell none."""
    analysis = published(RATES)
    for compared, least in zip(analysis.compared[:2], (9, 7), strict=True):
        _, ranking = compared.over_levels[RATES_WORKLOAD]
        yield Aim(
            f"{RATES}, all rates together: p{compared.percentile} tells {len(ranking.faster)} of {ranking.pairs} pairs "
            f"apart (at least {least})",
            len(ranking.faster) >= least,
        )
    p99s = [
        latencies.percentiles[99].relative_half_width
        for cell, summary in analysis.cells.items()
        if cell.level in P99_RATES and summary.figure is not None and (latencies := summary.open_latencies)
    ]
    width = median(each for each in p99s if each is not None)
    yield Aim(f"{RATES}, p99 at 2,000 and 5,000/s: half of its intervals within ±{width:.0%} (25 %)", width <= 0.25)
    lags: dict[Cell, dict[int, float]] = {}
    for figures in analysis.trials:
        if is_valid(figures.record) and figures.lag_p50:
            lags.setdefault(cell_of(figures.record), {})[figures.record.measured_with] = 1 / figures.lag_p50
    ranking = ranking_of(over_levels(analysis.cells, RATES_WORKLOAD, lambda cell: lags.get(cell.cell, {})))
    found = f"{len(ranking.faster)} of {ranking.pairs} pairs apart" if ranking.pairs else "nothing, it was not recorded"
    yield Aim(
        f"{RATES}, all rates together: the median lag of open-load tells {found} (0)",
        not ranking.faster and bool(ranking.pairs),
    )


def over_sessions() -> Iterator[Aim]:
    """Leaving out one session of each sweep of the published result, what the others say of it."""
    for name in sessions.SWEEPS:
        folders = sessions.folders_of(name, RESULTS / PUBLISHED_SWEEPS)
        what = f"{name}, {len(folders)} of {sessions.WANTED} sessions"
        if len(folders) < 2:
            yield Aim(f"{what}: none predicts another yet", None)
            continue
        yield from predicted(what, sessions.leave_one_out([published(folder.name) for folder in folders.values()]))


def predicted(what: str, found: sessions.LeftOut) -> Iterator[Aim]:
    """What all but one session say of the one that is left out."""
    if found.covered:
        yield Aim(
            f"{what}, each predicted by the others: {found.coverage:.0%} of {len(found.covered)} relative figures in "
            f"their intervals (at least 90 %), median half width {found.width:.0%} (at most 20 %)",
            found.coverage >= 0.9 and found.width <= 0.2,
        )
    else:
        yield Aim(f"{what}: intervals for another session need two beside it", None)
    yield Aim(f"{what}, each beside the others: {found.opposite} pairs in opposite orders (0)", found.opposite == 0)
    share = found.told / found.large if found.large else None
    told = "none" if share is None else f"{found.told:,} of {found.large:,} ({share:.0%})"
    yield Aim(
        f"{what}: of pairs that differ by {sessions.LARGE:.0%} or more in one, and that no bound forbids, the others "
        f"tell {told} (at least 80 %)",
        None if share is None else share >= 0.8,
    )


@cache
def published(name: str) -> SweepAnalysis:
    return analyse(read(RESULTS / PUBLISHED_SWEEPS / name))


def adapters() -> Iterator[Aim]:
    """Each JVM adapter's requests per CPU-second over those of the smallest program (benchmarks/adapters.py)."""
    trials = rows_in(RECORDS / "adapters.jsonl", PairTrial, missing_ok=True)
    found = factors(trials, "per_cpu_second")
    for name, workload in sorted({(trial.comparison, trial.workload) for trial in trials}):
        factor = found.get((name, workload))
        told = f"{factor}, {factor.pairs} pairs" if factor else "no figure"
        yield Aim(
            f"{name.partition(' ')[0]} {workload}, requests per CPU-second over the smallest program's: {told} "
            f"(lower end at least {AIM:.2f})",
            factor is not None and factor.low >= AIM,
        )


def load_generators() -> Iterator[Aim]:
    """open-load's reach, and what it measures beside other generators (benchmarks/generators.py)."""
    runs = rows_in(RECORDS / "generators.jsonl", generators.Run)
    for shape in (generators.KEPT, generators.NEW):
        assert shape.rate
        own = generators.runs_of(shape, "open-load", runs)
        least, lost = min(run.per_second for run in own) / shape.rate, sum(run.lost or 0 for run in own)
        yield Aim(
            f"open-load on one core, {shape}: {least:.1%} of the rate in the worst of {len(own)} runs, {lost} requests "
            "lost (at least 99 %, 0)",
            least >= 0.99 and not lost,
        )
    for shape, program in generators.AGREED.items():
        turns = zip(*(generators.runs_of(shape, each, runs) for each in (program, "open-load")), strict=True)
        factor = factor_of([log(ours.per_second / other.per_second) for other, ours in turns])
        yield Aim(
            f"{shape}: requests/s of open-load over those of {program}: {factor}, {factor.pairs} pairs (0.95 to 1.05)",
            0.95 <= factor.ratio <= 1.05,
        )
    for shape in generators.AGREED_RATES:
        ours, *others = (
            median(run.p50 for run in generators.runs_of(shape, program, runs) if run.p50 is not None)
            for program in ("open-load", "vegeta", "oha")
        )
        yield Aim(
            f"{shape}: p50 of open-load {ours:.3f} ms, of vegeta and oha {others[0]:.3f} and {others[1]:.3f} ms "
            "(at most 0.05 ms from one of them)",
            min(abs(ours - other) for other in others) <= 0.05,
        )


def overhead() -> Iterator[Aim]:
    """What the runner takes of a rate (benchmarks/overhead.py)."""
    ratio = ratio_of(rows_in(RECORDS / "overhead.jsonl", RatePair))
    yield Aim(f"rate of ab by the runner over ab by hand: {said(ratio)} (0.98 to 1.02)", 0.98 <= ratio.ratio <= 1.02)


def over_nodes() -> Iterator[Aim]:
    """What a sweep over many nodes takes of the runner (benchmarks/swarm.py)."""
    *_, cost = rows_in(RECORDS / "swarm.jsonl", swarm.Cost)
    yield Aim(
        f"the runner of {cost.nodes} nodes and {cost.servers} servers: {cost.share_of_a_core:.1%} of a core, "
        f"{cost.memory_mib:.0f} MiB (at most 5 %, 100 MiB)",
        cost.share_of_a_core <= 0.05 and cost.memory_mib <= 100,
    )


def ratios(rows: Sequence[WarmUpRow]) -> list[float]:
    """Of the cells with both figures."""
    return [row.first / row.later for row in rows if row.first is not None and row.later is not None]


def share_below(values: Sequence[float], bound: float = 0.90) -> float:
    return sum(value < bound for value in values) / len(values)


if __name__ == "__main__":
    sys.exit(main())
