"""A runtime without load: a real little web server to probe, and runs of the generator that were recorded or made up.

For tests of order and of faults only; what real servers do, the end-to-end tests see.
"""

from __future__ import annotations

import http.server
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from recordings.ab.outputs import golden

from ab_runner.load.generator import Completed
from ab_runner.model.message import Code, Message, Skip
from ab_runner.model.resources import Usage
from ab_runner.model.server import Server
from ab_runner.monitor.sampler import ResourceSampler
from ab_runner.monitor.watch import ResourceAccounts
from ab_runner.runtime.base import StartError, take_from
from ab_runner.sweep.server import start


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def end_headers(self) -> None:
        if self.request_version == "HTTP/1.0":
            kept = self.headers.get("Connection", "").lower() == "keep-alive" if hasattr(self, "headers") else False
            self.send_header("Connection", "keep-alive" if kept else "close")
        super().end_headers()


def recorded(name: str) -> Completed:
    """One of the recorded runs of ab in tests/recordings/ab."""
    case = golden(name)
    return Completed(case.exit_code, case.stdout, case.stderr)


def sampled(monkeypatch: pytest.MonkeyPatch, usages: Iterable[Usage]) -> None:
    """Have the loads that are watched take these, one after the other."""
    taken = iter(usages)

    class Sampler(ResourceSampler):
        def __exit__(self, *raised: Any) -> None:
            super().__exit__(*raised)
            self.usage = next(taken)

    monkeypatch.setattr(start, "ResourceSampler", Sampler)


Generate = Callable[[Server, Sequence[str]], Completed]


class FakeRuntime:
    """`generate` answers for the generator. `log` has what was done, in order. A server in `broken` does not start."""

    name = "fake"
    starts_ahead = True
    network = "loopback"
    jdk: int | None = 17
    server_cpus: tuple[int, ...] = ()
    generator_cpus: tuple[int, ...] = ()

    def __init__(
        self,
        docroot: Path,
        generate: Generate,
        broken: Sequence[str] = (),
        server_type: type[FakeServer] | None = None,
    ) -> None:
        self.server_type = server_type or FakeServer
        self.log: list[str] = []
        self.generate = generate
        self.broken = broken
        self.docroot = self.scratch = docroot
        self.running: list[FakeServer] = []

    def unavailable(self, server: Server) -> Skip | None:
        return None

    def program_of(self, server: Server) -> str:
        raise AssertionError("none of its servers is from outside")

    def prepare_generator(self) -> int:
        return 1024

    def prepare(self, servers: Sequence[Server], say: Callable[[str], None]) -> dict[str, str]:
        return {}

    def environment(self) -> dict[str, str]:
        return {}

    def begin(self, sweep_id: str, raw: Path, scratch: Path) -> None:
        self.scratch = scratch

    def start(self, server: Server, name: str) -> FakeServer:
        self.log.append(f"start {server.id}")
        if server.id in self.broken:
            raise StartError(Message(Code.DOES_NOT_START, detail="no such image"))
        running = self.server_type(self, server)
        running.folder = self.scratch / name
        self.running.append(running)
        return running

    def close(self) -> None:
        self.log.append("close")
        for running in self.running:
            running.stop()


class FakeServer:
    """A test may have a `handler` of its own, and a generator in place of `generate`."""

    load_hosts: Sequence[FakeRemote] = ()
    host = "127.0.0.1:8080"
    accounts: ResourceAccounts | None = None
    generator_folder = "/raw"
    generator_fixtures = "/srv/www"
    handler = Handler
    folder: Path
    """Where a test may leave what a generator would."""

    def __init__(self, runtime: FakeRuntime, server: Server) -> None:
        self.environment = {"version": "1"}
        self._runtime = runtime
        self.server = server
        handler = partial(self.handler, directory=str(runtime.docroot))
        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = ("127.0.0.1", self._http.server_address[1])
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.alive = True
        self.end: Message | None = None

    def connect(self, seconds: float) -> socket.socket:
        return socket.create_connection(self.address, seconds)

    def generate(self, command: Sequence[str], time_limit: float) -> Completed:
        if "--print-head" in command:
            path = command[-1].removeprefix(f"http://{self.host}")
            return Completed(0, f"GET {path} HTTP/1.1\r\nConnection: close\r\nHost: {self.host}\r\n\r\n", "")
        if command[0] == "open-load":
            self._runtime.log.append(f"load {self.server.id} {command[1].lstrip('-')}={command[2]} {command[-1]}")
            return self._runtime.generate(self.server, command)
        own = command[command.index("wrk" if "wrk" in command else "ab") :]
        self._runtime.log.append(f"load {self.server.id} c={own[own.index('-c') + 1]} {own[-1]}")
        return self._runtime.generate(self.server, own)

    def take(self, name: str) -> bytes | None:
        return take_from(self.folder, name)

    def printed(self) -> str:
        return ""

    def use_cpus(self, cpus: Sequence[int]) -> None:
        self._runtime.log.append(f"{self.server.id} on CPU {', '.join(map(str, cpus))}")

    def pause(self) -> None:
        self._runtime.log.append(f"pause {self.server.id}")

    def resume(self) -> None:
        self._runtime.log.append(f"resume {self.server.id}")

    def perf_data(self) -> bytes:
        return b""

    def die(self) -> None:
        """It stops answering, as a server does that crashed."""
        self.end = Message(Code.EXITED, {"status": 1, "who": "server"})
        if self.alive:
            self.alive = False
            self._http.shutdown()
            self._http.server_close()
            self._thread.join()

    def ended(self) -> Message | None:
        return self.end

    def terminate(self, seconds: float) -> bool:
        self.die()
        return True

    def stop(self) -> None:
        if self.alive:
            self._runtime.log.append(f"stop {self.server.id}")
        self.die()


class FakeRemote:
    """The generator on a load host. `answer` answers for it, and it leaves no files."""

    is_connected = True
    accounts: ResourceAccounts | None = None
    generator_folder = "/raw"
    generator_fixtures = "/srv/www"

    def __init__(self, name: str, answer: Callable[[Sequence[str]], Completed]) -> None:
        self.name = name
        self.commands: list[Sequence[str]] = []
        self.taken: list[str] = []
        self._answer = answer

    def generate(self, command: Sequence[str], time_limit: float) -> Completed:
        self.commands.append(command)
        return self._answer(command)

    def take(self, name: str) -> bytes | None:
        self.taken.append(name)
        return None
