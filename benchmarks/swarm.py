#!/usr/bin/env python3
"""What a sweep over many nodes takes of the machine of the runner: CPU time and memory for 16 nodes and 500 servers.

    PYTHONPATH=src:tests .venv/bin/python benchmarks/swarm.py RECORDS [NODES [SERVERS]]

The nodes are simulated: each job's log is a file, with records of the size of real ones, and is there at once. What the
docker command takes to look at the swarm is not in it. RECORDS gets a line of JSON, and `benchmarks/aims.py` uses it.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from rows import add
from support.builders import server
from support.swarm import FakeSwarm, ready_sweep, swarm_sweep, told_by

from ab_runner.host import machine
from ab_runner.model.load import Outcome
from ab_runner.model.trial import Trial
from ab_runner.runtime.swarm import Node, Service
from ab_runner.sweep.swarm.conduct import conduct
from ab_runner.sweep.swarm.job import Job
from ab_runner.sweep.swarm.told import FileTold, RecordTold, Told, lines_of

NODES, SERVERS = 16, 500
BUCKETS = 300
"""Of the latencies of a trial: those of published sweeps have 50 to 400."""
RAW = b"$ ab -n 1000 ...\n" + b"Requests per second:    12345.67 [#/sec] (mean)\n" * 60
RATE = 16 / 2.0
"""Records per second of 16 nodes, whose trials take two seconds with all that is around them."""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What a sweep took of the runner. `memory_mib` is the most there was, `more_mib` how much more than before it."""

    nodes: int
    servers: int
    trials: int
    cpu_seconds: float
    memory_mib: float
    more_mib: float
    cpu_model: str

    @property
    def share_of_a_core(self) -> float:
        """At `RATE`."""
        return RATE * self.cpu_seconds / self.trials


def main(file: Path, *asked: str) -> None:
    nodes, servers = (*map(int, asked), *(NODES, SERVERS)[len(asked) :])
    found = cost(nodes, servers)
    add(file, found)
    print(f"{found}, {found.share_of_a_core:.2%} of a core at {RATE:g} trials per second")


def cost(nodes: int, servers: int) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        swarm = SwarmOfFiles(Path(folder), nodes)
        made = swarm_sweep(nodes, [server(f"s-{each}", workloads=("small",)) for each in range(servers)])
        ready = ready_sweep(Path(folder) / "sweep", made)
        for block in range(1, nodes + 1):
            runs = tuple(run for run in ready.runs if run.block == block)
            swarm.write(Job(number=block, block=block, node=f"n{block}", sweep=made, runs=runs))
        trials = sum(len(run.cells) for run in ready.runs)
        memory, cpu = _memory_mib(), time.process_time()
        conduct(ready, lambda event: None, swarm)
        return Cost(
            nodes=nodes,
            servers=servers,
            trials=trials,
            cpu_seconds=round(time.process_time() - cpu, 2),
            memory_mib=round(_memory_mib(), 1),
            more_mib=round(_memory_mib() - memory, 1),
            cpu_model=machine.describe().cpu_model,
        )


def _memory_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class FileLog:
    """A file as the log of a job."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __iter__(self) -> Iterator[str]:
        with self._path.open() as file:
            for line in file:
                yield line.rstrip("\n")
        time.sleep(3600)

    def close(self) -> None: ...


class SwarmOfFiles(FakeSwarm):
    """The log of each block is a file."""

    def __init__(self, folder: Path, nodes: int) -> None:
        super().__init__(*(f"n{each}" for each in range(1, nodes + 1)))
        self._folder = folder

    def write(self, job: Job) -> None:
        """Write the log of a job."""
        with (self._folder / f"block-{job.block}").open("w") as file:
            for number, told in enumerate(told_by(job), 1):
                file.writelines(f"{line}\n" for line in lines_of(number, _as_large(told)))

    def start(self, node: Node, number: int, block: int, told: bytes) -> Service:
        return Service(f"job-{number}", number, block, node.name)

    def follow(self, service: Service) -> FileLog:  # type: ignore[override]
        return FileLog(self._folder / f"block-{service.block}")


def _as_large(told: Told) -> Told:
    """Return a message as large as those of real trials are."""
    if isinstance(told, FileTold):
        return FileTold(told.name, RAW)
    if isinstance(told, RecordTold) and isinstance(told.record, Trial):
        outcome = told.record.outcome
        assert isinstance(outcome, Outcome)
        latency = {100 + 7 * each: 50 for each in range(BUCKETS)}
        return RecordTold(
            msgspec.structs.replace(told.record, outcome=msgspec.structs.replace(outcome, latency=latency))
        )
    return told


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
