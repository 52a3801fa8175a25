"""Checks without load whether a server answers as it should. Plain sockets, because exact bytes are checked.

Whatever a server sends, or does not send, leads to an Answer or a ProbeError, within bounded time and memory.
"""

from __future__ import annotations

import re
import socket
import time
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from ab_runner.load.trial_validity import too_early
from ab_runner.model.message import Code, Message, MessageError
from ab_runner.model.workload import Workload

Connect = Callable[[float], socket.socket]
"""Returns a new connection to the server; OSError if there is none within so many seconds."""

TIMEOUT = 5.0
"""Seconds that an answer may take from its request to its last byte, however slowly it trickles; one that must not come
at once has the time of its workload besides."""
LEFT_OPEN_SECONDS = 0.2
"""How long the probe looks for more bytes after an answer over HTTP/1.1."""
_HEAD_AT_MOST = 64 << 10
_BODY_AT_MOST = 8 << 20
"""Bytes; the longest fixture has one million."""
_PART = 64 << 10
_END_OF_HEAD = b"\r\n\r\n"
_STATUS_LINE = re.compile(r"HTTP/1\.[0-9] ([0-9]{3})(?: .*)?", re.DOTALL)
_LENGTH = re.compile(r"[0-9]{1,12}")
_CHUNK_SIZE = re.compile(r"[0-9A-Fa-f]{1,8}")
_VERSION_NOT_SUPPORTED = 505
_UP = (200, _VERSION_NOT_SUPPORTED)
"""Statuses of a server that is up. One that refuses HTTP/1.0 will always do so: `check` reports it, without waiting."""
_MISSING = "/missing-7c1e.html"
_TRAVERSALS = (
    "/../../../../../../etc/passwd",
    "/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/..%5c..%5c..%5c..%5cetc%5cpasswd",
    "/%252e%252e/%252e%252e/%252e%252e/%252e%252e/etc/passwd",
)
_SECRET = b"root:"


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


class Question(msgspec.Struct, frozen=True):
    """The request of a workload, as the generator sends it, and the body of the right answer, unpacked."""

    workload: Workload
    head: bytes
    expected: bytes


def question(head: bytes, workload: Workload, fixtures: Path) -> Question:
    """Return the question of a workload. What echoes has the request's head as the expected body; an answer that only
    the server knows has none until `learned` asks for it."""
    if workload.file is not None:
        return Question(workload, head, (fixtures / workload.file).read_bytes())
    if workload.probed_bytes is not None:
        return Question(workload, head, b"")
    return Question(workload, head, head if workload.constant is None else workload.constant.encode())


def learned(connect: Connect, asked: Question) -> Question:
    """Return the question with the body that the server gives now as the expected one. ProbeError unless that is a 200
    of the right length."""
    length = asked.workload.probed_bytes
    assert length is not None, "others are known beforehand"
    answer = ask(connect, asked.head, seconds_of(asked.workload))
    body = _plain_body(answer, asked.workload, length)
    if answer.status == 200 and len(body) != length:
        raise ProbeError(Message(Code.BODY_LENGTH, {"bytes": len(body), "expected": length}))
    found = msgspec.structs.replace(asked, expected=body)
    check_answer(answer, found)
    return found


def check(connect: Connect, asked: Question) -> Answer:
    """Send the generator's request, and requests that must be refused, and return the first answer. ProbeError for the
    first wrong one."""
    first = (_check_kept_alive if asked.workload.keep_alive else _check_closed)(connect, asked)
    if asked.workload.file is not None:
        _check_guarded(connect, asked.head)
    return first


def _head_for(path: str, keep_alive: bool = False, version: str = "1.0", headers: Iterable[str] = ()) -> bytes:
    """Return the head of a request of the runner's own."""
    connection = f"Connection: {'Keep-Alive' if keep_alive else 'close'}\r\n" if keep_alive or version != "1.0" else ""
    further = "".join(f"{line}\r\n" for line in headers)
    rest = "Host: localhost\r\nUser-Agent: probe\r\nAccept: */*\r\n\r\n"
    return f"GET {path} HTTP/{version}\r\n{connection}{further}{rest}".encode()


def seconds_of(workload: Workload) -> float:
    """Return the seconds that an answer in this workload may take."""
    return TIMEOUT + workload.not_before_ms / 1000


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


def wait_until_ready(
    connect: Connect, workload: Workload, seconds: float, ended: Callable[[], Message | None]
) -> Message | None:
    """Send requests until the server is up, and return None then. Return what it did last when the time is over, or why
    it has ended, if `ended` says so."""
    began = time.monotonic()
    last = Message(Code.NO_WHOLE_ANSWER, {"seconds": seconds})
    while (waited := time.monotonic() - began) < seconds:
        if reason := ended():
            return reason
        try:
            answer = ask(connect, _head_for(workload.path, headers=workload.headers), seconds_of(workload))
            if answer.status in _UP:
                return None
            last = Message(Code.STATUS, {"status": answer.status})
        except ProbeError as error:
            last = error.message
        time.sleep(0.02 if waited < 2 else 0.2)
    return last


def is_alive(connect: Connect, workload: Workload) -> bool:
    """Return whether the server still answers a single request."""
    try:
        head = _head_for(workload.path, workload.keep_alive, headers=workload.headers)
        return ask(connect, head, seconds_of(workload)).status in _UP
    except ProbeError:
        return False


def check_answer(answer: Answer, asked: Question) -> None:
    """Raise ProbeError unless it is the right answer, and does not come too early."""
    body = _plain_body(answer, asked.workload, len(asked.expected))
    check_body(msgspec.structs.replace(answer, body=body), asked.expected, asked.workload.may_be_chunked)
    if early := too_early(1e6 * answer.seconds, asked.workload.not_before_ms):
        raise ProbeError(early)


def _plain_body(answer: Answer, workload: Workload, length: int) -> bytes:
    """Return the body as it was before it was compressed, if it had to be or if it may be and is; one byte more than
    `length` at most then."""
    is_packed = workload.probed_bytes is not None and "content-encoding" in answer.headers
    return _unpacked(answer, length) if answer.status == 200 and (workload.gzip_of or is_packed) else answer.body


def _unpacked(answer: Answer, length: int) -> bytes:
    """Return a body that is compressed with gzip as it was before, one byte more than `length` at most."""
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        body = unpacking.decompress(answer.body, length + 1)
    except zlib.error:
        raise ProbeError(Message(Code.NOT_GZIP)) from None
    if answer.headers.get("content-encoding", "").lower() != "gzip":
        raise ProbeError(Message(Code.NOT_GZIP))
    if len(body) <= length and (not unpacking.eof or unpacking.unused_data):
        raise ProbeError(Message(Code.NOT_GZIP))
    return body


def check_body(answer: Answer, expected: bytes, may_be_chunked: bool = False) -> None:
    """Raise ProbeError unless the answer is a 200 with exactly these bytes."""
    if answer.status == _VERSION_NOT_SUPPORTED:
        raise ProbeError(Message(Code.REFUSES_HTTP_1_0))
    if answer.status != 200:
        raise ProbeError(Message(Code.STATUS, {"status": answer.status}))
    if "content-length" not in answer.headers and not (may_be_chunked and _is_chunked(answer.headers)):
        raise ProbeError(Message(Code.NO_CONTENT_LENGTH))
    if len(answer.body) != len(expected):
        raise ProbeError(Message(Code.BODY_LENGTH, {"bytes": len(answer.body), "expected": len(expected)}))
    if answer.body != expected:
        raise ProbeError(Message(Code.WRONG_BYTES))


def _check_kept_alive(connect: Connect, asked: Question) -> Answer:
    """Return the first of two answers on one connection."""
    seconds = seconds_of(asked.workload)
    with open_connection(connect) as connection:
        first = exchange(connection, asked.head, seconds)
        _check_kept(first, asked)
        try:
            second = exchange(connection, asked.head, seconds)
        except ProbeError as error:
            raise ProbeError(Message(Code.NO_KEEP_ALIVE)) from error
        _check_kept(second, asked)
    return first


def _check_kept(answer: Answer, asked: Question) -> None:
    check_answer(answer, asked)
    if not stays_open(asked.head, answer):
        raise ProbeError(Message(Code.NO_KEEP_ALIVE))


def stays_open(head: bytes, answer: Answer) -> bool:
    """Return whether the connection stays open after this answer to that request: over HTTP/1.1 unless it says close,
    over HTTP/1.0 if it says keep-alive (RFC 9112, section 9.3)."""
    said = answer.headers.get("connection", "").lower()
    if _is_http_1_1(head) and answer.head.startswith("HTTP/1.1 "):
        return said != "close"
    return said == "keep-alive"


def _is_http_1_1(head: bytes) -> bool:
    return head.partition(b"\r\n")[0].endswith(b" HTTP/1.1")


def _check_closed(connect: Connect, asked: Question) -> Answer:
    """Return the only answer on a connection. A client of HTTP/1.1 knows where it ends, and closes the connection if
    the server does not."""
    with open_connection(connect) as connection:
        answer = exchange(connection, asked.head, seconds_of(asked.workload))
        check_answer(answer, asked)
        is_left_open = _is_http_1_1(asked.head)
        try:
            more = _receive(connection, _limit(LEFT_OPEN_SECONDS if is_left_open else TIMEOUT), Code.DOES_NOT_CLOSE)
        except NoAnswer:
            if not is_left_open:
                raise
            return answer
        if more:
            raise ProbeError(Message(Code.MORE_BYTES))
    return answer


def _check_guarded(connect: Connect, head: bytes) -> None:
    version = "1.1" if _is_http_1_1(head) else "1.0"
    missing = ask(connect, _head_for(_MISSING, version=version))
    if missing.status != 404:
        raise ProbeError(Message(Code.STATUS_OF_MISSING, {"status": missing.status}))
    for path in _TRAVERSALS:
        try:
            answer = ask(connect, _head_for(path, version=version))
        except ProbeError:
            continue  # to hang up on such a request is a good answer too
        if answer.status == 200 or _SECRET in answer.body:
            raise ProbeError(Message(Code.GIVES_FILE_OUT, {"path": path}))


def open_connection(connect: Connect, seconds: float = TIMEOUT) -> socket.socket:
    """Return a new connection; NoAnswer if there is none within this many seconds."""
    try:
        return connect(seconds)
    except OSError as error:
        raise NoAnswer(Message(Code.NO_CONNECTION, detail=error.strerror or str(error))) from error


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
    if _is_chunked(headers):
        body, taken = _read_chunks(connection, data, limit)
        return Answer(head, status, headers, body, time.monotonic() - began, taken)
    length = _length_of(headers)
    while (length is None or len(data) < length) and (chunk := _receive(connection, limit)):
        data += chunk
        if len(data) > _BODY_AT_MOST:
            raise ProbeError(Message(Code.BODY_TOO_LONG, {"limit": _BODY_AT_MOST}))
    return Answer(head, status, headers, bytes(data), time.monotonic() - began, len(data))


def _is_chunked(headers: dict[str, str]) -> bool:
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
