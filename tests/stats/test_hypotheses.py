from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.holm import holm
from ab_runner.stats.hypotheses import Hypothesis, at_their_word, decisions, power, sign_test, within
from ab_runner.stats.ratio import LogMean, log_mean


def around(rate: float) -> LogMean:
    """Of six starts that differ by 1 % at the most."""
    return of(*(rate * factor for factor in (0.995, 1.004, 0.999, 1.002, 0.997, 1.005)))


def of(*figures: float) -> LogMean:
    return log_mean(figures)


def is_above(first: LogMean, second: LogMean, bound: float = 1.0) -> bool | None:
    return decisions([Hypothesis(((first, 1.0), (second, -1.0)), bound)])[0]


@pytest.mark.parametrize(
    ("rate", "bound", "answer"),
    [(110, 1, True), (90, 1, False), (101, 1, None), (110, 1.2, False), (121, 1.2, None), (130, 1.2, True)],
)
def test_a_difference_from_the_bound_is_told_beyond_the_margin_alone(
    rate: float, bound: float, answer: bool | None
) -> None:
    assert is_above(around(rate), around(100), bound) is answer


def test_what_spreads_widely_cannot_be_told() -> None:
    assert is_above(of(110, 50, 170), of(100, 40, 160)) is None


@pytest.mark.parametrize(("figure", "answer"), [(106, True), (94, False), (104, None), (97, None)])
def test_a_published_figure_is_taken_at_its_word_beyond_five_per_cent(figure: float, answer: bool | None) -> None:
    assert at_their_word(Hypothesis(((of(figure), 1.0), (of(100), -1.0)))) is answer


@pytest.mark.parametrize("figure", [50, 106, 300])
def test_a_single_measured_figure_answers_nothing(figure: float) -> None:
    assert is_above(of(figure), of(100)) is None
    assert is_above(of(figure), around(100)) is None


@pytest.mark.parametrize(("rate", "answer"), [(130, True), (70, False)])
def test_an_answer_that_a_bound_does_not_allow_is_none(rate: float, answer: bool) -> None:
    open_ = Hypothesis(((around(rate), 1.0), (around(100), -1.0)), can_hold=answer, can_fail=not answer)
    shut = Hypothesis(((around(rate), 1.0), (around(100), -1.0)), can_hold=not answer, can_fail=answer)
    assert decisions([open_, shut]) == [answer, None]
    single = [
        Hypothesis(((of(rate), 1.0), (of(100), -1.0)), can_hold=q.can_hold, can_fail=q.can_fail) for q in (open_, shut)
    ]
    assert [at_their_word(each) for each in single] == [answer, None]


def test_groups_are_compared_by_their_geometric_means() -> None:
    hypothesis = Hypothesis(((around(400), 0.5), (around(100), 0.5), (around(100), -1.0)))
    assert hypothesis.quotient.value == pytest.approx(2, rel=0.01)
    assert decisions([hypothesis]) == [True]


def drawn(random: np.random.Generator, *levels: float, noise: float = 0.05) -> list[LogMean]:
    """Of six starts of servers whose true rates have these logarithms."""
    return [of(*np.exp(random.normal(level, noise, 6)).tolist()) for level in levels]


def conclusion(hypotheses: list[Hypothesis]) -> bool | None:
    """Of all of them together."""
    found = decisions(hypotheses)
    return False if False in found else None if None in found else True


def test_equal_servers_are_hardly_ever_told_apart_however_many_questions_there_are() -> None:
    random = np.random.default_rng(7)
    wrong = 0
    for _ in range(200):
        samples = drawn(random, *[7.0] * 6, noise=0.02)
        pairs = [Hypothesis(((samples[0], 1.0), (other, -1.0))) for other in samples[1:]]
        wrong += conclusion(pairs) is not None
    assert wrong <= 10


def test_what_does_not_hold_is_said_to_hold_in_one_of_twenty_at_the_most() -> None:
    """A is well ahead of four and just by the margin, which counts as nothing, of a fifth: 1,000 conclusions, of which
    50 at the most are expected, 66 with bad luck (1 %). With a correction for five hypotheses it would be 10."""
    random = np.random.default_rng(17)
    wrong = 0
    for _ in range(1000):
        first, *others, near = drawn(random, 0.0, *[-0.5] * 4, -np.log(1.02))
        wrong += conclusion([Hypothesis(((first, 1.0), (other, -1.0))) for other in (*others, near)]) is True
    assert 25 <= wrong <= 66


def test_what_holds_is_said_not_to_hold_in_one_of_twenty_at_the_most() -> None:
    """A is neither ahead of nor behind any of five by more than the margin: that is no reason to deny. Without a
    correction 25 noes are expected of each hypothesis."""
    random = np.random.default_rng(18)
    wrong = 0
    for _ in range(1000):
        first, *others = drawn(random, 0.0, *[np.log(1.02)] * 5)
        wrong += conclusion([Hypothesis(((first, 1.0), (other, -1.0))) for other in others]) is False
    assert wrong <= 66


def test_one_of_several_that_is_enough_is_wrongly_found_in_one_of_twenty_at_the_most() -> None:
    random = np.random.default_rng(19)
    wrong = 0
    for _ in range(1000):
        near, *firsts = drawn(random, 0.0, *[np.log(1.02)] * 4)
        wrong += True in decisions([Hypothesis(((first, 1.0), (near, -1.0)), alternatives=4) for first in firsts])
    assert wrong <= 66


def test_a_yes_needs_no_correction_for_the_number_of_questions_and_a_no_does() -> None:
    first, second = around(100), around(97.55)
    p = Hypothesis(((first, 1.0), (second, -1.0))).p()
    assert 0.02 < p < 0.05, p
    ahead, behind = Hypothesis(((first, 1.0), (second, -1.0))), Hypothesis(((second, 1.0), (first, -1.0)))
    sure = Hypothesis(((around(200), 1.0), (around(100), -1.0)))
    assert decisions([ahead, *[sure] * 4]) == [True] * 5
    assert decisions([behind, *[sure] * 4])[0] is None
    assert decisions([behind]) == [False]


def are_equal(first: LogMean, second: LogMean) -> list[Hypothesis]:
    """Within 10 %."""
    return list(within(((first, 1.0), (second, -1.0)), 0.1, True, True))


@pytest.mark.parametrize(("level", "most"), [(np.log(1.1), 66), (-np.log(1.1), 66)], ids=["above", "below"])
def test_what_differs_by_the_bound_is_said_to_be_about_equal_in_one_of_twenty(level: float, most: int) -> None:
    """The bound is not narrowed by a margin: 50 of 1,000 are expected, hardly fewer with other degrees of freedom."""
    random = np.random.default_rng(20)
    wrong = sum(conclusion(are_equal(*drawn(random, level, 0.0, noise=0.03))) is True for _ in range(1000))
    assert 25 <= wrong <= most


@pytest.mark.parametrize("noise", [0.02, 0.06, 0.08, 0.12])
def test_the_power_is_how_often_two_equal_ones_are_told_to_be_about_equal(noise: float) -> None:
    """For a known error: the mean of six figures against a fixed value."""
    random = np.random.default_rng(21)
    fixed = LogMean(0.0, 0.0, 5.0)
    told = sum(conclusion(are_equal(each, fixed)) is True for each in drawn(random, *[0.0] * 2000, noise=noise))
    true = LogMean(0.0, noise**2 / 6, 5.0)
    assert power(are_equal(true, fixed)[0]) == pytest.approx(told / 2000, abs=0.035)


def test_the_power_is_0_with_much_noise_and_1_without_any() -> None:
    equal, loud = LogMean(0.0, 0.0, 5.0), LogMean(0.0, 0.5, 5.0)
    assert power(are_equal(equal, equal)[0]) == 1
    assert power(are_equal(equal, loud)[0]) == pytest.approx(0, abs=0.01)
    assert power(are_equal(LogMean(0.0), equal)[0]) is None


@pytest.mark.parametrize(
    ("times", "of", "answer"),
    [(1, 1, None), (0, 1, None), (4, 4, None), (5, 5, True), (0, 5, False), (6, 6, True), (5, 6, None), (3, 6, None)],
)
def test_most_blocks_are_told_by_the_sign_test(times: int, of: int, answer: bool | None) -> None:
    assert sign_test(times, of) is answer


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_certain_of_the_smallest_first_and_of_no_fewer_than_bonferroni(p_values: list[float]) -> None:
    certain = holm(p_values, 0.05)
    for p, sure in zip(p_values, certain, strict=True):
        assert sure or p > 0.05 / len(p_values)
        assert not sure or p <= 0.05
        assert all(other for q, other in zip(p_values, certain, strict=True) if sure and q < p)


def test_holm_by_hand() -> None:
    assert holm([0.03, 0.01, 0.04], 0.05) == [False, True, False]
    assert holm([0.02, 0.01, 0.04], 0.05) == [True, True, True]
