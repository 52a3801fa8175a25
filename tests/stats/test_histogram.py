from __future__ import annotations

from math import ceil
from statistics import fmean

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.histogram import Histogram, histogram, merge

LATENCIES = st.lists(st.one_of(st.integers(0, 5000), st.integers(0, 60_000_000)), min_size=1, max_size=200)


@given(LATENCIES, st.floats(0, 100))
def test_a_percentile_is_the_nearest_rank_to_a_thousandth(values: list[int], percentage: float) -> None:
    exact = sorted(values)[max(1, ceil(len(values) * percentage / 100)) - 1]
    found = histogram(values).percentile(percentage)
    assert exact <= found <= exact * 1.001
    if exact < 2048:
        assert found == exact


@given(LATENCIES)
def test_the_longest_is_exact(values: list[int]) -> None:
    assert histogram(values).percentile(100) == max(values)


@given(LATENCIES)
def test_the_mean_is_exact_to_a_thousandth(values: list[int]) -> None:
    assert histogram(values).mean == pytest.approx(fmean(values), rel=0.001)


@given(st.lists(LATENCIES, max_size=5))
def test_merging_is_as_if_all_values_had_been_put_into_one(parts: list[list[int]]) -> None:
    assert merge(map(histogram, parts)) == histogram([value for part in parts for value in part])


@given(LATENCIES)
def test_a_histogram_survives_json(values: list[int]) -> None:
    whole = histogram(values)
    assert msgspec.json.decode(msgspec.json.encode(whole), type=Histogram) == whole
    assert whole.total == len(values)


def test_buckets_are_those_of_hdrhistogram_with_three_digits() -> None:
    assert histogram([2047, 2048, 2049, 2050, 4095, 4096, 4099, 4100]).counts == {
        2047: 1, 2048: 2, 2050: 1, 4094: 1, 4096: 2, 4100: 1,
    }  # fmt: skip


def test_nothing_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="empty"):
        histogram([]).percentile(50)
    with pytest.raises(ValueError, match="empty"):
        _ = histogram([]).mean
    with pytest.raises(ValueError, match="at most 100"):
        histogram([1]).percentile(101)
