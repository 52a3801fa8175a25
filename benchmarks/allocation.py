#!/usr/bin/env python3
"""How well do collections tell what a JVM allocates? Against what the JVM says of its threads (ThreadMXBean).

    PYTHONPATH=src .venv/bin/python benchmarks/allocation.py [SECONDS] [JAVA_HOME…]

A program allocates 400 MB/s in 40 threads, in objects of one size, with the heap of the servers. Its counters are read
once a second, as the runner does. docs/benchmarks.md has the result.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from ab_runner.monitor.allocation import Allocated, allocated
from ab_runner.monitor.hsperfdata import Counters, parse
from ab_runner.runtime import perf_files

THREADS, BYTES_PER_SECOND, HEAP = 40, 400_000_000, "512m"
SIZES = (64, 4_000, 20_000, 200_000)
COLLECTORS = ("Serial", "G1")
SOURCE = Path(__file__).with_name("Allocate.java")


def main(seconds: int, homes: list[str]) -> None:
    print(
        "| java | collector | bytes of an object | collections | error | by ThreadMXBean |\n|---|---|--:|--:|--:|--:|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for home in homes:
            subprocess.run([f"{home}/bin/javac", "-nowarn", "-d", folder, str(SOURCE)], check=True)
            for collector in COLLECTORS:
                for size in SIZES:
                    found = row(home, folder, collector, size, seconds)
                    print(f"| {Path(home).name} | {collector} | {size:,} | {found} |", flush=True)


def row(home: str, folder: str, collector: str, size: int, seconds: int) -> str:
    """Return how many collections there were, the error that the figure has, and how far it was off."""
    looks = list(looks_at(home, folder, collector, size, seconds))
    found = [allocated(before, after) for (_, before), (_, after) in pairwise(looks)]
    known = [each for each in found if each is not None]
    assert len(known) == len(found), "no eden"
    told, real = sum(each.bytes for each in known), looks[-1][0] - looks[0][0]
    error = sum(each.error for each in known) + max(known, key=lambda each: each.eden).eden
    collections = round(told / Allocated(*known[-1]).eden)
    return f"{collections} | ±{100 * error / told:.1f} % | {100 * (told / real - 1):+.1f} %"


def looks_at(home: str, folder: str, collector: str, size: int, seconds: int) -> Iterator[tuple[int, Counters | None]]:
    """Yield each second what the threads have allocated, and the counters then."""
    heap = (f"-XX:+Use{collector}GC", f"-Xms{HEAP}", f"-Xmx{HEAP}")
    asked = (str(THREADS), str(BYTES_PER_SECOND), str(size), str(seconds))
    command = [f"{home}/bin/java", *heap, "-cp", folder, "Allocate", *asked]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield int(line), parse(perf_files.of_process(process.pid))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2:] or ["/usr/lib/jvm/default-java"])
