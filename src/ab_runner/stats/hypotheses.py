"""Questions that figures answer: yes, no, or not known."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, exp, fsum, log

import numpy as np
from msgspec import Struct
from scipy.special import gammaincinv, ndtr, stdtrit

from ab_runner.stats.estimate import Estimate
from ab_runner.stats.holm import holm
from ab_runner.stats.ranking import ALPHA, MINIMUM_EFFECT
from ab_runner.stats.ratio import LogMean, LogRatio, contrast

ONE_FIGURE = 0.05
"""A published figure shows no noise; differences up to this are then taken as none. With noise of 2 % between starts,
two figures of one server differ by less in 92 % of all cases; with more noise, in fewer."""
_SAMPLES = 1000
"""Of the distribution of an error. The power is then right to three digits."""


Means = tuple[tuple[LogMean, float], ...]
"""Mean logarithms and their weights."""


class Question(Struct, frozen=True):
    """Is the product of these geometric means, each to the power of its weight, above `bound`? (first, 1) and
    (second, -1) with the bound 1 ask if the first is larger.

    `can_hold` and `can_fail`: which answers are open, where a figure is only a bound of the true one. `alternatives`:
    of how many such questions one yes is enough. `margin`: differences from the bound up to this count as none."""

    means: Means
    bound: float = 1.0
    can_hold: bool = True
    can_fail: bool = True
    alternatives: int = 1
    margin: float = MINIMUM_EFFECT

    @property
    def tested(self) -> bool:
        """Whether there are enough starts to know the noise."""
        return all(mean.has_noise for mean, _ in self.means)

    @property
    def quotient(self) -> Estimate:
        """What is compared with the bound."""
        if self.tested:
            return self.contrast.ratio()
        return Estimate(exp(fsum(weight * mean.value for mean, weight in self.means)))

    def p(self) -> float:
        """How likely a difference from the bound as large as this is, if the true one is `margin`. Without a margin it
        is the p of the one-sided test."""
        above = self.contrast.above(log(self.bound))
        return above.p_beyond(log(1 + self.margin)) if self.margin else above.p_beyond(0) / 2

    @property
    def contrast(self) -> LogRatio:
        """The logarithm of the quotient, with its error."""
        return contrast((weight, mean) for mean, weight in self.means)

    @property
    def excess(self) -> float:
        """The logarithm of the quotient over the bound."""
        return log(self.quotient.value / self.bound)


def within(means: Means, share: float, can_hold: bool, can_fail: bool) -> tuple[Question, Question]:
    """Return the two questions whose answers are yes if the product is about 1: neither larger nor smaller by more than
    the factor 1 + `share`. Two one-sided tests against that bound itself (D. J. Schuirmann, Journal of Pharmacokinetics
    and Biopharmaceutics 15, 1987). `can_hold` and `can_fail`: whether the product can be told to be larger, and
    smaller."""
    inverse = tuple((mean, -weight) for mean, weight in means)
    bound = 1 / (1 + share)
    return (
        Question(means, bound, can_hold, can_fail, margin=0.0),
        Question(inverse, bound, can_fail, can_hold, margin=0.0),
    )


def power(question: Question) -> float | None:
    """Return how likely the two tests of `within`, of which this is one, are to answer yes twice if the true product is
    1; None where the noise is not known.

    The standard error is taken as the true one. Other samples would show other errors, which are spread as chi squared
    (K. F. Phillips, "Power of the Two One-Sided Tests Procedure in Bioequivalence", the same journal 18, 1990)."""
    if not question.tested:
        return None
    found = question.contrast
    if found.standard_error == 0:
        return 1.0
    chances = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    freedom = found.degrees_of_freedom
    errors = np.sqrt(2 * gammaincinv(freedom / 2, chances) / freedom)  # as multiples of the true one
    room = -log(question.bound) / found.standard_error + stdtrit(freedom, ALPHA) * errors
    return float(np.mean(2 * ndtr(np.maximum(room, 0)) - 1))


Answer = bool | None
"""The answer; None where it is not known."""


def answers(questions: Sequence[Question]) -> list[Answer]:
    """Return the answers to questions that must all have the answer yes: a conjunction. Those from a single start have
    none.

    That the conjunction is wrongly said to hold has a probability of `ALPHA` at the most, and so has that it is wrongly
    said to fail. It holds if all answers are yes, so it takes a wrong yes where the true answer is no: each yes is
    tested at `ALPHA` (the intersection-union test: Berger, Technometrics 24, 1982), divided by the number of
    `alternatives`, of which any may be the wrong one. It fails if any answer is no: all noes together are corrected
    (Holm)."""
    p_values = [question.p() if question.tested else 1.0 for question in questions]
    deniable = [at for at, question in enumerate(questions) if question.tested and question.can_fail]
    noes = holm([p_values[at] if questions[at].excess < 0 else 1.0 for at in deniable], ALPHA)
    denied = {at for at, certain in zip(deniable, noes, strict=True) if certain}
    return [
        False if at in denied else True if _is_affirmed(question, p_values[at]) else None
        for at, question in enumerate(questions)
    ]


def _is_affirmed(question: Question, p: float) -> bool:
    return question.can_hold and question.excess > 0 and p * question.alternatives <= ALPHA


def at_their_word(question: Question) -> Answer:
    """Return the answer of figures that were published without their noise: differences beyond `ONE_FIGURE` are
    accepted."""
    if question.excess > log(1 + ONE_FIGURE):
        return True if question.can_hold else None
    if question.excess < -log(1 + ONE_FIGURE):
        return False if question.can_fail else None
    return None


def sign_test(times: int, of: int) -> Answer:
    """Return whether it happens in more than half of all blocks, given that it happened in this many of these: the sign
    test."""
    if _tail(times, of) <= ALPHA:
        return True
    return False if _tail(of - times, of) <= ALPHA else None


def _tail(times: int, of: int) -> float:
    """The probability of at least so many heads."""
    return sum(comb(of, heads) for heads in range(times, of + 1)) / float(2**of)
