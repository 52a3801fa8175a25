#!/usr/bin/env python3
"""Does the runner change what it measures? ab by hand against a trial of the runner, in turns on one running server.

    PYTHONPATH=src .venv/bin/python benchmarks/overhead.py [PAIRS] [SERVER] [CONCURRENCY]

By hand is `docker exec … ab` and nothing else; the runner compares answers, samples CPU time and the JVM's counters
beside ab, records every latency and waits for the machine to cool down before. The order within a pair changes from
pair to pair. The ratio of the two rates should be within 0.98 and 1.02; its interval is Student's, of the logarithms of
the pairs' ratios."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log
from pathlib import Path

from pairs import factor_of

from ab_runner import paths
from ab_runner.catalog.servers import load
from ab_runner.host.machine import cpu_split
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.load import ab_command, ab_output
from ab_runner.load.ab_output import AbFigures
from ab_runner.load.generator import Generator
from ab_runner.load.generator_registry import DEFAULT
from ab_runner.model.load import Load, Outcome
from ab_runner.model.protocol import PROTOCOLS
from ab_runner.model.trial import Cell
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.store.layout import RAW_FOLDER
from ab_runner.store.writer import Store
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.ready.fixtures import make_fixtures
from ab_runner.sweep.server.start import Start
from ab_runner.sweep.trial.closed import PlannedTrial, make_trial

SWEEP = "overhead"
SECONDS = 2
WARM_UP_SECONDS = 10


def main(pairs: int, server_id: str, concurrency: int) -> None:
    with one_start(server_id, SWEEP) as start:
        by_hand(start, concurrency, WARM_UP_SECONDS)
        ratio = in_turns(
            pairs,
            ("by hand", lambda: by_hand(start, concurrency, SECONDS)),
            ("ab-runner", lambda: by_runner(start, concurrency, SECONDS)),
        )
    print(f"{server_id} c={concurrency}: {ratio}")


@contextmanager
def one_start(server_id: str, sweep: str, generator: Generator = DEFAULT) -> Iterator[Start]:
    """Start a server in Docker, without warm-up, and end it with the block. `sweep` is in its containers' names."""
    server = load(paths.SERVERS)[server_id]
    fixtures = make_fixtures()
    runtime = DockerRuntime(cpu_split(), "loopback", generator=generator)
    runtime.prepare_generator()
    runtime.prepare([server], print)
    with sweep_lock(), tempfile.TemporaryDirectory() as folder:
        (Path(folder) / RAW_FOLDER).mkdir()
        store = Store(Path(folder))
        runtime.begin(sweep, store.raw, store.scratch)
        try:
            servers = {server.id: server}
            context = SweepContext(
                servers, PROTOCOLS["quick"], runtime, store, fixtures, lambda event: None, generator=generator
            )
            start = Start(context, server, block=1, number=1)
            start.begin("small")
            yield start
        finally:
            runtime.close()
            store.close()


def in_turns(pairs: int, *ways: tuple[str, Callable[[], float]]) -> str:
    """Measure a rate in two ways, in pairs whose order changes. Return the ratio of the second over the first, with its
    interval."""
    rates: dict[str, list[float]] = {name: [] for name, _ in ways}
    for number in range(pairs):
        for name, measure in ways if number % 2 else reversed(ways):
            rates[name].append(measure())
            print(f"{number + 1} {name}: {rates[name][-1]:,.0f}", flush=True)
    first, second = rates
    factor = factor_of([log(ours / theirs) for theirs, ours in zip(rates[first], rates[second], strict=True)])
    return (
        f"{second} / {first} = {factor.ratio:.3f}, "
        f"95 % interval {factor.low:.3f} to {factor.high:.3f}, of {factor.pairs} pairs"
    )


def by_hand(start: Start, concurrency: int, seconds: int) -> float:
    url = f"http://{start.running.host}{start.context.workloads['small'].path}"
    command = [
        "docker",
        "exec",
        f"ab-runner-{SWEEP}-1-ab-1",
        *ab_command.command(url=url, concurrency=concurrency, seconds=seconds),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=False)
    figures = ab_output.parse(done.stdout, done.stderr, done.returncode)
    assert isinstance(figures, AbFigures), figures
    return figures.requests_per_second


def by_runner(start: Start, concurrency: int, seconds: int) -> float:
    cell = Cell(start.server.id, "small", concurrency)
    trial = make_trial(start, PlannedTrial(cell=cell, load=Load(seconds=seconds), name=start.name)).trial
    assert isinstance(trial.outcome, Outcome), trial.verdict
    return trial.outcome.completed_per_second


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 60,
        sys.argv[2] if len(sys.argv) > 2 else "tomcat-5.5.15",
        int(sys.argv[3]) if len(sys.argv) > 3 else 100,
    )
