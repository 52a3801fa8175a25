"""The interface of a runtime, and code that both runtimes share."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from msgspec import structs

from ab_runner.errors import UserError
from ab_runner.host import safe_files
from ab_runner.load.generator import Completed
from ab_runner.model.message import Code, Message, MessageError, Skip, SkipKind
from ab_runner.model.server import Server
from ab_runner.monitor.watch import Accounts

PORT = 8080
STOP_SECONDS = 2
"""How long a server may take to end after SIGTERM."""


class RuntimeUnusable(UserError):
    """Raised if the runtime cannot be used at all, with a line that says what to install or do."""


class StartError(MessageError):
    """One server could not be started."""


TAKEN_AT_MOST = 4 << 20
"""Bytes of a file that the generator leaves: 60,000 different milliseconds are less than one MiB."""
OVER_TIME = 124
"""The exit code of a generator that had to be ended from outside."""
INTERRUPT_SECONDS = 5
"""A generator may print what it has when it is interrupted: it gets this long for it before it is killed."""


class RunningGenerator(Protocol):
    """A generator that is ready for commands."""

    generator_folder: str
    """Where it may write, as it sees that."""
    generator_fixtures: str
    """Where the served files are, as it sees them."""

    @property
    def accounts(self) -> Accounts | None:
        """Return the accounts of CPU time and memory: of the server and its generator, or of a generator on a load
        host, in the place of both. None where this system does not show them."""

    def generate(self, command: Sequence[str], time_limit: float) -> Completed:
        """Run a command of the generator, for `time_limit` seconds at the most, and return how it ended."""

    def take(self, name: str) -> bytes | None:
        """Return a file that a command of the generator left in its folder. None without a regular file of that name
        and of a plausible size: a generator that a server has taken over may leave anything."""


class RemoteGenerator(RunningGenerator, Protocol):
    """A generator on a load host."""

    name: str
    """That of the host."""

    @property
    def is_connected(self) -> bool:
        """Return whether the connection to its host has not broken, as far as that is known without asking."""


class RunningServer(RunningGenerator, Protocol):
    """A server that has been started, and the generator beside it."""

    host: str
    """How the generator names it, as `host:port`."""
    environment: dict[str, str]
    """What was really started: image id, version of the JVM or package."""

    @property
    def load_hosts(self) -> Sequence[RemoteGenerator]:
        """Return the generators on load hosts that make its load; none where the one beside it does."""

    def connect(self, seconds: float) -> socket.socket:
        """Return a new connection to it, for the probe, which sends each part at once (TCP_NODELAY). OSError if there
        is none within so many seconds."""

    def perf_data(self) -> bytes:
        """Return a copy of its JVM's performance counters; empty if there are none."""

    def use_cpus(self, cpus: Sequence[int]) -> None:
        """Let it run on these CPUs and no others, from now on. RuntimeUnusable if that does not work while it runs."""

    def pause(self) -> None:
        """Freeze it, and give it no CPU until `resume`. RuntimeUnusable if that does not work while it runs."""

    def resume(self) -> None:
        """Let it run again after `pause`. RuntimeUnusable if that does not work while it runs."""

    def ended(self) -> Message | None:
        """Return why there can be no further load (`server exited with 1`); None while server and generator are
        there."""

    def printed(self) -> str:
        """Return the last lines that the server has printed; empty if there are none."""

    def terminate(self, seconds: float) -> bool:
        """Send it SIGTERM, and return whether it ends within so many seconds."""

    def stop(self) -> None:
        """End it and everything that was started with it, and keep its log; may be called twice. RuntimeUnusable if
        that does not work, because the next server would share its CPU with what is left."""


class Runtime(Protocol):
    """A way to run servers and the generator."""

    name: str
    network: str
    jdk: int | None
    """What all JVM servers run on; None where there is none."""
    server_cpus: tuple[int, ...]
    generator_cpus: tuple[int, ...]
    starts_ahead: bool
    """Whether another thread may start a server while this one makes load."""

    def unavailable(self, server: Server) -> Skip | None:
        """Return why this server cannot run here; None if it can."""

    def program_of(self, server: Server) -> str:
        """Return the sha256 of a server from outside that can run here: of its image, or of its files."""

    def prepare_generator(self) -> int:
        """Make the generator ready, and return how many files it may open. RuntimeUnusable if that does not work."""

    def prepare(self, servers: Sequence[Server], say: Callable[[str], None]) -> dict[str, str]:
        """Build what the servers need. Return those that could not be built, with the reason; they do not start."""

    def environment(self) -> dict[str, str]:
        """Return the versions of what takes part. Only after `prepare_generator`."""

    def begin(self, sweep_id: str, raw: Path, scratch: Path) -> None:
        """Have everything that is started from now on belong to that sweep; logs go to its folder `raw`. Where a
        generator writes to this machine, each start makes a folder of its name in `scratch`, the only one for it."""

    def start(self, server: Server, name: str) -> RunningServer:
        """Start a server and return it; it need not be ready yet. StartError if that does not work. `name` names its
        log."""

    def close(self) -> None:
        """End whatever is left of what was started; RuntimeUnusable if that does not work."""


def take_from(folder: Path, name: str) -> bytes | None:
    """Return a file in a folder of this machine that a generator may write to, as `RunningServer.take` does."""
    try:
        return safe_files.read(safe_files.real_folder(folder) / name, TAKEN_AT_MOST)
    except OSError:
        return None


def each_is_tried(*removals: Callable[[], None]) -> None:
    """Do all of these, whichever fails. RuntimeUnusable if one did."""
    failures: list[RuntimeUnusable] = []
    for remove in removals:
        try:
            remove()
        except RuntimeUnusable as error:
            failures.append(error)
    if failures:
        raise RuntimeUnusable("; ".join(map(str, failures)))


def build_failures(builds: Mapping[str, Sequence[str]], build: Callable[[Sequence[str]], str]) -> dict[str, str]:
    """Build everything at once and, if that fails, one by one; `builds` has the servers that need each. Return those
    that cannot be started, with the reason.

    `build` returns the end of the builder's output if it fails, else an empty text.
    """
    if not builds or not build(list(builds)):
        return {}
    failed = {name: reason for name in builds if (reason := build([name]))}
    return {server: reason for name, reason in failed.items() for server in builds[name]}


def check_built(server: Server, failures: Mapping[str, str]) -> None:
    """Raise StartError if the server is one of those that were not built."""
    if server.id in failures:
        raise StartError(Message(Code.DOES_NOT_BUILD, detail=failures[server.id]))


def end_group(process: subprocess.Popen[Any], seconds: float) -> None:
    """Ask a process and all of its group to end, and kill what is left after so many seconds.

    The process must have been started in a session of its own.
    """
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


_END_AT_MOST = 10_000
"""Characters of an output that are looked at."""


def end_of(file: BinaryIO) -> str:
    """Return the last lines of a file, of which only the end is read: a server may have printed any amount."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - _END_AT_MOST))
    return last_lines(file.read().decode(errors="backslashreplace"), 5)


def last_lines(text: str, count: int = 12) -> str:
    """Return the end of an output, where a failing tool says why."""
    return "\n".join(text[-_END_AT_MOST:].strip().splitlines()[-count:])


def text_of(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """Return what a command prints, on stderr too, as some print their version there; empty if it cannot be run."""
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return (done.stdout + done.stderr).strip()


_PRINTED_AT_MOST = 1_000


def with_printed(message: Message, printed: str) -> Message:
    """Return why a server does not start, with what it has printed where nothing else is known."""
    return structs.replace(message, detail=printed[-_PRINTED_AT_MOST:]) if printed and not message.detail else message


def cannot_run_in(runtime: str, server: Server) -> Skip | None:
    """Return why a server cannot run in that runtime, as its server.toml says; None if that says nothing."""
    reason = server.unavailable.get(runtime)
    return Skip(SkipKind.OTHER, reason) if reason else None


def needs_newer_jdk(server: Server, jdk: int | None) -> Skip | None:
    """Return why a server cannot run on that JDK, or the one of its study, if it is too old for it; None if it can."""
    jdk = server.jdk or jdk
    if not server.is_jvm or jdk is None or jdk >= server.jdk_at_least:
        return None
    return Skip(SkipKind.JDK, f"needs Java {server.jdk_at_least} or later; this sweep runs on {jdk}")


def processors(cpus: Sequence[int]) -> dict[str, str]:
    """Return the variable that tells a server how many CPUs to size itself for: in its warm-up it sees more of them.
    No variable where it is not pinned."""
    return {"PROCESSORS": str(len(cpus))} if cpus else {}


def version_command(server: Server, folder: str) -> list[str]:
    """Return a command that prints which JVM or package a server really runs on; `folder` is where its `start` lies.
    Empty for a server from outside: nothing is known that would."""
    packages = server.needs.packages if server.needs else ()
    commands = {
        "jvm": ["java", "-version"],
        "c": [f"{folder}/start", "--version"],
        "go": [f"{folder}/start", "--version"],
        "debian": ["dpkg-query", "--show", "--showformat", "${Package} ${Version}\\n", *packages],
    }
    return commands.get(server.kind, [])
