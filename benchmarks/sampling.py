#!/usr/bin/env python3
"""Does the runner's sampling delay the requests of an open load? Latency and lag at four sampling intervals.

    PYTHONPATH=src .venv/bin/python benchmarks/sampling.py [TURNS] [SERVER]

One server in Docker, warmed up; trials of 5 clean seconds at 10,000 requests/s over kept connections, as the runner
makes them, in turns. docs/benchmarks.md has the result.
"""

from __future__ import annotations

import sys
from statistics import median
from unittest.mock import patch

from overhead import one_start

from ab_runner.load.generator_registry import OPEN
from ab_runner.model.load import Load
from ab_runner.stats.histogram import weighted

SECONDS, RATE = 5, 10_000
INTERVALS = {
    "ten a second": 0.1,
    "two a second": 0.5,
    "three in all": SECONDS / 3,
    "only at the start and the end": 10.0 * SECONDS,
}
"""In seconds."""
WARM_UP = Load(seconds=10)


def main(turns: int, server_id: str) -> None:
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in INTERVALS}
    with one_start(server_id, "sampling", OPEN) as start:
        start.load("small-keepalive", 100, WARM_UP, idle_timeout=30)
        for turn in range(turns):
            for name, interval in INTERVALS.items():
                load = Load(seconds=SECONDS, at_most=4 * SECONDS, rate=RATE, seed=turn, lead_in=1)
                with patch("ab_runner.sweep.server.start.interval_of", return_value=interval):
                    watched = start.watched_load("small-keepalive", 1, load, record_as=f"{turn}-{interval}")
                outcome = watched.run.outcome
                assert outcome, "the trial failed"
                assert outcome.arrivals
                p99 = weighted(outcome.latency.items()).percentile(99) / 1000
                found[name].append((p99, outcome.arrivals.lag_p99))
    print("| server | samples | p99 ms | p99 of lag ms |\n|---|---|--:|--:|")
    for name, figures in found.items():
        latency, lag = (median(column) for column in zip(*figures, strict=True))
        print(f"| {server_id} | {name} | {latency:.3f} | {lag:.3f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6, sys.argv[2] if len(sys.argv) > 2 else "netty-4.2")
