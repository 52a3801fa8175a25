"""What there is to say of a trial or a server, as data: a code with values. `report/say/messages.py` has the words."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from msgspec import Struct

from ab_runner.model.limits import Count

Value = int | float | str
Stage = Literal["", "start", "readiness", "during trial", "after trial", "verification", "warm-up", "peak", "slo"]
"""Where it was found, if that is not the trial itself: as the server was started, or did not get ready; in an answer
that was compared during the trial, after it, or after all trials of the start; in the load that warms a server up, or
that measures its peak; or at every rate of a search for a capacity."""


class Code(StrEnum):
    """The codes of this version. What is stored is text: a newer version may have others."""

    # --- the figures of a generator, and what its rules say of them
    COLD = "cold"
    """`percent`: the JIT compiler's part of the server's CPU time."""
    COUNTED = "counted as failed"
    """Failures by kinds that may count one request several times, in the values."""
    FAILED = "requests failed"
    WRONG_ANSWERS = "wrong answers"
    OVERLOADED = "overloaded"
    """`answers_per_second`; the failures follow from it."""
    GENERATOR_BEHIND = "generator too slow"
    """As above."""
    NETWORK_FULL = "network is full"
    """As above."""
    NONE_COMPLETED = "none completed"
    INCOMPLETE = "incomplete"
    """`completed` of `requests`."""
    NO_DATA = "no data"
    WRONG_LENGTH = "wrong length"
    """`bytes` of the first answer."""
    WRONG_TOTAL = "wrong total"
    """`bytes` of all answers."""
    LENGTHS_DIFFER = "lengths differ"
    NOT_KEPT_ALIVE = "not kept alive"
    KEPT_ALIVE = "kept alive"
    """`percent` of the requests."""
    NOT_CLOSED = "connections are not closed"
    """The generator uses a connection again unless the server says that it closes it."""
    IDLE_CONNECTIONS = "idle connections"
    """`open` of `asked`."""
    OPENED_BEFORE = "connections before the load"
    """`open` of `asked`."""
    FEW_CLEAN_SECONDS = "few clean seconds"
    SLO_MISSED = "SLO missed"
    """`milliseconds` of the `percentile`."""
    # --- notes on valid results
    SHORT = "short"
    """`requests` per connection."""
    FEW_FOR_P99 = "few requests for p99"
    """`requests`."""
    SENT_TWICE = "sent twice"
    """`requests`."""
    PEAK_IS_BOUND = "peak is a lower bound"
    ENDED_BY_RATE = "ended by a rate"
    SOCKET_ERRORS = "socket errors"
    """No more than the load allows; by kind in `failed`."""
    # --- how a generator or a server ended
    TIMEOUT = "timeout"
    OVER_TIME = "over time"
    RESET = "reset"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    UNKNOWN_HOST = "unknown host"
    CONNECT_TIMEOUT = "connect timeout"
    NO_FREE_PORT = "no free port"
    TOO_FEW_FILES = "too few files"
    OUT_OF_MEMORY = "out of memory"
    BAD_ARGUMENTS = "bad arguments"
    BAD_ANSWERS = "bad answers"
    NO_PERCENTILES = "no percentiles"
    NO_FIGURES = "no figures"
    NOT_RUN = "not started"
    """The generator's program could not be run."""
    NO_REQUEST = "the generator does not print its request"
    INTERRUPTED = "interrupted"
    CRASHED = "crashed"
    KILLED = "killed"
    UNSAID = "failed"
    """The generator did not say why it failed."""
    EXITED = "exited"
    """`who` exited with a `status`."""
    KILLED_BY = "killed by"
    """`who` was ended by a `signal`."""
    RAN_OUT_OF_MEMORY = "ran out of memory"
    """`who` did."""
    CONTAINER_STATE = "container state"
    """The container of `who` is in a `state` in which it does not run."""
    CONTAINERS_GONE = "containers are gone"
    NO_ENGINE = "no Docker engine"
    LOAD_HOST_GONE = "load host is gone"
    """`who` of the load hosts."""
    STOPPED_IN_WARM_UP = "stopped in warm-up"
    # --- starts
    DOES_NOT_BUILD = "does not build"
    DOES_NOT_START = "does not start"
    DOES_NOT_GET_READY = "does not get ready"
    # --- single answers
    NO_CONNECTION = "no connection"
    CONNECTION_LOST = "connection lost"
    CLOSES_WITHOUT_ANSWER = "closes without an answer"
    CLOSES_WITHOUT_WHOLE_ANSWER = "closes without a whole answer"
    NO_WHOLE_ANSWER = "no whole answer"
    """Within `seconds`."""
    DOES_NOT_CLOSE = "does not close the connection"
    """Within `seconds`."""
    REFUSES_HTTP_1_0 = "refuses HTTP/1.0"
    NO_KEEP_ALIVE = "no keep-alive"
    STATUS = "wrong status"
    """`status` instead of 200."""
    STATUS_OF_MISSING = "wrong status of a missing file"
    """`status` instead of 404."""
    NO_CONTENT_LENGTH = "no Content-Length"
    BODY_LENGTH = "wrong body length"
    """`bytes` instead of `expected`."""
    WRONG_BYTES = "wrong bytes"
    NOT_GZIP = "not gzip"
    TOO_EARLY = "too early"
    """After `milliseconds`, where an answer takes at least `least`."""
    MORE_BYTES = "more bytes than its Content-Length says"
    GIVES_FILE_OUT = "gives out a file"
    """For a `path` that leads out of the document root."""
    HEAD_TOO_LONG = "head too long"
    """More than the `limit` in bytes."""
    BODY_TOO_LONG = "body too long"
    """As above, as sent or as announced."""
    NOT_HTTP = "not an HTTP answer"
    """The detail is its beginning, as of the next two."""
    NOT_A_HEADER = "not a header"
    NOT_A_LENGTH = "Content-Length is not a length"
    TWO_CONTENT_LENGTHS = "two different Content-Lengths"


class Message(Struct, frozen=True, omit_defaults=True):
    """Why there is no valid result, or what a reader of a valid one should know. `values` are named at the code;
    trials that differ in the first one alone say the same. `failed` are requests by why they failed, the most frequent
    first. `detail` is what a server, a generator or the system said, in its own words."""

    code: str
    values: Mapping[str, Value] = {}
    failed: Mapping[str, Count] = {}
    stage: Stage = ""
    detail: str = ""


class Verdict(Struct, frozen=True):
    """Whether a trial is valid. `reason` says why not; `notes` are what a reader of a valid one should know."""

    valid: bool
    reason: Message | None = None
    notes: tuple[Message, ...] = ()


class MessageError(Exception):
    """Base class of errors that become the reason of a record."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


class SkipKind(StrEnum):
    """Why a server takes no part in a sweep."""

    ARTIFACT = "artifact"
    """A file is missing that no package registry has."""
    JDK = "jdk"
    """The sweep's JDK is too old for it."""
    NOT_INSTALLED = "not installed"
    OTHER = "other"


class Skip(Struct, frozen=True):
    """Why a server is skipped: its kind, and the full reason with what to do."""

    kind: str
    detail: str
