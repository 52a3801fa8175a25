"""What a runtime can do, and the things that both runtimes share."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec

from ab_runner.errors import UserError
from ab_runner.model.server import Server
from ab_runner.monitor.accounting import ResourceAccounts

PORT = 8080
STOP_SECONDS = 2
"""How long a server may take to end when it is asked to."""


class RuntimeUnusable(UserError):
    """The runtime cannot be used at all, in a line that says what to install or do."""


class StartError(Exception):
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
    accounts: ResourceAccounts | None
    """Of its CPU time and memory; None where this system does not show them."""

    def perf_data(self) -> bytes:
        """A copy of its JVM's performance counters; empty if there are none."""

    def generate(self, command: Sequence[str], time_limit: float) -> Completed:
        """Runs the generator against it, for `time_limit` seconds at the most."""

    def use_cpus(self, cpus: Sequence[int]) -> None:
        """Lets it run on these CPUs and no others, from now on. RuntimeUnusable if that does not work while it runs."""

    def ended(self) -> str | None:
        """Why there can be no further load (`server exited with 1`), or None while server and generator are there."""

    def stop(self) -> None:
        """Ends it and everything that was started with it, and keeps its log; may be called twice. RuntimeUnusable if
        that does not work, because the next server would share its CPU with what is left."""


class Runtime(Protocol):
    name: str
    network: str
    jdk: int | None
    """What all JVM servers run on; None where there is none."""
    server_cpus: tuple[int, ...]
    generator_cpus: tuple[int, ...]
    raw_folder: str
    """Where the generator of the last start may write, as it sees it."""

    def unavailable(self, server: Server) -> str | None:
        """Why this server cannot run here, or None."""

    def prepare_generator(self) -> int:
        """Makes the generator ready, and returns how many files it may open. RuntimeUnusable if that does not work."""

    def prepare(self, servers: Sequence[Server], say: Callable[[str], None]) -> dict[str, str]:
        """Builds what the servers need. Returns those that could not be built, with the reason; they do not start."""

    def environment(self) -> dict[str, str]:
        """Versions of what takes part. Only after `prepare_generator`."""

    def begin(self, sweep_id: str, raw: Path, scratch: Path) -> None:
        """Everything that is started from now on belongs to that sweep; logs go to its folder `raw`. Each start
        makes a folder of its name in `scratch`, the only one that its generator may write to."""

    def start(self, server: Server, name: str) -> RunningServer:
        """Starts a server; StartError if that does not work. `name` names its log. It need not be ready yet."""

    def close(self) -> None:
        """Ends whatever is left of what was started; RuntimeUnusable if that does not work."""


def build_failures(
    servers: Sequence[Server], programs: Sequence[str], build: Callable[[Sequence[str]], str]
) -> dict[str, str]:
    """Builds all programs at once and, if that fails, one by one, to find the servers that cannot be started.

    `build` returns the end of the builder's output if it fails, else an empty text.
    """
    if not programs or not build(programs):
        return {}
    failed = {program: reason for program in programs if (reason := build([program]))}
    return {server.id: failed[server.program] for server in servers if server.program in failed}


def check_built(server: Server, failures: Mapping[str, str]) -> None:
    if server.id in failures:
        raise StartError("does not build", failures[server.id])


def end_group(process: subprocess.Popen[Any], seconds: float) -> None:
    """Asks a process and all of its group to end, and kills what is left after so many seconds.

    The process must have been started in a session of its own.
    """
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def last_lines(text: str, count: int = 12) -> str:
    """The end of an output, where a failing tool says why."""
    return "\n".join(text.strip().splitlines()[-count:])


def text_of(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """What a command prints, on stderr too, as some print their version there; empty if it cannot be run."""
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr).strip()


def needs_newer_jdk(server: Server, jdk: int | None) -> str | None:
    """Why a server cannot run on that JDK, if it is too old for it."""
    if server.kind != "jvm" or jdk is None or jdk >= server.jdk_at_least:
        return None
    return f"needs Java {server.jdk_at_least} or later; this sweep runs on {jdk}"


def processors(cpus: Sequence[int]) -> dict[str, str]:
    """Return the variable that tells a server how many CPUs to size itself for: in its warm-up it sees more of them.
    None where it is not pinned."""
    return {"PROCESSORS": str(len(cpus))} if cpus else {}


def version_command(server: Server, folder: str) -> list[str]:
    """Prints which JVM or which package a server really runs on; `folder` is where its `start` lies."""
    if server.kind == "c":
        return [f"{folder}/start", "--version"]
    if server.needs is None:
        return ["java", "-version"]
    return ["dpkg-query", "--show", "--showformat", "${Package} ${Version}\\n", *server.needs.packages]
