#!/usr/bin/env python3
"""Do our adapters slow frameworks down? Each JVM server beside the smallest program for the same workloads.

    PYTHONPATH=src .venv/bin/python benchmarks/adapters.py RECORDS STARTS [SERVERS]

The small programs are in benchmarks/plain, one for each adapter, as the framework's own documentation would write it.
`benchmarks/pairs.py` says how two programs are measured. Echo and files have starts of their own, because a small
program serves one of them. RECORDS gets a line of JSON per trial; with a higher number of starts it is continued.
`benchmarks/aims.py` computes the factors: the adapter's requests per CPU-second over the small program's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from pairs import Comparison, Side, compare

from ab_runner import paths
from ab_runner.catalog.servers import load, select
from ab_runner.model.server import Server

PLAIN = Path(__file__).parent / "plain"
_MODE = "WORKLOAD"
"""What tells a small program whether it is asked for `echo` or for `files`."""


def adapters(names: Sequence[str]) -> list[Server]:
    """Return the servers with these names that have a small program."""
    return [server for server in select(load(paths.SERVERS), names) if (PLAIN / server.id / "pom.xml").exists()]


def comparisons(server: Server) -> Iterator[Comparison]:
    """Give the comparisons of an adapter with its small program: echo and files, as far as it serves them."""
    for mode in ("echo", "files"):
        if workloads := tuple(name for name in server.workloads if (name == "echo") == (mode == "echo")):
            plain = msgspec.structs.replace(server, environment={_MODE: mode})
            yield Comparison(f"{server.id} {mode}", (Side(PLAIN, plain), Side(paths.SERVERS, server)), workloads)


if __name__ == "__main__":
    wanted = [each for server in adapters(sys.argv[3:] or ["*"]) for each in comparisons(server)]
    compare(wanted, int(sys.argv[2]), Path(sys.argv[1]))
