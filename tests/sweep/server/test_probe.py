"""Against servers that really listen: one that behaves, and ones that each do one thing wrong."""

from __future__ import annotations

import random
import socket
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from recordings.ab import misbehave
from support.attacks import Attack, attacking, says
from support.builders import said, server
from support.fakes import FakeRuntime, FakeServer, recorded
from support.raw_client import to
from support.waiting import AT_MOST
from support.workloads import workload_named

from ab_runner.load import ab_command
from ab_runner.model.message import Code, Message
from ab_runner.model.workload import Workload, WorkloadName
from ab_runner.report.say.messages import whole_text
from ab_runner.sweep.server import answers, probe

FIXTURE = misbehave.BODY
HOST = "127.0.0.1:8080"


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    (tmp_path / "small.html").write_bytes(FIXTURE)
    return tmp_path


@pytest.fixture
def good(fixtures: Path) -> Iterator[FakeServer]:
    running = FakeRuntime(fixtures, lambda server, command: recorded("close")).start(server("a-1"), "1")
    yield running
    running.stop()


def asked(workload: Workload, fixtures: Path) -> probe.Question:
    """What ab asks in a workload."""
    return probe.question(ab_command.request_head(HOST, workload.path, workload.keep_alive), workload, fixtures)


def complaint(mode: str, fixtures: Path, workload: Workload) -> str:
    with misbehave.serving(mode) as port, pytest.raises(answers.ProbeError) as caught:
        probe.check(to(("127.0.0.1", port)), asked(workload, fixtures))
    return whole_text(caught.value.message)


@pytest.mark.parametrize("name", ["small", "small-keepalive"])
def test_a_server_that_answers_as_it_must_passes_with_the_length_of_its_body(
    good: FakeServer, fixtures: Path, name: WorkloadName
) -> None:
    question = asked(workload_named(name), fixtures)
    answer = probe.check(good.connect, question)
    assert len(question.expected) == len(FIXTURE)
    assert answer.body == FIXTURE
    assert answer.head.startswith("HTTP/1.1 200 OK\r\nServer: ")
    assert answer.head.endswith(f"Connection: {'keep-alive' if name == 'small-keepalive' else 'close'}\r\n\r\n")


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("not-found", "status 404 instead of 200"),
        ("refuses-http-1-0", "refuses HTTP/1.0"),
        ("closes-without-data", "closes without an answer"),
        ("short-body", "bytes instead of 100"),
        ("never-closes", "does not close the connection"),
        ("well-behaved", "instead of 404 for a file that is not there"),
    ],
)
def test_a_wrong_answer_is_named(mode: str, expected: str, fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "TIMEOUT", 0.2)
    assert expected in complaint(mode, fixtures, workload_named("small"))


def test_other_bytes_of_the_right_length_are_wrong(good: FakeServer, fixtures: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "small.html").write_bytes(b"z" * len(FIXTURE))
    with pytest.raises(answers.ProbeError, match=Code.WRONG_BYTES):
        probe.check(good.connect, asked(workload_named("small"), other))


@pytest.mark.parametrize("mode", ["says-keep-alive-then-closes", "open-without-header"])
def test_a_server_that_does_not_keep_alive_as_ab_needs_it_is_found_out(mode: str, fixtures: Path) -> None:
    assert complaint(mode, fixtures, workload_named("small-keepalive")) == "no keep-alive"


def test_a_server_that_gives_out_what_lies_outside_is_found_out(
    fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document root of `/` stands for a server that can be talked into leaving its own."""
    monkeypatch.setattr(probe, "_TRAVERSALS", ("/etc/passwd",))
    running = FakeRuntime(Path("/"), lambda server, command: recorded("close")).start(server("a-1"), "1")
    try:
        with pytest.raises(answers.ProbeError) as caught:
            probe._check_guarded(running.connect, b"GET / HTTP/1.0\r\n\r\n")
        assert whole_text(caught.value.message) == "gives out a file for /etc/passwd"
    finally:
        running.stop()


def test_waiting_ends_at_once_when_the_server_has_ended(fixtures: Path) -> None:
    end = said("server exited with 1")
    assert probe.wait_until_ready(to(("127.0.0.1", 1)), workload_named("small"), 60, lambda: end) == end


def test_a_server_that_never_gets_ready_is_given_up_with_its_last_answer(fixtures: Path) -> None:
    with misbehave.serving("not-found") as port:
        last = probe.wait_until_ready(to(("127.0.0.1", port)), workload_named("small"), 0.1, lambda: None)
    assert last == Message(Code.STATUS, {"status": 404})


def test_a_server_that_refuses_http_1_0_is_up_and_not_waited_for() -> None:
    with misbehave.serving("refuses-http-1-0") as port:
        probe.wait_until_ready(to(("127.0.0.1", port)), workload_named("small"), 60, lambda: None)
        assert probe.is_alive(to(("127.0.0.1", port)), workload_named("small"))


def test_an_echo_server_is_asked_with_the_head_that_it_must_answer_with(fixtures: Path) -> None:
    question = asked(workload_named("echo"), fixtures)
    assert question.expected == question.head


# --- servers that attack ---------------------------------------------------------------------------------------

TRICKLE = 0.3
"""Seconds that an answer may take which comes in small parts without an end."""


def endless(start: bytes, part: bytes, pause: float = 0) -> Attack:
    def attack(connection: socket.socket) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(part)
            time.sleep(pause)

    return attack


def refused(attack: Attack, fixtures: Path, monkeypatch: pytest.MonkeyPatch, seconds: float = AT_MOST) -> str:
    """The reason that `check` gives, though the attack goes on, in a line without control characters."""
    monkeypatch.setattr(answers, "TIMEOUT", seconds)
    with attacking(attack) as address, pytest.raises(answers.ProbeError) as caught:
        probe.check(to(address), asked(workload_named("small"), fixtures))
    reason = whole_text(caught.value.message)
    assert reason.isprintable()
    assert len(reason) < 120
    return reason


OK = b"HTTP/1.0 200 OK\r\n"
BLOCK = b"x" * 65536


@pytest.mark.parametrize(
    ("attack", "reason"),
    [
        (endless(OK, b"X-Header: " + BLOCK + b"\r\n"), "a head of more than 65,536 bytes"),
        (endless(b"", BLOCK), "a head of more than 65,536 bytes"),
        (endless(OK + b"\r\n", BLOCK), "a body of more than 8,388,608 bytes"),
        (endless(OK + b"Content-Length: 100\r\n\r\n", b"x", 0.01), "no whole answer within 0 s"),
        (endless(b"", b"x", 0.01), "no whole answer within 0 s"),
        (endless(OK + b"Content-Length: 8388608\r\n\r\n", b"x" * 100, 0.001), "no whole answer within 0 s"),
        (says(OK + b"X-Header: " + 160 * BLOCK + b"\r\n\r\n"), "a head of more than 65,536 bytes"),
    ],
    ids=["head", "first-line", "body", "trickled-body", "trickled-head", "streamed-body", "header-of-10-MB"],
)
def test_an_answer_without_an_end_is_given_up_in_time_and_in_little_memory(
    attack: Attack, reason: str, fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracemalloc.start()
    try:
        assert refused(attack, fixtures, monkeypatch, TRICKLE if reason.startswith("no whole") else AT_MOST) == reason
        assert tracemalloc.get_traced_memory()[1] < 40 << 20, "the body's bound, and a copy of it while it grows"
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("more", "fits"), [(0, True), (1, False)])
def test_a_head_has_64_kib_at_most_wherever_it_ends(more: int, fits: bool) -> None:
    start, end = OK + b"Content-Length: 0\r\nX: ", b"\r\n\r\n"
    head = start + b"x" * (65_536 - len(start + end) + more) + end
    with attacking(says(head)) as address:
        if fits:
            assert answers.ask(to(address), b"GET / HTTP/1.0\r\n\r\n").head == head.decode()
        else:
            with pytest.raises(answers.ProbeError, match=Code.HEAD_TOO_LONG):
                answers.ask(to(address), b"GET / HTTP/1.0\r\n\r\n")


def test_a_head_is_kept_byte_by_byte_whatever_is_in_it() -> None:
    head = OK + b"X: " + bytes(set(range(256)) - set(b"\r\n")) + b"\r\nContent-Length: 0\r\n\r\n"
    with attacking(says(head)) as address:
        assert answers.ask(to(address), b"GET / HTTP/1.0\r\n\r\n").head.encode("latin-1") == head


def test_past_the_deadline_nothing_more_is_read() -> None:
    """Else a server that never pauses would have a millisecond more for each part, without an end."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"x")
        with pytest.raises(answers.ProbeError, match=Code.NO_WHOLE_ANSWER):
            answers._receive(ours, answers._Limit(TRICKLE, time.monotonic() - 1))


@pytest.mark.parametrize(
    "length", ["²", "9" * 5000, "1" * 13, "-1", "+100", "1_00", "100, 100", "0x64", "", "\0", "\x1b[2J"]
)
def test_a_length_that_is_none_is_the_reason_of_its_own_cells(
    length: str, fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = OK + f"Content-Length: {length}\r\n\r\n".encode("latin-1") + FIXTURE
    assert refused(says(answer), fixtures, monkeypatch).startswith("Content-Length is not a length: ")


def test_a_length_beyond_every_fixture_is_not_waited_for(fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = OK + b"Content-Length: 999999999999\r\n\r\n" + FIXTURE
    reason = refused(says(answer), fixtures, monkeypatch)
    assert reason == "a body of more than 8,388,608 bytes"


def test_two_lengths_must_agree(fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = OK + b"Content-Length: 100\r\ncontent-length: 5\r\n\r\n" + FIXTURE
    assert refused(says(answer), fixtures, monkeypatch) == "two different Content-Lengths"


@pytest.mark.parametrize(
    "line",
    ["HTTP/1.0 ²00 OK", "HTTP/1.0 +200 OK", "HTTP/1.0 0200 OK", "HTTP/1.0 20 OK", "HTTP/1.0 " + "2" * 5000,
     "HTTP/1.0  200 OK", "HTTP/1.0", "HTTP/2 200 OK", "\x1b[2JHTTP/1.0 200 OK", ""],
)  # fmt: skip
def test_a_status_is_three_digits(line: str, fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = f"{line}\r\nContent-Length: 100\r\n\r\n".encode("latin-1") + FIXTURE
    assert refused(says(answer), fixtures, monkeypatch).startswith("not an HTTP answer: ")


@pytest.mark.parametrize("line", ["no colon", ": no name", " ", "\x1b]0;owned\x07", "x" * 5000])
def test_a_line_that_is_no_header_is_named(line: str, fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = OK + f"{line}\r\nContent-Length: 100\r\n\r\n".encode() + FIXTURE
    assert refused(says(answer), fixtures, monkeypatch).startswith("not a header: ")


@pytest.mark.parametrize("seed", range(30))
def test_binary_garbage_is_refused_wherever_it_comes(
    seed: int, fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    garbage = random.Random(seed).randbytes(1000)
    start = (b"", b"HTTP/1.0 ", OK, OK + b"Content-Length: ", OK + b"Content-Length: 100\r\n\r\n")[seed % 5]
    assert refused(says(start + garbage), fixtures, monkeypatch)


def test_a_server_that_hangs_up_in_any_way_is_given_up_with_a_reason(
    fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with misbehave.serving("resets-at-once") as port, pytest.raises(answers.ProbeError, match=Code.CONNECTION_LOST):
        answers.ask(to(("127.0.0.1", port)), ab_command.request_head(HOST, "/small.html"))


@pytest.mark.parametrize("attack", [endless(b"", BLOCK), says(OK + "Content-Length: ²\r\n\r\n".encode("latin-1"))])
def test_waiting_and_looking_survive_an_attack(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "TIMEOUT", AT_MOST)
    with attacking(attack) as address:
        assert not probe.is_alive(to(address), workload_named("small"))
        last = probe.wait_until_ready(to(address), workload_named("small"), 0.3, lambda: None)
        assert last is not None
        assert last.code in (Code.HEAD_TOO_LONG, Code.NOT_A_LENGTH)
