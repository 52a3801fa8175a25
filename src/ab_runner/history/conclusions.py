"""Which of a paper's conclusions hold, by what evidence. Pure; `conclusions_tables` and `conclusions_csv` write it
down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

import msgspec

from ab_runner.analysis.cells import bound_of_ratio, rate_figure
from ab_runner.history.evidence import Evidence, Failures, Measured
from ab_runner.history.papers import AboutEqual, Claim, Conclusion, Faster, GapCloses, MostFailed, Paper
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.estimate import Estimate
from ab_runner.stats.hypotheses import Answer, Question, answers, at_their_word, sign_test
from ab_runner.stats.pairing import Pair, pair

Verdict = Literal["holds", "does not hold", "cannot be told", "not measured"]

AB_WAS_THE_LIMIT = "ab was the limit of both, and the CPU time of the servers is not known"
ONE_START = "one start"
GAVE_UP = "ab gave up on some, so that it is not known how many requests would have failed"


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What decides about a claim at one place: mostly two servers at one workload and concurrency, with the `ratio` of
    the first's figure to the second's. `margin` is that ratio over what it must be: above 1 the figures are for the
    claim. `bound`: `≥` or `≤` where ab was the limit of one of the two and the true ratio may be larger or smaller.
    `by_cpu_time`: they are requests per CPU-second."""

    workload: WorkloadName
    at: tuple[int, ...]
    verdict: Verdict
    figures: str
    """The figures that decide, or why there are none."""
    first: str | None = None
    ratio: Estimate | None = None
    bound: str = ""
    margin: float = 1.0
    by_cpu_time: bool = False


class JudgedClaim(msgspec.Struct, frozen=True):
    claim: Claim
    verdict: Verdict
    parts: tuple[Part, ...]

    @property
    def complete(self) -> bool:
        return all(part.verdict != "not measured" for part in self.parts)


class Judged(msgspec.Struct, frozen=True):
    """A conclusion by one evidence."""

    conclusion: Conclusion
    verdict: Verdict
    claims: tuple[JudgedClaim, ...]

    @property
    def complete(self) -> bool:
        """Was all of it measured? If not, the verdict is on the rest."""
        return all(claim.complete for claim in self.claims)


class _Asked(msgspec.Struct, frozen=True):
    """A part that holds if all answers are yes. They come together, as tests are corrected for their number."""

    part: Part
    questions: tuple[Question, ...]


def judge(paper: Paper, evidence: Evidence) -> tuple[Judged, ...]:
    return tuple(_judged(paper, conclusion, evidence) for conclusion in paper.conclusions)


def _judged(paper: Paper, conclusion: Conclusion, evidence: Evidence) -> Judged:
    asked = [list(_asked(paper, claim, evidence)) for claim in conclusion.claims]
    waiting = [each for every in asked for each in every if isinstance(each, _Asked)]
    questions = [question for each in waiting for question in each.questions]
    found = iter(map(at_their_word, questions) if evidence.is_published else answers(questions))
    claims = []
    for claim, every in zip(conclusion.claims, asked, strict=True):
        parts = [_answered(each, found) if isinstance(each, _Asked) else each for each in every]
        if isinstance(claim, Faster) and claim.one:
            parts = list(_best_of_the_first(parts))
        claims.append(JudgedClaim(claim, every_one(part.verdict for part in parts), tuple(parts)))
    return Judged(conclusion, every_one(claim.verdict for claim in claims), tuple(claims))


def every_one(verdicts: Iterable[Verdict]) -> Verdict:
    """Of what must all hold, as far as it was measured."""
    found = set(verdicts)
    order: tuple[Verdict, ...] = ("does not hold", "cannot be told", "holds")
    return next((verdict for verdict in order if verdict in found), "not measured")


def _best_of_the_first(parts: Sequence[Part]) -> Iterator[Part]:
    """At each place, the parts of the server for which the claim comes nearest to holding: one of them is enough."""
    order = ("holds", "cannot be told", "does not hold", "not measured")
    for workload, at in dict.fromkeys((part.workload, part.at) for part in parts):
        here = [part for part in parts if (part.workload, part.at) == (workload, at)]
        by_first = [[part for part in here if part.first == first] for first in dict.fromkeys(p.first for p in here)]
        yield from min(
            by_first,
            key=lambda found: (order.index(every_one(p.verdict for p in found)), -min(p.margin for p in found)),
        )


def _answered(asked: _Asked, found: Iterator[Answer]) -> Part:
    verdict = every_one([_verdict(next(found)) for _ in asked.questions])
    margin = min(question.quotient.value / question.bound for question in asked.questions)
    return msgspec.structs.replace(asked.part, verdict=verdict, margin=margin)


def _verdict(answer: Answer) -> Verdict:
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
                    Part(workload=workload, at=(at,), verdict="not measured", figures=cell.why_not)
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
    """`alternatives`: the number of first servers, where it is enough that the claim holds of one."""
    part = Part(workload=workload, at=(level,), verdict="not measured", figures="", first=first.server)
    if missing := _missing([first, second]):
        return msgspec.structs.replace(part, figures=missing)
    compared = pair(first.measurement, second.measurement)
    if compared is None:
        return msgspec.structs.replace(part, verdict="cannot be told", figures=AB_WAS_THE_LIMIT)
    first_can_lead = compared.first_can_lead and not first.at_most
    second_can_lead = compared.second_can_lead and not second.at_most
    bound = 1 + claim.by if isinstance(claim, Faster) else 1 / (1 + claim.within)
    ahead = Question(
        ((compared.first, 1.0), (compared.second, -1.0)), bound, first_can_lead, second_can_lead, alternatives
    )
    part = msgspec.structs.replace(
        part,
        by_cpu_time=compared.by_cpu_time,
        figures=_figures(first, second, compared) + _of_one_start([first, second]),
        ratio=ahead.quotient,
        bound="" if compared.by_cpu_time else bound_of_ratio(first.at_least, second.at_least),
    )
    if isinstance(claim, Faster):
        return _Asked(part, (ahead,))
    inverse = Question(((compared.second, 1.0), (compared.first, -1.0)), bound, second_can_lead, first_can_lead)
    return _Asked(part, (ahead, inverse))


def _missing(cells: Sequence[Measured]) -> str:
    """Why there are not figures of all of them; empty where there are."""
    return "; ".join(dict.fromkeys(cell.why_not for cell in cells if not cell.rates))


def _of_one_start(cells: Sequence[Measured]) -> str:
    """What is said of measured figures that nothing can be told from."""
    alone = any(len(cell.rates) == 1 and not cell.is_published for cell in cells)
    return f" ({ONE_START})" if alone else ""


def _figures(first: Measured, second: Measured, compared: Pair) -> str:
    texts = []
    for cell, sample in ((first, compared.first), (second, compared.second)):
        at_least = "≥ " if cell.at_least and not compared.by_cpu_time else ""
        texts.append(f"{cell.server} {at_least}{rate_figure(_mean([sample]))}{' at most' if cell.at_most else ''}")
    return " against ".join(texts)


def _values(blocks: Mapping[int, float]) -> tuple[float, ...]:
    return tuple(blocks.values())


def _mean(samples: Sequence[tuple[float, ...]]) -> float:
    """Geometric, over servers of their blocks' geometric means."""
    return Question(tuple((sample, 1 / len(samples)) for sample in samples)).quotient.value


# --- two groups ------------------------------------------------------------------------------------------------


def _gap(
    claim: GapCloses, workload: WorkloadName, first: Sequence[str], second: Sequence[str], evidence: Evidence
) -> _Asked | Part:
    """With L the logarithm of the first group's lead, at the beginning and at the end: it was ahead, and |L end| is
    below L begin, exactly where both L begin - L end and L begin + L end are above 0.

    Cells of one block share a start of the server, so each block has one figure: its figure at the beginning over that
    at the end, or times that at the end. A rate that ab limited may be higher. Where it counts for the answer yes, that
    answer is open and no is not, and the other way round. Where ab limited all of them, they are compared by requests
    per CPU-second."""
    begin, end = claim.at
    sides = [
        [[evidence.of(name, workload, level) for level in claim.at] for name in names] for names in (first, second)
    ]
    cells = [cell for side in sides for server in side for cell in server]
    part = Part(workload=workload, at=claim.at, verdict="not measured", figures="")
    if missing := _missing(cells):
        return msgspec.structs.replace(part, figures=missing)
    by_cpu_time = all(cell.at_least for cell in cells)
    if by_cpu_time and not all(cell.cpu_efficiency for cell in cells):
        return msgspec.structs.replace(part, verdict="cannot be told", figures=AB_WAS_THE_LIMIT)
    figures = [[[_compared_by(cell, by_cpu_time) for cell in server] for server in side] for side in sides]
    leads = [
        _mean([_values(server[at]) for server in figures[0]]) / _mean([_values(server[at]) for server in figures[1]])
        for at in (0, 1)
    ]
    text = f"the first group has {leads[0]:.2f} times the rate of the second at {begin}, {leads[1]:.2f} times at {end}"
    limited = "; ab was the limit of some" if any(cell.at_least for cell in cells) and not by_cpu_time else ""
    part = msgspec.structs.replace(part, by_cpu_time=by_cpu_time, figures=text + limited + _of_one_start(cells))
    clean = not any(cell.at_most for cell in cells)
    questions = []
    for power in (-1, 1):
        samples = tuple(
            (tuple(before[block] * after[block] ** power for block in before if block in after), sign / len(side))
            for sign, side in ((1, figures[0]), (-1, figures[1]))
            for before, after in side
        )
        if not all(sample for sample, _ in samples):
            return msgspec.structs.replace(part, figures="a server has no block with both concurrencies")
        counts_for = {
            sign * (1 if at == 0 else power)
            for sign, side in zip((1, -1), sides, strict=True)
            for server in side
            for at, cell in enumerate(server)
            if cell.at_least and not by_cpu_time
        }
        questions.append(
            Question(samples, can_hold=clean and -1 not in counts_for, can_fail=clean and 1 not in counts_for)
        )
    return _Asked(part, tuple(questions))


def _compared_by(cell: Measured, by_cpu_time: bool) -> Mapping[int, float]:
    return cell.cpu_efficiency if by_cpu_time else cell.rates


# --- failed requests -------------------------------------------------------------------------------------------


def _most_failed(
    claim: MostFailed, workload: WorkloadName, first: str, second: Sequence[str], evidence: Evidence
) -> Part:
    """In how many of the blocks had the first the largest share of failed requests? Where ab gave up on a server, more
    would have failed: blocks in which that could change the answer are left out."""
    every = {name: [evidence.of(name, workload, level) for level in claim.at] for name in (first, *second)}
    levels = [at for at, cells in enumerate(zip(*every.values(), strict=True)) if any(cell.failures for cell in cells)]
    measured = {name: cells for name, cells in every.items() if any(cell.failures for cell in cells)}
    part = Part(workload=workload, at=tuple(claim.at[at] for at in levels), verdict="not measured", figures="")
    if first not in measured or len(measured) < 2:
        return msgspec.structs.replace(part, at=claim.at, figures=every[first][0].why_not)
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
        return msgspec.structs.replace(part, verdict="cannot be told", figures=GAVE_UP)
    answer = times == of if evidence.is_published else sign_test(times, of)
    runner_up = max((name for name in measured if name != first), key=lambda name: _total(measured[name]))
    text = " against ".join(f"{servers[name]} {_failed_text(measured[name])}" for name in (first, runner_up))
    alone = f" ({ONE_START})" if of == 1 and not evidence.is_published else ""
    return msgspec.structs.replace(part, verdict=_verdict(answer), figures=text + alone, first=first)


def _cells(
    claim: MostFailed, workload: WorkloadName, sides: Iterable[Iterable[str]], evidence: Evidence
) -> Iterator[tuple[int, Measured]]:
    for level, side in product(claim.at, sides):
        yield from ((level, evidence.of(server, workload, level)) for server in side)


def _by_block(cells: Iterable[Measured]) -> dict[int, list[Failures]]:
    found: dict[int, list[Failures]] = {}
    for cell in cells:
        for block, failures in cell.failures.items():
            found.setdefault(block, []).append(failures)
    return found


def _shares(cells: Iterable[Measured]) -> dict[int, tuple[float, bool]]:
    """Block to the sum over concurrencies of the share that failed (or of the number, of equal numbers of requests),
    and whether it was all counted."""
    return {
        block: (sum(each.failed / (each.of or 1) for each in found), all(each.counted for each in found))
        for block, found in _by_block(cells).items()
    }


def _total(cells: Iterable[Measured]) -> float:
    return sum(share for share, _ in _shares(cells).values())


def _failed_text(cells: Sequence[Measured]) -> str:
    """`62 + 9,991 failed`: a number for each concurrency with any, over all blocks."""
    numbers = [sum(each.failed for each in cell.failures.values()) for cell in cells]
    return f"{' + '.join(f'{number:,}' for number in numbers if number) or '0'} failed"
