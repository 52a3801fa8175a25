"""Which of a paper's conclusions hold, and by what evidence. Pure; `report.conclusions_tables` and
`report.conclusions_csv` write it down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import exp
from statistics import fmean

import msgspec

from ab_runner.analysis.bounds import bound_of_ratio
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.history.evidence import Evidence, FailedRequests, Measured, of_sweep, published
from ab_runner.history.papers import AboutEqual, Claim, Conclusion, Faster, GapCloses, MostFailed, Paper
from ab_runner.history.published import Figure
from ab_runner.history.verdicts import (
    Absent,
    ConclusionVerdict,
    Failed,
    Gap,
    JudgedClaim,
    JudgedConclusion,
    Judgement,
    Part,
    Rates,
    ServerFailures,
    ServerRate,
    Unanswerable,
    all_of,
)
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.hypotheses import Answer, Question, answers, at_their_word, sign_test
from ab_runner.stats.pairing import Pair, pair
from ab_runner.stats.ratio import LogMean, log_mean


def judgements(
    paper: Paper, figures: Sequence[Figure], sweeps: Iterable[tuple[str, SweepAnalysis]]
) -> tuple[Judgement, ...]:
    """Return the verdicts of the published figures on the conclusions of a paper, and those of each sweep under its
    name."""
    evidence = [(str(paper.year), published(paper.source, paper.year, figures))]
    evidence += [(name, of_sweep(analysis, figures)) for name, analysis in sweeps]
    return tuple(Judgement(name, each, judge_conclusions(paper, each)) for name, each in evidence)


class _Asked(msgspec.Struct, frozen=True):
    """A part that holds if all answers are yes. The answers are computed together, because tests are corrected for
    their number."""

    part: Part
    questions: tuple[Question, ...]


def judge_conclusions(paper: Paper, evidence: Evidence) -> tuple[JudgedConclusion, ...]:
    """Return the verdict on each conclusion by one evidence."""
    return tuple(_judged(paper, conclusion, evidence) for conclusion in paper.conclusions)


def _judged(paper: Paper, conclusion: Conclusion, evidence: Evidence) -> JudgedConclusion:
    asked = [list(_asked(paper, claim, evidence)) for claim in conclusion.claims]
    waiting = [each for every in asked for each in every if isinstance(each, _Asked)]
    questions = [question for each in waiting for question in each.questions]
    found = iter(map(at_their_word, questions) if evidence.is_published else answers(questions))
    claims = []
    for claim, every in zip(conclusion.claims, asked, strict=True):
        parts = [_answered(each, found) if isinstance(each, _Asked) else each for each in every]
        if isinstance(claim, Faster) and claim.one:
            parts = list(_best_of_the_first(parts))
        claims.append(JudgedClaim(claim, all_of(part.verdict for part in parts), tuple(parts)))
    return JudgedConclusion(conclusion, all_of(claim.verdict for claim in claims), tuple(claims))


def _best_of_the_first(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield, at each workload and concurrency, the parts of the server for which the claim comes nearest to holding:
    one server is enough."""
    order = ("holds", "cannot be told", "does not hold", "not measured")
    for workload, at in dict.fromkeys((part.workload, part.at) for part in parts):
        here = [part for part in parts if (part.workload, part.at) == (workload, at)]
        by_first = [[part for part in here if part.first == first] for first in dict.fromkeys(p.first for p in here)]
        yield from min(
            by_first,
            key=lambda found: (order.index(all_of(p.verdict for p in found)), -min(p.margin for p in found)),
        )


def _answered(asked: _Asked, found: Iterator[Answer]) -> Part:
    verdict = all_of([_verdict(next(found)) for _ in asked.questions])
    margin = min(question.quotient.value / question.bound for question in asked.questions)
    return msgspec.structs.replace(asked.part, verdict=verdict, margin=margin)


def _verdict(answer: Answer) -> ConclusionVerdict:
    return "cannot be told" if answer is None else "holds" if answer else "does not hold"


def _asked(paper: Paper, claim: Claim, evidence: Evidence) -> Iterator[_Asked | Part]:
    sides = first, second = paper.sides(claim)
    for workload in claim.workloads:
        match claim:
            case GapCloses():
                yield _gap(claim, workload, first, second, evidence)
            case MostFailed():
                yield _most_failed(claim, workload, first[0], second, evidence)
                missing = [(at, cell) for at, cell in _cells(claim, workload, sides, evidence) if not cell.failures]
                yield from (
                    Part(workload=workload, at=(at,), verdict="not measured", basis=Absent((cell.absence,)))
                    for at, cell in missing
                )
            case Faster() | AboutEqual():
                alternatives = len(first) if isinstance(claim, Faster) and claim.one else 1
                for level, one, other in product(claim.at, first, second):
                    cells = evidence.of(one, workload, level), evidence.of(other, workload, level)
                    yield _pair(claim, workload, level, *cells, alternatives)


# --- two servers -----------------------------------------------------------------------------------------------


def _pair(
    claim: Faster | AboutEqual, workload: WorkloadName, level: int, first: Measured, second: Measured, alternatives: int
) -> _Asked | Part:
    """Return what decides between two servers. `alternatives`: the number of first servers, where the claim need hold
    for only one of them."""
    part = Part(workload=workload, at=(level,), verdict="not measured", basis=Absent(), first=first.server)
    if missing := _missing([first, second]):
        return msgspec.structs.replace(part, basis=missing)
    assert first.measurement is not None
    assert second.measurement is not None
    compared = pair(first.measurement, second.measurement)
    if compared is None:
        return msgspec.structs.replace(part, verdict="cannot be told", basis=Unanswerable.LIMITED)
    first_can_lead = compared.first_can_lead and not first.at_most
    second_can_lead = compared.second_can_lead and not second.at_most
    bound = 1 + claim.by if isinstance(claim, Faster) else 1 / (1 + claim.within)
    ahead = Question(
        ((compared.first, 1.0), (compared.second, -1.0)), bound, first_can_lead, second_can_lead, alternatives
    )
    part = msgspec.structs.replace(
        part,
        by_cpu_time=compared.by_cpu_time,
        basis=_rates(first, second, compared),
        ratio=ahead.quotient,
        bound="" if compared.by_cpu_time else bound_of_ratio(first.at_least, second.at_least),
    )
    if isinstance(claim, Faster):
        return _Asked(part, (ahead,))
    inverse = Question(((compared.second, 1.0), (compared.first, -1.0)), bound, second_can_lead, first_can_lead)
    return _Asked(part, (ahead, inverse))


def _missing(cells: Iterable[Measured]) -> Absent | None:
    """Return why some of them have no figures; None where all have."""
    absences = tuple(cell.absence for cell in cells if not cell.rates)
    return Absent(absences) if absences else None


def _are_few_starts(cells: Iterable[Measured]) -> bool:
    """Return whether these measured figures allow no verdict because one of them is of too few starts."""
    return any(cell.measurement is not None and not cell.has_noise and not cell.is_published for cell in cells)


def _rates(first: Measured, second: Measured, compared: Pair) -> Rates:
    rates = [
        ServerRate(
            cell.server, mean.geometric, at_least=cell.at_least and not compared.by_cpu_time, at_most=cell.at_most
        )
        for cell, mean in ((first, compared.first), (second, compared.second))
    ]
    return Rates(rates[0], rates[1], _are_few_starts([first, second]))


def _mean(servers: Sequence[Mapping[int, float]]) -> float:
    """Return the geometric mean over servers of the geometric means of their figures."""
    return exp(fmean(log_mean(list(figures.values())).value for figures in servers))


# --- two groups ------------------------------------------------------------------------------------------------


def _gap(
    claim: GapCloses, workload: WorkloadName, first: Sequence[str], second: Sequence[str], evidence: Evidence
) -> _Asked | Part:
    """Return what decides between two groups. With L the logarithm of the first group's lead, at the beginning and at
    the end: it was ahead, and |L end| is below L begin, exactly where both L begin - L end and L begin + L end are
    above 0.

    Cells of one block share a start of the server, so each block has one figure: its figure at the beginning over that
    at the end, or times that at the end. A rate that ab limited may be higher. Where a higher rate favours the answer
    yes, that answer is possible and no is not, and vice versa. Where ab limited all of them, they are compared by
    requests per CPU-second."""
    begin, end = claim.at
    sides = [
        [[evidence.of(name, workload, level) for level in claim.at] for name in names] for names in (first, second)
    ]
    cells = [cell for side in sides for server in side for cell in server]
    part = Part(workload=workload, at=claim.at, verdict="not measured", basis=Absent())
    if missing := _missing(cells):
        return msgspec.structs.replace(part, basis=missing)
    by_cpu_time = all(cell.at_least for cell in cells)
    if by_cpu_time and not all(cell.cpu_efficiency for cell in cells):
        return msgspec.structs.replace(part, verdict="cannot be told", basis=Unanswerable.LIMITED)
    figures = [[[_compared_by(cell, by_cpu_time) for cell in server] for server in side] for side in sides]
    leads = [
        _mean([server[at] for server in figures[0]]) / _mean([server[at] for server in figures[1]]) for at in (0, 1)
    ]
    limited = any(cell.at_least for cell in cells) and not by_cpu_time
    gap = Gap((begin, end), (leads[0], leads[1]), limited, _are_few_starts(cells))
    part = msgspec.structs.replace(part, by_cpu_time=by_cpu_time, basis=gap)
    clean = not any(cell.at_most for cell in cells)
    questions = []
    for power in (-1, 1):
        samples = [
            ([before[start] * after[start] ** power for start in before if start in after], sign / len(side))
            for sign, side in ((1, figures[0]), (-1, figures[1]))
            for before, after in side
        ]
        if not all(sample for sample, _ in samples):
            return msgspec.structs.replace(part, basis=Unanswerable.NO_COMMON_BLOCK)
        means = tuple((_gap_mean(sample, cells), weight) for sample, weight in samples)
        counts_for = {
            sign * (1 if at == 0 else power)
            for sign, side in zip((1, -1), sides, strict=True)
            for server in side
            for at, cell in enumerate(server)
            if cell.at_least and not by_cpu_time
        }
        questions.append(
            Question(means, can_hold=clean and -1 not in counts_for, can_fail=clean and 1 not in counts_for)
        )
    return _Asked(part, tuple(questions))


def _gap_mean(sample: Sequence[float], cells: Iterable[Measured]) -> LogMean:
    """Return the mean of a server's figures, without noise where a cell has too few starts for a verdict."""
    mean = log_mean(sample)
    return mean if all(cell.has_noise for cell in cells) else LogMean(mean.value)


def _compared_by(cell: Measured, by_cpu_time: bool) -> Mapping[int, float]:
    return cell.cpu_efficiency if by_cpu_time else cell.rates


# --- failed requests -------------------------------------------------------------------------------------------


def _most_failed(
    claim: MostFailed, workload: WorkloadName, first: str, second: Sequence[str], evidence: Evidence
) -> Part:
    """Return in how many of the blocks the first had the largest share of failed requests. Where ab gave up on a
    server, more would have failed: blocks in which that could change the answer are ignored."""
    every = {name: [evidence.of(name, workload, level) for level in claim.at] for name in (first, *second)}
    levels = [at for at, cells in enumerate(zip(*every.values(), strict=True)) if any(cell.failures for cell in cells)]
    measured = {name: cells for name, cells in every.items() if any(cell.failures for cell in cells)}
    part = Part(workload=workload, at=tuple(claim.at[at] for at in levels), verdict="not measured", basis=Absent())
    if first not in measured or len(measured) < 2:
        missing = [first] if first not in measured else second
        absences = tuple(every[name][0].absence for name in missing)
        return msgspec.structs.replace(part, at=claim.at, basis=Absent(absences))
    servers = {name: cells[levels[0]].server for name, cells in measured.items()}
    shares = {name: _shares(cells) for name, cells in measured.items()}
    times = of = 0
    for block in sorted(set.intersection(*(set(blocks) for blocks in shares.values()))):
        here = {name: blocks[block] for name, blocks in shares.items()}
        share, counted = here.pop(first)
        most = all(share > other for other, _ in here.values())
        if all(known for _, known in here.values()) if most else counted:
            of += 1
            times += most
    if of == 0:
        return msgspec.structs.replace(part, verdict="cannot be told", basis=Unanswerable.GAVE_UP)
    answer = times == of if evidence.is_published else sign_test(times, of)
    runner_up = max((name for name in measured if name != first), key=lambda name: _total(measured[name]))
    failed = [_failed(servers[name], measured[name]) for name in (first, runner_up)]
    basis = Failed(failed[0], failed[1], of == 1 and not evidence.is_published)
    return msgspec.structs.replace(part, verdict=_verdict(answer), basis=basis, first=first)


def _cells(
    claim: MostFailed, workload: WorkloadName, sides: Iterable[Iterable[str]], evidence: Evidence
) -> Iterator[tuple[int, Measured]]:
    for level, side in product(claim.at, sides):
        yield from ((level, evidence.of(server, workload, level)) for server in side)


def _by_block(cells: Iterable[Measured]) -> dict[int, list[FailedRequests]]:
    found: dict[int, list[FailedRequests]] = {}
    for cell in cells:
        for block, failures in cell.failures.items():
            found.setdefault(block, []).append(failures)
    return found


def _shares(cells: Iterable[Measured]) -> dict[int, tuple[float, bool]]:
    """Return for each block the sum over concurrencies of the share that failed (or of the number, where equal numbers
    of requests were sent), and whether all failures were counted."""
    return {
        block: (sum(each.failed / (each.of or 1) for each in found), all(each.counted for each in found))
        for block, found in _by_block(cells).items()
    }


def _total(cells: Iterable[Measured]) -> float:
    return sum(share for share, _ in _shares(cells).values())


def _failed(server: str, cells: Iterable[Measured]) -> ServerFailures:
    return ServerFailures(server, tuple(sum(each.failed for each in cell.failures.values()) for cell in cells))
