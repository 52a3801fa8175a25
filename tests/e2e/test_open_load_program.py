"""The load generator generators/open-load against servers that the test runs and whose answers are known."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, quantiles
from typing import Any

import pytest
from support.cargo import cargo
from support.executor import Here
from support.hdr_histogram import counts, quantile
from support.odd_servers import BODY, RIGHT, Connection, Delayed, Queue, Server, lying, running
from support.waiting import AT_MOST, until

from ab_runner.load.generator import Target
from ab_runner.load.generator_registry import OPEN
from ab_runner.model.load import Load

Report = dict[str, Any]


@pytest.fixture
def expected(tmp_path: Path) -> Path:
    file = tmp_path / "expected"
    file.write_bytes(BODY)
    return file


def started(program: Path, port: int, *options: object, host: str = "127.0.0.1") -> subprocess.Popen[str]:
    command = [str(program), "--json", *map(str, options), f"http://{host}:{port}/"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> Report:
    """Its report, in which the equations of the accounts must hold, and its exit code."""
    output, errors = process.communicate(timeout=AT_MOST)
    assert process.returncode in (0, 1), errors
    report: Report = json.loads(output)
    wrong = sum(map(checked, filter(None, (report, report["beside"]))))
    assert process.returncode == (1 if wrong else 0)
    return report


def checked(report: Report) -> int:
    """Check the accounts of one load, and return how much was not right."""
    requests: dict[str, int] = report["requests"]
    assert requests["planned"] == requests["sent"] + requests["refused"]
    assert requests["sent"] == requests["answered"] + requests["failed"]
    assert requests["failed"] == sum(report["failed"].values())
    assert requests["refused"] == sum(report["refused"].values())
    for name in ("sent", "refused", "answered", "failed"):
        assert requests[name] == sum(report["per_second"][name])
    for times, of in (("latency", "answered"), ("latency_from_sending", "answered"), ("lag", "planned")):
        if report[times]:
            check_times(report[times], requests[of])
    unrequested: int = report["connections"]["unrequested_bytes"]
    return requests["failed"] + requests["refused"] + unrequested


def check_times(times: Report, count: int) -> None:
    """The histogram has all values, and the percentiles are its own."""
    buckets = counts(times["hdr_histogram"])
    assert times["count"] == sum(count for _, count in buckets) == count
    for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)):
        assert times["milliseconds"][name] == pytest.approx(quantile(buckets, share) / 1e6)


def run(program: Path, respond: Callable[[Connection, int], None], *options: object) -> Report:
    with running(Server(respond)) as (port,):
        return ended(started(program, port, *options))


def right(connection: Connection, number: int) -> None:
    connection.send(RIGHT)


@pytest.mark.parametrize(
    ("answer", "failed"), [("Hello, Wörld!", False), ("Hello, World!", True), ("Hello, Wörld", True)]
)
def test_answers_are_compared_with_a_constant(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, failed: bool
) -> None:
    body = answer.encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    with running(Server(lambda connection, number: connection.send(head + body))) as (port,):
        target = Target(
            url=f"http://127.0.0.1:{port}/", keep_alive=True, idle_timeout=5, time_limit=AT_MOST,
            executor=Here(tmp_path), constant="Hello, Wörld!",
        )  # fmt: skip
        found = OPEN.run(target, Load(seconds=1, rate=20), 1)
    assert found.outcome, found.output
    assert (found.outcome.failed_at_least, found.outcome.completed) == (20, 0) if failed else (0, 20)


@pytest.mark.usefixtures("program")
def test_its_own_tests_pass() -> None:
    cargo("test")


def test_percentiles_are_those_of_a_server_that_pauses_and_a_closed_load_hides_them(
    program: Path, expected: Path
) -> None:
    """A pause of 1 s in every 10 s, at 10 % and 50 % of the server's capacity, for two periods. By the fluid model of a
    queue 1 - 10 (1 - q) (1 - rho) s is quantile q of the waiting time, and 0.05 / (1 - rho) s is its mean. Of a closed
    load each pause delays one request per connection."""
    common = ("--expect", expected, "--seconds", 20, "--arrivals", "constant")
    queues = [Queue(capacity, pause=1, period=10) for capacity in (2000, 400, 500)]
    with running(*map(Server, queues)) as ports:
        processes = [started(program, port, "--rate", 200, *common) for port in ports[:2]]
        processes.append(started(program, ports[2], "--closed", 4, *common))
        *opened, closed = [ended(process) for process in processes]
    for rho, report, server in zip((0.1, 0.5), opened, queues[:2], strict=True):
        assert report["requests"] == expected_requests(planned=4000, answered=4000)
        found, lag = report["latency"]["milliseconds"], report["lag"]["milliseconds"]
        within = 20 + lag["max"] + 1000 * max(server.late)
        for name, share in (("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)):
            assert found[name] == pytest.approx(1000 - 10_000 * (1 - share) * (1 - rho), abs=within), (rho, name)
        within = 10 + lag["mean"] + 1000 * mean(server.late)
        assert found["mean"] == pytest.approx(50 / (1 - rho), abs=within)
    found = closed["latency"]["milliseconds"]
    usual = 1000 * 4 / 500
    assert usual - 1 < found["p50"] < usual + 3 + 1000 * ninth_decile(queues[2].late)
    assert found["p99"] < 200, "the pause does not show"
    slow = sum(count for value, count in counts(closed["latency"]["hdr_histogram"]) if value > 500_000_000)
    assert slow == 2 * 4, "one request per connection and pause"
    assert (closed["lag"], closed["latency_from_sending"]) == (None, None)
    check_littles_law(closed, 4, within=0.03 + max(queues[2].late) / 20)


def check_littles_law(report: Report, connections: int, within: float) -> None:
    """Throughput times latency is the connections, but for what the end cuts off."""
    found = report["answered_per_second"] * report["latency"]["milliseconds"]["mean"] / 1000
    assert found == pytest.approx(connections, rel=within)


def test_a_constant_time_is_the_median(program: Path, expected: Path) -> None:
    server = Delayed(0.005)
    began = time.time()
    report = run(program, server, "--rate", 200, "--seconds", 2, "--expect", expected)
    late = report["lag"]["milliseconds"]["p90"] + 1000 * ninth_decile(server.late)
    names = ("latency", "latency_from_sending", "lag")
    latency, from_sending, lag = (report[name]["milliseconds"] for name in names)
    assert 5 <= latency["p50"] < 6 + late
    assert 4.99 < from_sending["min"] <= latency["min"], "to three digits"
    assert from_sending["mean"] == pytest.approx(latency["mean"] - lag["mean"], abs=0.002 * latency["mean"])
    assert report["requests"]["answered"] == 400
    took = time.time() - began
    assert 1.9 < report["seconds"] < took
    assert began < report["end_unix_seconds"] < began + took
    assert 0 < report["cpu_seconds"] < took


def ninth_decile(values: list[float]) -> float:
    return quantiles(values, n=10)[8]


FRAMES = {
    "length": RIGHT,
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n%b\r\n14;x=y\r\n%b\r\n0\r\n\r\n"
    % (BODY[:80], BODY[80:]),
    "close": b"HTTP/1.0 200 OK\r\n\r\n" + BODY,
}


@pytest.mark.parametrize("connections", ["kept", "new"])
@pytest.mark.parametrize("frame", FRAMES)
def test_answers_of_each_kind_are_understood(program: Path, expected: Path, frame: str, connections: str) -> None:
    def respond(connection: Connection, number: int) -> None:
        connection.send(FRAMES[frame])
        if frame == "close":
            connection.transport.close()

    options = ("--rate", 200, "--seconds", 0.5, "--connections", connections, "--expect", expected)
    report = run(program, respond, *options)
    assert report["requests"]["answered"] == 100
    opened = report["connections"]["opened"]
    assert opened < 100 if connections == "kept" and frame != "close" else opened == 100


@pytest.mark.parametrize("connections", ["kept", "new"])
def test_http_1_0_keeps_a_connection_if_the_server_says_so(program: Path, expected: Path, connections: str) -> None:
    def respond(connection: Connection, number: int) -> None:
        assert b" HTTP/1.0\r\n" in connection.head
        keeps = b"Connection: keep-alive" in connection.head
        connection.send(RIGHT.replace(b"\r\n", b"\r\nConnection: keep-alive\r\n", 1) if keeps else RIGHT)
        if not keeps:
            connection.transport.close()

    options = ("--rate", 200, "--seconds", 0.5, "--http", "1.0", "--connections", connections, "--expect", expected)
    report = run(program, respond, *options)
    assert report["requests"]["answered"] == 100
    assert (report["connections"]["opened"] == 100) is (connections == "new")


def test_an_echo_is_compared_with_the_request(program: Path) -> None:
    def respond(connection: Connection, number: int) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(connection.head), connection.head))

    report = run(program, respond, "--rate", 100, "--seconds", 0.2, "--expect-echo")
    assert report["requests"]["answered"] == 20
    assert report["expected_bytes"] == len(report["request_head"])


@pytest.mark.parametrize("options", [(), ("--http", "1.0", "--connections", "new", "--header", "X: y")])
def test_the_head_that_it_prints_is_the_one_that_it_sends(program: Path, options: tuple[str, ...]) -> None:
    heads = set()

    def respond(connection: Connection, number: int) -> None:
        heads.add(connection.head)
        connection.send(RIGHT)

    with running(Server(respond)) as (port,):
        report = ended(started(program, port, "--rate", 100, "--seconds", 0.2, *options))
    command = [str(program), "--print-head", *options, f"http://127.0.0.1:{port}/"]
    assert heads == {subprocess.check_output(command)} == {report["request_head"].encode()}


def _send_and_close(data: bytes) -> Callable[[Connection], None]:
    def lie(connection: Connection) -> None:
        connection.transport.write(data)
        connection.transport.close()

    return lie


def _half_and_reset(connection: Connection) -> None:
    connection.transport.write(RIGHT[:60])
    asyncio.get_running_loop().call_later(0.05, connection.reset)


def _drip(connection: Connection, sent: int = 0) -> None:
    if not connection.transport.is_closing():
        connection.transport.write(RIGHT[sent : sent + 1])
        asyncio.get_running_loop().call_later(0.1, _drip, connection, sent + 1)


def _without_end(data: bytes, begin: bytes = b"") -> Callable[[Connection], None]:
    """Sends as long as the client reads."""

    def lie(connection: Connection) -> None:
        connection.transport.write(begin)
        go_on(connection)

    def go_on(connection: Connection) -> None:
        if not connection.transport.is_closing():
            connection.transport.write(data)
            asyncio.get_running_loop().call_later(0.001, go_on, connection)

    return lie


LIES: dict[str, tuple[str, Callable[[Connection], None]]] = {
    "wrong byte": ("wrong_bytes", lambda connection: connection.send(RIGHT[:-1] + b"\x01")),
    "shorter, and says so": (
        "wrong_length",
        lambda connection: connection.send(RIGHT.replace(b"Length: 100", b"Length: 99")[:-1]),
    ),
    "shorter, to the end of the connection": ("wrong_length", _send_and_close(FRAMES["close"][:-1])),
    "truncated": ("truncated", _send_and_close(RIGHT[:-1])),
    "truncated head": ("truncated", _send_and_close(RIGHT[:10])),
    "reset": ("reset", _half_and_reset),
    "wrong status": ("wrong_status", lambda connection: connection.send(RIGHT.replace(b"200 OK", b"503 Busy"))),
    "hang": ("timeout", lambda connection: None),
    "slow drip": ("timeout", _drip),
    "two answers": ("extra_bytes", lambda connection: connection.send(RIGHT + RIGHT)),
    "no HTTP": ("malformed", lambda connection: connection.send(b"220 ready\r\n")),
    "negative length": ("malformed", lambda connection: connection.send(RIGHT.replace(b": 100", b": -10"))),
    "endless line": ("head_too_long", _without_end(b"y" * 1000, b"HTTP/1.1 200 OK\r\nX: ")),
    "endless lines": ("head_too_long", _without_end(b"X: y\r\n" * 10, b"HTTP/1.1 200 OK\r\n")),
    "endless empty lines": ("head_too_long", _without_end(b"\r\n" * 1000)),
    "endless body": ("wrong_length", _without_end(BODY, b"HTTP/1.0 200 OK\r\n\r\n" + BODY)),
    "endless chunk size": ("malformed", _without_end(b"0" * 100, FRAMES["chunks"].partition(b"50")[0])),
}


def expected_requests(*, planned: int, refused: int = 0, answered: int = 0, failed: int = 0) -> dict[str, int]:
    """Return a report's counts of requests, none of which was sent twice."""
    sent = planned - refused
    return {"planned": planned, "sent": sent, "refused": refused, "answered": answered, "failed": failed, "retried": 0}


@pytest.mark.parametrize("name", LIES)
def test_each_lie_is_counted(program: Path, expected: Path, name: str) -> None:
    reason, lie = LIES[name]
    report = run(program, lying(lie), "--rate", 1000, "--seconds", 1, "--timeout", 3, "--expect", expected)
    assert report["failed"] == {reason: 2}
    assert report["requests"] == expected_requests(planned=1000, answered=998, failed=2)
    assert report["connections"]["unrequested_bytes"] == 0


def test_a_connection_closed_without_an_answer_is_a_failure_if_it_is_new_and_else_sent_again(
    program: Path, expected: Path
) -> None:
    def closed(connection: Connection) -> None:
        connection.transport.close()

    options = ("--rate", 1000, "--seconds", 1, "--timeout", 3, "--expect", expected)
    new = run(program, lying(closed), *options, "--connections", "new")
    assert new["failed"] == {"no_answer": 2}
    assert new["requests"] == expected_requests(planned=1000, answered=998, failed=2)
    kept = run(program, lying(closed), *options)
    on_new_connections = kept["failed"].get("no_answer", 0)
    assert kept["requests"]["retried"] == 2 - on_new_connections
    assert kept["requests"]["answered"] == 1000 - on_new_connections


def test_an_answer_that_nobody_asked_for_is_found(program: Path, expected: Path) -> None:
    def lie(connection: Connection) -> None:
        connection.send(RIGHT)
        asyncio.get_running_loop().call_later(0.25, connection.send, RIGHT)

    # In the middle of the half second between two requests: a busy machine reads it with the first one, or too late.
    options = ("--rate", 2, "--seconds", 2, "--arrivals", "constant", "--expect", expected)
    report = run(program, lying(lie, every=4), *options)
    assert report["requests"]["answered"] == 4
    assert report["connections"]["unrequested_bytes"] == 1


def test_a_body_without_end_ends_at_the_timeout(program: Path) -> None:
    endless = lying(_without_end(bytes(10_000), b"HTTP/1.1 200 OK\r\n\r\n"), every=1)
    report = run(program, endless, "--rate", 20, "--seconds", 0.5, "--timeout", 0.5)
    assert report["failed"] == {"timeout": 10}
    assert "the bodies were not compared" in report["warnings"][-1]


def test_what_finds_no_connection_is_refused_and_not_dropped(program: Path) -> None:
    def hang(connection: Connection, number: int) -> None:
        pass

    options = ("--rate", 100, "--seconds", 0.5, "--max-connections", 5, "--timeout", 3)
    report = run(program, hang, *options)
    assert report["requests"] == expected_requests(planned=50, refused=45, failed=5)
    assert report["refused"] == {"connection_limit": 45}
    assert report["failed"] == {"timeout": 5}
    assert report["latency"] is None
    assert report["connections"]["most_at_once"] == 5


def test_a_server_that_goes_away_is_counted(program: Path) -> None:
    server = Server(right)
    with running(server) as (port,):
        process = started(program, port, "--rate", 100, "--seconds", 2, "--timeout", 3, "--connections", "new")
        until(lambda: server.requests >= 10)
    report = ended(process)
    assert 0 < report["requests"]["answered"] <= server.requests
    assert report["failed"]["connect"] > 0
    assert report["requests"]["planned"] == 200


def test_a_server_whose_queue_of_connections_is_full_is_counted(program: Path) -> None:
    """The connection that asks whether the server is there fills the queue, and the kernel drops what comes then."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as silent:
        port = silent.getsockname()[1]
        report = ended(started(program, port, "--rate", 20, "--seconds", 0.5, "--timeout", 0.5))
    assert report["failed"] == {"connect_timeout": 10}


@pytest.mark.skipif(not Path("/proc/net/if_inet6").exists(), reason="this machine has no IPv6")
def test_a_server_at_an_address_of_ipv6_is_measured(program: Path, expected: Path) -> None:
    with running(Server(right), address="::1") as (port,):
        report = ended(started(program, port, "--rate", 50, "--seconds", 1, "--expect", expected, host="[::1]"))
    assert report["requests"]["answered"] == 50
    assert f"Host: [::1]:{port}\r\n" in report["request_head"]


def test_idle_connections_are_opened_before_and_watched(program: Path, expected: Path) -> None:
    def connected(connection: Connection, number: int) -> None:
        if 1 <= number <= 3:  # the first connection is the one that finds out whether there is a server
            asyncio.get_running_loop().call_later(0.2, connection.send, b"HTTP/1.1 408 Request Timeout\r\n\r\n")
            asyncio.get_running_loop().call_later(0.2, connection.transport.close)

    server = Server(right, connected)
    with running(server) as (port,):
        report = ended(started(program, port, "--rate", 100, "--seconds", 1, "--idle", 10, "--expect", expected))
    assert report["idle_opened"] == 10
    assert report["connections"]["idle_closed"] == 3
    assert report["requests"]["answered"] == 100
    assert server.connections == 1 + 10 + report["connections"]["opened"]


def test_connections_are_opened_before_and_used(program: Path, expected: Path) -> None:
    """There are as many as requests, so that none of these needs another one, however late answers are."""
    at_first_request = []

    def respond(connection: Connection, number: int) -> None:
        if not number:
            at_first_request.append(server.connections)
        connection.send(RIGHT)

    server = Server(respond)
    with running(server) as (port,):
        report = ended(started(program, port, "--rate", 400, "--seconds", 0.1, "--open", 40, "--expect", expected))
    assert at_first_request == [1 + 40]
    assert (report["opened_before"], report["connections"]["opened"]) == (40, 0)
    assert report["requests"] == expected_requests(planned=40, answered=40)


def test_a_load_beside_a_path_that_never_answers_has_its_answers(program: Path, expected: Path) -> None:
    connections: dict[bytes, set[Connection]] = {b"/": set(), b"/fast?a=b": set()}
    delayed = Delayed(0.02)

    def respond(connection: Connection, number: int) -> None:
        path = connection.head.split(b" ")[1]
        connections[path].add(connection)
        if path != b"/":
            delayed(connection, number)

    options = ("--rate", 50, "--seconds", 2, "--timeout", 3, "--max-connections", 80)
    beside = ("--beside", "10=/fast?a=b", "--beside-expect", expected)
    report = run(program, respond, *options, *beside)
    assert report["requests"] == expected_requests(planned=100, refused=20, failed=80)
    assert report["failed"] == {"timeout": 80}
    fast = report["beside"]
    assert fast["requests"] == expected_requests(planned=20, answered=20)
    assert fast["per_second"]["answered"] == [10, 10]
    assert [sum(count for _, count in second) for second in fast["per_second"]["latency"]] == [10, 10]
    assert min(microseconds for second in fast["per_second"]["latency"] for microseconds, _ in second) > 19_900
    assert "GET /fast?a=b HTTP/1.1\r\n" in fast["request_head"]
    slow, own = connections.values()
    assert not slow & own
    assert (len(slow), len(own)) == (80, fast["connections"]["opened"])


def test_what_goes_wrong_beside_the_load_is_counted_there_alone(program: Path, expected: Path) -> None:
    def respond(connection: Connection, number: int) -> None:
        connection.send(RIGHT if b"GET / " in connection.head else RIGHT[:-1] + b"\x01")

    options = ("--rate", 100, "--seconds", 1, "--lead-in", 0.5, "--threads", 2, "--expect", expected)
    report = run(program, respond, *options, "--beside", "20=/beside", "--beside-expect", expected)
    assert report["requests"] == expected_requests(planned=100, answered=100)
    assert report["beside"]["failed"] == {"wrong_bytes": 20}
    not_compared = run(program, respond, *options, "--beside", "20=/beside")
    assert not_compared["beside"]["requests"] == expected_requests(planned=20, answered=20)


def test_a_load_beside_a_closed_one_has_a_plan(program: Path, expected: Path) -> None:
    report = run(program, Delayed(0.01), "--closed", 2, "--seconds", 1, "--beside", "20=/beside", "--expect", expected)
    assert report["connections"]["opened"] == 2
    assert report["requests"]["failed"] == 0
    assert report["beside"]["requests"] == expected_requests(planned=20, answered=20)


@pytest.mark.parametrize("load", [("--rate", 200, "--arrivals", "constant"), ("--closed", 2)], ids=["open", "closed"])
def test_a_lead_in_is_made_and_not_counted(program: Path, expected: Path, load: tuple[object, ...]) -> None:
    """Its first 20 answers are wrong: these are requests of the lead-in."""
    seen = itertools.count()

    def respond(connection: Connection, number: int) -> None:
        connection.send(RIGHT if next(seen) >= 20 else RIGHT.replace(b"200 OK", b"500 No"))

    began = time.monotonic()
    report = run(program, respond, *load, "--lead-in", 0.5, "--seconds", 1, "--expect", expected)
    took = time.monotonic() - began
    answered, made = report["requests"]["answered"], next(seen)
    assert report["failed"] == {}
    assert made > answered
    assert report["bytes_received"] == answered * len(RIGHT)
    assert 0.9 < report["seconds"] < took - 0.4
    if load[0] == "--rate":
        assert (answered, made) == (200, 300)


@pytest.mark.parametrize("load", [("--rate", 300), ("--closed", 5)])
def test_threads_share_the_load(program: Path, expected: Path, load: tuple[object, ...]) -> None:
    report = run(program, Delayed(0.01), *load, "--threads", 2, "--seconds", 1, "--expect", expected)
    assert report["requests"]["failed"] == 0
    if load[0] == "--rate":
        assert report["requests"]["answered"] == 300
    else:
        assert report["connections"]["opened"] == 5
        check_littles_law(report, 5, within=0.1 + report["latency"]["milliseconds"]["max"] / 1000)


def test_the_summary_is_for_people(program: Path, expected: Path) -> None:
    options = ("--rate", "100", "--seconds", "0.2", "--expect", str(expected))
    with running(Server(right)) as (port,):
        command = [str(program), *options, f"http://127.0.0.1:{port}/"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=AT_MOST, check=False)
    assert done.returncode == 0
    assert "not compared" not in done.stderr
    assert "20 planned = 20 sent + 0 refused" in done.stdout
    assert "20 sent = 20 answered + 0 failed" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rate", "1"), "no URL is given"),
        (("--rate", "x", "http://127.0.0.1/"), "--rate must be a number"),
        (("--rate", "1", "--expect", "/no/such/file", "http://127.0.0.1/"), "cannot read '/no/such/file'"),
        (
            ("--rate", "1", "--beside", "1=/", "--beside-expect", "/no/such/file", "http://127.0.0.1/"),
            "cannot read '/no/such/file'",
        ),
        (("--rate", "1", "http://no-such-host.invalid/"), "cannot find the host"),
    ],
)
def test_wrong_usage_is_one_line(program: Path, arguments: tuple[str, ...], said: str) -> None:
    check_refusal(said, program, *arguments)


def test_a_server_that_is_not_there_is_one_line(program: Path, free_port: int) -> None:
    check_refusal("cannot reach 127.0.0.1", program, "--rate", "1", f"http://127.0.0.1:{free_port}/")


def check_refusal(said: str, *command: object) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=AT_MOST, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("open-load: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
