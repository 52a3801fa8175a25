#!/usr/bin/env python3
"""How far do the latencies of single seconds scatter: all, those without stolen time, with and without polling?

    PYTHONPATH=src .venv/bin/python benchmarks/clean_seconds.py [TURNS] [SERVER]

One server in Docker, warmed up; runs of 10 s at 1,000 and 5,000 requests/s over kept connections, with and without
open-load's --spin, in turns. The scatter is the standard deviation of the logarithm of p99 over seconds.
docs/benchmarks.md has the result.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import log
from statistics import median, stdev
from typing import NamedTuple
from unittest.mock import patch

from overhead import one_start

from ab_runner.load.generator_registry import OPEN
from ab_runner.model.load import Load, Second
from ab_runner.stats.histogram import weighted

SECONDS, RATES, SPINS = 10, (1_000, 5_000), (0, 200)
WARM_UP = Load(seconds=15)


class Measured(NamedTuple):
    """A second: whether it is clean, and its latencies in milliseconds."""

    clean: bool
    p50: float
    p99: float


def main(turns: int, server_id: str) -> None:
    found: dict[tuple[int, int], list[Measured]] = {(rate, spin): [] for rate in RATES for spin in SPINS}
    with one_start(server_id, "clean-seconds", OPEN) as start:
        start.load("small-keepalive", 100, WARM_UP, idle_timeout=30)
        for turn in range(turns):
            for (rate, spin), seconds in found.items():
                load = Load(seconds=SECONDS, rate=rate, seed=turn, lead_in=1)
                with patch("ab_runner.load.open_load_generator._SPIN", spin):
                    run = start.watched_load("small-keepalive", 1, load, record_as=f"{turn}-{rate}-{spin}").run
                assert run.outcome, "the run failed"
                seconds += measured(run.outcome.per_second)
    print("| server | requests/s | polls | seconds | p50 ms | p99 ms | scatter | clean | p50 ms | p99 ms | scatter |")
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for (rate, spin), seconds in found.items():
        clean = [second for second in seconds if second.clean]
        print(f"| {server_id} | {rate:,} | {'yes' if spin else 'no'} | {row(seconds)} | {row(clean)} |")


def measured(seconds: Sequence[Second]) -> list[Measured]:
    """Return these seconds of a run. A second is clean if nothing was stolen in it, nor in the one before."""
    rows, before = [], False
    for second in seconds:
        spread = weighted(second.latency.items())
        is_clean = not second.stolen and not before
        rows.append(Measured(is_clean, spread.percentile(50) / 1000, spread.percentile(99) / 1000))
        before = bool(second.stolen)
    return rows


def row(seconds: Sequence[Measured]) -> str:
    p99s = [second.p99 for second in seconds]
    scatter = stdev(map(log, p99s))
    return f"{len(seconds)} | {median(s.p50 for s in seconds):.3f} | {median(p99s):.3f} | {scatter:.2f}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6, sys.argv[2] if len(sys.argv) > 2 else "netty-4.2")
