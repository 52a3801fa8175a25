#!/usr/bin/env python3
"""Do load generators agree? open-load beside ab and wrk in a closed load, beside vegeta and oha in an open one.

    PYTHONPATH=src .venv/bin/python benchmarks/generators.py RECORDS SECONDS TURNS
    PYTHONPATH=src .venv/bin/python benchmarks/generators.py RECORDS      # the table in docs/benchmarks.md

The server is the ceiling, on CPU 0; each generator has CPU 1 to itself. Generators take turns, so that all meet the
same machine; every second turn is in the opposite order. RECORDS gets a line of JSON for each run, and the table has
medians of the turns. Programs that are not installed are left out.

In a closed load the ceiling is about as fast as the generators, so that rates differ by the generators' own speed. At
half speed it shares its CPU with a program that only computes: then it limits all of them, and their rates should be
equal. Open loads that are compared have equal intervals, since vegeta and oha know no others. The last rows are
open-load alone, at rates that the others do not reach. `benchmarks/aims.py` computes the aims from the records."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median

import msgspec
from rows import add, rows_in

from ab_runner import paths
from ab_runner.load import ab_command, ab_output
from ab_runner.load.ab_output import AbFigures
from ab_runner.sweep.ready.fixtures import make_fixtures

PORT = 18_090
URL = f"http://127.0.0.1:{PORT}/small.html"
SERVER_CPU, GENERATOR_CPU = "0", "1"
CONNECTIONS = 100
OPEN_LOAD = paths.ROOT / "generators/open-load/target/release/open-load"


class Shape(msgspec.Struct, frozen=True):
    """A load at a rate, or without one a closed load over `CONNECTIONS` connections."""

    rate: int | None = None
    arrivals: str = "constant"
    http: str = "1.1"
    connections: str = "kept"
    half_speed: bool = False

    def __str__(self) -> str:
        if self.rate is not None:
            return f"open, {self.rate:,}/s {self.arrivals}, {self.connections}"
        slower = ", half speed" if self.half_speed else ""
        return f"closed, {CONNECTIONS} {self.connections}, HTTP/{self.http}{slower}"


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to. Times are milliseconds; None is what a program does not say. `lost` are requests that failed
    or were not sent."""

    shape: Shape
    program: str
    per_second: float
    p50: float | None
    p99: float | None
    lag_p99: float | None = None
    cpu_share: float | None = None
    lost: int | None = None


AGREED = {Shape(http="1.0", half_speed=True): "ab", Shape(half_speed=True): "wrk"}
"""Closed loads, and the program whose rate open-load should have."""
CLOSED = {Shape(http="1.0"): "ab", Shape(): "wrk", Shape(http="1.0", connections="new"): "ab", **AGREED}
AGREED_RATES = tuple(Shape(rate) for rate in (1_000, 2_000, 5_000))
"""Open loads at which open-load should have the latency of vegeta and oha."""
KEPT, NEW = Shape(50_000, "poisson"), Shape(15_000, "poisson", connections="new")
"""What open-load is to reach on one core."""
PAIRINGS = (
    *((shape, program) for shape, other in CLOSED.items() for program in (other, "open-load")),
    *((shape, program) for shape in AGREED_RATES for program in ("vegeta", "oha", "open-load")),
    *((Shape(rate, "poisson"), "open-load") for rate in (1_000, 5_000, 20_000)),
    (KEPT, "open-load"),
    (NEW, "open-load"),
)


def main(records: Path, seconds: int, turns: int) -> None:
    installed = [each for each in PAIRINGS if each[1] == "open-load" or shutil.which(each[1])]
    with ceiling() as expected:
        for turn in range(turns):
            for shape, program in installed if turn % 2 == 0 else reversed(installed):
                with busy_cpu() if shape.half_speed else nullcontext():
                    found = PROGRAMS[program](shape, seconds, expected)
                add(records, found)
                time.sleep(0.5)


def runs_of(shape: Shape, program: str, runs: Iterable[Run]) -> list[Run]:
    """Return the runs of a load by this program, turn by turn."""
    return [run for run in runs if (run.shape, run.program) == (shape, program)]


def table(runs: Sequence[Run]) -> Iterable[str]:
    """Yield the lines of a table with a row for each load and program."""
    yield "| load | generator | requests/s | p50 ms | p99 ms | p99 of lag ms | CPU | runs |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for shape, program in PAIRINGS:
        own = runs_of(shape, program, runs)
        figures = (_median(own, field) for field in ("per_second", "p50", "p99", "lag_p99", "cpu_share"))
        if own:
            yield f"| {shape} | {program} | {' | '.join(figures)} | {len(own)} |"


def _median(runs: Sequence[Run], field: str) -> str:
    """Return the median of the runs that have this field, as a text."""
    known = [value for run in runs if (value := getattr(run, field)) is not None]
    if not known:
        return ""
    return f"{median(known):,.0f}" if median(known) >= 100 else f"{median(known):.3g}"


@contextmanager
def ceiling() -> Iterator[Path]:
    """The ceiling, until the block ends; it and open-load are built first. Yields the file that is the right answer."""
    fixtures, server = make_fixtures(), paths.ROOT / "servers/ceiling"
    subprocess.run([paths.ROOT / "servers/shared/build-c", server], check=True)
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet"], cwd=OPEN_LOAD.parents[2], check=True)
    environment = {**os.environ, "ADDRESS": "127.0.0.1", "PORT": str(PORT), "DOCROOT": str(fixtures)}
    command = ["taskset", "-c", SERVER_CPU, str(server / "target/server")]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        assert process.stdout.readline().startswith("ready")
        yield fixtures / "small.html"
    finally:
        process.terminate()
        process.wait()


@contextmanager
def busy_cpu() -> Iterator[None]:
    """A program that takes half of the server's CPU, until the block ends."""
    process = subprocess.Popen(["taskset", "-c", SERVER_CPU, "sh", "-c", "while :; do :; done"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def output_of(*command: object, text: str = "", codes: tuple[int, ...] = (0,)) -> str:
    pinned = ["taskset", "-c", GENERATOR_CPU, *map(str, command)]
    done = subprocess.run(pinned, input=text, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in codes, f"{' '.join(pinned)}: {done.stderr}"
    return done.stdout


def open_load(shape: Shape, seconds: int, expected: Path, *further: object) -> Run:
    load = ("--closed", CONNECTIONS) if shape.rate is None else ("--rate", shape.rate, "--arrivals", shape.arrivals)
    options = (*load, "--http", shape.http, "--connections", shape.connections, *further)
    command = (OPEN_LOAD, "--json", "--seconds", seconds, "--expect", expected, *options, URL)
    report = json.loads(output_of(*command, codes=(0, 1)))
    latency = report["latency"]["milliseconds"]
    return Run(
        shape=shape,
        program="open-load",
        per_second=report["answered_per_second"],
        p50=latency["p50"],
        p99=latency["p99"],
        lag_p99=report["lag"]["milliseconds"]["p99"] if report["lag"] else None,
        cpu_share=report["cpu_seconds"] / report["seconds"],
        lost=report["requests"]["failed"] + report["requests"]["refused"],
    )


def ab(shape: Shape, seconds: int, _: Path) -> Run:
    with tempfile.NamedTemporaryFile() as file:
        command = ab_command.command(
            url=URL,
            concurrency=CONNECTIONS,
            seconds=seconds,
            keep_alive=shape.connections == "kept",
            percentiles=file.name,
        )
        report = ab_output.parse(output_of(*command), "", 0, Path(file.name).read_text())
    assert isinstance(report, AbFigures), report
    p50, p99 = report.percentiles[50], report.percentiles[99]
    return Run(shape=shape, program="ab", per_second=report.requests_per_second, p50=p50, p99=p99)


def wrk(shape: Shape, seconds: int, _: Path) -> Run:
    output = output_of("wrk", "--latency", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", URL)
    units = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    times = {
        share: float(value) * units[unit] for share, value, unit in re.findall(r"(\d+)% +([\d.]+)(us|ms|s)", output)
    }
    rate = re.search(r"Requests/sec: +([\d.]+)", output)
    assert rate, output
    return Run(shape=shape, program="wrk", per_second=float(rate[1]), p50=times.get("50"), p99=times.get("99"))


def vegeta(shape: Shape, seconds: int, _: Path) -> Run:
    script = f"vegeta attack -rate={shape.rate}/s -duration={seconds}s | vegeta report -type=json"
    report = json.loads(output_of("sh", "-c", script, text=f"GET {URL}\n"))
    times = report["latencies"]
    return Run(
        shape=shape,
        program="vegeta",
        per_second=report["throughput"],
        p50=times["50th"] / 1e6,
        p99=times["99th"] / 1e6,
    )


def oha(shape: Shape, seconds: int, _: Path) -> Run:
    assert shape.rate
    command = ("oha", "--no-tui", "--output-format", "json", "--latency-correction", "-c", CONNECTIONS)
    report = json.loads(output_of(*command, "-q", shape.rate, "-n", shape.rate * seconds, URL))
    times = report["latencyPercentiles"]
    return Run(
        shape=shape,
        program="oha",
        per_second=report["summary"]["requestsPerSec"],
        p50=times["p50"] * 1e3,
        p99=times["p99"] * 1e3,
    )


PROGRAMS: dict[str, Callable[[Shape, int, Path], Run]] = {
    "ab": ab, "wrk": wrk, "vegeta": vegeta, "oha": oha, "open-load": open_load,
}  # fmt: skip


if __name__ == "__main__":
    kept = Path(sys.argv[1])
    if len(sys.argv) > 2:
        main(kept, int(sys.argv[2]), int(sys.argv[3]))
    print("\n".join(table(rows_in(kept, Run))))
