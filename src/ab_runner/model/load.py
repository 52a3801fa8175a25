"""How much load there is, and what its generator found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from ab_runner.model.limits import Amount, Count, Whole
from ab_runner.model.workload import WorkloadName

Limit = Literal["generator", "server", "machine", "network"]
"""Whose CPUs were full in a trial: `server` also where both were, and `machine` where they shared them. `network`: none
of these, and the link to a load host was full."""
NOT_THE_SERVER: tuple[Limit, ...] = ("generator", "network")
"""Limits with which the server may be faster than it was."""


ArrivalKind = Literal["poisson", "constant"]
"""The times of an open load's requests: those of many independent users, or equal intervals."""


class SecondLoad(Struct, frozen=True):
    """A second open load beside the main one: requests of another workload at equal intervals, over connections of
    their own."""

    workload: WorkloadName
    rate: Count


OPEN_AT_LEAST = 0.99
"""The share of the connections asked for that must be open: before a load, or idle ones beside it."""


class Arrivals(Struct, frozen=True, kw_only=True):
    """What became of the requests of an open load, which were planned beforehand: each was sent or refused."""

    rate: Count
    """Requests per second, as planned."""
    planned: Count
    refused: Mapping[str, Count]
    """Requests for which the generator or its host had no connection, by reason."""
    lag_p99: Amount
    """Milliseconds from the time that was planned to the one at which the generator began to send."""
    lag_longest: Amount
    most_connections: Count
    """At once, without the idle ones."""
    idle_opened: Count
    """Silent connections beside the load."""
    idle_closed: Count
    """Those that the server closed meanwhile."""
    lag: Mapping[Count, Count] = {}
    """Requests by that lag in microseconds, each the highest of a bucket; empty in older files."""
    due_seconds: Amount | None = None
    """The time in which they were due; None in older files, as the other two."""
    clean_seconds: Amount | None = None
    """The seconds of it that latency and lag are of: the hypervisor took no CPU time in them, nor in the one before."""
    clean_seconds_asked: Amount | None = None
    """As many were asked for."""
    mean_from_sending: Amount | None = None
    """The mean latency in milliseconds from the moment of sending, not from the planned one; None in older files, and
    without a right answer."""
    longest_from_sending: Amount | None = None
    """The longest of the same."""
    opened_before: Count = 0
    """Connections that were opened before the first request was due, besides the idle ones."""

    @property
    def lacks_clean_seconds(self) -> bool:
        """Whether it has fewer clean seconds than were asked for."""
        return self.clean_seconds is not None and self.clean_seconds < (self.clean_seconds_asked or 0)

    def lacks_connections(self, asked: int) -> bool:
        """Return whether too few of the connections asked for were open before the first request was due."""
        return self.opened_before < OPEN_AT_LEAST * asked

    def all_wait_at_once(self, wait_ms: int) -> bool:
        """Return whether the last request is due before the first one, which waits that long, can be answered."""
        return self.due_seconds is not None and wait_ms / 1000 >= self.due_seconds


class Second(Struct, frozen=True, omit_defaults=True):
    """One second of an open load. A request belongs to the second in which it was due."""

    answered: Count
    failed: Count
    """Those that were not sent too."""
    latency: Mapping[Count, Count] = {}
    """As in `Outcome`."""
    lag: Mapping[Count, Count] = {}
    """As in `Arrivals`."""
    counted: bool = True
    """Whether latency and lag of the outcome have those of this second."""
    stolen: Mapping[Count, Amount] = {}
    """The seconds that the hypervisor took from each CPU of server and generator, where it took any."""


class Beside(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a second open load beside the main one, for another path and over connections of its own."""

    planned: Count
    answered: Count
    failed: Mapping[str, Count] = {}
    """By kind; those that were not sent too."""
    latency: Mapping[Count, Count] = {}
    """As in `Outcome`."""
    per_second: tuple[Second, ...] = ()


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one run of a generator found, in terms that all generators have."""

    generator: str
    """Its name."""
    version: str
    """As it says it, such as `2.3 <$Revision: 1923142 $>`."""
    connections: Count
    """At once, as asked for; of an open load the most that there were, without the idle ones."""
    seconds: Amount
    is_timed: bool
    """Whether the time ended it, which cuts off the requests that are under way then."""
    completed: Count
    """Answers that it counts as whole. A generator that compares answers counts right ones alone; ab's -r has failed
    requests in it."""
    completed_per_second: Amount
    """Its own figure."""
    answered: Amount
    """Those and, of a timed run, the parts that were received of the others."""
    requests: Count
    """Those that were made, as far as it tells."""
    failed: Mapping[str, Count] = {}
    """Failures by kind. One request may be of several kinds."""
    failed_at_least: Count = 0
    """The smallest number of requests that can have failed."""
    retried: Count = 0
    """Requests that were sent once more, because the server had closed their kept connection without a word."""
    kept_alive: Count | None = None
    """Answers that left their connection open; None where that was not asked for."""
    received_bytes: Whole
    body_bytes: Whole | None = None
    """Of all answers, as received. ab 2.0's counters overflow to negative numbers. None where it does not tell bodies
    from heads."""
    body_length: Count | None = None
    """Bytes of one answer's body, by the first one; None as above."""
    latency: Mapping[Count, Count] = {}
    """Requests by their time in microseconds, each the highest of a bucket of `stats.histogram`, or the longest of all;
    of open-load the lowest of a bucket, rounded down twice. Of a generator that compares answers, right ones."""
    own_percentiles: Mapping[str, Amount] = {}
    """Percentiles of the latency in milliseconds as it computed them itself, such as `p99.9`; `p100` is the longest.
    Where there are no latencies of requests."""
    own_mean: Amount | None = None
    """The mean latency in milliseconds, likewise; None also where the time to connect should be in it and is not."""
    arrivals: Arrivals | None = None
    """None for a closed load."""
    per_second: tuple[Second, ...] = ()
    """Where the generator tells it."""
    beside: Beside | None = None
    """None where no second load was asked for. No other field has anything of it."""

    @property
    def rate(self) -> float:
        """Requests per second, by what was received: whole answers alone would lose up to one for each connection."""
        return self.completed_per_second * self.answered / self.completed if self.completed else 0.0


class Load(Struct, frozen=True, omit_defaults=True):
    """How much load: a number of requests, a time in seconds, or what is over first. Closed, unless it has a rate."""

    requests: Count | None = None
    seconds: Amount | None = None
    rate: Count | None = None
    """Requests per second of an open load, at times that are planned beforehand."""
    most_connections: Count | None = None
    """The most that an open load may have at once, without the idle ones; None leaves it to the generator."""
    idle: Count = 0
    """Silent connections beside an open load."""
    arrivals: ArrivalKind = "poisson"
    opened_before: Count = 0
    """Connections that are opened before the first request of an open load is due."""
    beside: SecondLoad | None = None
    seed: Count = 1
    """Of the plan: the same seed gives the same times."""
    lead_in: Amount = 0
    """Seconds of the same open load before that, which are not counted."""
    at_most: Count | None = None
    """An open load goes on for up to so many seconds until `seconds` of them are clean: see `Arrivals`."""

    @property
    def longest(self) -> float:
        """The seconds that it takes at most, with its lead-in; 0 of one that is a number of requests."""
        return (self.at_most or self.seconds or 0.0) + self.lead_in if self.seconds else 0.0

    @property
    def text(self) -> str:
        return f"{self.seconds:g} s" if self.seconds is not None else f"{self.requests:,} requests"
