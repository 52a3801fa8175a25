"""What a runtime can do, and the things that both runtimes share."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from ab_runner.model import Server

PORT = 8080


class RuntimeUnusable(Exception):
    """The runtime cannot be used at all, in a line that says what to install or do."""


class StartFailed(Exception):
    """One server could not be started; a few words for its cells, and the whole story as `detail`."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.detail = detail


class Completed(msgspec.Struct, frozen=True):
    """How a run of the generator ended; the exit code is 124, as of timeout(1), if it had to be ended from outside."""

    exit_code: int
    stdout: str
    stderr: str


OVER_TIME = 124
INTERRUPT_SECONDS = 5
"""ab prints what it has when it is interrupted: it gets this long for it before it is killed."""


class RunningServer(Protocol):
    address: tuple[str, int]
    """Where the runner reaches it, for the probe."""
    host: str
    """How the generator names it, as `host:port`."""
    environment: dict[str, str]
    """What was really started: image id, version of the JVM or package."""

    def generate(self, command: Sequence[str], time_limit: float) -> Completed:
        """Runs the generator against it, for `time_limit` seconds at the most."""

    def ended(self) -> str | None:
        """Why it is no longer running, or None while it is."""

    def stop(self) -> None:
        """Ends it and everything that was started with it, and keeps its log. Does not raise, may be called twice."""


class Runtime(Protocol):
    name: str
    network: str
    server_cpus: tuple[int, ...]
    generator_cpus: tuple[int, ...]
    raw_folder: str
    """The sweep's raw/ as the generator sees it."""

    def unavailable(self, server: Server) -> str | None:
        """Why this server cannot run here, or None."""

    def prepare(self, servers: Sequence[Server], say: Callable[[str], None]) -> dict[str, str]:
        """Builds what servers and generator need. Returns the servers that could not be built, with the reason."""

    def open_files(self) -> int:
        """How many files the generator may open."""

    def environment(self) -> dict[str, str]:
        """Versions of what takes part, and what was set for the servers. Only after `prepare`."""

    def begin(self, sweep_id: str, raw: Path) -> None:
        """Everything that is started from now on belongs to that sweep; logs go to its folder `raw`."""

    def start(self, server: Server, name: str) -> RunningServer:
        """Starts a server; StartFailed if that does not work. `name` names its log. It need not be ready yet."""

    def close(self) -> None:
        """Ends whatever is left of what was started."""


def build_failures(
    servers: Sequence[Server], programs: Sequence[str], build: Callable[[Sequence[str]], str]
) -> dict[str, str]:
    """Builds all programs at once and, if that fails, one by one, to find the servers that have to be left out.

    `build` returns the end of the builder's output if it fails, else an empty text.
    """
    if not programs or not build(programs):
        return {}
    failed = {program: reason for program in programs if (reason := build([program]))}
    return {server.id: f"does not build: {failed[server.program]}" for server in servers if server.program in failed}


def text_of(command: Sequence[str]) -> str:
    """What a command prints, on stderr too, as some print their version there; empty if it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr).strip()


def last_lines(text: str, count: int = 12) -> str:
    """The end of an output, where a failing tool says why."""
    return "\n".join(text.strip().splitlines()[-count:])


def version_command(server: Server, folder: str) -> list[str]:
    """Prints which JVM or which package a server really runs on; `folder` is where its `start` lies."""
    if server.kind == "c":
        return [f"{folder}/start", "--version"]
    if server.needs is None:
        return ["java", "-version"]
    return ["dpkg-query", "--show", "--showformat", "${Package} ${Version}\\n", *server.needs.packages]
