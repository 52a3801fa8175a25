"""Whatever bytes a server sends: an answer or a ProbeError, in bounded time and memory."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.hostile import refusing

from ab_runner.sweep.server import answers, probe
from ab_runner.sweep.server.answers import Answer, ProbeError

PARTS = st.lists(
    st.sampled_from([
        b"HTTP/1.0 200 OK\r\n", b"HTTP/1.1 200\r\n", b"HTTP/1.0 ", b"HTTP/2 200\r\n", b"Content-Length: 3\r\n",
        b"content-length:\r\n", b"Content-Length: 4\r\n", b"Content-Length: -1\r\n", b"Content-Length: \xb2\r\n",
        b"Content-Length: " + b"9" * 5000 + b"\r\n", b"Content-Length: 3, 3\r\n", b"Transfer-Encoding: chunked\r\n",
        b"3\r\nabc\r\n0\r\n\r\n", b"ffffffffffffffff\r\n", b"-1\r\n", b"\r\n", b"\n\n", b"abc", b"\x00", b"\x1b[2J",
        b": x\r\n", b"X\r\n", b" x: y\r\n", b"A: " + b"x" * 70_000 + b"\r\n",
    ])
    | st.binary(max_size=30),
    max_size=8,
)  # fmt: skip


def exchanged(sent: bytes) -> Answer | None:
    """The answer that is in these bytes, after which the connection ends; None for a ProbeError."""
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def send() -> None:
            with suppress(OSError):
                theirs.recv(100)
                theirs.sendall(sent)
                theirs.shutdown(socket.SHUT_WR)

        server = threading.Thread(target=send)
        server.start()
        try:
            with refusing(ProbeError):
                return answers.exchange(ours, b"GET / HTTP/1.0\r\n\r\n")
        finally:
            ours.close()
            server.join()
    return None


@settings(max_examples=150)
@given(PARTS.map(b"".join))
@example(b"HTTP/1.0 200 OK\r\nContent-Length: \xb2\r\n\r\n")
@example("HTTP/1.0 ²00 OK\r\n\r\n".encode("latin-1"))
@example(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc")
def test_any_bytes_are_an_answer_or_a_complaint(sent: bytes) -> None:
    answer = exchanged(sent)
    if answer is not None:
        assert sent.startswith(answer.head.encode("latin-1") + answer.body)
        assert 100 <= answer.status + 100 <= 1099
        with suppress(ProbeError):
            probe.check_body(answer, b"abc")
