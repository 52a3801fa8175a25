"""Apache Benchmark as a generator: runs ab, one process or several, and reads what it printed and what it left in
files.

`load.ab_command` has ab's command line, `load.ab_output` the parser of its output, `load.parallel` what several
processes need.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import ceil

from ab_runner.load import ab_command, ab_outcome, ab_output
from ab_runner.load.generator import Asked, Executor, Generator, Run, Target, transcript
from ab_runner.load.parallel import outputs, parallel_command, split_connections
from ab_runner.load.shares import merged
from ab_runner.model.load import Limit, Load, Outcome
from ab_runner.model.message import Message, Verdict
from ab_runner.model.workload import Workload

_KEPT_AT_MOST = 1 << 20
"""Characters of each stream that are kept; ab prints a few thousand."""


class Ab:
    """Apache Benchmark as a `Generator`."""

    name = "ab"
    package = "apache2-utils"
    compares_answers = False
    can_ask_host_only = False
    counts_requests = True
    version_command = ("ab", "-V")

    def processes(self, connections: int, at_most: int) -> int:
        """Return how many processes share so many connections: none has none."""
        return min(connections, at_most)

    def request_head(self, executor: Executor, host: str, workload: Workload) -> bytes:
        """Return the head of its requests, byte for byte. ab has no option that prints it, so nothing is run."""
        return ab_command.request_head(host, workload.path, workload.keep_alive, workload.headers)

    def run(self, target: Target, load: Load, concurrency: int) -> Run:
        """Make this load over this many connections at once, and return what came of it."""
        executor = target.executor
        shares = split_connections(concurrency, target.processes)
        names = _file_names(target.record_as, len(shares))
        csv_paths: list[str | None] = [f"{executor.folder}/{name}.csv" for name in names] or [None] * len(shares)
        commands = [
            _command(target, load, connections, path) for connections, path in zip(shares, csv_paths, strict=True)
        ]
        began = time.monotonic()
        done = executor.execute(_one_command(commands, names, executor), target.time_limit)
        seconds = time.monotonic() - began
        runs = (outputs(done.stdout, len(commands)) if len(commands) > 1 else []) or [done]
        milliseconds = [ab_output.parse_milliseconds(executor.take(f"{name}.latencies") or "") for name in names]
        csv_texts: list[str | None] = [executor.take(f"{name}.csv") for name in names] or [None] * len(shares)
        found = [
            ab_outcome.read(run, text, counts, load.requests is None)
            for run, text, counts in zip(runs, csv_texts, milliseconds or [{}] * len(shares), strict=False)
        ]
        return Run(
            command=tuple(commands[0]),
            exit_code=done.exit_code,
            result=_together(found),
            seconds=seconds,
            output=transcript(commands[0], done, _KEPT_AT_MOST),
        )

    def limit(self, outcome: Outcome, by_cpu: Limit | None) -> Limit | None:
        """Return what limited a run: whose CPUs were full."""
        return by_cpu

    def judge(self, outcome: Outcome, asked: Asked, limit: Limit | None) -> Verdict:
        """Return whether a run with this outcome is valid, and why not."""
        return ab_outcome.judge(outcome, asked)


GENERATOR: Generator = Ab()


def _together(found: Sequence[Outcome | Message]) -> Outcome | Message:
    """Return what all processes found. If one failed, all failed: without its load the others measured something
    else."""
    outcomes: list[Outcome] = []
    for each in found:
        if isinstance(each, Message):
            return each
        outcomes.append(each)
    return merged(outcomes) if len(outcomes) > 1 else outcomes[0]


def _file_names(record_as: str | None, processes: int) -> list[str]:
    """Return the names of the files that each process leaves: the trial's, and where there are several its number after
    it. There are none where nothing is recorded."""
    if record_as is None:
        return []
    return [record_as] if processes == 1 else [f"{record_as}.{number}" for number in range(1, processes + 1)]


def _command(target: Target, load: Load, connections: int, percentiles: str | None) -> list[str]:
    requests, seconds = _amount(load, connections, target.rate)
    return ab_command.command(
        url=target.url,
        concurrency=connections,
        requests=requests,
        seconds=seconds,
        keep_alive=target.keep_alive,
        headers=target.headers,
        idle_timeout=target.idle_timeout,
        percentiles=percentiles,
    )


def _amount(load: Load, connections: int, rate: float | None) -> tuple[int | None, int | None]:
    """Return ab's -n and -t, which takes whole seconds. For a fraction, -n bounds the run: the requests expected in
    that time, at least one per connection."""
    if load.seconds is None:
        return load.requests, None
    whole = ceil(load.seconds)
    if load.requests is not None or whole == load.seconds:
        return load.requests, whole
    return max(connections, ceil(load.seconds * (rate or 0))), whole


def _one_command(commands: Sequence[list[str]], names: Sequence[str], executor: Executor) -> list[str]:
    """Return the one command that runs all of them and, where there are names, leaves their latencies in files."""
    if names:
        commands = [
            ab_command.recording_latencies(command, f"{executor.folder}/{name}.latencies")
            for command, name in zip(commands, names, strict=True)
        ]
    return commands[0] if len(commands) == 1 else parallel_command(commands, executor.cpus)
