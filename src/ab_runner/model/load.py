"""How much load there is, and what its generator said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from ab_runner.model.limits import Amount, Count, Percentage, Real, Whole

Limit = Literal["generator", "server", "machine"]
"""Whose CPUs were full in a trial: `server` also where both were, and `machine` where they shared them."""


class Failures(Struct, frozen=True):
    """ab's four counts of failed requests. With -r a reset counts up to three times (receive, length, exceptions)."""

    connect: Count = 0
    receive: Count = 0
    length: Count = 0
    exceptions: Count = 0

    @property
    def at_least(self) -> int:
        """The smallest number of requests that can have failed, given that one may be counted in several places."""
        return self.connect + max(self.receive, self.length, self.exceptions)


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


class LoadReport(Struct, frozen=True, kw_only=True):
    """The figures that one run of a generator printed. With ab's -r, `complete` counts failed requests too; those of
    open-load are right answers alone.

    `seconds` is the time that it took; `percentiles` maps a percentage (0 to 100) to the time in milliseconds within
    which that share of the requests was served. `keep_alive` is None when ab was not asked to keep connections open.
    """

    tool: str
    """ab's version line, such as `2.3 <$Revision: 1923142 $>`."""
    document_length: Count
    concurrency: Count
    seconds: Amount
    complete: Count
    failures: Failures
    write_errors: Count
    non_2xx: Count
    keep_alive: Count | None
    total_bytes: Whole
    html_bytes: Whole
    requests_per_second: Amount
    """ab's own figure, of whole answers."""
    percentiles: Mapping[Percentage, Real] = {}
    failed: Mapping[str, Count] = {}
    """Failed requests by reason, where the generator tells them apart."""
    retried: Count = 0
    """Requests that were sent once more, because the server had closed their kept connection without a word."""
    arrivals: Arrivals | None = None
    """None for a closed load."""

    @property
    def answered(self) -> float:
        """The answers that were received, with the parts of those that the end of a timed run cut off."""
        if not self.document_length:
            return self.complete
        return max(float(self.complete), self.html_bytes / self.document_length)

    @property
    def rate(self) -> float:
        """Requests per second, by what was received: whole answers alone would lose up to one for each connection."""
        return self.requests_per_second * self.answered / self.complete if self.complete else 0.0


class Load(Struct, frozen=True, omit_defaults=True):
    """How much load: a number of requests, a time in seconds, or what is over first. Closed, unless it has a rate."""

    requests: Count | None = None
    seconds: Amount | None = None
    rate: Count | None = None
    """Requests per second of an open load, at times that are planned beforehand."""
    idle: Count = 0
    """Silent connections beside an open load."""
    seed: Count = 1
    """Of the plan: the same seed gives the same times."""
    lead_in: Amount = 0
    """Seconds of the same open load before that, which are not counted."""

    @property
    def text(self) -> str:
        return f"{self.seconds:g} s" if self.seconds is not None else f"{self.requests:,} requests"
