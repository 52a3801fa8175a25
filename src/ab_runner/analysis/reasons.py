"""The meaning of stored texts.

A trial keeps its verdict, a cell without a trial its reason, and a sweep the reasons of skipped servers as the text
that tables show. That text is the stored format, and older sweeps have nothing else. This is the only module that reads
it: everything else works with the classes below.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec

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


_REASONS: tuple[tuple[Reason, re.Pattern[str]], ...] = tuple(
    (reason, re.compile(pattern))
    for reason, pattern in (
        (Reason.COLD, r"cold:"),
        (Reason.OVERLOADED, r"overloaded|p[\d.]+ [\d.]+"),
        (Reason.GENERATOR, r"open-load too slow"),
        (Reason.FAILED_REQUESTS, r"[\d,]+ (failed|non-2xx|write errors)\b"),
        (Reason.INCOMPLETE, r"none completed|\d+ of \d+ completed"),
        (Reason.NO_HTTP_1_0, r"refuses HTTP/1\.0"),
        (Reason.NO_KEEP_ALIVE, r"no keep-alive|not kept alive|[\d.]+ % kept alive"),
        (Reason.NOT_STARTED, r"does not (build|start|get ready)|not started|not ready"),
        (Reason.ENDED, r"(server|generator) (exited|killed|ran out|is )|containers are gone|no Docker engine"),
        (Reason.ENDED, r"stopped in warm-up|crashed|killed|interrupted|out of memory"),
        (Reason.TIMEOUT, r"timeout|over time|no answer|no whole answer|does not close"),
        (Reason.CONNECTION, r"connect timeout|reset|refused|unreachable|unknown host|no free port|no connection"),
        (Reason.CONNECTION, r"connection lost|closes without|only [\d,]+ of [\d,]+ idle connections"),
        (
            Reason.WRONG_ANSWER,
            r"wrong |[\d,]+ wrong answer|no data|lengths differ|bad answers|status \d+ instead|[\d,]+ bytes instead",
        ),
        (Reason.WRONG_ANSWER, r"more bytes|no Content-Length|Content-Length|two different|not an HTTP|not a header"),
        (Reason.WRONG_ANSWER, r"gives out a file|a head of more|a body of more"),
    )
)
"""The beginnings of texts with this reason; the first match counts."""
_PREFACES = ("SLO met at no rate: ", "no peak: ")
"""What may stand before such a text."""


def reason_of(text: str) -> Reason:
    """Return the reason that a stored text gives."""
    for preface in _PREFACES:
        text = text.removeprefix(preface)
    return next((reason for reason, pattern in _REASONS if pattern.match(text)), Reason.OTHER)


class Skip(Enum):
    """Why a server takes no part in a sweep."""

    ARTIFACT = "artifact"
    """A file is missing that no package registry has."""
    JDK = "jdk"
    """The sweep's JDK is too old for it."""
    NOT_INSTALLED = "not installed"
    OTHER = "other"


_SKIPS: tuple[tuple[Skip, re.Pattern[str]], ...] = (
    (Skip.ARTIFACT, re.compile(r"artifacts fetch")),
    (Skip.JDK, re.compile(r"^needs Java \d")),
    (Skip.NOT_INSTALLED, re.compile(r"^\S+ is not installed")),
)


def skip_of(text: str) -> Skip:
    """Return why a server was skipped, by the stored text."""
    return next((skip for skip, pattern in _SKIPS if pattern.search(text)), Skip.OTHER)


# --- texts that differ in a figure -----------------------------------------------------------------------------


class Sentence(msgspec.Struct, frozen=True):
    """A stored text, split at its first figure. `low` and `high` are the smallest and largest of that figure over the
    trials, as stored; both are empty in a text without a figure."""

    before: str
    low: str = ""
    high: str = ""
    after: str = ""


_FIGURE = re.compile(r"\d+(,\d{3})*(\.\d+)?")


def sentence(text: str) -> Sentence:
    """Return the text, split at its first figure."""
    found = _FIGURE.search(text)
    return Sentence(text[: found.start()], found[0], found[0], text[found.end() :]) if found else Sentence(text)


def together(sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """Return each sentence once. Sentences that differ only in their figure are merged, with the range of their
    figures."""
    figures: dict[tuple[str, str], list[str]] = {}
    for each in sentences:
        figures.setdefault((each.before, each.after), []).extend((each.low, each.high))
    return tuple(
        Sentence(before, min(texts, key=_value), max(texts, key=_value), after)
        for (before, after), texts in figures.items()
    )


def _value(figure: str) -> float:
    return float(figure.replace(",", "") or 0)


# --- failures ----------------------------------------------------------------------------------------------------


class Failure(msgspec.Struct, frozen=True):
    """Why one or more trials are not valid. `said` fits into a cell; `detail` is the rest of the reason, if there is
    any."""

    reason: Reason
    said: Sentence
    detail: str = ""


_BEHIND = re.compile(r"(overloaded|open-load too slow): ([\d,]+ answers/s)")
"""The beginning of a text that goes on with the failures that follow from it."""
_COUNT_AGAIN = re.compile(r"^([\d,]+ failed: )[\d,]+ (?=[^,]+$)")
"""Sweeps of open-load up to 1.1.0 say `3 failed: 3 timeout`, later ones `3 failed: timeout`."""
_FAILED_COUNT = re.compile(r"^[\d,]+ failed: ")


def failure_of(record: CellRecord) -> Failure:
    """Return why this record has no valid result."""
    if isinstance(record, NotMeasured):
        text, detail = record.reason, record.detail
    else:
        text, detail = record.verdict.reason or "", record.error.detail if record.error else ""
    said = _COUNT_AGAIN.sub(r"\1", (text or "failed").splitlines()[0])
    if behind := _BEHIND.match(said):
        return Failure(reason_of(said), sentence(behind[1]), behind[2])
    return Failure(reason_of(said), sentence(said), "" if detail == said else detail)


def without_count(text: str) -> str:
    """Return `timeout` of `368 failed: timeout`, and any other text as it is."""
    return _FAILED_COUNT.sub("", text)


def cell_failure(failures: Sequence[Failure]) -> Failure | None:
    """Return the failure that a cell shows: for cold trials with the range of their shares, else the last one. None
    without any."""
    if not failures:
        return None
    if all(each.reason is Reason.COLD for each in failures):
        return merged_cold(failures)[0]
    return failures[-1]


def merged_cold(failures: Iterable[Failure]) -> tuple[Failure, ...]:
    """Return the cold ones of these failures, with the range of the JIT's share."""
    cold = (each.said for each in failures if each.reason is Reason.COLD)
    return tuple(Failure(Reason.COLD, said) for said in together(cold))


def failure_remarks(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """Return the different ones, the cold ones first and together."""
    others = (each for each in failures if each.reason is not Reason.COLD)
    return (*merged_cold(failures), *dict.fromkeys(others))
