#!/usr/bin/env python3
"""How long `./ab-runner list` takes, from a person's return key to the prompt; the aim is 0.25 s.

    python3 benchmarks/startup.py [RUNS]

Compares with `python -c pass` of the same virtual environment, run in turns, because the machine's load changes.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = {
    "./ab-runner list": [str(ROOT / "ab-runner"), "list"],
    "python -c pass": [str(ROOT / ".venv/bin/python"), "-c", "pass"],
}


def seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main(runs: int) -> None:
    for command in COMMANDS.values():
        seconds(command)  # the first run makes .venv and fills the caches
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, command in COMMANDS.items():
            taken[name].append(seconds(command))
    for name, times in taken.items():
        print(f"{name:18} median {statistics.median(times):.3f} s, slowest {max(times):.3f} s, of {runs}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
