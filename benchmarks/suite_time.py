#!/usr/bin/env python3
"""How long do `make check` and `make test` take from a fresh clone?

    docker image rm … ; docker builder prune --all      # for a machine with an engine and nothing else
    PYTHONPATH=src .venv/bin/python benchmarks/suite_time.py RECORDS

Each target has a clone of its own. What sets up its environment (`make .venv/test.txt`) is timed apart. RECORDS gets a
line of JSON for each target: it says how many of the toolkit's images the engine had before, and on which machine.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from make_bench import images_of_the_toolkit
from rows import add

from ab_runner import paths
from ab_runner.host import machine, preflight

Target = Literal["check", "test"]
TARGETS: tuple[Target, ...] = ("check", "test")


class SuiteTime(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds that a target took in a fresh clone after its `set_up_seconds`. `busy_cores` is what other programs used
    of the CPUs before."""

    target: Target
    commit: str
    images_before: int
    set_up_seconds: float
    seconds: float
    cpu_model: str
    cpus: int
    memory_bytes: int
    busy_cores: float


def main(file: Path) -> None:
    for target in TARGETS:
        found = timed(target)
        add(file, found)
        print(f"make {target} took {found.seconds:.0f} s, after {found.set_up_seconds:.0f} s of set-up")


def timed(target: Target) -> SuiteTime:
    here, busy, images = machine.describe(), preflight.conditions_now().busy_cores, images_of_the_toolkit()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", str(paths.ROOT), folder], check=True)
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=folder, capture_output=True, text=True, check=True
        ).stdout.strip()
        return SuiteTime(
            target=target,
            commit=commit,
            images_before=images,
            set_up_seconds=_seconds_of(".venv/test.txt", folder),
            seconds=_seconds_of(target, folder),
            cpu_model=here.cpu_model,
            cpus=here.cpus,
            memory_bytes=here.memory_bytes,
            busy_cores=round(busy, 2),
        )


def _seconds_of(target: str, folder: str) -> float:
    began = time.monotonic()
    subprocess.run(["make", target], cwd=folder, check=True)
    return round(time.monotonic() - began, 1)


def newest(records: Sequence[SuiteTime], target: Target) -> SuiteTime | None:
    """Return the last record of a target."""
    return next((each for each in reversed(records) if each.target == target), None)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
