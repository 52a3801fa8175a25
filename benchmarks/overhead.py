#!/usr/bin/env python3
"""Does the runner change what it measures? ab by hand against a trial of the runner, in turns on one running server.

    PYTHONPATH=src .venv/bin/python benchmarks/overhead.py RECORDS [PAIRS] [SERVER] [CONCURRENCY]

By hand is `docker exec … ab` and nothing else; the runner compares answers, samples CPU time and the JVM's counters
beside ab, records every latency and waits for the machine to cool down before. The order within a pair changes from
pair to pair. The ratio of the two rates should be within 0.98 and 1.02; its interval is Student's, of the logarithms of
the pairs' ratios. RECORDS gets a line of JSON per pair, and `benchmarks/aims.py` uses it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import log
from pathlib import Path

import msgspec
from pairs import Factor, factor_of
from rows import add, rows_in
from scratch import begun

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
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.ready.fixtures import make_fixtures
from ab_runner.sweep.server.start import Start
from ab_runner.sweep.trial.closed import PlannedTrial, make_trial

SWEEP = "overhead"
SECONDS = 2
WARM_UP_SECONDS = 10


class RatePair(msgspec.Struct, frozen=True):
    """Requests per second of one server in two ways, one after the other."""

    first: float
    second: float


def main(file: Path, pairs: int, server_id: str, concurrency: int) -> None:
    with one_start(server_id, SWEEP) as start:
        by_hand(start, concurrency, WARM_UP_SECONDS)
        for pair in in_turns(
            pairs,
            ("by hand", lambda: by_hand(start, concurrency, SECONDS)),
            ("ab-runner", lambda: by_runner(start, concurrency, SECONDS)),
        ):
            add(file, pair)
    print(f"{server_id} c={concurrency}, ab-runner over by hand: {said(ratio_of(rows_in(file, RatePair)))}")


def ratio_of(pairs: Iterable[RatePair]) -> Factor:
    """Return the ratio of the second rates over the first ones."""
    return factor_of([log(pair.second / pair.first) for pair in pairs])


def said(ratio: Factor) -> str:
    return f"{ratio.ratio:.3f} (95 % interval {ratio.low:.3f} to {ratio.high:.3f}, {ratio.pairs} pairs)"


@contextmanager
def one_start(server_id: str, sweep: str, generator: Generator = DEFAULT) -> Iterator[Start]:
    """Start a server in Docker, without warm-up, and end it with the block. `sweep` is in its containers' names."""
    server = load(paths.SERVERS)[server_id]
    fixtures = make_fixtures()
    runtime = DockerRuntime(cpu_split(), "loopback", generator=generator)
    runtime.prepare_generator()
    runtime.prepare([server], print)
    with sweep_lock(), begun(runtime, sweep) as store:
        servers = {server.id: server}
        context = SweepContext(
            servers, PROTOCOLS["quick"], runtime, store, fixtures, lambda event: None, generator=generator
        )
        start = Start(context, server, block=1, number=1)
        start.begin("small")
        yield start


def in_turns(pairs: int, *ways: tuple[str, Callable[[], float]]) -> Iterator[RatePair]:
    """Measure a rate in two ways, in pairs whose order changes."""
    for number in range(pairs):
        rates = {}
        for name, measure in ways if number % 2 else reversed(ways):
            rates[name] = measure()
            print(f"{number + 1} {name}: {rates[name]:,.0f}", flush=True)
        yield RatePair(*(rates[name] for name, _ in ways))


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
    file, *asked = sys.argv[1:]
    pairs, server_id, concurrency = (*asked, *("60", "tomcat-5.5.15", "100")[len(asked) :])
    main(Path(file), int(pairs), server_id, int(concurrency))
