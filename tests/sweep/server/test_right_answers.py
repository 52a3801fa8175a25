"""What the right answer of a workload can be: a constant, a file in gzip, and one that takes its time."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.attacks import attacking
from support.raw_client import to
from support.waiting import until

from ab_runner.model.message import Code
from ab_runner.model.workload import Workload
from ab_runner.report.say.messages import whole_text
from ab_runner.sweep.server import answers, probe
from ab_runner.sweep.server.spot_checks import SpotChecks

FILE = b"0123456789" * 10
HELLO = Workload(name="hello", path="/hello", constant="Hello, World!")
PACKED = Workload(name="packed", path="/small.html", headers=("Accept-Encoding: gzip",), gzip_of="small.html")
SLOW = Workload(name="slow", path="/slow", constant="slow", not_before_ms=50)
HEAD = b"GET / HTTP/1.0\r\n\r\n"


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    (tmp_path / "small.html").write_bytes(FILE)
    return tmp_path


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = (f"HTTP/1.0 {status}", f"Content-Length: {len(body)}", *headers, "", "")
    return "\r\n".join(lines).encode() + body


def packed(body: bytes, *headers: str) -> bytes:
    return answer(body, "Content-Encoding: gzip", *headers)


def complaint(workload: Workload, fixtures: Path, sent: bytes, after: float = 0.0) -> str | None:
    """What the probe has to say of this answer; None if it is right."""

    def reply(connection: socket.socket) -> None:
        time.sleep(after)
        connection.sendall(sent)

    with attacking(reply) as address:
        asked = probe.question(HEAD, workload, fixtures)
        try:
            probe.check_answer(answers.ask(to(address), asked.head), asked)
        except answers.ProbeError as error:
            return whole_text(error.message)
    return None


def test_a_constant_is_compared_byte_for_byte(fixtures: Path) -> None:
    assert complaint(HELLO, fixtures, answer(b"Hello, World!")) is None
    assert complaint(HELLO, fixtures, answer(b"Hello, world!")) == "wrong bytes"
    assert complaint(HELLO, fixtures, answer(b"Hello!")) == "6 bytes instead of 13"


@pytest.mark.parametrize("level", [1, 6, 9])
def test_a_file_in_gzip_is_compared_unpacked_however_far_it_is_compressed(fixtures: Path, level: int) -> None:
    assert complaint(PACKED, fixtures, packed(gzip.compress(FILE, level, mtime=0))) is None


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (answer(FILE), "not gzip"),
        (answer(gzip.compress(FILE, mtime=0)), "not gzip"),
        (packed(FILE), "not gzip"),
        (packed(gzip.compress(FILE, mtime=0)[:-1]), "not gzip"),
        (packed(gzip.compress(FILE, mtime=0) + b"x"), "not gzip"),
        (packed(gzip.compress(b"x" * 100, mtime=0)), "wrong bytes"),
        (packed(gzip.compress(FILE[:99], mtime=0)), "99 bytes instead of 100"),
        (packed(gzip.compress(bytes(5_000_000), mtime=0)), "101 bytes instead of 100"),
        (answer(b"no", status="404 Not Found"), "status 404 instead of 200"),
    ],
)
def test_what_is_wrong_with_a_file_in_gzip_is_named(fixtures: Path, sent: bytes, expected: str) -> None:
    assert complaint(PACKED, fixtures, sent) == expected


def test_an_answer_that_takes_its_time_is_right_and_an_earlier_one_is_not(fixtures: Path) -> None:
    assert complaint(SLOW, fixtures, answer(b"slow"), after=0.05) is None
    early = complaint(SLOW, fixtures, answer(b"slow"))
    assert early is not None
    assert early.startswith("an answer after ")
    assert early.endswith(" ms, which takes at least 50 ms")


def test_a_server_must_not_leave_its_document_root_for_a_file_in_gzip_either(fixtures: Path) -> None:
    sent = packed(gzip.compress(FILE, mtime=0))
    with (
        attacking(lambda connection: connection.sendall(sent)) as address,
        pytest.raises(answers.ProbeError) as caught,
    ):
        probe.check(to(address), probe.question(HEAD, PACKED, fixtures))
    assert caught.value.message.code == Code.STATUS_OF_MISSING


@pytest.mark.parametrize(
    ("workload", "right", "wrong", "code"),
    [
        (
            PACKED,
            packed(gzip.compress(FILE, mtime=0)),
            packed(gzip.compress(FILE[:-1] + b"x", mtime=0)),
            Code.WRONG_BYTES,
        ),
        (HELLO, answer(b"Hello, World!"), answer(b"Hello, world!"), Code.WRONG_BYTES),
        (SLOW, b"", answer(b"slow"), Code.TOO_EARLY),
    ],
)
def test_samples_are_compared_in_the_same_way(
    fixtures: Path, workload: Workload, right: bytes, wrong: bytes, code: Code
) -> None:
    def checked(sent: bytes, over: Callable[[SpotChecks], bool]) -> SpotChecks:
        asked = probe.question(HEAD, workload, fixtures)
        with (
            attacking(lambda connection: connection.sendall(sent)) as address,
            SpotChecks(to(address), asked) as checks,
        ):
            until(lambda: over(checks))
        return checks

    if right:
        assert checked(right, lambda checks: checks.answered >= 2).wrong is None
    found = checked(wrong, lambda checks: checks.wrong is not None).wrong
    assert found is not None
    assert found.code == code


def test_the_request_that_waits_for_a_server_has_the_workloads_headers() -> None:
    heads: list[bytes] = []

    def connect(seconds: float) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            theirs.sendall(answer(b""))
            theirs.shutdown(socket.SHUT_WR)
            kept = theirs.dup()
        threading.Thread(target=lambda: heads.append(received(kept))).start()
        return ours

    assert probe.wait_until_ready(connect, PACKED, 5, lambda: None) is None
    assert probe.is_alive(connect, PACKED)
    until(lambda: len(heads) == 2)
    assert [b"Accept-Encoding: gzip\r\n" in head for head in heads] == [True, True]


def received(connection: socket.socket) -> bytes:
    with connection:
        return connection.recv(4096)


# --- answers in chunks, and those that only the server knows --------------------------------------------------------

CHUNKY = Workload(name="chunky", path="/", constant="Hello, World!", may_be_chunked=True)
PAGE = Workload(name="page", path="/", probed_bytes=100, may_be_chunked=True)
CHUNKS = b"5\r\nHello\r\n8\r\n, World!\r\n0\r\n\r\n"


def chunked(body: bytes, *headers: str) -> bytes:
    lines = ("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *headers, "", "")
    return "\r\n".join(lines).encode() + body


def in_chunks(body: bytes, size: int) -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%X\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))


def test_an_answer_in_chunks_is_right_where_it_may_be_one(fixtures: Path) -> None:
    assert complaint(CHUNKY, fixtures, chunked(CHUNKS)) is None
    assert complaint(CHUNKY, fixtures, answer(b"Hello, World!")) is None, "it need not be one"
    assert complaint(CHUNKY, fixtures, chunked(CHUNKS.replace(b"W", b"w"))) == "wrong bytes"
    assert complaint(HELLO, fixtures, chunked(CHUNKS)) == "no Content-Length"


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (CHUNKS[:-2], "closes without a whole answer"),
        (CHUNKS[:4], "closes without a whole answer"),
        (b"x\r\n", "Content-Length is not a length: 'x'"),
        (b"-5\r\nHello\r\n", "Content-Length is not a length: '-5'"),
        (b"4\r\nHello\r\n", "Content-Length is not a length: '4'"),
        (b"FFFFFFFFF\r\n", "Content-Length is not a length: 'FFFFFFFFF'"),
    ],
)
def test_what_is_wrong_with_chunks_is_named(fixtures: Path, sent: bytes, expected: str) -> None:
    assert complaint(CHUNKY, fixtures, chunked(sent)) == expected


@given(st.binary(max_size=300), st.integers(1, 50))
def test_a_body_is_the_same_in_chunks_of_any_size(body: bytes, size: int) -> None:
    sent = chunked(in_chunks(body, size))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(sent)
        found = answers.exchange(ours, HEAD)
    assert found.body == body
    assert len(found.head) + found.body_on_wire == len(sent)


def learned(sent: bytes) -> probe.Question:
    with attacking(lambda connection: connection.sendall(sent)) as address:
        return probe.learned(to(address), probe.question(HEAD, PAGE, Path()))


@pytest.mark.parametrize(
    "sent",
    [
        answer(FILE),
        packed(gzip.compress(FILE, mtime=0)),
        chunked(in_chunks(FILE, 30)),
        chunked(in_chunks(gzip.compress(FILE, mtime=0), 7), "Content-Encoding: gzip"),
    ],
)
def test_an_answer_that_only_the_server_knows_is_learned_and_compared_unpacked(sent: bytes) -> None:
    asked = learned(sent)
    assert asked.expected == FILE
    with attacking(lambda connection: connection.sendall(answer(FILE[:-1] + b"x"))) as address:
        other = answers.ask(to(address), HEAD)
    with pytest.raises(answers.ProbeError) as caught:
        probe.check_answer(other, asked)
    assert caught.value.message.code == Code.WRONG_BYTES


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (answer(FILE[:-1]), "99 bytes instead of 100"),
        (packed(gzip.compress(FILE + b"x", mtime=0)), "101 bytes instead of 100"),
        (packed(b"x" * 100), "not gzip"),
        (answer(FILE, status="404 Not Found"), "status 404 instead of 200"),
    ],
)
def test_what_cannot_be_learned_is_named(sent: bytes, expected: str) -> None:
    with pytest.raises(answers.ProbeError) as caught:
        learned(sent)
    assert whole_text(caught.value.message) == expected
