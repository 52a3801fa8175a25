"""Why trials and cells have no valid result, by kind. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec

from ab_runner.model.message import Code, Message
from ab_runner.model.trial import CellRecord, NotMeasured


class FailureKind(Enum):
    """Why there is no valid result."""

    COLD = "cold"
    """The JIT compiler was still at work."""
    STARVED = "starved"
    """Most connections waited while the others were served. It is a kind for cells, never of a single trial."""
    DISTURBED = "disturbed"
    """The hypervisor disturbed most trials. It is a kind for cells too."""
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
    """The load generator, or the network to it, did not keep up with an open load."""
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    """A connection was refused or broke."""
    NOT_STARTED = "not started"
    """The server was not built, did not start, or did not get ready."""
    ENDED = "ended"
    """The server, the generator or a load host ended in the middle."""
    OTHER = "other"


_CODES: dict[FailureKind, tuple[Code, ...]] = {
    FailureKind.COLD: (Code.COLD,),
    FailureKind.DISTURBED: (Code.FEW_CLEAN_SECONDS,),
    FailureKind.OVERLOADED: (Code.OVERLOADED, Code.SLO_MISSED),
    FailureKind.GENERATOR: (Code.GENERATOR_BEHIND, Code.NETWORK_FULL),
    FailureKind.FAILED_REQUESTS: (Code.FAILED, Code.COUNTED),
    FailureKind.INCOMPLETE: (Code.NONE_COMPLETED, Code.INCOMPLETE),
    FailureKind.NO_HTTP_1_0: (Code.REFUSES_HTTP_1_0,),
    FailureKind.NO_KEEP_ALIVE: (Code.NO_KEEP_ALIVE, Code.NOT_KEPT_ALIVE, Code.KEPT_ALIVE),
    FailureKind.NOT_STARTED: (Code.DOES_NOT_BUILD, Code.DOES_NOT_START, Code.DOES_NOT_GET_READY, Code.NOT_RUN),
    FailureKind.ENDED: (
        Code.EXITED, Code.KILLED_BY, Code.RAN_OUT_OF_MEMORY, Code.CONTAINER_STATE, Code.CONTAINERS_GONE, Code.NO_ENGINE,
        Code.LOAD_HOST_GONE, Code.STOPPED_IN_WARM_UP, Code.CRASHED, Code.KILLED, Code.INTERRUPTED, Code.OUT_OF_MEMORY,
    ),
    FailureKind.TIMEOUT: (Code.TIMEOUT, Code.OVER_TIME, Code.NO_WHOLE_ANSWER, Code.DOES_NOT_CLOSE),
    FailureKind.CONNECTION: (
        Code.CONNECT_TIMEOUT, Code.RESET, Code.REFUSED, Code.UNREACHABLE, Code.UNKNOWN_HOST, Code.NO_FREE_PORT,
        Code.NO_CONNECTION, Code.CONNECTION_LOST, Code.CLOSES_WITHOUT_ANSWER, Code.CLOSES_WITHOUT_WHOLE_ANSWER,
        Code.IDLE_CONNECTIONS, Code.OPENED_BEFORE, Code.NOT_CLOSED,
    ),
    FailureKind.WRONG_ANSWER: (
        Code.WRONG_ANSWERS, Code.WRONG_LENGTH, Code.WRONG_TOTAL, Code.LENGTHS_DIFFER, Code.NO_DATA, Code.BAD_ANSWERS,
        Code.WRONG_BYTES, Code.STATUS, Code.STATUS_OF_MISSING, Code.NO_CONTENT_LENGTH, Code.BODY_LENGTH,
        Code.MORE_BYTES, Code.GIVES_FILE_OUT, Code.HEAD_TOO_LONG, Code.BODY_TOO_LONG, Code.NOT_HTTP, Code.NOT_A_HEADER,
        Code.NOT_A_LENGTH, Code.TWO_CONTENT_LENGTHS, Code.NOT_GZIP, Code.TOO_EARLY,
    ),
}  # fmt: skip
_KINDS: dict[str, FailureKind] = {code: kind for kind, codes in _CODES.items() for code in codes}


def kind_of(message: Message) -> FailureKind:
    """Return the kind of failure that a message is about."""
    if message.stage in ("start", "readiness"):
        return FailureKind.NOT_STARTED
    return _KINDS.get(message.code, FailureKind.OTHER)


class Failure(msgspec.Struct, frozen=True):
    """Why one or more trials are not valid: its kind, and the messages, which all have the same code."""

    kind: FailureKind
    messages: tuple[Message, ...]


def message_of(record: CellRecord) -> Message:
    """Return why this record has no valid result."""
    message = record.reason if isinstance(record, NotMeasured) else record.verdict.reason
    assert message is not None, "its verdict says why"
    return message


def cell_failure(messages: Sequence[Message]) -> Failure | None:
    """Return the failure that a cell shows, given why each of its failed trials is not valid: that of the most frequent
    kind, and of equally frequent ones the last. It has the messages of all cold trials, else one. None without any."""
    if not messages:
        return None
    kinds = [kind_of(message) for message in messages]
    kind = max(reversed(kinds), key=kinds.count)
    same = tuple(message for message, each in zip(messages, kinds, strict=True) if each is kind)
    return Failure(kind, same if kind is FailureKind.COLD else same[-1:])


def failures_of(messages: Iterable[Message]) -> tuple[Failure, ...]:
    """Return the failures, a failure for each code at a stage; cold trials come first."""
    found: dict[tuple[str, str], list[Message]] = {}
    for message in messages:
        found.setdefault((message.code, message.stage), []).append(message)
    failures = [Failure(kind_of(same[0]), tuple(same)) for same in found.values()]
    return tuple(sorted(failures, key=lambda failure: failure.kind is not FailureKind.COLD))
