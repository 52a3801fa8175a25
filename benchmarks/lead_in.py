#!/usr/bin/env python3
"""What do the first requests of an open load do to its p99? Trials with a lead-in and without one.

    PYTHONPATH=src .venv/bin/python benchmarks/lead_in.py [TURNS]

The ceiling on CPU 0, open-load on CPU 1 as processes, trials of 5 s, in turns. docs/benchmarks.md has the result."""

from __future__ import annotations

import sys
from statistics import median

from generators import Run, Shape, ceiling, open_load

LEAD_INS = (0.0, 0.5, 1.0)
"""In seconds."""
RATES = (10_000, 50_000)
SECONDS = 5


def main(turns: int) -> None:
    found: dict[tuple[int, float], list[Run]] = {(rate, lead_in): [] for rate in RATES for lead_in in LEAD_INS}
    with ceiling() as expected:
        for turn in range(turns):
            for (rate, lead_in), runs in found.items():
                runs.append(
                    open_load(Shape(rate, "poisson"), SECONDS, expected, "--lead-in", lead_in, "--seed", turn + 1)
                )
    print("| requests/s | lead-in s | p99 ms | p99 of lag ms |\n|--:|--:|--:|--:|")
    for (rate, lead_in), runs in found.items():
        p99, lag = (median(getattr(run, name) for run in runs) for name in ("p99", "lag_p99"))
        print(f"| {rate:,} | {lead_in:g} | {p99:.3f} | {lag:.3f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6)
