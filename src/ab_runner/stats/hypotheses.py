"""Hypotheses that figures confirm, refute, or leave open."""

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


class Hypothesis(Struct, frozen=True):
    """The product of these geometric means, each to the power of its weight, is above `bound`: with (first, 1),
    (second, -1) and the bound 1 the first is larger.

    `can_hold` and `can_fail`: which decisions are open, where a figure is only a bound of the true one. `alternatives`:
    of how many hypotheses one that holds is enough. `margin`: differences from the bound up to this count as none."""

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


def within(means: Means, share: float, can_hold: bool, can_fail: bool) -> tuple[Hypothesis, Hypothesis]:
    """Return the two hypotheses that hold if the product is about 1: neither larger nor smaller by more than the factor
    1 + `share`. Two one-sided tests against that bound itself (D. J. Schuirmann, Journal of Pharmacokinetics
    and Biopharmaceutics 15, 1987). `can_hold` and `can_fail`: whether the product can be told to be larger, and
    smaller."""
    inverse = tuple((mean, -weight) for mean, weight in means)
    bound = 1 / (1 + share)
    return (
        Hypothesis(means, bound, can_hold, can_fail, margin=0.0),
        Hypothesis(inverse, bound, can_fail, can_hold, margin=0.0),
    )


def power(hypothesis: Hypothesis) -> float | None:
    """Return how likely the two tests of `within`, of which this is one, are both to hold if the true product is 1;
    None where the noise is not known.

    The standard error is taken as the true one. Other samples would show other errors, which are spread as chi squared
    (K. F. Phillips, "Power of the Two One-Sided Tests Procedure in Bioequivalence", the same journal 18, 1990)."""
    if not hypothesis.tested:
        return None
    found = hypothesis.contrast
    if found.standard_error == 0:
        return 1.0
    chances = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    freedom = found.degrees_of_freedom
    errors = np.sqrt(2 * gammaincinv(freedom / 2, chances) / freedom)  # as multiples of the true one
    room = -log(hypothesis.bound) / found.standard_error + stdtrit(freedom, ALPHA) * errors
    return float(np.mean(2 * ndtr(np.maximum(room, 0)) - 1))


Decision = bool | None
"""Whether a hypothesis holds; None where that is not known."""


def decisions(hypotheses: Sequence[Hypothesis]) -> list[Decision]:
    """Return the decisions on hypotheses that must all hold: a conjunction. Those on a single start are open.

    That the conjunction is wrongly said to hold has a probability of `ALPHA` at the most, and so has that it is wrongly
    said to fail. It holds if all hypotheses do, so it takes one that is wrongly said to hold: each is tested at `ALPHA`
    (the intersection-union test: Berger, Technometrics 24, 1982), divided by the number of `alternatives`, of which any
    may be the wrong one. It fails if any hypothesis does: all failures together are corrected (Holm)."""
    p_values = [hypothesis.p() if hypothesis.tested else 1.0 for hypothesis in hypotheses]
    deniable = [at for at, hypothesis in enumerate(hypotheses) if hypothesis.tested and hypothesis.can_fail]
    failing = holm([p_values[at] if hypotheses[at].excess < 0 else 1.0 for at in deniable], ALPHA)
    denied = {at for at, certain in zip(deniable, failing, strict=True) if certain}
    return [
        False if at in denied else True if _is_affirmed(hypothesis, p_values[at]) else None
        for at, hypothesis in enumerate(hypotheses)
    ]


def _is_affirmed(hypothesis: Hypothesis, p: float) -> bool:
    return hypothesis.can_hold and hypothesis.excess > 0 and p * hypothesis.alternatives <= ALPHA


def at_their_word(hypothesis: Hypothesis) -> Decision:
    """Return the decision by figures that were published without their noise: differences beyond `ONE_FIGURE` are
    accepted."""
    if hypothesis.excess > log(1 + ONE_FIGURE):
        return True if hypothesis.can_hold else None
    if hypothesis.excess < -log(1 + ONE_FIGURE):
        return False if hypothesis.can_fail else None
    return None


def sign_test(times: int, of: int) -> Decision:
    """Return whether it happens in more than half of all blocks, given that it happened in this many of these: the sign
    test."""
    if _tail(times, of) <= ALPHA:
        return True
    return False if _tail(of - times, of) <= ALPHA else None


def _tail(times: int, of: int) -> float:
    """The probability of at least so many heads."""
    return sum(comb(of, heads) for heads in range(times, of + 1)) / float(2**of)
