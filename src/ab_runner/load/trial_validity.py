"""Rules that hold for trials of all generators. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ab_runner.load.generator import Asked
from ab_runner.model.load import Outcome
from ab_runner.model.message import Code, Message

REQUESTS_PER_CONNECTION = 3
"""A timed trial with fewer requests per connection is called short: its latencies lack the last request of each
connection, which the end of the trial cut off."""
KEPT_ALIVE_AT_LEAST = 0.5
"""The share of requests over kept connections below which a keep-alive figure is not valid.

A connection that carries k requests has k - 1 of them counted as kept alive (its last answer says that it will
close), so a share of one half is two requests per connection. Below that most requests pay for a connection of their
own: what was measured is the workload without keep-alive. Above it a server may close as often as it is configured
to, and the figure says so.
"""


RESOLUTION = 1_000
"""Microseconds: many servers count timers in whole milliseconds."""


def short(outcome: Outcome, asked: Asked) -> Iterator[Message]:
    """Yield the note on a timed run with few requests per connection."""
    if asked.load.requests is None and outcome.completed < REQUESTS_PER_CONNECTION * asked.connections:
        # Rounded down, so that 9.96 does not read as the ten that it misses.
        yield Message(Code.SHORT, {"requests": math.floor(10 * outcome.completed / asked.connections) / 10})


ROUNDED_DOWN = 2 / 1024
"""The share of a latency by which it may be stored too low: open-load keeps three digits of the nanoseconds, and then
of the microseconds."""


def too_early(earliest: float, not_before_ms: int) -> Message | None:
    """Return that an answer came too early, if one after so many microseconds did. The clock's resolution is
    forgiven."""
    if earliest >= 1000 * not_before_ms - RESOLUTION:
        return None
    return Message(Code.TOO_EARLY, {"milliseconds": round(earliest / 1000, 3), "least": not_before_ms})


def kept_alive(outcome: Outcome) -> float:
    """Return the share of answers that left their connection open; 0 without any."""
    return (outcome.kept_alive or 0) / outcome.completed if outcome.completed else 0.0


def wrong_total(outcome: Outcome, asked: Asked, broken: int = 0) -> Message | None:
    """Return what is wrong with the number of bytes of all answers together, of a generator that compares none: as many
    as so many right ones have, and a part of one more on each connection and each that broke. Where the length of a
    right answer is not known, no number is right."""
    if outcome.received_bytes == 0:
        return Message(Code.NO_DATA)
    length = asked.answer_length or 0
    excess = outcome.received_bytes - outcome.completed * length
    allowed = 0 <= excess <= (asked.connections + broken) * length
    return None if allowed else Message(Code.WRONG_TOTAL, {"bytes": outcome.received_bytes})


def wrong_length(outcome: Outcome, asked: Asked) -> Message | None:
    """Return what is wrong with the length of an answer."""
    length = outcome.body_length
    return None if length == asked.body_length else Message(Code.WRONG_LENGTH, {"bytes": length or 0})
