"""conclusions.toml of a study: what its author concluded, as claims that figures can answer, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from ab_runner.catalog.servers import suggestion
from ab_runner.catalog.study_figures import FIGURES_FILE, Figure
from ab_runner.catalog.toml_files import DocumentError, explained, read_toml
from ab_runner.model.limits import Level
from ab_runner.model.workload import WorkloadName

CONCLUSIONS_FILE = "conclusions.toml"

Names = Annotated[tuple[str, ...], Meta(min_length=1)]
Share = Annotated[float, Meta(ge=0, lt=1)]
Quantity = Literal["rate", "answered", "mean", "longest", "beside"]
"""What of a cell a claim is about: requests per second, or of an open load the requests that were answered, the mean or
the longest latency from sending without what a request asks to wait, of which a lower one is better, and whether the
second load beside it is answered."""


class _Claim(Struct, frozen=True, kw_only=True, tag_field="form", forbid_unknown_fields=True):
    """A claim. `says` is its text. `first` and `second` are servers of the study, or groups of them; a server among the
    first is not among the second."""

    says: str
    workloads: Annotated[tuple[WorkloadName, ...], Meta(min_length=1)]
    at: Annotated[tuple[Level, ...], Meta(min_length=1)]
    """The concurrencies that the claim is about."""
    first: Names
    second: Names

    @property
    def quantity(self) -> Quantity:
        return "rate"


class _Comparison(_Claim, frozen=True, kw_only=True):
    """A claim on rates, or on what `of` names. It is read on means over its concurrencies first, and then strictly:
    each pair of servers at every concurrency. `as_group`: the sides whose servers count together in the reading on
    means, by their geometric mean. `at_every_level`: the author says so, and the claim has the strict reading alone."""

    of: Literal["rate", "answered", "mean", "longest"] = "rate"
    against: WorkloadName | None = None
    """The workload of the second where it is not that of the first: the claim compares two workloads, of the same
    server too."""
    as_group: tuple[Literal["first", "second"], ...] = ()
    at_every_level: bool = False

    @property
    def quantity(self) -> Quantity:
        return self.of

    @property
    def has_means(self) -> bool:
        """Whether the reading on means is another than the strict one."""
        return not self.at_every_level and (len(self.at) > 1 or bool(self.as_group))


class Faster(_Comparison, frozen=True, kw_only=True, tag="faster"):
    """Each of the first is better than each of the second, by more than `by` (0.1 for 10 %). With `one`, one of the
    first is enough; in the strict reading it may be a different one at each concurrency."""

    by: Share = 0.0
    one: bool = False


class AboutEqual(_Comparison, frozen=True, kw_only=True, tag="about-equal"):
    """None of the first is faster or slower than any of the second by more than `within`."""

    within: Annotated[float, Meta(gt=0, lt=1)]


class GapCloses(_Claim, frozen=True, kw_only=True, tag="gap-closes"):
    """The first are ahead at the first concurrency of `at`, and the groups are nearer to each other at the last. A
    group's figure is the geometric mean of its servers'."""

    at: Annotated[tuple[Level, ...], Meta(min_length=2, max_length=2)]


class MostFailed(_Claim, frozen=True, kw_only=True, tag="most-failed"):
    """More requests of the first, a single server, failed than of any of the second, over all of `at` together."""


class KeepsAnswering(_Claim, frozen=True, kw_only=True, tag="keeps-answering"):
    """Of the requests beside the load, those of the first are answered until the end, and those of the second are not.
    One side may be empty."""

    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()

    @property
    def quantity(self) -> Quantity:
        return "beside"


Claim = Faster | AboutEqual | GapCloses | MostFailed | KeepsAnswering


class Conclusion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sentence of the author, which holds if all of its claims do. `reading` says how its words were interpreted."""

    sentence: str
    claims: Annotated[tuple[Claim, ...], Meta(min_length=1)]
    reading: str | None = None


class Conclusions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file: the conclusions, and the groups of servers that their claims name."""

    format: Literal[1]
    groups: dict[str, Names] = {}
    conclusions: Annotated[tuple[Conclusion, ...], Meta(min_length=1)]

    def servers(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return these servers with the members in place of a group, each once."""
        return tuple(dict.fromkeys(server for name in names for server in self.groups.get(name, (name,))))

    def sides(self, claim: Claim) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the servers on either side of a claim."""
        first, second = self.servers(claim.first), self.servers(claim.second)
        if isinstance(claim, Faster | AboutEqual) and claim.against:
            return first, second
        return first, tuple(server for server in second if server not in first)


def read(path: Path, figures: Sequence[Figure], has_beside: bool) -> Conclusions:
    """Return the conclusions of a file, which are from these figures. `has_beside`: a sweep of the study has a second
    load beside the main one. DocumentError at the first mistake, with file, key and reason."""
    try:
        found = msgspec.convert(read_toml(path), Conclusions)
    except msgspec.ValidationError as error:
        raise DocumentError(f"{path}: {explained(error)}") from error
    _check(path, found, figures)
    is_open = any(figure.is_open for figure in figures)
    for key, claim in _claims(found):
        if wrong := _undecided(claim, is_open, has_beside):
            raise DocumentError(f"{path}: {key}.{wrong}")
    return found


def _undecided(claim: Claim, is_open: bool, has_beside: bool) -> str | None:
    """Return which key of a claim is about what the study's loads do not tell, and why; None if they tell it."""
    is_comparison = isinstance(claim, Faster | AboutEqual)
    key, name = ("of", claim.quantity) if is_comparison else ("form", claim.__struct_config__.tag)
    if (claim.quantity == "rate") == is_open:
        its, others = ("closed", "open") if is_open else ("open", "closed")
        return f"{key}: {name!r} is told by {its} loads alone, and the figures in {FIGURES_FILE} are of {others} ones"
    if isinstance(claim, KeepsAnswering) and not has_beside:
        return f"{key}: {name!r} is told by a load beside the main one, and no sweep in study.toml has beside"
    return None


def _check(path: Path, found: Conclusions, figures: Sequence[Figure]) -> None:
    """Check what involves more than one key."""
    published = sorted({figure.server for figure in figures})
    for key, name in _names(found):
        if name not in published:
            known = suggestion(name, [*published, *found.groups])
            raise DocumentError(f"{path}: {key}: no server {name!r} in {FIGURES_FILE}{known}")
    places = {(figure.workload, figure.level) for figure in figures}
    for key, claim in _claims(found):
        first, second = found.sides(claim)
        if isinstance(claim, KeepsAnswering):
            if not (first or second):
                raise DocumentError(f"{path}: {key}: must have servers, first or second")
        elif not second:
            raise DocumentError(f"{path}: {key}.second: names no server that is not among the first")
        if isinstance(claim, MostFailed) and len(first) > 1:
            raise DocumentError(f"{path}: {key}.first: must be one server")
        against = claim.against if isinstance(claim, Faster | AboutEqual) else None
        for workload in (*claim.workloads, *([against] if against else [])):
            for level in claim.at:
                if (workload, level) not in places:
                    raise DocumentError(f"{path}: {key}.at: no {workload} at {level} in {FIGURES_FILE}")


def _claims(found: Conclusions) -> Iterator[tuple[str, Claim]]:
    for number, conclusion in enumerate(found.conclusions):
        for place, claim in enumerate(conclusion.claims):
            yield f"conclusions[{number}].claims[{place}]", claim


def _names(found: Conclusions) -> Iterator[tuple[str, str]]:
    yield from ((f"groups.{group}", name) for group, names in found.groups.items() for name in names)
    for key, claim in _claims(found):
        yield from ((f"{key}.first", name) for name in found.servers(claim.first))
        yield from ((f"{key}.second", name) for name in found.servers(claim.second))
