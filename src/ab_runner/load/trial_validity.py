"""Rules that hold for trials of all generators. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ab_runner.load.generator import Asked
from ab_runner.model.load import Outcome
from ab_runner.model.message import Code, Message
from ab_runner.model.resources import Usage

REQUESTS_PER_CONNECTION = 3
"""A timed trial with fewer requests per connection is called short: its latencies lack the last request of each
connection, which the end of the trial cut off."""
COLD = 0.05
"""The JIT compiler's share of the server's CPU time above which a single trial, or window of the warm-up, is of a
server that is not warm. One late method takes less."""
KEPT_ALIVE_AT_LEAST = 0.5
"""The share of requests over kept connections below which a keep-alive figure is not valid.

A connection that carries k requests has k - 1 of them counted as kept alive (its last answer says that it will
close), so a share of one half is two requests per connection. Below that most requests pay for a connection of their
own: what was measured is the workload without keep-alive. Above it a server may close as often as it is configured
to, and the figure says so.
"""


RESOLUTION = 1_000
"""Microseconds: many servers count timers in whole milliseconds."""
COLD_OF_TIME = 0.01
"""The share of an open load's time that the JIT compiler must take besides: at a low rate the server needs so little
CPU time that a single compilation is a large share of it."""


def cold(usage: Usage | None, open_seconds: float | None = None) -> Message | None:
    """Return why a trial's figure is not that of a warm server; None if it is, or if that is not known. `open_seconds`
    is how long an open load took, with its lead-in; None of a closed one."""
    share = usage.jit_share if usage else None
    if usage is None or share is None:
        return None
    if open_seconds is not None and (usage.jit_cpu_seconds or 0.0) <= COLD_OF_TIME * open_seconds:
        return None
    return Message(Code.COLD, {"percent": round(100 * share, 4)}) if share > COLD else None


def short(outcome: Outcome, asked: Asked) -> Iterator[Message]:
    """Yield the note on a timed run with few requests per connection."""
    if asked.load.requests is None and outcome.completed < REQUESTS_PER_CONNECTION * asked.connections:
        # Rounded down, so that 9.96 does not read as the ten that it misses.
        yield Message(Code.SHORT, {"requests": math.floor(10 * outcome.completed / asked.connections) / 10})


def too_early(earliest: float, not_before_ms: int) -> Message | None:
    """Return that an answer came too early, if one after so many microseconds did. No answer of a trial took longer
    than its latency is stored, so the clock's resolution is all that is forgiven."""
    if earliest >= 1000 * not_before_ms - RESOLUTION:
        return None
    return Message(Code.TOO_EARLY, {"milliseconds": round(earliest / 1000, 3), "least": not_before_ms})


def kept_alive(outcome: Outcome) -> float:
    """Return the share of answers that left their connection open; 0 without any."""
    return (outcome.kept_alive or 0) / outcome.completed if outcome.completed else 0.0


def wrong_length(outcome: Outcome, asked: Asked) -> Message | None:
    """Return what is wrong with the length of an answer."""
    length = outcome.body_length
    return None if length == asked.body_length else Message(Code.WRONG_LENGTH, {"bytes": length or 0})
