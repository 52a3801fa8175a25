#!/usr/bin/env python3
"""How long does `make bench` take from a fresh clone, and how much of that is the sweep?

    docker image rm … ; docker builder prune --all      # for a machine with an engine and nothing else
    PYTHONPATH=src .venv/bin/python benchmarks/make_bench.py RECORD

RECORD is the JSON file to write. It says how many of the toolkit's images the engine had before, and which time the
sweep named beforehand.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from repeatability import seconds_of
from sweep_times import expected_of

from ab_runner import paths
from ab_runner.store.layout import LATEST
from ab_runner.store.reader import read


class MakeBench(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of the whole command and of its sweep, from the first start of a server to the end. `named_seconds` is
    what the sweep named beforehand; older records lack it."""

    images_before: int
    seconds: float
    sweep_seconds: float
    named_seconds: float | None = None


def main(file: Path) -> None:
    images = images_of_the_toolkit()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", str(paths.ROOT), folder], check=True)
        began = time.monotonic()
        subprocess.run(["make", "bench"], cwd=folder, check=True)
        seconds = time.monotonic() - began
        stored = read(Path(folder) / "results" / LATEST)
    named = expected_of(stored).seconds
    found = MakeBench(
        images_before=images,
        seconds=round(seconds, 1),
        sweep_seconds=round(seconds_of(stored), 1),
        named_seconds=round(named, 1),
    )
    file.write_bytes(msgspec.json.encode(found) + b"\n")
    print(f"make bench took {seconds:.0f} s, its sweep {found.sweep_seconds:.0f} s of them; it named {named:.0f} s")


def images_of_the_toolkit() -> int:
    """Return how many of its images the engine has."""
    listed = subprocess.run(["docker", "images", "--quiet", "ab-runner/*"], capture_output=True, text=True, check=True)
    return len(listed.stdout.split())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
