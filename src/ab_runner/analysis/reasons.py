"""Why trials and cells have no valid result, by kind. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec

from ab_runner.model.message import Code, Message
from ab_runner.model.records import CellRecord, NotMeasured


class Reason(Enum):
    """Why there is no valid result."""

    COLD = "cold"
    """The JIT compiler was still at work."""
    STARVED = "starved"
    """Most connections waited while the others were served. It is a reason of cells, never of a single trial."""
    DISTURBED = "disturbed"
    """The hypervisor disturbed most trials. It is a reason of cells too."""
    FAILED_REQUESTS = "failed requests"
    INCOMPLETE = "incomplete"
    """Fewer requests were completed than requested."""
    WRONG_ANSWER = "wrong answer"
    NO_HTTP_1_0 = "no HTTP/1.0"
    """The server refuses the version that ab speaks."""
    NO_KEEP_ALIVE = "no keep-alive"
    OVERLOADED = "overloaded"
    """The server does not keep up with an open load, or meets an SLO at no rate."""
    GENERATOR = "generator"
    """The load generator did not keep up with an open load."""
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    """A connection was refused or broke."""
    NOT_STARTED = "not started"
    """The server was not built, did not start, or did not get ready."""
    ENDED = "ended"
    """The server or the generator ended in the middle."""
    OTHER = "other"


_CODES: dict[Reason, tuple[Code, ...]] = {
    Reason.COLD: (Code.COLD,),
    Reason.OVERLOADED: (Code.OVERLOADED, Code.SLO_MISSED),
    Reason.GENERATOR: (Code.GENERATOR_BEHIND,),
    Reason.FAILED_REQUESTS: (Code.FAILED, Code.COUNTED),
    Reason.INCOMPLETE: (Code.NONE_COMPLETED, Code.INCOMPLETE),
    Reason.NO_HTTP_1_0: (Code.REFUSES_HTTP_1_0,),
    Reason.NO_KEEP_ALIVE: (Code.NO_KEEP_ALIVE, Code.NOT_KEPT_ALIVE, Code.KEPT_ALIVE),
    Reason.NOT_STARTED: (Code.DOES_NOT_BUILD, Code.DOES_NOT_START, Code.DOES_NOT_GET_READY, Code.NOT_RUN),
    Reason.ENDED: (
        Code.EXITED, Code.KILLED_BY, Code.RAN_OUT_OF_MEMORY, Code.CONTAINER_STATE, Code.CONTAINERS_GONE, Code.NO_ENGINE,
        Code.STOPPED_IN_WARM_UP, Code.CRASHED, Code.KILLED, Code.INTERRUPTED, Code.OUT_OF_MEMORY,
    ),
    Reason.TIMEOUT: (Code.TIMEOUT, Code.OVER_TIME, Code.NO_WHOLE_ANSWER, Code.DOES_NOT_CLOSE),
    Reason.CONNECTION: (
        Code.CONNECT_TIMEOUT, Code.RESET, Code.REFUSED, Code.UNREACHABLE, Code.UNKNOWN_HOST, Code.NO_FREE_PORT,
        Code.NO_CONNECTION, Code.CONNECTION_LOST, Code.CLOSES_WITHOUT_ANSWER, Code.CLOSES_WITHOUT_WHOLE_ANSWER,
        Code.IDLE_CONNECTIONS, Code.NOT_CLOSED,
    ),
    Reason.WRONG_ANSWER: (
        Code.WRONG_ANSWERS, Code.WRONG_LENGTH, Code.WRONG_TOTAL, Code.LENGTHS_DIFFER, Code.NO_DATA, Code.BAD_ANSWERS,
        Code.WRONG_BYTES, Code.STATUS, Code.STATUS_OF_MISSING, Code.NO_CONTENT_LENGTH, Code.BODY_LENGTH,
        Code.MORE_BYTES, Code.GIVES_FILE_OUT, Code.HEAD_TOO_LONG, Code.BODY_TOO_LONG, Code.NOT_HTTP, Code.NOT_A_HEADER,
        Code.NOT_A_LENGTH, Code.TWO_CONTENT_LENGTHS, Code.NOT_GZIP, Code.TOO_EARLY,
    ),
}  # fmt: skip
_REASONS: dict[str, Reason] = {code: reason for reason, codes in _CODES.items() for code in codes}


def reason_of(message: Message) -> Reason:
    """Return the kind of reason that a message gives."""
    if message.stage in ("start", "readiness"):
        return Reason.NOT_STARTED
    return _REASONS.get(message.code, Reason.OTHER)


class Failure(msgspec.Struct, frozen=True):
    """Why one or more trials are not valid: a reason, and its messages, which all have the same code."""

    reason: Reason
    messages: tuple[Message, ...]


def message_of(record: CellRecord) -> Message:
    """Return why this record has no valid result."""
    message = record.reason if isinstance(record, NotMeasured) else record.verdict.reason
    assert message is not None, "its verdict says why"
    return message


def cell_failure(messages: Sequence[Message]) -> Failure | None:
    """Return the failure that a cell shows, given why each of its failed trials is not valid: if all were cold, that of
    all, else that of the last one. None without any."""
    if not messages:
        return None
    if all(message.code == Code.COLD for message in messages):
        return Failure(Reason.COLD, tuple(messages))
    return Failure(reason_of(messages[-1]), (messages[-1],))


def failures_of(messages: Iterable[Message]) -> tuple[Failure, ...]:
    """Return the failures, a failure for each code at a stage; cold trials come first."""
    found: dict[tuple[str, str], list[Message]] = {}
    for message in messages:
        found.setdefault((message.code, message.stage), []).append(message)
    failures = [Failure(reason_of(same[0]), tuple(same)) for same in found.values()]
    return tuple(sorted(failures, key=lambda failure: failure.reason is not Reason.COLD))
