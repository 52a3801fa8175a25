"""Checks without load whether a server answers as it should: asks, and judges the answers."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from ab_runner.load.trial_validity import too_early
from ab_runner.model.message import Code, Message
from ab_runner.model.workload import Workload
from ab_runner.sweep.server import answers

LEFT_OPEN_SECONDS = 0.2
"""How long the probe looks for more bytes after an answer over HTTP/1.1."""
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


def learned(connect: answers.Connect, asked: Question) -> Question:
    """Return the question with the body that the server gives now as the expected one. ProbeError unless that is a 200
    of the right length."""
    length = asked.workload.probed_bytes
    assert length is not None, "others are known beforehand"
    answer = answers.ask(connect, asked.head, seconds_of(asked.workload))
    body = _plain_body(answer, asked.workload, length)
    if answer.status == 200 and len(body) != length:
        raise answers.ProbeError(Message(Code.BODY_LENGTH, {"bytes": len(body), "expected": length}))
    found = msgspec.structs.replace(asked, expected=body)
    check_answer(answer, found)
    return found


def check(connect: answers.Connect, asked: Question) -> answers.Answer:
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
    return answers.TIMEOUT + workload.not_before_ms / 1000


def wait_until_ready(
    connect: answers.Connect, workload: Workload, seconds: float, ended: Callable[[], Message | None]
) -> Message | None:
    """Send requests until the server is up, and return None then. Return what it did last when the time is over, or why
    it has ended, if `ended` says so."""
    began = time.monotonic()
    last = Message(Code.NO_WHOLE_ANSWER, {"seconds": seconds})
    while (waited := time.monotonic() - began) < seconds:
        if reason := ended():
            return reason
        try:
            answer = answers.ask(connect, _head_for(workload.path, headers=workload.headers), seconds_of(workload))
            if answer.status in _UP:
                return None
            last = Message(Code.STATUS, {"status": answer.status})
        except answers.ProbeError as error:
            last = error.message
        time.sleep(0.02 if waited < 2 else 0.2)
    return last


def is_alive(connect: answers.Connect, workload: Workload) -> bool:
    """Return whether the server still answers a single request."""
    try:
        head = _head_for(workload.path, workload.keep_alive, headers=workload.headers)
        return answers.ask(connect, head, seconds_of(workload)).status in _UP
    except answers.ProbeError:
        return False


def check_answer(answer: answers.Answer, asked: Question) -> None:
    """Raise ProbeError unless it is the right answer, and does not come too early."""
    body = _plain_body(answer, asked.workload, len(asked.expected))
    check_body(msgspec.structs.replace(answer, body=body), asked.expected, asked.workload.may_be_chunked)
    if early := too_early(1e6 * answer.seconds, asked.workload.not_before_ms):
        raise answers.ProbeError(early)


def _plain_body(answer: answers.Answer, workload: Workload, length: int) -> bytes:
    """Return the body as it was before it was compressed, if it had to be or if it may be and is; one byte more than
    `length` at most then."""
    is_packed = workload.probed_bytes is not None and "content-encoding" in answer.headers
    return _unpacked(answer, length) if answer.status == 200 and (workload.gzip_of or is_packed) else answer.body


def _unpacked(answer: answers.Answer, length: int) -> bytes:
    """Return a body that is compressed with gzip as it was before, one byte more than `length` at most."""
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        body = unpacking.decompress(answer.body, length + 1)
    except zlib.error:
        raise answers.ProbeError(Message(Code.NOT_GZIP)) from None
    if answer.headers.get("content-encoding", "").lower() != "gzip":
        raise answers.ProbeError(Message(Code.NOT_GZIP))
    if len(body) <= length and (not unpacking.eof or unpacking.unused_data):
        raise answers.ProbeError(Message(Code.NOT_GZIP))
    return body


def check_body(answer: answers.Answer, expected: bytes, may_be_chunked: bool = False) -> None:
    """Raise ProbeError unless the answer is a 200 with exactly these bytes."""
    if answer.status == _VERSION_NOT_SUPPORTED:
        raise answers.ProbeError(Message(Code.REFUSES_HTTP_1_0))
    if answer.status != 200:
        raise answers.ProbeError(Message(Code.STATUS, {"status": answer.status}))
    if "content-length" not in answer.headers and not (may_be_chunked and answers.is_chunked(answer.headers)):
        raise answers.ProbeError(Message(Code.NO_CONTENT_LENGTH))
    if len(answer.body) != len(expected):
        raise answers.ProbeError(Message(Code.BODY_LENGTH, {"bytes": len(answer.body), "expected": len(expected)}))
    if answer.body != expected:
        raise answers.ProbeError(Message(Code.WRONG_BYTES))


def _check_kept_alive(connect: answers.Connect, asked: Question) -> answers.Answer:
    """Return the first of two answers on one connection."""
    seconds = seconds_of(asked.workload)
    with answers.open_connection(connect) as connection:
        first = answers.exchange(connection, asked.head, seconds)
        _check_kept(first, asked)
        try:
            second = answers.exchange(connection, asked.head, seconds)
        except answers.ProbeError as error:
            raise answers.ProbeError(Message(Code.NO_KEEP_ALIVE)) from error
        _check_kept(second, asked)
    return first


def _check_kept(answer: answers.Answer, asked: Question) -> None:
    check_answer(answer, asked)
    if not answers.stays_open(asked.head, answer):
        raise answers.ProbeError(Message(Code.NO_KEEP_ALIVE))


def _check_closed(connect: answers.Connect, asked: Question) -> answers.Answer:
    """Return the only answer on a connection. A client of HTTP/1.1 knows where it ends, and closes the connection if
    the server does not."""
    with answers.open_connection(connect) as connection:
        answer = answers.exchange(connection, asked.head, seconds_of(asked.workload))
        check_answer(answer, asked)
        is_left_open = answers.is_http_1_1(asked.head)
        seconds = LEFT_OPEN_SECONDS if is_left_open else answers.TIMEOUT
        try:
            more = answers.read_on(connection, seconds, Code.DOES_NOT_CLOSE)
        except answers.NoAnswer:
            if not is_left_open:
                raise
            return answer
        if more:
            raise answers.ProbeError(Message(Code.MORE_BYTES))
    return answer


def _check_guarded(connect: answers.Connect, head: bytes) -> None:
    version = "1.1" if answers.is_http_1_1(head) else "1.0"
    missing = answers.ask(connect, _head_for(_MISSING, version=version))
    if missing.status != 404:
        raise answers.ProbeError(Message(Code.STATUS_OF_MISSING, {"status": missing.status}))
    for path in _TRAVERSALS:
        try:
            answer = answers.ask(connect, _head_for(path, version=version))
        except answers.ProbeError:
            continue  # to hang up on such a request is a good answer too
        if answer.status == 200 or _SECRET in answer.body:
            raise answers.ProbeError(Message(Code.GIVES_FILE_OUT, {"path": path}))
