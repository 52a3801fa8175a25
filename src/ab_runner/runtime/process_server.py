"""A server as a process of this host, with the generator beside it: its start, its signals, and its end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from ab_runner.host.interrupt import held
from ab_runner.host.orphans import Orphans
from ab_runner.load.generator import Completed
from ab_runner.model.message import Code, Message
from ab_runner.monitor.accounting import Session, children_cpu_seconds, pin
from ab_runner.monitor.watch import ResourceAccounts, accounts_of
from ab_runner.runtime import perf_files
from ab_runner.runtime.base import (
    INTERRUPT_SECONDS,
    OVER_TIME,
    STOP_SECONDS,
    RemoteGenerator,
    RuntimeUnusable,
    StartError,
    end_group,
    end_of,
    take_from,
)

_NOBODY = 65534
_VERSION_SECONDS = 30.0
_VERSION_AT_MOST = 16 << 10
"""Seconds and bytes that the text may have which says what runs."""


class ProcessServer:
    """A server and its generator, each in a process group of its own, and the server's own folder `stage`."""

    _sessions: ClassVar[set[int]] = set()
    """Of all servers that run."""

    def __init__(
        self, stage: Path, port: int, prefix: list[str], generator_folder: Path, fixtures: Path, orphans: Orphans
    ) -> None:
        """`prefix` is what the generator's commands begin with."""
        self.port = port
        self.host = f"127.0.0.1:{port}"
        self.environment: dict[str, str] = {}
        self.stage = stage
        self.accounts: ResourceAccounts | None = None
        self.load_hosts: Sequence[RemoteGenerator] = ()
        self.generator_folder = str(generator_folder)
        self.generator_fixtures = str(fixtures)
        self._prefix = prefix
        self._orphans = orphans
        self._server: subprocess.Popen[bytes] | None = None
        self._generator: subprocess.Popen[bytes] | None = None
        self._generator_session: Session | None = None
        self.is_stopped = False
        self.log: Path | None = None
        """What the server prints."""

    def launch(self, command: Sequence[str], environment: dict[str, str], log: BinaryIO) -> None:
        """Start the server's program; StartError if that does not work."""
        try:
            with held():
                self._server = subprocess.Popen(
                    command, cwd=self.stage / "server", env=environment, stdin=subprocess.DEVNULL, stdout=log,
                    stderr=subprocess.STDOUT, start_new_session=True, **as_nobody(),
                )  # fmt: skip
                self._sessions.add(self._server.pid)
        except (OSError, ValueError) as error:  # ValueError: a null byte
            raise StartError(Message(Code.DOES_NOT_START, detail=str(error))) from error

    def find_version(self, command: Sequence[str], environment: dict[str, str]) -> None:
        """Keep what a command prints that says what will run; nothing if it fails. It may be the server's own program,
        so that it runs as one."""
        with tempfile.TemporaryFile() as said:  # what is written to a pipe may have no end
            code = None
            with suppress(StartError, subprocess.TimeoutExpired):
                self.launch(command, environment, said)
                assert self._server is not None, "it has been launched"
                code = self._server.wait(_VERSION_SECONDS)
            self._end_server(0)
            said.seek(0)
            text = _text(said.read(_VERSION_AT_MOST)).strip()
            self.environment["version"] = text if code == 0 else ""

    def connect(self, seconds: float) -> socket.socket:
        """Return a new connection to it. OSError if there is none within so many seconds."""
        connection = socket.create_connection(("127.0.0.1", self.port), seconds)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def open_accounts(self, server_cpus: tuple[int, ...], generator_cpus: tuple[int, ...]) -> None:
        """Have its CPU time and memory accounted for, where this system can do that."""
        assert self._server is not None, "it has been launched"
        if sys.platform == "linux":
            server = Session(self._server.pid)
            self.accounts = accounts_of(server, self._generator_cpu_seconds, server_cpus, generator_cpus)
            self.environment["meter"] = "processes"

    def _generator_cpu_seconds(self) -> float:
        running = self._generator is not None and self._generator.returncode is None
        return children_cpu_seconds(self._generator_session if running else None)

    def perf_data(self) -> bytes:
        """Return a copy of its JVM's performance counters; empty if there are none."""
        return perf_files.of_process(self._server.pid) if self._server else b""

    def generate(self, command: Sequence[str], time_limit: float) -> Completed:
        """Run a command of the generator, for `time_limit` seconds at the most, and return how it ended."""
        with held():
            process = self._generator = subprocess.Popen(
                [*self._prefix, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True,
            )  # fmt: skip
        self._generator_session = Session(process.pid)
        try:
            stdout, stderr = process.communicate(timeout=time_limit)
            return Completed(process.returncode, _text(stdout), _text(stderr))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
        try:
            stdout, stderr = process.communicate(timeout=INTERRUPT_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
        return Completed(OVER_TIME, _text(stdout), _text(stderr))

    def take(self, name: str) -> bytes | None:
        """Return a regular file of a plausible size that the generator left; None without one."""
        return take_from(Path(self.generator_folder), name)

    def use_cpus(self, cpus: Sequence[int]) -> None:
        """Let it run on these CPUs and no others, from now on."""
        if self._server is not None:
            pin(Session(self._server.pid), cpus)

    def pause(self) -> None:
        """Freeze all of the server's processes."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the server's processes run again."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self._server is not None:
            with suppress(ProcessLookupError):  # all of them have ended
                for process in Session(self._server.pid).processes():
                    with suppress(ProcessLookupError):
                        os.kill(process, number)

    def ended(self) -> Message | None:
        """Return why there can be no further load; None while the server runs."""
        code = self._server.poll() if self._server else None
        return None if code is None else _end_of(code)

    def printed(self) -> str:
        """Return the last lines that the server has printed; empty if there are none."""
        if self.log is None:
            return ""
        with self.log.open("rb") as log:
            return end_of(log)

    def terminate(self, seconds: float) -> bool:
        """Send the server SIGTERM, and return whether it ends within so many seconds; else it is killed."""
        assert self._server is not None, "it has been launched"
        end_group(self._server, seconds)
        return self._server.returncode != -signal.SIGKILL

    def stop(self) -> None:
        """End server and generator, and remove the server's folder; may be called twice."""
        if self._generator is not None:
            end_group(self._generator, 0)
            self._generator = None
        self.is_stopped = True
        if self._server is not None:
            self.resume()  # a frozen process does not end when it is asked to
            self._end_server(STOP_SECONDS)
        shutil.rmtree(self.stage, ignore_errors=True)

    def _end_server(self, seconds: float) -> None:
        """End it within so many seconds, with all that it has started, in sessions of their own too. RuntimeUnusable if
        that does not work."""
        if self._server is not None:
            end_group(self._server, seconds)
            self._sessions.discard(self._server.pid)
            self._server = None  # its number may soon be another's
            if not self._orphans.end(self._sessions):
                raise RuntimeUnusable(
                    "processes that a server has started do not end: find them with ps, and kill them"
                )


def as_nobody() -> dict[str, Any]:
    """Return the options of Popen that start a program as nobody, where the runner may do that."""
    return {"user": _NOBODY, "group": _NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


def _text(output: bytes) -> str:
    return output.decode(errors="backslashreplace")


def _end_of(code: int) -> Message:
    if code < 0:
        return Message(Code.KILLED_BY, {"signal": signal.Signals(-code).name, "who": "server"})
    return Message(Code.EXITED, {"status": code, "who": "server"})
