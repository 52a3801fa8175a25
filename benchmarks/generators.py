#!/usr/bin/env python3
"""Do load generators agree? open-load beside ab and wrk in a closed load, beside vegeta and oha in an open one.

    PYTHONPATH=src .venv/bin/python benchmarks/generators.py [SECONDS] [TURNS]

The server is the ceiling, on CPU 0; each generator has CPU 1 to itself. Generators take turns, so that all meet the
same machine; every second turn is in the opposite order. The table has medians of the turns. Programs that are not
installed are left out. Open loads that are compared have equal intervals, since vegeta and oha know no others. The last
rows are open-load alone, at rates that the others do not reach."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from ab_runner import paths
from ab_runner.load import ab_command, ab_output
from ab_runner.model.load import LoadReport
from ab_runner.sweep.fixtures import make_fixtures

PORT = 18_090
URL = f"http://127.0.0.1:{PORT}/small.html"
SERVER_CPU, GENERATOR_CPU = "0", "1"
CONNECTIONS = 100
AGREED_RATES = (1_000, 2_000, 5_000)
OPEN_LOAD = paths.ROOT / "generators/open-load/target/release/open-load"


class Figures(NamedTuple):
    """What a run came to; times are milliseconds, None where a program does not say."""

    per_second: float
    p50: float | None
    p99: float | None
    lag_p99: float | None = None
    cpu_share: float | None = None


class Contender(NamedTuple):
    load: str
    program: str
    run: Callable[[int], Figures]


def main(seconds: int, turns: int) -> None:
    fixtures = make_fixtures()
    built = paths.ROOT / "servers/ceiling"
    subprocess.run([paths.ROOT / "servers/shared/build-c", built], check=True)
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=OPEN_LOAD.parents[2], check=True)
    contenders = [each for each in all_contenders(fixtures / "small.html") if shutil.which(each.program.split()[0])]
    found: dict[Contender, list[Figures]] = {each: [] for each in contenders}
    with serving(built / "target/server", fixtures):
        for turn in range(turns):
            for contender in contenders if turn % 2 == 0 else reversed(contenders):
                found[contender].append(contender.run(seconds))
                time.sleep(0.5)
    print("| load | generator | requests/s | p50 ms | p99 ms | p99 of lag ms | CPU |\n|---|---|---|---|---|---|---|")
    for contender, figures in found.items():
        cells = (_median([each[column] for each in figures]) for column in range(len(Figures._fields)))
        print(f"| {contender.load} | {Path(contender.program).name} | {' | '.join(cells)} |")


def _median(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return ""
    return f"{median(known):,.0f}" if median(known) >= 100 else f"{median(known):.3f}"


@contextmanager
def serving(program: Path, folder: Path) -> Iterator[None]:
    """The ceiling, until the block ends."""
    environment = {**os.environ, "ADDRESS": "127.0.0.1", "PORT": str(PORT), "DOCROOT": str(folder)}
    command = ["taskset", "-c", SERVER_CPU, str(program)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        assert process.stdout.readline().startswith("ready")
        yield
    finally:
        process.terminate()
        process.wait()


def all_contenders(expected: Path) -> Iterator[Contender]:
    """Yield every load with every program that can make it."""

    def ours(*options: object) -> Callable[[int], Figures]:
        return lambda seconds: open_load(expected, seconds, *options)

    closed = ("--closed", CONNECTIONS)
    kept = f"closed, {CONNECTIONS} kept"
    yield Contender(f"{kept}, HTTP/1.0", "ab", lambda seconds: ab(seconds, keep_alive=True))
    yield Contender(f"{kept}, HTTP/1.0", str(OPEN_LOAD), ours(*closed, "--http", "1.0"))
    yield Contender(f"{kept}, HTTP/1.1", "wrk", wrk)
    yield Contender(f"{kept}, HTTP/1.1", str(OPEN_LOAD), ours(*closed))
    new = f"closed, {CONNECTIONS} new, HTTP/1.0"
    yield Contender(new, "ab", lambda seconds: ab(seconds, keep_alive=False))
    yield Contender(new, str(OPEN_LOAD), ours(*closed, "--http", "1.0", "--connections", "new"))
    for rate in AGREED_RATES:
        constant = f"open, {rate:,}/s constant"
        yield Contender(constant, "vegeta", lambda seconds, rate=rate: vegeta(seconds, rate))  # type: ignore[misc]
        yield Contender(constant, "oha", lambda seconds, rate=rate: oha(seconds, rate))  # type: ignore[misc]
        yield Contender(constant, str(OPEN_LOAD), ours("--rate", rate, "--arrivals", "constant"))
        yield Contender(f"open, {rate:,}/s Poisson", str(OPEN_LOAD), ours("--rate", rate))
    for rate in (20_000, 50_000):
        yield Contender(f"open, {rate:,}/s Poisson", str(OPEN_LOAD), ours("--rate", rate))
    yield Contender("open, 15,000/s Poisson, new", str(OPEN_LOAD), ours("--rate", 15_000, "--connections", "new"))


def output_of(*command: object, text: str = "", codes: tuple[int, ...] = (0,)) -> str:
    pinned = ["taskset", "-c", GENERATOR_CPU, *map(str, command)]
    done = subprocess.run(pinned, input=text, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in codes, f"{' '.join(pinned)}: {done.stderr}"
    return done.stdout


def open_load(expected: Path, seconds: int, *options: object) -> Figures:
    command = (OPEN_LOAD, "--json", "--seconds", seconds, "--expect", expected, *options, URL)
    report = json.loads(output_of(*command, codes=(0, 1)))
    if report["failed"] or report["refused"]:
        print(f"{options}: failed {report['failed']}, refused {report['refused']}", file=sys.stderr)
    latency = report["latency"]["milliseconds"]
    lag = report["lag"]["milliseconds"]["p99"] if report["lag"] else None
    share = report["cpu_seconds"] / report["seconds"]
    return Figures(report["answered_per_second"], latency["p50"], latency["p99"], lag, share)


def ab(seconds: int, keep_alive: bool) -> Figures:
    with tempfile.NamedTemporaryFile() as file:
        command = ab_command.command(
            url=URL, concurrency=CONNECTIONS, seconds=seconds, keep_alive=keep_alive, percentiles=file.name
        )
        output = output_of(*command)
        report = ab_output.parse(output, "", 0, Path(file.name).read_text())
    assert isinstance(report, LoadReport), report
    return Figures(report.requests_per_second, report.percentiles[50], report.percentiles[99])


def wrk(seconds: int) -> Figures:
    output = output_of("wrk", "--latency", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", URL)
    units = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    times = {
        share: float(value) * units[unit] for share, value, unit in re.findall(r"(\d+)% +([\d.]+)(us|ms|s)", output)
    }
    rate = re.search(r"Requests/sec: +([\d.]+)", output)
    assert rate, output
    return Figures(float(rate[1]), times.get("50"), times.get("99"))


def vegeta(seconds: int, rate: int) -> Figures:
    results = ("vegeta", "attack", f"-rate={rate}/s", f"-duration={seconds}s")
    script = f"{' '.join(results)} | vegeta report -type=json"
    report = json.loads(output_of("sh", "-c", script, text=f"GET {URL}\n"))
    latencies = report["latencies"]
    return Figures(report["throughput"], latencies["50th"] / 1e6, latencies["99th"] / 1e6)


def oha(seconds: int, rate: int) -> Figures:
    command = ("oha", "--no-tui", "--output-format", "json", "--latency-correction", "-c", CONNECTIONS)
    report = json.loads(output_of(*command, "-q", rate, "-n", rate * seconds, URL))
    times = report["latencyPercentiles"]
    return Figures(report["summary"]["requestsPerSec"], times["p50"] * 1e3, times["p99"] * 1e3)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10, int(sys.argv[2]) if len(sys.argv) > 2 else 5)
