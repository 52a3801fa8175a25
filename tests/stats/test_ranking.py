from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import log

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.pairing import Measurement, pair
from ab_runner.stats.ranking import MINIMUM_EFFECT, Rank, Ranking, contradictions
from ab_runner.stats.ranking import rank as rank_measurements
from ab_runner.stats.ratio import log_mean, log_ratio

RATES = st.lists(st.floats(100, 200), min_size=2, max_size=7)
TABLES = st.dictionaries(st.sampled_from("abcdefghij"), RATES, min_size=1, max_size=10)
NEAR = st.sampled_from([100.0, 104.0, 110.0, 120.0, 140.0, 200.0]).flatmap(
    lambda level: st.lists(st.floats(0.99 * level, 1.01 * level), min_size=2, max_size=6)
)
"""Figures that are often told apart."""


def measured(rates: Sequence[float], limited: bool = False) -> Measurement:
    return Measurement(log_mean(rates), limited)


LIMITED_TABLES = st.dictionaries(
    st.sampled_from("abcdefgh"), st.builds(measured, NEAR, st.booleans()), min_size=1, max_size=8
)


def rank(table: Mapping[str, Sequence[float]], margin: float = MINIMUM_EFFECT) -> Ranking:
    """Of rates that ab did not limit."""
    return rank_measurements({name: measured(rates) for name, rates in table.items()}, margin)


def around(rate: float) -> list[float]:
    """Six blocks that differ by 1 % at the most."""
    return [rate * factor for factor in (0.995, 1.004, 0.999, 1.002, 0.997, 1.005)]


@given(TABLES)
def test_servers_that_cannot_be_told_apart_share_a_rank_and_ranks_that_do_not_touch_were_tested(
    table: dict[str, list[float]],
) -> None:
    ranking = rank(table)
    for one, other in permutations(table, 2):
        first, second = ranking.ranks[one], ranking.ranks[other]
        if first.worst < second.best:
            assert (one, other) in ranking.faster
        if (one, other) not in ranking.faster and (other, one) not in ranking.faster:
            assert first.best <= second.worst
            assert second.best <= first.worst


@given(TABLES)
def test_who_is_faster_is_an_order(table: dict[str, list[float]]) -> None:
    faster = rank(table).faster
    assert all((worse, better) not in faster for better, worse in faster)
    assert all((a, d) in faster for a, b in faster for c, d in faster if b == c)


@given(TABLES, st.floats(0.01, 100))
def test_neither_the_unit_nor_the_order_of_servers_matters(table: dict[str, list[float]], factor: float) -> None:
    turned = {name: [rate * factor for rate in table[name]] for name in reversed(table)}
    assert rank(turned, margin=0).ranks.keys() == rank(table, margin=0).ranks.keys()
    assert not contradictions(rank(table), rank(turned))


# --- where ab was the limit ------------------------------------------------------------------------------------


def limited(rate: float) -> Measurement:
    return measured(around(rate), limited=True)


def free(rate: float) -> Measurement:
    return measured(around(rate))


def order(**servers: Measurement) -> set[tuple[str, str]]:
    return set(rank_measurements(servers).faster)


def test_a_limited_server_is_faster_than_one_whose_rate_is_lower() -> None:
    assert order(a=limited(120), b=free(100)) == {("a", "b")}


def test_a_limited_server_is_never_told_to_be_slower_and_that_pair_is_not_compared() -> None:
    ranking = rank_measurements({"a": limited(100), "b": free(200)})
    assert not ranking.faster
    assert not ranking.tied
    assert ranking.not_compared == {("a", "b")}


def test_two_limited_servers_are_not_compared_however_far_apart_they_are() -> None:
    ranking = rank_measurements({"a": limited(100), "b": limited(900)})
    assert not ranking.faster
    assert not ranking.tied
    assert ranking.not_compared == {("a", "b")}
    assert ranking.ranks == {"a": Rank(1, 2), "b": Rank(1, 2)}


def test_two_limited_servers_of_which_one_is_behind_a_free_one_are_in_the_order_that_follows() -> None:
    """a is faster than b, and b faster than c: both comparisons were possible, that of a with c was not."""
    ranking = rank_measurements({"a": limited(300), "b": free(200), "c": free(100)})
    assert ranking.faster == {("a", "b"), ("a", "c"), ("b", "c")}
    assert not ranking.not_compared


@given(LIMITED_TABLES)
def test_each_pair_is_in_an_order_tied_or_not_compared(table: dict[str, Measurement]) -> None:
    ranking = rank_measurements(table)
    for one, other in permutations(sorted(table), 2):
        if one < other:
            found = [
                (one, other) in ranking.faster or (other, one) in ranking.faster,
                (one, other) in ranking.tied,
                (one, other) in ranking.not_compared,
            ]
            assert sum(found) == 1
            if table[one].is_lower_bound and table[other].is_lower_bound:
                assert not found[1], "no test was made"
    assert ranking.pairs == len(ranking.faster) + len(ranking.tied) + len(ranking.not_compared)


@given(LIMITED_TABLES)
def test_lower_bounds_keep_the_order_an_order_and_nobody_is_behind_for_a_bound(
    table: dict[str, Measurement],
) -> None:
    ranking = rank_measurements(table)
    assert all((worse, better) not in ranking.faster for better, worse in ranking.faster)
    assert all((a, d) in ranking.faster for a, b in ranking.faster for c, d in ranking.faster if b == c)
    assert not any(table[worse].is_lower_bound for _, worse in ranking.faster)
    for better, worse in ranking.faster:
        assert table[better].mean.value > table[worse].mean.value, "the faster server has the higher rate"
    for one, other in permutations(table, 2):
        if ranking.ranks[one].worst < ranking.ranks[other].best:
            assert (one, other) in ranking.faster


@given(LIMITED_TABLES)
def test_no_ranking_contradicts_the_pairs_that_it_is_made_of(table: dict[str, Measurement]) -> None:
    """What a comparison of two alone concludes, uncorrected, never is the reverse of their ranks."""
    faster = rank_measurements(table).faster
    for one, other in permutations(table, 2):
        compared = pair(table[one], table[other])
        if compared and compared.first_can_lead:
            difference = log_ratio([(compared.first, compared.second)])
            if difference.value > 0 and difference.p_beyond(log(1 + MINIMUM_EFFECT)) < 0.05:
                assert (other, one) not in faster


def test_with_lower_bounds_an_order_is_wrong_in_one_table_of_twenty_at_the_most() -> None:
    """Twelve equal servers of which ab limits half, to what it can do with them: 300 tables, no margin."""
    random = np.random.default_rng(8)
    wrong = 0
    for _ in range(300):
        rates = _table(random, np.zeros(12), np.full(12, 0.02))
        table = {
            name: measured([min(rate, 1.0) for rate in rates[name]], limited=True)
            if number < 6
            else measured(rates[name])
            for number, name in enumerate(rates)
        }
        wrong += bool(rank_measurements(table, margin=0).faster)
    assert wrong <= 24


def test_a_difference_as_large_as_a_tie_says_would_have_been_found() -> None:
    """With the noise of both servers as it is: three servers, of which the first is moved up."""
    table = {"a": around(100.0), "b": around(100.5), "c": around(50.0)}
    size = rank(table).tied["a", "b"]
    assert 0.02 < size < 0.05
    for by, is_found in ((1.002 * (1 + size), True), (1 + MINIMUM_EFFECT, False)):
        moved = table | {"b": [by * rate for rate in around(100.0)]}
        assert (("b", "a") in rank(moved).faster) is is_found


# --- rates that nothing limited --------------------------------------------------------------------------------


def test_clear_differences_give_one_rank_each() -> None:
    ranking = rank({"slow": around(100), "fast": around(300), "middle": around(200)})
    assert {name: str(each) for name, each in ranking.ranks.items()} == {"fast": "1", "middle": "2", "slow": "3"}


def test_equal_servers_share_all_ranks_that_the_others_leave() -> None:
    ranking = rank({"a": around(200), "b": around(200.5), "c": around(100)})
    assert [str(ranking.ranks[name]) for name in "abc"] == ["1–2", "1–2", "3"]  # noqa: RUF001


def test_a_difference_within_the_margin_is_no_order_however_certain() -> None:
    table = {"a": around(101.5), "b": around(100)}
    assert rank(table).faster == frozenset()
    assert rank(table, margin=0).faster == {("a", "b")}


def test_a_server_with_one_block_has_no_rank() -> None:
    assert rank({"a": [100.0], "b": around(100)}).ranks == {"b": Rank(1, 1)}
    assert rank({}) == Ranking({})


def test_what_follows_from_two_orders_is_one_as_well() -> None:
    """Middle is noisy and has twenty blocks, the others have two each: few to be certain of the larger difference."""
    table = {"fast": [4 * 1.02, 4 / 1.02], "middle": [2 * 1.2, 2 / 1.2] * 10, "slow": [1.02, 1 / 1.02]}
    crowd = {f"any-{number}": [1e-6, 1e6] for number in range(20)}
    assert rank({"fast": table["fast"], "slow": table["slow"]} | crowd, margin=0).faster == frozenset()
    assert rank(table | crowd, margin=0).faster == {("fast", "middle"), ("middle", "slow"), ("fast", "slow")}


def test_contradictions_are_the_pairs_in_opposite_order_only() -> None:
    first = rank({"a": around(100), "b": around(120), "c": around(140)})
    second = rank({"a": around(130), "b": around(120), "c": around(140)})
    assert contradictions(first, second) == [("b", "a")]
    assert contradictions(first, first) == []


def test_among_equal_servers_an_order_is_seen_in_one_table_of_twenty_at_the_most() -> None:
    """Twelve equal servers of different noise, 300 tables, no margin to hide behind; 5 % are 15, 24 with luck (1 %)."""
    random = np.random.default_rng(5)
    wrong = 0
    for _ in range(300):
        noise = 0.02 * np.exp(random.normal(0, 0.6, 12))
        wrong += bool(rank(_table(random, np.zeros(12), noise), margin=0).faster)
    assert wrong <= 24


def test_six_blocks_tell_servers_apart_that_differ_by_a_tenth() -> None:
    """Twelve servers a tenth apart, noise of 2 %: of neighbours 9 in 10 are told apart, of all pairs nearly all."""
    random = np.random.default_rng(6)
    found = [len(rank(_table(random, 0.1 * np.arange(12), np.full(12, 0.02))).faster) for _ in range(50)]
    assert np.mean(found) > 0.95 * 66


def test_two_sweeps_do_not_contradict_each_other() -> None:
    """Ten servers 1 % apart, noise of 2 %, and 1 % more between sweeps that no block shows."""
    random = np.random.default_rng(7)
    for _ in range(50):
        sweeps = [
            rank(_table(random, 0.01 * np.arange(10) + random.normal(0, 0.01, 10), np.full(10, 0.02))) for _ in range(2)
        ]
        assert contradictions(*sweeps) == []


def _table(random: np.random.Generator, levels: np.ndarray, noise: np.ndarray) -> dict[str, list[float]]:
    logs = levels + random.normal(0, 1, (6, len(levels))) * noise
    return {f"server-{number}": np.exp(logs[:, number]).tolist() for number in range(len(levels))}
