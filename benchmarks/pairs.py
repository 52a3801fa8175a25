#!/usr/bin/env python3
"""Two servers in turns: how many times as fast is the second one? For a change of a server, or for two variants.

    PYTHONPATH=src .venv/bin/python benchmarks/pairs.py RECORDS STARTS FIRST:SECOND[:WORKLOADS] ...

FIRST and SECOND are folders of servers, such as servers/netty-4.2, with variables for their environment after plus
signs: servers/netty-4.2+FILE_CACHE=off. The first one may be of another checkout. Both are started as processes of this
host, each as often as STARTS says, and warmed up one after the other; then their trials alternate. While one is
measured the other is idle. RECORDS gets a line of JSON per trial, and what it has already is not measured again.
RECORDS alone prints its factors as rows of a table.

The factor of a workload is the geometric mean of the pairs' ratios, second over first; a pair is one start of each. Its
interval is Student's, of the logarithms. docs/benchmarks.md has the result, and `benchmarks/aims.py` uses such records.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from math import exp, log
from pathlib import Path
from statistics import mean

import msgspec
from rows import add, rows_in
from scipy.stats import ttest_1samp
from scratch import begun

from ab_runner.catalog.servers import load
from ab_runner.host.machine import CpuSplit, cpu_split
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.load.ab_outcome import judge
from ab_runner.load.generator import Asked
from ab_runner.model.load import Load
from ab_runner.model.protocol import PROTOCOLS, WarmUp
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName
from ab_runner.report.say.messages import full_text
from ab_runner.runtime.process import ProcessRuntime
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.ready.fixtures import make_fixtures
from ab_runner.sweep.server.start import Start
from ab_runner.sweep.server.warm_up import WarmUpLoad
from ab_runner.sweep.server.warm_up_run import run_warm_up

PORTS = (18_081, 18_082)
CONCURRENCY = 100
TRIALS = 2
"""Of each workload in each start."""
TRIAL = Load(seconds=1)
PROTOCOL = msgspec.structs.replace(PROTOCOLS["quick"], warm_up=WarmUp(Load(seconds=6), steady=True, at_most=12))


class Side(msgspec.Struct, frozen=True):
    """A server, and the folder that it is built in."""

    servers_dir: Path
    server: Server


class Comparison(msgspec.Struct, frozen=True):
    """Two servers and the workloads that both are measured with. `name` is that of its records."""

    name: str
    sides: tuple[Side, Side]
    workloads: tuple[WorkloadName, ...]


class PairTrial(msgspec.Struct, frozen=True, kw_only=True):
    """One trial of the first (0) or second (1) server of a comparison, in its n-th pair of starts. Rates are None where
    the trial failed, for the reason in `error`."""

    comparison: str
    pair: int
    side: int
    workload: WorkloadName
    rate: float | None
    """Requests per second."""
    per_cpu_second: float | None
    """Requests per CPU-second of the server: it tells a difference where ab is the limit too."""
    error: str | None = None


class Factor(msgspec.Struct, frozen=True):
    """The second server's figure over the first one's, with its 95 % interval."""

    ratio: float
    low: float
    high: float
    pairs: int

    def __str__(self) -> str:
        return f"{self.ratio:.2f} ({self.low:.2f} to {self.high:.2f})"


def factors(trials: Iterable[PairTrial], figure: str) -> dict[tuple[str, WorkloadName], Factor]:
    """Return the factor of each comparison and workload that has two pairs of valid trials; `figure` is the name of
    a figure of `PairTrial`."""
    logs: dict[tuple[str, WorkloadName], dict[tuple[int, int], list[float]]] = {}
    for trial in trials:
        if value := getattr(trial, figure):
            pairs = logs.setdefault((trial.comparison, trial.workload), {})
            pairs.setdefault((trial.pair, trial.side), []).append(log(value))
    ratios = {key: _ratios(starts) for key, starts in logs.items()}
    return {key: factor_of(found) for key, found in ratios.items() if len(found) >= 2}


def _ratios(starts: dict[tuple[int, int], list[float]]) -> list[float]:
    return [mean(starts[pair, 1]) - mean(starts[pair, 0]) for pair, side in starts if side == 0 and (pair, 1) in starts]


def factor_of(ratios: Sequence[float]) -> Factor:
    """Return the factor of two or more pairs, from the logarithms of their ratios."""
    low, high = ttest_1samp(ratios, 0).confidence_interval(0.95)
    return Factor(exp(mean(ratios)), exp(low), exp(high), len(ratios))


def compare(comparisons: Sequence[Comparison], starts: int, file: Path) -> None:
    """Measure what is missing in the file, and print the factors of each comparison when it is complete."""
    fixtures, cpus = make_fixtures(), cpu_split()
    runtimes = {
        (folder, number): _runtime(folder, fixtures, cpus, PORTS[number])
        for number in (0, 1)
        for folder in dict.fromkeys(each.sides[number].servers_dir for each in comparisons)
    }
    for (folder, number), runtime in runtimes.items():
        servers = [each.sides[number].server for each in comparisons if each.sides[number].servers_dir == folder]
        for server, why in runtime.prepare(servers, print).items():
            sys.exit(f"{folder}/{server}: {why}")
    with sweep_lock():
        for comparison in comparisons:
            done = {
                trial.pair for trial in rows_in(file, PairTrial, missing_ok=True) if trial.comparison == comparison.name
            }
            pair_runtimes = [runtimes[side.servers_dir, number] for number, side in enumerate(comparison.sides)]
            for pair in range(starts):
                if pair not in done:
                    add(file, *measure_pair(comparison, pair, pair_runtimes, fixtures))
            show([trial for trial in rows_in(file, PairTrial, missing_ok=True) if trial.comparison == comparison.name])


def _runtime(servers_dir: Path, fixtures: Path, cpus: CpuSplit, port: int) -> ProcessRuntime:
    runtime = ProcessRuntime(servers_dir, fixtures, cpus, port)
    runtime.prepare_generator()
    return runtime


def measure_pair(
    comparison: Comparison, pair: int, runtimes: Sequence[ProcessRuntime], fixtures: Path
) -> Iterator[PairTrial]:
    """Start both servers and give their trials in turns. The order of the two changes from pair to pair."""
    with ExitStack() as stack:
        starts = []
        for number, (side, runtime) in enumerate(zip(comparison.sides, runtimes, strict=True)):
            store = stack.enter_context(begun(runtime, "pairs"))
            context = SweepContext({}, PROTOCOL, runtime, store, fixtures, lambda event: None)
            starts.append((number, Start(context, side.server, 1, 1)))
        turns = starts if pair % 2 == 0 else starts[::-1]
        for _, start in turns:
            start.begin(comparison.workloads[0])
            run_warm_up(start, [WarmUpLoad(workload, CONCURRENCY) for workload in comparison.workloads])
        for _ in range(TRIALS):
            for workload in comparison.workloads:
                for number, start in turns:
                    yield measure(comparison.name, pair, number, start, workload)


def measure(name: str, pair: int, side: int, start: Start, workload: WorkloadName) -> PairTrial:
    """Make a trial and return it. Answers are compared meanwhile."""
    watched = start.watched_load(workload, CONCURRENCY, TRIAL)
    outcome, usage = watched.run.outcome, watched.sampler.usage
    question = start.question(workload)
    asked = Asked(
        load=TRIAL,
        connections=CONCURRENCY,
        keep_alive=question.workload.keep_alive,
        body_length=len(question.expected),
    )
    reason = judge(outcome, asked).reason if outcome else watched.run.failure
    error = (watched.spot_checks.wrong if watched.spot_checks else None) or reason
    counted = outcome if error is None else None
    cpu_seconds = usage.server_cpu_seconds if usage else 0
    return PairTrial(
        comparison=name,
        pair=pair,
        side=side,
        workload=workload,
        rate=counted.rate if counted else None,
        per_cpu_second=counted.answered / cpu_seconds if counted and cpu_seconds else None,
        error=full_text(error) if error else None,
    )


def show(trials: Sequence[PairTrial]) -> None:
    """Print the factors of these trials as rows of a Markdown table, and what failed."""
    by_cpu = factors(trials, "per_cpu_second")
    for (name, workload), factor in factors(trials, "rate").items():
        cpu = by_cpu.get((name, workload))
        print(f"| {name} | {workload} | {factor} | {cpu or '-'} | {factor.pairs} |", flush=True)
    for trial in trials:
        if trial.error:
            print(f"{trial.comparison} {trial.workload} pair {trial.pair} side {trial.side}: {trial.error}", flush=True)


def side_of(text: str) -> Side:
    """Return the server that FOLDER+NAME=VALUE… names."""
    folder, *variables = text.split("+")
    path = Path(folder).resolve()
    server = load(path.parent)[path.name]
    environment = server.environment | dict(variable.split("=", 1) for variable in variables)
    return Side(path.parent, msgspec.structs.replace(server, environment=environment))


def comparison_of(text: str) -> Comparison:
    """Return the comparison that FIRST:SECOND:WORKLOADS names; by default the workloads that both serve."""
    first, second, *chosen = text.split(":")
    sides = side_of(first), side_of(second)
    common = [name for name in sides[0].server.workloads if name in sides[1].server.workloads]
    workloads = [name for name in common if not chosen or name in chosen[0].split(",")]
    return Comparison(text, sides, tuple(workloads))


if __name__ == "__main__":
    records = Path(sys.argv[1])
    if len(sys.argv) == 2:
        show(rows_in(records, PairTrial, missing_ok=True))
    else:
        compare([comparison_of(text) for text in sys.argv[3:]], int(sys.argv[2]), records)
