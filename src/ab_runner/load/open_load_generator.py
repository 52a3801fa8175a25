"""open-load as a generator: docs/open-load.md. It speaks HTTP/1.1 and compares every answer, byte for byte."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ab_runner.load import open_load_output
from ab_runner.load.generator import Asked, Executor, Generator, GeneratorError, Run, Target, transcript
from ab_runner.load.open_validity import judge_open, open_limit
from ab_runner.load.with_file import with_file
from ab_runner.model.load import Limit, Load, Outcome
from ab_runner.model.message import Verdict
from ab_runner.model.workload import Workload

_KEPT_AT_MOST = 16 << 20
"""Characters of its output that are kept; the distributions of a second have up to 40,000, and those of a trial must be
whole. A shell in a container prints no more."""
_HEAD_AT_MOST = 16 << 10
"""Characters of the head of a request; it has some 150."""
_LINE_AT_MOST = 500
"""Characters of its line about an error."""
_SPIN = 200
"""Microseconds before and after a request for which it polls where it has CPUs of its own: otherwise its wake-ups are a
large part of the latencies (docs/benchmarks.md)."""
_HEAD_SECONDS = 30.0
"""Longest time to print it, which takes no connection."""


class OpenLoadGenerator:
    """open-load as a `Generator`."""

    name = "open-load"
    package = None
    compares_answers = True
    can_ask_host_only = False
    counts_requests = False
    version_command = ("open-load", "--version")

    def processes(self, connections: int, at_most: int) -> int:
        """Return how many threads share so many connections: none has none."""
        return min(connections, at_most)

    def request_head(self, executor: Executor, host: str, workload: Workload) -> bytes:
        """Return the head of its requests, byte for byte, which the program prints. GeneratorError if it does not."""
        how = ["--connections", _connections(workload.keep_alive), *_headers(workload.headers)]
        command = ["open-load", "--print-head", *how, f"http://{host}{workload.path}"]
        done = executor.execute(command, _HEAD_SECONDS)
        head = done.stdout[:_HEAD_AT_MOST]
        if done.exit_code or not head.endswith("\r\n\r\n"):
            line = done.stderr.split("\n", 1)[0][:_LINE_AT_MOST]
            raise GeneratorError(line or f"exit code {done.exit_code}")
        return head.encode()

    def run(self, target: Target, load: Load, concurrency: int) -> Run:
        """Make an open load where it has a rate, else a closed one over this many connections, and return what
        came of it."""
        command = [*_command(target, load, concurrency), target.url]
        executed = command
        if target.constant is not None:
            executed = with_file(_constant_file(target), target.constant, executed)
        if target.beside is not None and target.beside.constant is not None:
            executed = with_file(_file_beside(target), target.beside.constant, executed)
        began = time.monotonic()
        done = target.executor.execute(executed, target.time_limit)
        seconds = time.monotonic() - began
        return Run(
            command=tuple(command),
            exit_code=done.exit_code,
            result=open_load_output.parse(done.stdout[:_KEPT_AT_MOST], done.stderr, done.exit_code),
            seconds=seconds,
            output=transcript(command, done, _KEPT_AT_MOST),
        )

    def limit(self, outcome: Outcome, by_cpu: Limit | None) -> Limit | None:
        """Return what limited a run; `by_cpu` is whose CPUs were full."""
        return open_limit(outcome, by_cpu)

    def judge(self, outcome: Outcome, asked: Asked, limit: Limit | None) -> Verdict:
        """Return whether a run with this outcome is valid, and why not. `limit` is what limited it."""
        return judge_open(outcome, asked, limit)


GENERATOR: Generator = OpenLoadGenerator()


def _command(target: Target, load: Load, concurrency: int) -> list[str]:
    if load.rate is None:
        kind = ["--closed", str(concurrency)]
    else:
        kind = ["--rate", str(load.rate), "--seed", str(load.seed)]
        kind += ["--arrivals", load.arrivals] if load.arrivals != "poisson" else []
        kind += ["--max-connections", str(load.most_connections)] if load.most_connections else []
        kind += ["--open", str(load.opened_before)] if load.opened_before else []
        kind += ["--spin", str(_SPIN)] if target.has_own_cpus else []
    expect = ["--expect-echo"] if target.echo else []
    if target.fixture is not None:
        expect = ["--expect", f"{target.executor.fixtures}/{target.fixture}"]
    if target.constant is not None:
        expect = ["--expect", _constant_file(target)]
    beside = []
    if load.beside is not None and target.beside is not None:
        beside = ["--beside", f"{load.beside.rate}={target.beside.path}", "--beside-expect", _file_beside(target)]
    clean = ["--at-most", str(load.at_most)] if load.at_most else []
    if load.at_most and target.cpus:
        clean += ["--cpus", ",".join(map(str, target.cpus))]
    return [
        "open-load", *kind, "--seconds", f"{load.seconds:g}", *clean, "--lead-in", f"{load.lead_in:g}",
        "--connections", _connections(target.keep_alive), *_headers(target.headers), *expect, *beside,
        "--timeout", str(target.idle_timeout), "--idle", str(load.idle),
        "--threads", str(target.processes), "--json",
    ]  # fmt: skip


def _constant_file(target: Target) -> str:
    return f"{target.executor.folder}/expected"


def _file_beside(target: Target) -> str:
    return f"{target.executor.folder}/expected-beside"


def _headers(lines: Sequence[str]) -> list[str]:
    return [word for line in lines for word in ("--header", line)]


def _connections(keep_alive: bool) -> str:
    return "kept" if keep_alive else "new"
