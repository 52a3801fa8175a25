"""What docs/adding-a-server.md asks of a server, of every server, in the container that a sweep would start.

A server is started once for all of its tests. What it cannot do its server.toml says (`lacks`, `exceptions`), and then
the test must fail: a server that learns something must lose the word.
"""

from __future__ import annotations

import datetime
import os
import subprocess
import time
from collections.abc import Iterator
from email.utils import format_datetime
from pathlib import Path

import pytest
from e2e.conftest import FIXTURES, ROOT, containers_of, question_of_ab
from support.raw_client import RawClient
from support.workloads import workload_named

from ab_runner.catalog import artifacts
from ab_runner.catalog.server_file import Lack
from ab_runner.catalog.servers import load
from ab_runner.host.machine import cpu_split, raise_open_files
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName
from ab_runner.runtime.base import STOP_SECONDS
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.sweep import probe
from ab_runner.sweep.probe import Connect, ask

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker")]

SERVERS = load(ROOT / "servers")
SWEEP = f"conformance-{os.getpid()}"
START_SECONDS = 300.0
"""On a slow machine."""
LONG_HEADER = 8000
"""Bytes of a header of 8 KB; most servers bound the line with its name, or the whole head, by 8192."""
MANY = 1000


class Started:
    """A server that runs, and requests for the first of its workloads: in HTTP/1.0, as ab asks, if it speaks that."""

    def __init__(self, server: Server, connect: Connect) -> None:
        self.server = server
        self.connect = connect
        self._workload = workload_named(server.workloads[0])

    def request(self, keep_alive: bool = False, header: str = "") -> bytes:
        return self._request("GET", self._workload.path, keep_alive, header)

    def request_for(self, workload: WorkloadName) -> bytes:
        return self._request("GET", workload_named(workload).path)

    def head_request(self) -> bytes:
        return self._request("HEAD", "/small.html")

    def closes(self, client: RawClient) -> bool:
        """Does it close the connection without another byte? One that is said not to is not waited for."""
        if "close" in self.server.lacks:
            client.socket.settimeout(1)
        return client.is_closed()

    def body(self, request: bytes) -> bytes:
        fixture = self._workload.fixture
        return request if fixture is None else (FIXTURES / fixture).read_bytes()

    def _request(self, method: str, path: str, keep_alive: bool = False, header: str = "") -> bytes:
        if "http-1.0" in self.server.lacks:
            version, connection = "1.1", "" if keep_alive else "Connection: close\r\n"
        else:
            version, connection = "1.0", "Connection: Keep-Alive\r\n" if keep_alive else ""
        return f"{method} {path} HTTP/{version}\r\n{connection}{header}Host: localhost\r\n\r\n".encode()


@pytest.fixture(scope="module")
def runtime(docker: None, fixture_files: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerRuntime]:
    raise_open_files()
    runtime = DockerRuntime(ROOT, FIXTURES, cpu_split(), "loopback")
    runtime.prepare_generator()
    able = [server for server in SERVERS.values() if artifacts.unavailable(server) is None]
    assert runtime.prepare(able, print) == {}
    with sweep_lock():  # for it removes what sweeps left
        runtime.begin(SWEEP, tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("scratch"))
        yield runtime
        runtime.close()


@pytest.fixture(scope="module")
def started(runtime: DockerRuntime, request: pytest.FixtureRequest) -> Iterator[Started]:
    server = SERVERS[request.param]
    if reason := artifacts.unavailable(server):
        pytest.skip(reason.detail)
    running = runtime.start(server, server.id)
    try:
        probe.wait_until_ready(running.connect, workload_named(server.workloads[0]), START_SECONDS, running.ended)
        yield Started(server, running.connect)
    finally:
        running.stop()


def every_server(*needed: Lack, files: bool = False, rule: str | None = None) -> pytest.MarkDecorator:
    """Runs a test for every server (that serves files); where one lacks what is needed, or has an exception from the
    rule, the test must fail."""
    asked = [server for server in SERVERS.values() if not files or set(server.workloads) - {"echo"}]
    return pytest.mark.parametrize("started", [_parameter(server, needed, rule) for server in asked], indirect=True)


def _parameter(server: Server, needed: tuple[Lack, ...], rule: str | None) -> object:
    reasons = [f"lacks {word}" for word in needed if word in server.lacks]
    if rule in server.exceptions:
        reasons.append(f"exception from the rule {rule}: {server.exceptions[rule]}")
    marks = [pytest.mark.xfail(strict=True, reason="; ".join(reasons))] if reasons else []
    return pytest.param(server.id, id=server.id, marks=marks)


@every_server("http-1.0", "close")
def test_exact_bytes_and_a_closed_connection_and_nothing_that_is_not_there(started: Started) -> None:
    for name in started.server.workloads:
        if not workload_named(name).keep_alive:
            probe.check(started.connect, question_of_ab(name))


@every_server("keep-alive", "close")
def test_keep_alive_until_a_request_that_does_not_ask_for_it(started: Started) -> None:
    alive, last = started.request(keep_alive=True), started.request()
    with RawClient(started.connect) as client:
        for _ in range(3):
            client.send(alive)
            answer = client.answer()
            assert (answer.status, answer.body) == (200, started.body(alive))
            assert answer.headers["connection"].lower() == "keep-alive"
        client.send(last)
        assert client.answer().body == started.body(last)
        assert started.closes(client)


@every_server(files=True)
def test_open_load_can_keep_a_connection(started: Started, program: Path) -> None:
    request = subprocess.check_output([program, "--print-head", "http://localhost/small.html"])
    with RawClient(started.connect) as client:
        for _ in range(3):
            client.send(request)
            answer = client.answer()
            assert (answer.status, answer.body) == (200, (FIXTURES / "small.html").read_bytes())
            assert answer.headers.get("connection", "").lower() != "close"


@every_server("head", "close", files=True)
def test_head_has_the_length_and_no_body(started: Started) -> None:
    with RawClient(started.connect) as client:
        client.send(started.head_request())
        answer = client.answer(head_only=True)
        assert (answer.status, answer.headers["content-length"]) == (200, "100")
        assert started.closes(client)


@every_server(rule="headers")
def test_each_answer_has_its_date_and_each_file_its_time_of_modification(started: Started) -> None:
    for name in started.server.workloads:
        request = started.request_for(name)
        ask(started.connect, request)
        headers = ask(started.connect, request).headers  # perhaps from a cache
        assert is_http_date(headers.get("date", "")), headers
        assert name == "echo" or is_http_date(headers.get("last-modified", "")), headers


@every_server()
def test_a_request_in_two_packets(started: Started) -> None:
    request = started.request()
    for at in (1, 10, len(request) - 2):
        with RawClient(started.connect) as client:
            client.send(request[:at])
            time.sleep(0.05)
            client.send(request[at:])
            answer = client.answer()
            assert (answer.status, answer.body) == (200, started.body(request))


@every_server("long-header")
def test_a_header_of_8_kb(started: Started) -> None:
    request = started.request(header=f"X-Long: {'x' * LONG_HEADER}\r\n")
    answer = ask(started.connect, request)
    assert (answer.status, answer.body) == (200, started.body(request))


@every_server("many-connections")
def test_a_thousand_connections_at_once_are_all_answered(started: Started) -> None:
    request = started.request()
    clients: list[RawClient] = []
    try:
        for _ in range(MANY):
            clients.append(RawClient(started.connect))
        for client in clients:
            client.send(request)
        for client in clients:
            answer = client.answer()
            assert (answer.status, answer.body) == (200, started.body(request))
            client.socket.close()  # httpd keeps a worker waiting for that
    finally:
        for client in clients:
            client.socket.close()


@every_server()
def test_sigterm_ends_it(started: Started) -> None:
    """The last test of a server. On a machine that is five times slower than ours it may take as much longer."""
    container = container_of(started.server)
    with RawClient(started.connect) as client:  # which has no say in it
        client.send(started.request(keep_alive=True))
        client.answer()
        subprocess.run(["docker", "kill", "--signal", "TERM", container], check=True, capture_output=True)
        subprocess.run(["docker", "wait", container], check=True, capture_output=True, timeout=5 * STOP_SECONDS)


def is_http_date(text: str) -> bool:
    """Is this an IMF-fixdate (RFC 9110, section 5.6.7)? A day of one digit, as some old servers write it, is taken."""
    try:
        found = datetime.datetime.strptime(text, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=datetime.UTC)
    except ValueError:
        return False
    full = format_datetime(found, usegmt=True)
    return text in (full, full.replace(", 0", ", ", 1))


def container_of(server: Server) -> str:
    (name,) = containers_of(SWEEP, server.id)
    return name
