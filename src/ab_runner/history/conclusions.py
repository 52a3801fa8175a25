"""Which of a study's conclusions hold, and by what evidence. Pure; `report.tables.conclusions` and
`report.formats.conclusions_csv` write it down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import exp, fsum, inf, log
from statistics import fmean

import msgspec

from ab_runner.analysis.bounds import bound_of_ratio
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.catalog.studies import Study
from ab_runner.catalog.study_conclusions import (
    AboutEqual,
    Claim,
    Conclusion,
    Faster,
    GapCloses,
    KeepsAnswering,
    MostFailed,
    Quantity,
)
from ab_runner.history.evidence import Evidence, Measured, of_study, of_sweep
from ab_runner.history.means import Weighted, common_blocks, means_of
from ab_runner.history.request_counts import answering, most_failed
from ab_runner.history.verdicts import (
    Absent,
    Compared,
    ConclusionVerdict,
    Gap,
    JudgedClaim,
    JudgedConclusion,
    Judgement,
    Part,
    SideValue,
    Unanswerable,
    all_of,
    verdict_of,
)
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.hypotheses import (
    Decision,
    Hypothesis,
    at_their_word,
    decisions,
    power,
    within,
)

FEWEST_COUNTED = 3
"""Starts with which a claim on an open load is decided where they are too few to be tested. That all three of one
server are ahead of all three of another happens by chance once in 20 times: as often as a test at `ALPHA` errs."""
NO_GAP = 0.05
"""Groups that are shown to differ by no more than this have no gap that could close."""


def judgements(study: Study, sweeps: Iterable[tuple[str, SweepAnalysis]]) -> tuple[Judgement, ...]:
    """Return the verdicts of the published figures on the conclusions of a study, and those of each sweep under its
    name. Of a study with variants a sweep has a verdict for each of those that it has servers of."""
    evidence = [(str(study.year), of_study(study))]
    for name, analysis in sweeps:
        evidence += _by_variant(study, name, analysis) or [(name, of_sweep(analysis, study))]
    return tuple(Judgement(name, each, judge_conclusions(study, each)) for name, each in evidence)


def _by_variant(study: Study, name: str, analysis: SweepAnalysis) -> list[tuple[str, Evidence]]:
    found = ((variant, of_sweep(analysis, each)) for variant, each in study.variants.items())
    return [(f"{name}, {variant}", evidence) for variant, evidence in found if evidence.cells or evidence.others]


class _Asked(msgspec.Struct, frozen=True):
    """A part that holds if all hypotheses do. They are decided together, because tests are corrected for
    their number. They do not matter where `premise_is_absent`."""

    part: Part
    hypotheses: tuple[Hypothesis, ...]
    premise_is_absent: bool = False


def judge_conclusions(study: Study, evidence: Evidence) -> tuple[JudgedConclusion, ...]:
    """Return the verdict on each conclusion by one evidence."""
    return tuple(_judged(study, conclusion, evidence) for conclusion in study.conclusions)


def _judged(study: Study, conclusion: Conclusion, evidence: Evidence) -> JudgedConclusion:
    """Return the verdicts of both readings. Each is tested by itself, with its own correction."""
    means, strict = (_read(study, conclusion, evidence, is_strict) for is_strict in (False, True))
    claims = zip(conclusion.claims, means, strict, strict=True)
    return JudgedConclusion(conclusion, tuple(JudgedClaim(*each) for each in claims))


def _read(study: Study, conclusion: Conclusion, evidence: Evidence, is_strict: bool) -> list[tuple[Part, ...]]:
    """Return the parts of each claim in one of the two readings."""
    asked = [list(_asked(study, claim, evidence, is_strict)) for claim in conclusion.claims]
    waiting = [each for every in asked for each in every if isinstance(each, _Asked)]
    hypotheses = [hypothesis for each in waiting for hypothesis in each.hypotheses]
    found = iter(map(at_their_word, hypotheses) if evidence.is_published else decisions(hypotheses))
    claims = []
    for claim, every in zip(conclusion.claims, asked, strict=True):
        parts = [_decided(each, found) if isinstance(each, _Asked) else each for each in every]
        if isinstance(claim, Faster) and claim.one:
            parts = list(_best_of_the_first(parts, is_strict or not claim.has_means))
        claims.append(tuple(parts))
    return claims


def _best_of_the_first(parts: Sequence[Part], by_level: bool) -> Iterator[Part]:
    """Yield, for each workload (`by_level`: at each concurrency), the parts of the server for which the claim comes
    nearest to holding: one server is enough."""
    order = ("holds", "cannot be told", "does not hold", "not measured")
    places: dict[object, dict[str, list[Part]]] = {}
    for part in parts:
        place = places.setdefault((part.workload, part.at if by_level else None), {})
        place.setdefault(part.first, []).append(part)
    for by_first in places.values():
        yield from min(
            by_first.values(),
            key=lambda found: (order.index(all_of(p.verdict for p in found)), -min(p.margin for p in found)),
        )


def _decided(asked: _Asked, found: Iterator[Decision]) -> Part:
    verdict = all_of([verdict_of(next(found)) for _ in asked.hypotheses])
    return msgspec.structs.replace(
        asked.part, verdict="premise absent" if asked.premise_is_absent else verdict, margin=_margin(asked.hypotheses)
    )


def _margin(hypotheses: Iterable[Hypothesis]) -> float:
    return min(hypothesis.quotient.value / hypothesis.bound for hypothesis in hypotheses)


def _asked(study: Study, claim: Claim, evidence: Evidence, is_strict: bool) -> Iterator[_Asked | Part]:
    sides = first, second = study.sides(claim)
    evidence = evidence.on(claim.quantity)
    for workload in claim.workloads:
        match claim:
            case GapCloses():
                yield _gap(claim, workload, first, second, evidence)
            case MostFailed():
                yield most_failed(claim, workload, first[0], second, evidence)
                missing = [(at, cell) for at, cell in _cells(claim, workload, sides, evidence) if not cell.failures]
                yield from (
                    Part(workload=workload, at=(at,), verdict="not measured", basis=Absent((cell.absence,)))
                    for at, cell in missing
                )
            case KeepsAnswering():
                for level, (side, should) in product(claim.at, ((first, True), (second, False))):
                    yield from (answering(evidence.of(name, workload, level), workload, level, should) for name in side)
            case Faster() | AboutEqual():
                reads_means = claim.has_means and not is_strict
                firsts, seconds = (
                    [side] if reads_means and name in claim.as_group else [(server,) for server in side]
                    for name, side in (("first", first), ("second", second))
                )
                for at in [claim.at] if reads_means else [(level,) for level in claim.at]:
                    for one, other in product(firsts, seconds):
                        yield from _comparison(claim, workload, at, one, other, len(firsts), evidence)


def _cells(
    claim: MostFailed, workload: WorkloadName, sides: Iterable[Iterable[str]], evidence: Evidence
) -> Iterator[tuple[int, Measured]]:
    for level, side in product(claim.at, sides):
        yield from ((level, evidence.of(server, workload, level)) for server in side)


# --- two servers or groups -------------------------------------------------------------------------------------


def _comparison(
    claim: Faster | AboutEqual,
    workload: WorkloadName,
    at: Sequence[int],
    first: Sequence[str],
    second: Sequence[str],
    firsts: int,
    evidence: Evidence,
) -> Iterator[_Asked | Part]:
    """Yield what decides between two servers, or the geometric means of two groups, over the concurrencies at which all
    of them have figures; and what is missing. A server without any figure is left out of its group. `firsts`: how many
    there are on the first side, of which one may be enough."""
    sides = [
        {server: {level: evidence.of(server, name, level) for level in at} for server in side}
        for side, name in ((first, workload), (second, claim.against or workload))
    ]
    missing = [(at, cell) for side in sides for cells in side.values() for at, cell in cells.items() if not cell.values]
    there = [[cells for cells in side.values() if any(cell.values for cell in cells.values())] for side in sides]
    levels = tuple(level for level in at if all(cells[level].values for side in there for cells in side))
    part = Part(
        workload=workload,
        against=claim.against,
        at=levels,
        verdict="not measured",
        basis=Absent(),
        first=" ".join(first),
    )
    if all(there) and levels:
        one, other = ([cells[level] for cells in side for level in levels] for side in there)
        yield _hypothesis(claim, part, one, other, firsts, evidence)
    if missing:
        without = tuple(sorted({level for level, _ in missing}))
        yield msgspec.structs.replace(part, at=without, basis=Absent(tuple(cell.absence for _, cell in missing)))


def _hypothesis(
    claim: Faster | AboutEqual,
    part: Part,
    first: Sequence[Measured],
    second: Sequence[Measured],
    firsts: int,
    evidence: Evidence,
) -> _Asked | Part:
    cells = [*((cell, 1 / len(first)) for cell in first), *((cell, -1 / len(second)) for cell in second)]
    means = means_of(cells, evidence)
    if means is None:
        return msgspec.structs.replace(part, verdict="cannot be told", basis=Unanswerable.NO_COMMON_BLOCK)
    can_hold, can_fail = _open_decisions(cells)
    if isinstance(claim, Faster):
        alternatives = firsts if claim.one else 1
        hypotheses: tuple[Hypothesis, ...] = (Hypothesis(means, 1 + claim.by, can_hold, can_fail, alternatives),)
    else:
        hypotheses = within(means, claim.within, can_hold, can_fail)
    blocks = common_blocks([*first, *second]) if len(cells) > 2 else []
    sides = [_side(side, blocks, claim.quantity) for side in (first, second)]
    few_starts = _are_few_starts(hypotheses, evidence)
    counted = _counted(claim, cells) if few_starts and claim.quantity != "rate" else None
    part = msgspec.structs.replace(
        part,
        basis=Compared(sides[0], sides[1], few_starts and counted is None),
        ratio=hypotheses[0].quotient if can_hold or can_fail else None,
        bound=bound_of_ratio(sides[0].at_least, sides[1].at_least),
        power=power(hypotheses[0]) if isinstance(claim, AboutEqual) and can_hold and can_fail else None,
    )
    if counted is None:
        return _Asked(part, hypotheses)
    return msgspec.structs.replace(part, verdict=counted, margin=_margin(hypotheses))


def _counted(claim: Faster | AboutEqual, cells: Sequence[Weighted]) -> ConclusionVerdict | None:
    """Return whether the claim holds, or does not, whichever starts of these cells are compared. None where they are
    too few, or one has no value."""
    if any(cell.misses_a_start or len(cell.values) < FEWEST_COUNTED for cell, _ in cells):
        return None
    logs = [sorted(weight * log(value) for value in cell.values.values()) for cell, weight in cells]
    lowest, highest = fsum(each[0] for each in logs), fsum(each[-1] for each in logs)
    if isinstance(claim, Faster):
        low, high = log(1 + claim.by), inf
    else:
        low, high = -log(1 + claim.within), log(1 + claim.within)
    if low < lowest and highest < high:
        return "holds"
    return "does not hold" if highest < low or high < lowest else "cannot be told"


def _open_decisions(cells: Sequence[Weighted]) -> tuple[bool, bool]:
    """Return whether a hypothesis on the weighted sum of the logarithms can be told to hold, and to fail.

    A rate that the generator limited may be higher, one with failed requests lower. Where that makes the sum larger, it
    cannot be told to fail; where it makes it smaller, it cannot be told to hold."""
    may_be_larger = any(cell.at_least if weight > 0 else cell.at_most for cell, weight in cells)
    may_be_smaller = any(cell.at_most if weight > 0 else cell.at_least for cell, weight in cells)
    return not may_be_smaller, not may_be_larger


def _are_few_starts(hypotheses: Iterable[Hypothesis], evidence: Evidence) -> bool:
    """Return whether these measured figures allow no verdict because they are of too few starts."""
    return not evidence.is_published and not all(hypothesis.tested for hypothesis in hypotheses)


def _side(cells: Sequence[Measured], blocks: Sequence[int], quantity: Quantity) -> SideValue:
    """Return the geometric mean of the cells of a side, over these blocks if there are any."""
    logs = [log(cell.values[block]) for cell in cells for block in blocks]
    return SideValue(
        tuple(dict.fromkeys(cell.server for cell in cells)),
        exp(fmean(logs or [cell.measurement.mean.value for cell in cells if cell.measurement is not None])),
        at_least=any(cell.at_least for cell in cells),
        at_most=any(cell.at_most for cell in cells),
        quantity=quantity,
    )


# --- the gap between two groups --------------------------------------------------------------------------------


def _gap(
    claim: GapCloses, workload: WorkloadName, first: Sequence[str], second: Sequence[str], evidence: Evidence
) -> _Asked | Part:
    """Return what decides between two groups. With L the logarithm of the first group's lead, at the beginning and at
    the end: it was ahead, and |L end| is below L begin, exactly where both L begin - L end and L begin + L end are
    above 0. The premise is absent if the groups are shown to be about equal at the beginning."""
    before, after = (
        [
            (evidence.of(name, workload, level), sign / len(side))
            for sign, side in ((1, first), (-1, second))
            for name in side
        ]
        for level in claim.at
    )
    cells = [*before, *after]
    part = Part(workload=workload, at=claim.at, verdict="not measured", basis=Absent())
    if absences := tuple(cell.absence for cell, _ in cells if not cell.values):
        return msgspec.structs.replace(part, basis=Absent(absences))
    hypotheses = []
    for sign in (-1, 1):
        both = [*before, *((cell, sign * weight) for cell, weight in after)]
        means = means_of(both, evidence)
        if means is None:
            return msgspec.structs.replace(part, verdict="cannot be told", basis=Unanswerable.NO_COMMON_BLOCK)
        hypotheses.append(Hypothesis(means, 1.0, *_open_decisions(both)))
    leads = [Hypothesis(means).quotient for side in (before, after) if (means := means_of(side, evidence)) is not None]
    begin, end = claim.at
    limited = any(cell.at_least for cell, _ in cells)
    gap = Gap((begin, end), (leads[0], leads[1]), limited, _are_few_starts(hypotheses, evidence))
    return _Asked(msgspec.structs.replace(part, basis=gap), tuple(hypotheses), _are_about_equal(before, evidence))


def _are_about_equal(cells: Sequence[Weighted], evidence: Evidence) -> bool:
    """Return whether the groups are shown to differ by no more than `NO_GAP`. Published figures are taken as they
    are."""
    means = means_of(cells, evidence)
    if means is None:
        return False
    hypotheses = within(means, NO_GAP, *_open_decisions(cells))
    if evidence.is_published:
        return all(hypothesis.can_hold and hypothesis.excess >= 0 for hypothesis in hypotheses)
    return decisions(hypotheses) == [True, True]
