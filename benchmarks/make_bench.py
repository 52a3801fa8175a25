#!/usr/bin/env python3
"""How long does `make bench` take from a fresh clone, and how much of that is the sweep?

    docker image rm … ; docker builder prune --all      # for a machine with an engine and nothing else
    PYTHONPATH=src .venv/bin/python benchmarks/make_bench.py RECORD

RECORD is the JSON file to write. It says how many of the toolkit's images the engine had before.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from ab_runner import paths
from ab_runner.model.records import EndRecord, StartRecord
from ab_runner.store.layout import LATEST
from ab_runner.store.reader import read


class MakeBench(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of the whole command and of its sweep, from the first start of a server to the end."""

    images_before: int
    seconds: float
    sweep_seconds: float


def main(file: Path) -> None:
    listed = subprocess.run(["docker", "images", "--quiet", "ab-runner/*"], capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", str(paths.ROOT), folder], check=True)
        began = time.monotonic()
        subprocess.run(["make", "bench"], cwd=folder, check=True)
        seconds = time.monotonic() - began
        records = read(Path(folder) / "results" / LATEST).records
    first = next(record for record in records if isinstance(record, StartRecord))
    end = next(record for record in records if isinstance(record, EndRecord))
    found = MakeBench(
        images_before=len(listed.stdout.split()),
        seconds=round(seconds, 1),
        sweep_seconds=round((end.at - first.at).total_seconds(), 1),
    )
    file.write_bytes(msgspec.json.encode(found) + b"\n")
    print(f"make bench took {seconds:.0f} s, its sweep {found.sweep_seconds:.0f} s of them")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
