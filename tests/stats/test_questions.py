from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.holm import holm
from ab_runner.stats.questions import Question, answers, mostly


def around(rate: float) -> tuple[float, ...]:
    """Six blocks that differ by 1 % at the most."""
    return tuple(rate * factor for factor in (0.995, 1.004, 0.999, 1.002, 0.997, 1.005))


def is_above(first: tuple[float, ...], second: tuple[float, ...], bound: float = 1.0) -> bool | None:
    return answers([Question(((first, 1.0), (second, -1.0)), bound)])[0]


@pytest.mark.parametrize(
    ("rate", "bound", "answer"),
    [(110, 1, True), (90, 1, False), (101, 1, None), (110, 1.2, False), (121, 1.2, None), (130, 1.2, True)],
)
def test_a_difference_from_the_bound_is_told_beyond_the_margin_alone(
    rate: float, bound: float, answer: bool | None
) -> None:
    assert is_above(around(rate), around(100), bound) is answer


def test_what_spreads_widely_cannot_be_told() -> None:
    assert is_above((110, 50, 170), (100, 40, 160)) is None


@pytest.mark.parametrize(("figure", "answer"), [(106, True), (94, False), (104, None), (97, None)])
def test_a_single_figure_is_taken_at_its_word_beyond_five_per_cent(figure: float, answer: bool | None) -> None:
    assert is_above((figure,), (100,)) is answer
    assert is_above((figure,), around(100)) is answer


def test_groups_are_compared_by_their_geometric_means() -> None:
    question = Question(((around(400), 0.5), (around(100), 0.5), (around(100), -1.0)))
    assert question.quotient.value == pytest.approx(2, rel=0.01)
    assert answers([question]) == [True]


def test_equal_servers_are_hardly_ever_told_apart_however_many_questions_there_are() -> None:
    random = np.random.default_rng(7)
    wrong = 0
    for _ in range(200):
        samples = [tuple(float(each) for each in 1000 * np.exp(random.normal(0, 0.02, 6))) for _ in range(6)]
        pairs = [Question(((samples[0], 1.0), (other, -1.0))) for other in samples[1:]]
        wrong += any(answer is not None for answer in answers(pairs))
    assert wrong <= 10


@pytest.mark.parametrize(
    ("times", "of", "answer"),
    [(1, 1, True), (0, 1, False), (4, 4, None), (5, 5, True), (0, 5, False), (6, 6, True), (5, 6, None), (3, 6, None)],
)
def test_most_blocks_are_told_by_the_sign_test(times: int, of: int, answer: bool | None) -> None:
    assert mostly(times, of) is answer


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
