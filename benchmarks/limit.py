#!/usr/bin/env python3
"""What tells servers apart where ab is the limit: a cheaper generator, or half a CPU for the server?

    PYTHONPATH=src .venv/bin/python benchmarks/limit.py RECORDS TURNS [SERVER…]
    PYTHONPATH=src .venv/bin/python benchmarks/limit.py RECORDS      # the tables in docs/benchmarks.md

Each server is started in Docker once in each turn for ab and once for wrk, warmed up, and measured over 100
connections with its CPU to itself and beside a rival: a container of the same weight on the same CPU that only
computes, so that the server has half of it. No quota is set: a server whose quota is used up stops for the rest of the
period. Every second turn is in the opposite order. RECORDS gets a line of JSON for each trial. What a rival shows is
compared with requests per CPU-second of the server, which need none."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from math import exp, log
from operator import attrgetter
from pathlib import Path
from statistics import median

import msgspec
from overhead import one_start
from rows import add, rows_in

from ab_runner.load.generator import Generator
from ab_runner.load.generator_registry import GENERATORS
from ab_runner.model.load import Limit, Load
from ab_runner.sweep.server.start import Start

SERVERS = (
    "lighttpd-1.4", "httpd-2.4-prefork", "cindy-3.0b1-acceptor", "tomcat-5.5.15", "tomcat-11", "jetty-12.1",
    "netty-4.2",
)  # fmt: skip
WORKLOADS = ("small", "large")
CONNECTIONS = 100
WARM_UP, TRIAL = Load(seconds=6), Load(seconds=2)
IDLE_TIMEOUT = 30
IMAGE, RIVAL = "debian:trixie-slim", "ab-runner-limit-rival"


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One trial: requests per second and per CPU-second of the server, and what was the limit."""

    turn: int
    server: str
    workload: str
    generator: str
    has_rival: bool
    rate: float
    per_cpu_second: float
    limit: Limit | None


def main(records: Path, turns: int, servers: Sequence[str]) -> None:
    ways = [(server, GENERATORS[name]) for server in servers for name in ("ab", "wrk")]
    for turn in range(turns):
        for server, generator in ways if turn % 2 == 0 else reversed(ways):
            for found in one_turn(turn, server, generator):
                add(records, found)


def one_turn(turn: int, server: str, generator: Generator) -> Iterator[Measured]:
    with one_start(server, "limit", generator) as start:
        for workload in WORKLOADS:
            start.load(workload, CONNECTIONS, WARM_UP, IDLE_TIMEOUT)
        cpus = start.context.runtime.server_cpus
        assert cpus, "servers are pinned where there are two CPUs"
        with rival(cpus) as shares:
            for workload in WORKLOADS:
                for has_rival in (False, True) if turn % 2 == 0 else (True, False):
                    shares(has_rival)
                    yield measured(turn, start, workload, has_rival)


def measured(turn: int, start: Start, workload: str, has_rival: bool) -> Measured:
    watched = start.watched_load(workload, CONNECTIONS, TRIAL)
    outcome, usage = watched.run.outcome, watched.sampler.usage
    assert outcome is not None, watched.run.failure
    assert usage is not None, "the engine shows no control groups"
    found = Measured(
        turn=turn,
        server=start.server.id,
        workload=workload,
        generator=start.context.generator.name,
        has_rival=has_rival,
        rate=outcome.rate,
        per_cpu_second=outcome.answered / usage.server_cpu_seconds,
        limit=watched.sampler.limit,
    )
    print(msgspec.json.encode(found).decode(), flush=True)
    return found


@contextmanager
def rival(cpus: Sequence[int]) -> Iterator[Callable[[bool], None]]:
    """A container that computes on these CPUs, until the block ends. It is paused until it is told to run."""
    command = ["docker", "run", "--detach", "--rm", "--name", RIVAL, "--network", "none"]
    command += ["--cpuset-cpus", ",".join(map(str, cpus)), IMAGE, "sh", "-c", "while :; do :; done"]
    subprocess.run(command, capture_output=True, check=True)
    runs = True

    def run(wanted: bool) -> None:
        nonlocal runs
        if wanted != runs:
            subprocess.run(["docker", "unpause" if wanted else "pause", RIVAL], capture_output=True, check=True)
            runs = wanted

    try:
        run(False)
        yield run
    finally:
        subprocess.run(["docker", "rm", "--force", RIVAL], capture_output=True, check=True)


# --- tables ------------------------------------------------------------------------------------------------------

KINDS = (("ab", False), ("ab", True), ("wrk", False), ("wrk", True))


def tables(found: Sequence[Measured]) -> Iterator[str]:
    """Yield the lines of both tables: rates, and how far apart the ways are in their ratios of servers."""
    for what, of in (("requests/s", attrgetter("rate")), ("requests per CPU-second", attrgetter("per_cpu_second"))):
        yield f"| {what} | server | ab | ab, rival | wrk | wrk, rival |"
        yield "|---|---|--:|--:|--:|--:|"
        for workload in WORKLOADS:
            for server in dict.fromkeys(each.server for each in found):
                cells = [shown([each for each in found if is_of(each, workload, server, *kind)], of) for kind in KINDS]
                yield f"| {workload} | {server} | {' | '.join(cells)} |"
        yield ""
    yield "| ratios of two servers | pairs | median difference | largest |"
    yield "|---|--:|--:|--:|"
    for workload in WORKLOADS:
        for name in ("ab", "wrk"):
            yield (
                f"| {workload}, {name}: rate beside a rival, against requests per CPU-second without one "
                f"| {differences(found, workload, name)} |"
            )


def is_of(each: Measured, workload: str, server: str, generator: str, has_rival: bool) -> bool:
    return (each.workload, each.server, each.generator, each.has_rival) == (workload, server, generator, has_rival)


def shown(trials: Sequence[Measured], of: Callable[[Measured], float]) -> str:
    """Return the median, with in how many trials the generator was the limit."""
    limited = sum(each.limit == "generator" for each in trials)
    return f"{median(map(of, trials)):,.0f}{f' g {limited}/{len(trials)}' if limited else ''}" if trials else "-"


def differences(found: Iterable[Measured], workload: str, generator: str) -> str:
    """Return by what factors ratios of two servers differ: pairs, the median over them, and the largest."""
    here = [each for each in found if (each.workload, each.generator) == (workload, generator)]
    servers = dict.fromkeys(each.server for each in here)
    beside = {id: median(each.rate for each in here if each.server == id and each.has_rival) for id in servers}
    alone = {
        id: median(each.per_cpu_second for each in here if each.server == id and not each.has_rival) for id in servers
    }
    factors = [
        exp(abs(log(beside[one] / beside[other]) - log(alone[one] / alone[other])))
        for one, other in combinations(servers, 2)
    ]
    return f"{len(factors)} | {100 * (median(factors) - 1):.0f} % | {100 * (max(factors) - 1):.0f} %"


if __name__ == "__main__":
    if len(sys.argv) > 2:
        main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or SERVERS)
    else:
        print("\n".join(tables(rows_in(Path(sys.argv[1]), Measured))))
