"""Yes, no, or not to be told: questions that figures answer."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, exp, fsum, log
from statistics import fmean

from msgspec import Struct

from ab_runner.stats.estimate import Estimate
from ab_runner.stats.holm import holm
from ab_runner.stats.ranking import MARGIN, WRONG
from ab_runner.stats.ratio import contrast

ONE_FIGURE = 0.05
"""One figure shows no noise; differences up to this are then taken as none. With noise of 2 % between starts, two of
a server differ by less in 92 % of all cases."""


class Question(Struct, frozen=True):
    """Is the product of the samples' geometric means, each to the power of its weight, above `bound`? A sample has a
    figure per block. (first, 1) and (second, -1) with the bound 1 ask if the first is larger."""

    samples: tuple[tuple[tuple[float, ...], float], ...]
    bound: float = 1.0

    @property
    def tested(self) -> bool:
        """Are there blocks enough to know the noise?"""
        return all(len(sample) > 1 for sample, _ in self.samples)

    @property
    def quotient(self) -> Estimate:
        """What is compared with the bound."""
        if self.tested:
            return contrast((weight, sample) for sample, weight in self.samples).ratio()
        return Estimate(exp(fsum(weight * fmean(map(log, sample)) for sample, weight in self.samples)))

    def p(self) -> float:
        """How likely a difference from the bound as large as this is, if the true one is `MARGIN`."""
        difference = contrast((weight, sample) for sample, weight in self.samples)
        return difference.above(log(self.bound)).p_beyond(log(1 + MARGIN))


def answers(questions: Sequence[Question]) -> list[bool | None]:
    """None where it cannot be told. That any answer from several blocks is wrong has a probability of `WRONG` at the
    most; those from one block are taken at their word beyond `ONE_FIGURE`."""
    tested = [question for question in questions if question.tested]
    certain = iter(holm([question.p() for question in tested], WRONG))
    found: list[bool | None] = []
    for question in questions:
        excess = log(question.quotient.value / question.bound)
        told = next(certain) if question.tested else abs(excess) > log(1 + ONE_FIGURE)
        found.append(excess > 0 if told else None)
    return found


def mostly(times: int, of: int) -> bool | None:
    """Does it happen in more than half of all blocks, having happened in so many of these? The sign test, and the word
    of a single block."""
    if of == 1:
        return times == 1
    if _tail(times, of) <= WRONG:
        return True
    return False if _tail(of - times, of) <= WRONG else None


def _tail(times: int, of: int) -> float:
    """The probability of at least so many heads."""
    return sum(comb(of, heads) for heads in range(times, of + 1)) / float(2**of)
