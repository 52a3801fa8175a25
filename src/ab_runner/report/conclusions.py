"""Which of a paper's conclusions hold, by what evidence. Pure; `conclusions_tables` and `conclusions_csv` write it
down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

import msgspec

from ab_runner.conclusions import AboutEqual, Claim, Conclusion, Faster, GapCloses, MostFailed, Paper
from ab_runner.model import WorkloadName
from ab_runner.report.cells import rate_figure
from ab_runner.report.evidence import Evidence, Failures, Measured
from ab_runner.stats.estimate import Estimate
from ab_runner.stats.questions import Question, answers, mostly

Verdict = Literal["holds", "does not hold", "cannot be told", "not measured"]

AB_WAS_THE_LIMIT = "ab was the limit, and what a request costs the server is not known"
GAVE_UP = "ab gave up on some, so that it is not known how many requests would have failed"


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What decides about a claim at one place: mostly two servers at one workload and concurrency, with the `ratio` of
    the first's figure to the second's. `margin` is that ratio over what it must be: above 1 the figures are for the
    claim. `by_cost`: they are requests per second of the server's CPU time."""

    workload: WorkloadName
    at: tuple[int, ...]
    verdict: Verdict
    figures: str
    """The figures that decide, or why there are none."""
    first: str | None = None
    ratio: Estimate | None = None
    margin: float = 1.0
    by_cost: bool = False


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


class _Asking(msgspec.Struct, frozen=True):
    """`can_hold` and `can_fail`: what the answer may decide, where a figure is only the most that it can have been."""

    question: Question
    can_hold: bool = True
    can_fail: bool = True


class _Asked(msgspec.Struct, frozen=True):
    """A part that holds if all answers are yes. They come together, as tests are corrected for their number."""

    part: Part
    questions: tuple[_Asking, ...]


def judge(paper: Paper, evidence: Evidence) -> tuple[Judged, ...]:
    return tuple(_judged(paper, conclusion, evidence) for conclusion in paper.conclusions)


def _judged(paper: Paper, conclusion: Conclusion, evidence: Evidence) -> Judged:
    asked = [list(_asked(paper, claim, evidence)) for claim in conclusion.claims]
    waiting = [each for every in asked for each in every if isinstance(each, _Asked)]
    found = iter(answers([asking.question for each in waiting for asking in each.questions]))
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


def _answered(asked: _Asked, answers: Iterator[bool | None]) -> Part:
    verdict = every_one([_verdict(asking, next(answers)) for asking in asked.questions])
    margin = min(asking.question.quotient.value / asking.question.bound for asking in asked.questions)
    return msgspec.structs.replace(asked.part, verdict=verdict, margin=margin)


def _verdict(asking: _Asking, answer: bool | None) -> Verdict:
    if answer is None or not (asking.can_hold if answer else asking.can_fail):
        return "cannot be told"
    return "holds" if answer else "does not hold"


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
                for level, one, other in product(claim.at, first, second):
                    pair = evidence.of(one, workload, level), evidence.of(other, workload, level)
                    yield _pair(claim, workload, level, *pair)


# --- two servers -----------------------------------------------------------------------------------------------


def _pair(
    claim: Faster | AboutEqual, workload: WorkloadName, level: int, first: Measured, second: Measured
) -> _Asked | Part:
    part = Part(workload=workload, at=(level,), verdict="not measured", figures="", first=first.server)
    chosen = _chosen([first, second])
    if isinstance(chosen, str):
        return _undecided(part, chosen)
    by_cost, (here, there) = chosen
    ratio = Question(((_values(here), 1.0), (_values(there), -1.0)))
    part = msgspec.structs.replace(
        part, by_cost=by_cost, figures=_figures(first, second, here, there), ratio=ratio.quotient
    )
    bound = 1 + claim.by if isinstance(claim, Faster) else 1 / (1 + claim.within)
    ahead = _Asking(msgspec.structs.replace(ratio, bound=bound), not first.at_most, not second.at_most)
    if isinstance(claim, Faster):
        return _Asked(part, (ahead,))
    inverse = Question(((_values(there), 1.0), (_values(here), -1.0)), bound)
    return _Asked(part, (ahead, _Asking(inverse, not second.at_most, not first.at_most)))


def _undecided(part: Part, reason: str) -> Part:
    verdict: Verdict = "cannot be told" if reason == AB_WAS_THE_LIMIT else "not measured"
    return msgspec.structs.replace(part, verdict=verdict, figures=reason)


def _chosen(cells: Sequence[Measured]) -> tuple[bool, list[Mapping[int, float]]] | str:
    """The figures to compare, and whether they are costs; or why there are none."""
    missing = [cell.why_not for cell in cells if not cell.rates]
    if missing:
        return "; ".join(dict.fromkeys(missing))
    if not any(cell.ab_was_the_limit for cell in cells):
        return False, [cell.rates for cell in cells]
    if not all(cell.costs for cell in cells):
        return AB_WAS_THE_LIMIT
    return True, [cell.costs for cell in cells]


def _figures(first: Measured, second: Measured, here: Mapping[int, float], there: Mapping[int, float]) -> str:
    texts = [
        f"{cell.server} {_mean_text(blocks)}{' at most' if cell.at_most else ''}"
        for cell, blocks in ((first, here), (second, there))
    ]
    return " against ".join(texts)


def _values(blocks: Mapping[int, float]) -> tuple[float, ...]:
    return tuple(blocks.values())


def _mean_text(blocks: Mapping[int, float]) -> str:
    return rate_figure(_mean([_values(blocks)]))


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
    at the end, or times that at the end."""
    begin, end = claim.at
    sides = [
        [[evidence.of(name, workload, level) for level in claim.at] for name in names] for names in (first, second)
    ]
    chosen = _chosen([cell for side in sides for server in side for cell in server])
    part = Part(workload=workload, at=claim.at, verdict="not measured", figures="")
    if isinstance(chosen, str):
        return _undecided(part, chosen)
    by_cost, _ = chosen
    blocks = [[[cell.costs if by_cost else cell.rates for cell in server] for server in side] for side in sides]
    leads = [
        _mean([_values(server[at]) for server in blocks[0]]) / _mean([_values(server[at]) for server in blocks[1]])
        for at in (0, 1)
    ]
    text = f"the first group has {leads[0]:.2f} times the rate of the second at {begin}, {leads[1]:.2f} times at {end}"
    part = msgspec.structs.replace(part, by_cost=by_cost, figures=text)
    clean = not any(cell.at_most for side in sides for server in side for cell in server)
    questions = []
    for power in (-1, 1):
        samples = tuple(
            (tuple(before[block] * after[block] ** power for block in before if block in after), sign / len(side))
            for sign, side in ((1, blocks[0]), (-1, blocks[1]))
            for before, after in side
        )
        if not all(sample for sample, _ in samples):
            return msgspec.structs.replace(part, figures="a server has no block with both concurrencies")
        questions.append(_Asking(Question(samples), clean, clean))
    return _Asked(part, tuple(questions))


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
    answer = mostly(times, of)
    verdict: Verdict = "cannot be told" if answer is None else "holds" if answer else "does not hold"
    runner_up = max((name for name in measured if name != first), key=lambda name: _total(measured[name]))
    text = " against ".join(f"{servers[name]} {_failed_text(measured[name])}" for name in (first, runner_up))
    return msgspec.structs.replace(part, verdict=verdict, figures=text, first=first)


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
