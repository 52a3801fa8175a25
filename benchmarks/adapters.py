#!/usr/bin/env python3
"""Do our adapters slow frameworks down? Each JVM server beside the smallest program for the same workloads.

    PYTHONPATH=src .venv/bin/python benchmarks/adapters.py RECORDS STARTS [SERVERS]

The small programs are in benchmarks/plain, one for each adapter, as the framework's own documentation would write it.
`benchmarks/pairs.py` says how two programs are measured. Echo and files have starts of their own, because a small
program serves one of them. RECORDS gets a line of JSON per trial; with a higher number of starts it is continued, with
those workloads that do not meet the aim yet. RECORDS alone prints the factors as a table: the adapter's requests per
CPU-second over the small program's. `benchmarks/aims.py` compares them with the aim.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from pairs import Comparison, Factor, PairTrial, Side, compare, factors
from rows import rows_in

from ab_runner import paths
from ab_runner.catalog.servers import load, select
from ab_runner.catalog.workloads import load_workloads
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName

PLAIN = Path(__file__).parent / "plain"
AIM = 0.90
"""The least that the lower end of a factor's interval should be."""
FEWEST_PAIRS = 6
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


def not_met(comparison: Comparison, found: Mapping[tuple[str, WorkloadName], Factor]) -> Comparison:
    """Return the comparison with those of its workloads whose factors were not found to meet the aim."""
    met = {
        workload
        for (name, workload), factor in found.items()
        if name == comparison.name and factor.pairs >= FEWEST_PAIRS and factor.low >= AIM
    }
    return msgspec.structs.replace(
        comparison, workloads=tuple(workload for workload in comparison.workloads if workload not in met)
    )


def table(found: Mapping[tuple[str, WorkloadName], Factor]) -> Iterator[str]:
    """Yield the lines of a Markdown table: a row for each server, a column for each workload."""
    by_server: dict[str, dict[WorkloadName, str]] = {}
    for (name, workload), factor in sorted(found.items()):
        mark = "" if factor.pairs == FEWEST_PAIRS else f", {factor.pairs} pairs"
        text = f"{factor.ratio:.2f} ({factor.low:.2f}–{factor.high:.2f}{mark})"  # noqa: RUF001
        by_server.setdefault(name.partition(" ")[0], {})[workload] = text if factor.low >= AIM else f"**{text}**"
    names = list(load_workloads(paths.WORKLOADS))
    yield f"| server | {' | '.join(names)} |"
    yield f"|---{'|--:' * len(names)}|"
    for server, cells in by_server.items():
        yield f"| {server} | {' | '.join(cells.get(name, '') for name in names)} |"


if __name__ == "__main__":
    records = Path(sys.argv[1])
    found = factors(rows_in(records, PairTrial, missing_ok=True), "per_cpu_second")
    if len(sys.argv) == 2:
        print("\n".join(table(found)))
        sys.exit()
    every = [each for server in adapters(sys.argv[3:] or ["*"]) for each in comparisons(server)]
    wanted = [each for each in (not_met(comparison, found) for comparison in every) if each.workloads]
    compare(wanted, int(sys.argv[2]), records)
