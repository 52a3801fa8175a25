"""wrk as a generator of closed loads. It speaks HTTP/1.1, has threads, and runs for whole seconds.

`load.wrk_output` has what its figures mean. docs/measurement.md says what a trial with it verifies, and what not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from math import ceil
from urllib.parse import urlsplit

from ab_runner.load import wrk_output
from ab_runner.load.generator import Asked, Executor, Generator, Run, Target, transcript
from ab_runner.load.with_file import with_file
from ab_runner.model.load import Limit, Load, Outcome
from ab_runner.model.message import Verdict
from ab_runner.model.workload import Workload

_KEPT_AT_MOST = 1 << 16
"""Characters of each stream that are kept; wrk prints a thousand."""


class Wrk:
    """wrk as a `Generator`."""

    name = "wrk"
    package = "wrk"
    compares_answers = False
    can_ask_host_only = True
    counts_requests = False
    version_command = ("wrk", "-v")

    def processes(self, connections: int, at_most: int) -> int:
        """Return the number of threads. Each has the same number of connections: of 10 connections and 4 threads wrk
        would open 8."""
        return next(threads for threads in range(min(connections, at_most), 0, -1) if connections % threads == 0)

    def request_head(self, executor: Executor, host: str, workload: Workload) -> bytes:
        """Return the head of its requests, byte for byte. Its script has it from here."""
        return _head(host, workload.path, workload.keep_alive, workload.headers, workload.host_only)

    def run(self, target: Target, load: Load, concurrency: int) -> Run:
        """Make this load over this many connections at once, and return what came of it."""
        executor, url = target.executor, urlsplit(target.url)
        path = f"{url.path}?{url.query}" if url.query else url.path
        script = f"{executor.folder}/wrk.lua"
        command = _command(target, load, concurrency, script)
        text = wrk_output.SCRIPT.format(
            head=json.dumps(_head(url.netloc, path, target.keep_alive, target.headers, target.host_only).decode()),
            percentiles=", ".join(map(str, wrk_output.PERCENTILES)),
        )
        began = time.monotonic()
        done = executor.execute(with_file(script, text, _ended(command, load)), target.time_limit)
        seconds = time.monotonic() - began
        return Run(
            command=tuple(command),
            exit_code=done.exit_code,
            result=wrk_output.parse(
                done.stdout[:_KEPT_AT_MOST], done.stderr[:_KEPT_AT_MOST], done.exit_code, concurrency, target.keep_alive
            ),
            seconds=seconds,
            output=transcript(command, done, _KEPT_AT_MOST),
        )

    def limit(self, outcome: Outcome, by_cpu: Limit | None) -> Limit | None:
        """Return what limited a run: whose CPUs were full."""
        return by_cpu

    def judge(self, outcome: Outcome, asked: Asked, limit: Limit | None) -> Verdict:
        """Return whether a run with this outcome is valid, and why not."""
        return wrk_output.judge(outcome, asked)


GENERATOR: Generator = Wrk()


def _head(host: str, path: str, keep_alive: bool, headers: Sequence[str], host_only: bool) -> bytes:
    """Return the head that wrk is made to send: by itself it keeps no order of several headers. Connections that are
    kept are asked for, because some servers keep none otherwise."""
    connection = [] if host_only else [f"Connection: {'keep-alive' if keep_alive else 'close'}"]
    lines = (f"GET {path} HTTP/1.1", f"Host: {host}", *connection, *headers, "")
    return "".join(f"{line}\r\n" for line in lines).encode()


def _command(target: Target, load: Load, connections: int, script: str) -> list[str]:
    assert load.seconds is not None, "it counts no requests"
    return [
        "wrk", "-t", str(target.processes), "-c", str(connections), "-d", f"{ceil(load.seconds)}s",
        "--timeout", f"{target.idle_timeout}s", "-s", script, target.url,
    ]  # fmt: skip


def _ended(command: Sequence[str], load: Load) -> list[str]:
    """Return the command, ended early where its time is no whole number of seconds. Interrupted, wrk prints the figures
    of the time until then, to which it measures."""
    assert load.seconds is not None, "it counts no requests"
    if load.seconds == ceil(load.seconds):
        return list(command)
    return ["timeout", "--preserve-status", "--signal=INT", f"{load.seconds:g}", *command]
