"""Asks a server and reads its answer. Plain sockets, because exact bytes are checked.

Whatever a server sends, or does not send, leads to an Answer or a ProbeError, within bounded time and memory.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable

import msgspec

from ab_runner.model.message import Code, Message, MessageError

Connect = Callable[[float], socket.socket]
"""Returns a new connection to the server; OSError if there is none within so many seconds."""

TIMEOUT = 5.0
"""Seconds that an answer may take from its request to its last byte, however slowly it trickles; one that must not come
at once has the time of its workload besides."""
_HEAD_AT_MOST = 64 << 10
_BODY_AT_MOST = 8 << 20
"""Bytes; the longest fixture has one million."""
_PART = 64 << 10
_END_OF_HEAD = b"\r\n\r\n"
_STATUS_LINE = re.compile(r"HTTP/1\.[0-9] ([0-9]{3})(?: .*)?", re.DOTALL)
_LENGTH = re.compile(r"[0-9]{1,12}")
_CHUNK_SIZE = re.compile(r"[0-9A-Fa-f]{1,8}")


class ProbeError(MessageError):
    """What is wrong with an answer."""


class NoAnswer(ProbeError):
    """There was no complete answer: no connection, no answer in time, or the connection was lost."""


class Answer(msgspec.Struct, frozen=True):
    """One answer of the server. `head` is its bytes as latin-1, with the empty line that ends it; header names are in
    small letters. `seconds` is the time from the request to the last byte."""

    head: str
    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float = 0.0
    body_on_wire: int = 0
    """Bytes that the body took: more than it has where it came in chunks."""


class _Limit(msgspec.Struct, frozen=True):
    """The seconds that something may take, and when they are over on the monotonic clock."""

    seconds: float
    ends: float


def _limit(seconds: float) -> _Limit:
    return _Limit(seconds, time.monotonic() + seconds)


def ask(connect: Connect, head: bytes, seconds: float | None = None) -> Answer:
    """Return the answer to one request on a connection of its own; NoAnswer if there is none within so many seconds,
    `TIMEOUT` where they are not given."""
    with open_connection(connect) as connection:
        return exchange(connection, head, seconds)


def exchange(connection: socket.socket, head: bytes, seconds: float | None = None) -> Answer:
    """Return the answer to one request on a connection that is open; NoAnswer if there is none within so many seconds,
    `TIMEOUT` where they are not given."""
    began = time.monotonic()
    seconds = TIMEOUT if seconds is None else seconds
    try:
        connection.settimeout(seconds)
        connection.sendall(head)
    except OSError as error:
        raise NoAnswer(Message(Code.CONNECTION_LOST, detail=error.strerror or str(error))) from error
    return _read_answer(connection, began, seconds)


def open_connection(connect: Connect, seconds: float = TIMEOUT) -> socket.socket:
    """Return a new connection; NoAnswer if there is none within this many seconds."""
    try:
        return connect(seconds)
    except OSError as error:
        raise NoAnswer(Message(Code.NO_CONNECTION, detail=error.strerror or str(error))) from error


def read_on(connection: socket.socket, seconds: float, late: Code) -> bytes:
    """Return some of what the server sends next, nothing if it closes; NoAnswer, with `late` as its reason, if neither
    comes within so many seconds."""
    return _receive(connection, _limit(seconds), late)


def stays_open(head: bytes, answer: Answer) -> bool:
    """Return whether the connection stays open after this answer to that request: over HTTP/1.1 unless it says close,
    over HTTP/1.0 if it says keep-alive (RFC 9112, section 9.3)."""
    said = answer.headers.get("connection", "").lower()
    if is_http_1_1(head) and answer.head.startswith("HTTP/1.1 "):
        return said != "close"
    return said == "keep-alive"


def is_http_1_1(head: bytes) -> bool:
    return head.partition(b"\r\n")[0].endswith(b" HTTP/1.1")


def _read_answer(connection: socket.socket, began: float, seconds: float) -> Answer:
    """Read a head, and as much body as its Content-Length says or until the server closes, and return both."""
    limit = _limit(seconds)
    data = bytearray()
    while (end := data.find(_END_OF_HEAD)) < 0 and len(data) <= _HEAD_AT_MOST:
        chunk = _receive(connection, limit)
        if not chunk:
            raise NoAnswer(Message(Code.CLOSES_WITHOUT_WHOLE_ANSWER if data else Code.CLOSES_WITHOUT_ANSWER))
        data += chunk
    length_of_head = end + len(_END_OF_HEAD)
    if end < 0 or length_of_head > _HEAD_AT_MOST:
        raise ProbeError(Message(Code.HEAD_TOO_LONG, {"limit": _HEAD_AT_MOST}))
    head = data[:length_of_head].decode("latin-1")
    status, headers = _parse_head(head.removesuffix(_END_OF_HEAD.decode()))
    del data[:length_of_head]
    if is_chunked(headers):
        body, taken = _read_chunks(connection, data, limit)
        return Answer(head, status, headers, body, time.monotonic() - began, taken)
    length = _length_of(headers)
    while (length is None or len(data) < length) and (chunk := _receive(connection, limit)):
        data += chunk
        if len(data) > _BODY_AT_MOST:
            raise ProbeError(Message(Code.BODY_TOO_LONG, {"limit": _BODY_AT_MOST}))
    return Answer(head, status, headers, bytes(data), time.monotonic() - began, len(data))


def is_chunked(headers: dict[str, str]) -> bool:
    return headers.get("transfer-encoding", "").lower() == "chunked"


def _read_chunks(connection: socket.socket, data: bytearray, limit: _Limit) -> tuple[bytes, int]:
    """Return a body in chunks as it was before (RFC 9112, section 7.1, without extensions and trailers), and how many
    bytes it took; `data` is what has come of it."""
    body, at = bytearray(), 0
    while True:
        while (end := data.find(b"\r\n", at)) < 0:
            _receive_more(connection, data, limit)
        size = bytes(data[at:end]).decode("latin-1")
        if not _CHUNK_SIZE.fullmatch(size):
            raise ProbeError(Message(Code.NOT_A_LENGTH, detail=repr(size[:40])))
        length, at = int(size, 16), end + 2
        while len(data) < at + length + 2:
            _receive_more(connection, data, limit)
        body += data[at : at + length]
        at += length
        if data[at : at + 2] != b"\r\n":
            raise ProbeError(Message(Code.NOT_A_LENGTH, detail=repr(size[:40])))
        at += 2
        if length == 0:
            return bytes(body), at


def _receive_more(connection: socket.socket, data: bytearray, limit: _Limit) -> None:
    chunk = _receive(connection, limit)
    if not chunk:
        raise NoAnswer(Message(Code.CLOSES_WITHOUT_WHOLE_ANSWER))
    data += chunk
    if len(data) > _BODY_AT_MOST:
        raise ProbeError(Message(Code.BODY_TOO_LONG, {"limit": _BODY_AT_MOST}))


def _receive(connection: socket.socket, limit: _Limit, late: Code = Code.NO_WHOLE_ANSWER) -> bytes:
    left = limit.ends - time.monotonic()
    try:
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        return connection.recv(_PART)
    except TimeoutError:
        raise NoAnswer(Message(late, {"seconds": limit.seconds})) from None
    except OSError as error:
        raise NoAnswer(Message(Code.CONNECTION_LOST, detail=error.strerror or str(error))) from error


def _parse_head(head: str) -> tuple[int, dict[str, str]]:
    first, *rest = head.split("\r\n")
    status = _STATUS_LINE.fullmatch(first)
    if status is None:
        raise ProbeError(Message(Code.NOT_HTTP, detail=repr(first[:40])))
    headers: dict[str, str] = {}
    for line in rest:
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not name or not colon:
            raise ProbeError(Message(Code.NOT_A_HEADER, detail=repr(line[:40])))
        if name.lower() == "content-length" and headers.get("content-length", value) != value:
            raise ProbeError(Message(Code.TWO_CONTENT_LENGTHS))
        headers[name.lower()] = value
    return int(status[1]), headers


def _length_of(headers: dict[str, str]) -> int | None:
    """Return what Content-Length says; None without one."""
    text = headers.get("content-length")
    if text is None:
        return None
    if not _LENGTH.fullmatch(text):
        raise ProbeError(Message(Code.NOT_A_LENGTH, detail=repr(text[:40])))
    if int(text) > _BODY_AT_MOST:
        raise ProbeError(Message(Code.BODY_TOO_LONG, {"limit": _BODY_AT_MOST}))
    return int(text)
