"""The verdicts on a paper's conclusions, and the figures that they rest on, as data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Literal

import msgspec

from ab_runner.analysis.bounds import Bound
from ab_runner.history.evidence import Absence, Evidence
from ab_runner.history.papers import Claim, Conclusion
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.estimate import Estimate

ConclusionVerdict = Literal["holds", "does not hold", "cannot be told", "not measured"]


class Unanswerable(Enum):
    """Why existing figures allow no verdict."""

    LIMITED = "limited"
    """ab was the limit of both, and the CPU time of the servers is not known."""
    GAVE_UP = "gave up"
    """ab gave up on some, so it is not known how many requests would have failed."""
    NO_COMMON_BLOCK = "no common block"
    """A server has no block with both concurrencies."""


class Absent(msgspec.Struct, frozen=True):
    """Some of them have no figures."""

    absences: tuple[Absence, ...] = ()


class ServerRate(msgspec.Struct, frozen=True):
    """The figure of a server, a bound of the true one where `at_least` or `at_most`."""

    server: str
    rate: float
    at_least: bool
    at_most: bool


class Rates(msgspec.Struct, frozen=True):
    """Two figures that are compared. `few_starts`: they are of too few starts and allow no verdict."""

    first: ServerRate
    second: ServerRate
    few_starts: bool


class Gap(msgspec.Struct, frozen=True):
    """By what factor the first group leads the second at two concurrencies. `limited`: ab was the limit of some."""

    at: tuple[int, int]
    leads: tuple[float, float]
    limited: bool
    few_starts: bool


class ServerFailures(msgspec.Struct, frozen=True):
    """How many requests failed of a server, over all blocks: a number for each concurrency."""

    server: str
    failed: tuple[int, ...]


class Failed(msgspec.Struct, frozen=True):
    """The failed requests of two servers that are compared."""

    first: ServerFailures
    second: ServerFailures
    few_starts: bool


Basis = Absent | Unanswerable | Rates | Gap | Failed
"""What a verdict rests on."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What decides a part of a claim: mostly two servers at one workload and concurrency, with the `ratio` of the
    first's figure to the second's. `margin` is that ratio over the ratio that the claim needs: above 1 the figures
    support the claim. `bound`: where ab was the limit of one of the two and the true ratio may be larger or smaller.
    `by_cpu_time`: they are requests per CPU-second."""

    workload: WorkloadName
    at: tuple[int, ...]
    verdict: ConclusionVerdict
    basis: Basis
    first: str | None = None
    ratio: Estimate | None = None
    bound: Bound = ""
    margin: float = 1.0
    by_cpu_time: bool = False


class JudgedClaim(msgspec.Struct, frozen=True):
    """A claim of a conclusion by one evidence."""

    claim: Claim
    verdict: ConclusionVerdict
    parts: tuple[Part, ...]

    @property
    def complete(self) -> bool:
        """Whether all of it was measured. If not, the verdict is on the part that was."""
        return all(part.verdict != "not measured" for part in self.parts)


class JudgedConclusion(msgspec.Struct, frozen=True):
    """A conclusion by one evidence."""

    conclusion: Conclusion
    verdict: ConclusionVerdict
    claims: tuple[JudgedClaim, ...]

    @property
    def complete(self) -> bool:
        """Whether all of it was measured. If not, the verdict is on the part that was."""
        return all(claim.complete for claim in self.claims)


class Judgement(msgspec.Struct, frozen=True):
    """The verdicts of one evidence on all the conclusions of a paper. `name` is a short one: the year of the paper's
    own figures, or what the reader calls the sweep."""

    name: str
    evidence: Evidence
    conclusions: Sequence[JudgedConclusion]


def all_of(verdicts: Iterable[ConclusionVerdict]) -> ConclusionVerdict:
    """Return the verdict on parts that must all hold, as far as they were measured."""
    found = set(verdicts)
    order: tuple[ConclusionVerdict, ...] = ("does not hold", "cannot be told", "holds")
    return next((verdict for verdict in order if verdict in found), "not measured")
