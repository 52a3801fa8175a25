"""The verdicts on a study's conclusions, and the figures that they rest on, as data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Literal

import msgspec

from ab_runner.analysis.bounds import Bound
from ab_runner.catalog.study_conclusions import AboutEqual, Claim, Conclusion, Faster, Quantity
from ab_runner.history.evidence import Absence, Evidence
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.estimate import Estimate
from ab_runner.stats.hypotheses import Decision

ConclusionVerdict = Literal["holds", "does not hold", "premise absent", "cannot be told", "not measured"]
"""`premise absent`: what the claim presupposes was shown not to be there, such as a gap that could close."""


class Unanswerable(Enum):
    """Why existing figures allow no verdict."""

    GAVE_UP = "gave up"
    """The generator gave up on some, so it is not known how many requests would have failed."""
    NO_COMMON_BLOCK = "no common block"
    """No block has figures of all these servers at all these concurrencies."""


class Absent(msgspec.Struct, frozen=True):
    """Some of them have no figures."""

    absences: tuple[Absence, ...] = ()


class SideValue(msgspec.Struct, frozen=True):
    """A quantity of a server, or the geometric mean of several, or over several levels, of which more is better, as
    evidence has it. It is a bound of the true one where `at_least` or `at_most`."""

    servers: tuple[str, ...]
    value: float
    at_least: bool
    at_most: bool
    quantity: Quantity = "rate"


class Compared(msgspec.Struct, frozen=True):
    """Two values that are compared. `few_starts`: they are of too few starts and allow no verdict."""

    first: SideValue
    second: SideValue
    few_starts: bool

    @property
    def both_limited(self) -> bool:
        """Whether the generator was the limit of both, so that nothing follows from them."""
        return self.first.at_least and self.second.at_least


class Gap(msgspec.Struct, frozen=True):
    """By what factor the first group leads the second at two concurrencies. `limited`: the generator was the limit of
    some."""

    at: tuple[int, int]
    leads: tuple[Estimate, Estimate]
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


class Answered(msgspec.Struct, frozen=True):
    """Which share of the requests beside the load a server answered at the end, in each start. What is published says
    only whether it did: 1 or 0."""

    server: str
    shares: tuple[float, ...]
    is_published: bool


Basis = Absent | Unanswerable | Compared | Gap | Failed | Answered
"""What a verdict rests on."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What decides a part of a claim: mostly two servers in one workload, with the `ratio` of the first's figure to the
    second's; None where no test can compare them. `margin` is that ratio over the ratio that the claim needs: above 1
    the figures support the claim. `bound`: where the generator was the limit of one of the two and the true ratio may
    be larger or smaller. `power`: how likely the test was to show that the two are about equal, if they truly are."""

    workload: WorkloadName
    against: WorkloadName | None = None
    """That of the second, where it is another one."""
    at: tuple[int, ...]
    verdict: ConclusionVerdict
    basis: Basis
    first: str = ""
    ratio: Estimate | None = None
    bound: Bound = ""
    margin: float = 1.0
    power: float | None = None


class JudgedClaim(msgspec.Struct, frozen=True):
    """A claim of a conclusion by one evidence. `parts` are those of the reading on means over concurrencies,
    `strict_parts` those of the strict reading: each pair of servers at every concurrency. A claim that does not compare
    means has the same parts in both."""

    claim: Claim
    parts: tuple[Part, ...]
    strict_parts: tuple[Part, ...]

    @property
    def verdict(self) -> ConclusionVerdict:
        """The verdict of the reading on means."""
        return all_of(part.verdict for part in self.parts)

    @property
    def strict(self) -> ConclusionVerdict:
        """The verdict of the strict reading."""
        return all_of(part.verdict for part in self.strict_parts)

    @property
    def has_one_reading(self) -> bool:
        """Whether the claim does not compare means."""
        return not (isinstance(self.claim, Faster | AboutEqual) and self.claim.has_means)

    @property
    def complete(self) -> bool:
        """Whether all of it was measured. If not, the verdicts are on the part that was."""
        return all(part.verdict != "not measured" for part in self.strict_parts)


class JudgedConclusion(msgspec.Struct, frozen=True):
    """A conclusion by one evidence."""

    conclusion: Conclusion
    claims: tuple[JudgedClaim, ...]

    @property
    def verdict(self) -> ConclusionVerdict:
        """The verdict on the conclusion: that of the reading on means."""
        return all_of(claim.verdict for claim in self.claims)

    @property
    def strict(self) -> ConclusionVerdict:
        """The verdict of the strict reading."""
        return all_of(claim.strict for claim in self.claims)

    @property
    def complete(self) -> bool:
        """Whether all of it was measured. If not, the verdicts are on the part that was."""
        return all(claim.complete for claim in self.claims)


class Judgement(msgspec.Struct, frozen=True):
    """The verdicts of one evidence on all the conclusions of a study. `name` is a short one: the year of the study's
    own figures, or what the reader calls the sweep."""

    name: str
    evidence: Evidence
    conclusions: Sequence[JudgedConclusion]


def verdict_of(decision: Decision) -> ConclusionVerdict:
    """Return the verdict that the decision on a hypothesis is."""
    return "cannot be told" if decision is None else "holds" if decision else "does not hold"


def all_of(verdicts: Iterable[ConclusionVerdict]) -> ConclusionVerdict:
    """Return the verdict on parts that must all hold, as far as they were measured."""
    found = set(verdicts)
    order: tuple[ConclusionVerdict, ...] = ("does not hold", "premise absent", "cannot be told", "holds")
    return next((verdict for verdict in order if verdict in found), "not measured")
