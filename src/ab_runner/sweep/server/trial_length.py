"""How much load a trial has, and how long it may take. Pure."""

from __future__ import annotations

from math import ceil

import msgspec

from ab_runner.load.trial_validity import REQUESTS_PER_CONNECTION
from ab_runner.model.load import Load

LONGEST_STRETCH = 5
LEAD_IN_SHARE = 1 / 16
"""The share of a trial's time that its lead-in takes."""


def trial_load(load: Load, concurrency: int, rate: float | None) -> Load:
    """Return the load of one trial, given the rate in requests per second that the warm-up showed.

    The latencies of a timed trial lack the requests that are under way when time runs out, some `concurrency` of them:
    with large files, 1,000 connections and 2,000 requests per second that is a third of those that begin in a second.
    So it is stretched until every connection can have made three requests, to at most five times its length.
    """
    if load.seconds is None or not rate:
        return load
    wanted = _seconds_wanted(concurrency, rate)
    seconds = max(load.seconds, ceil(min(wanted, LONGEST_STRETCH * load.seconds)))
    return msgspec.structs.replace(load, seconds=seconds)


def lead_in(load: Load, concurrency: int, rate: float | None) -> Load | None:
    """Return the load that comes before a timed trial and is not counted: the same for a sixteenth of its time. None
    before a trial by requests, where no rate is known, and before one that is stretched: a request on each connection
    takes a third of its time.

    `load` is the trial's before it is stretched."""
    if load.seconds is None or not rate or _seconds_wanted(concurrency, rate) > load.seconds:
        return None
    return msgspec.structs.replace(load, seconds=LEAD_IN_SHARE * load.seconds)


def _seconds_wanted(concurrency: int, rate: float) -> float:
    return REQUESTS_PER_CONNECTION * concurrency / rate


def time_limit(load: Load, idle_timeout: int, rate: float | None) -> float:
    """Return the seconds after which a run of the generator is ended from outside: its own limit, the idle timeout,
    does not see a connection that trickles; to open connections beforehand may take as long again. A run of so many
    requests may take ten times as long as the warm-up lets expect, an hour where that is not known."""
    grace = idle_timeout * (2 if load.opened_before else 1) + 15
    if load.seconds is not None:
        return load.longest + grace
    assert load.requests is not None
    return grace + (10 * load.requests / rate if rate else 3600)
