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


class LoadReport(Struct, frozen=True, kw_only=True):
    """The figures that one run of ab printed. With -r, `complete` counts failed requests too.

    `seconds` is the time that ab took; `percentiles` maps a percentage (0 to 100) to the time in milliseconds within
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


class LoadFailure(Struct, frozen=True):
    """Why one run of ab ended without figures."""

    reason: str
    """A few words for a cell: `timeout`, `reset`, `refused` …; `ab_output.parse` knows them all."""
    detail: str
    """ab's own line."""
    completed: Count | None = None
    """Requests that were done by then, where ab said so."""


class Verdict(Struct, frozen=True):
    """Whether a trial is valid. `reason` says in a few words why not; `notes` say what a reader of a valid figure
    should know."""

    valid: bool
    reason: str | None = None
    notes: tuple[str, ...] = ()


class Load(Struct, frozen=True):
    """How much load: a number of requests or a time in seconds, never both."""

    requests: Count | None = None
    seconds: Count | None = None

    @property
    def text(self) -> str:
        return f"{self.seconds} s" if self.seconds is not None else f"{self.requests:,} requests"
