"""What ab's figures mean: as an outcome, and whether the trial is valid. ab notices little of what goes wrong; here its
figures are checked against what was asked for. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ab_runner.load import ab_output
from ab_runner.load.ab_output import AbFigures
from ab_runner.load.generator import Asked, Completed
from ab_runner.load.latency import distribution
from ab_runner.load.trial_validity import KEPT_ALIVE_AT_LEAST, kept_alive, short, wrong_length
from ab_runner.model.load import Outcome
from ab_runner.model.message import Code, Message, Verdict

NON_2XX, WRITE_ERRORS = "non-2xx", "write errors"
_LONGEST = 10**18
"""Microseconds. ab's clock can jump: what is longer is stored as this, and what is shorter than nothing as 0."""


def read(run: Completed, percentiles: str | None, milliseconds: Mapping[int, int], is_timed: bool) -> Outcome | Message:
    """Return what a run of ab found, or why it failed. `percentiles` is the text of its -e file, None without one."""
    figures = ab_output.parse(run.stdout, run.stderr, run.exit_code, percentiles)
    return figures if isinstance(figures, Message) else outcome_of(figures, milliseconds, is_timed)


def outcome_of(figures: AbFigures, milliseconds: Mapping[int, int], is_timed: bool) -> Outcome:
    """Return what ab found. `milliseconds` has the number of requests by their whole milliseconds, where ab wrote them
    down."""
    failures = figures.failures
    failed = {
        "connect": failures.connect,
        "receive": failures.receive,
        "length": failures.length,
        "exceptions": failures.exceptions,
        NON_2XX: figures.non_2xx,
        WRITE_ERRORS: figures.write_errors,
    }
    latency: dict[int, int] = {}
    for value, count in distribution(figures, milliseconds).by_highest.items():
        within = min(max(value, 0), _LONGEST)
        latency[within] = latency.get(within, 0) + count
    return Outcome(
        generator="ab",
        version=figures.tool,
        connections=figures.concurrency,
        seconds=figures.seconds,
        is_timed=is_timed,
        completed=figures.complete,
        completed_per_second=figures.requests_per_second,
        answered=figures.answered,
        requests=figures.complete + failures.connect,
        failed={kind: count for kind, count in failed.items() if count},
        failed_at_least=failures.at_least,
        kept_alive=figures.keep_alive,
        received_bytes=figures.total_bytes,
        body_bytes=figures.html_bytes,
        body_length=figures.document_length,
        latency=latency,
    )


def judge(outcome: Outcome, asked: Asked) -> Verdict:
    """Return whether a run of ab is valid and, if not, why.

    In a timed run the requests that are in flight when time runs out are not `completed`: at most one for each
    connection. `Outcome.rate` counts what was received of them, the latencies do not. A run with fewer than three
    requests per connection has a note.
    """
    reason = (
        _failed(outcome)
        or _incomplete(outcome, asked.load.requests)
        or _wrong_length(outcome, asked)
        or _wrong_total(outcome, asked.body_length, _in_flight(outcome, asked))
        or (_not_kept_alive(outcome) if asked.keep_alive else None)
    )
    if reason is not None:
        return Verdict(False, reason)
    notes = []
    if asked.keep_alive and (share := kept_alive(outcome)) < 1:
        notes.append(_kept_alive_message(share))
    return Verdict(True, notes=(*notes, *short(outcome, asked)))


# --- each rule: the reason if it is broken, else None ----------------------------------------------------------


def _failed(outcome: Outcome) -> Message | None:
    """Return everything that ab itself counted as wrong: an early 404 makes every good answer after it a failure, so
    that one count without the other would mislead."""
    counts = {
        "failed": outcome.failed_at_least,
        "non-2xx": outcome.failed.get(NON_2XX, 0),
        "write errors": outcome.failed.get(WRITE_ERRORS, 0),
    }
    found = {what: count for what, count in counts.items() if count}
    return Message(Code.COUNTED, found) if found else None


def _incomplete(outcome: Outcome, requests: int | None) -> Message | None:
    if outcome.completed == 0:
        return Message(Code.NONE_COMPLETED)
    if requests is not None and outcome.completed != requests:
        return Message(Code.INCOMPLETE, {"completed": outcome.completed, "requests": requests})
    return None


def _wrong_length(outcome: Outcome, asked: Asked) -> Message | None:
    """Return what is wrong with the length of an answer. ab compares each with the first one only, so that a server
    that is wrong from the start has no failures."""
    if outcome.received_bytes == 0:
        # A server that closes without a byte is the fastest of all, and ab finds no fault with it.
        return Message(Code.NO_DATA)
    return wrong_length(outcome, asked)


def _wrong_total(outcome: Outcome, expected: int, in_flight: int) -> Message | None:
    received = outcome.body_bytes or 0
    excess = received - outcome.completed * expected
    return None if 0 <= excess <= in_flight * expected else Message(Code.WRONG_TOTAL, {"bytes": received})


def _in_flight(outcome: Outcome, asked: Asked) -> int:
    """Return how many answers may have been received, in whole or in part, without having been counted as complete.

    None when ab 2.3 stops after a number of requests, because it starts no more than it was asked for. 2.0 does not
    count those that it starts, and has new ones under way when the last one asked for is done.
    """
    starts_too_many = outcome.version.startswith("2.0")
    return asked.connections if asked.load.requests is None or starts_too_many else 0


def _not_kept_alive(outcome: Outcome) -> Message | None:
    share = kept_alive(outcome)
    if share == 0:
        return Message(Code.NOT_KEPT_ALIVE)
    return _kept_alive_message(share) if share < KEPT_ALIVE_AT_LEAST else None


def _kept_alive_message(share: float) -> Message:
    """Return how many per cent were kept alive; rounded down, so that one close in a million does not read as 100 %."""
    return Message(Code.KEPT_ALIVE, {"percent": math.floor(share * 1000) / 10})
