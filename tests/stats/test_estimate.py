from __future__ import annotations

from statistics import fmean, median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ab_runner.stats import estimate
from ab_runner.stats.estimate import Estimate, Interval, median_over_blocks, percentiles_over_blocks
from ab_runner.stats.histogram import histogram, merge

RATES = st.floats(1, 1e6)
BLOCKS = st.lists(st.lists(RATES, min_size=1, max_size=4), min_size=6, max_size=12)


@settings(max_examples=50)
@given(BLOCKS)
def test_the_interval_holds_the_figure_and_stays_within_what_was_measured(blocks: list[list[float]]) -> None:
    estimate = median_over_blocks(blocks)
    assert estimate.value == pytest.approx(median(fmean(block) for block in blocks))
    assert estimate.interval is not None
    rounding = 1e-9 * estimate.value
    assert estimate.interval.low - rounding <= estimate.value <= estimate.interval.high + rounding
    assert min(map(min, blocks)) - rounding <= estimate.interval.low
    assert estimate.interval.high <= max(map(max, blocks)) * (1 + 1e-9)


@settings(max_examples=25)
@given(BLOCKS, st.floats(0.01, 100))
def test_another_unit_changes_nothing_but_the_unit(blocks: list[list[float]], factor: float) -> None:
    one, other = median_over_blocks(blocks), median_over_blocks([[rate * factor for rate in block] for block in blocks])
    assert one.interval
    assert other.interval
    assert other.interval.low == pytest.approx(one.interval.low * factor)
    assert other.interval.high == pytest.approx(one.interval.high * factor)


def test_six_blocks_of_one_trial_give_the_slowest_and_the_fastest() -> None:
    assert median_over_blocks([[30], [10], [20], [60], [50], [40]]) == Estimate(35, Interval(10, 60))


@pytest.mark.parametrize("blocks", [1, 3, 5])
def test_fewer_than_six_blocks_have_no_interval(blocks: int) -> None:
    assert median_over_blocks([[float(number)] for number in range(1, blocks + 1)]).interval is None


def test_the_same_trials_always_give_the_same_interval() -> None:
    blocks = [[100.0, 103.0], [99.0, 98.0], [101.0, 97.0], [104.0, 100.0], [96.0, 99.0], [100.0, 102.0], [95.0, 101.0]]
    once = median_over_blocks(blocks)
    estimate._median_over_blocks.cache_clear()
    assert median_over_blocks(blocks) == once


def test_what_varies_within_blocks_widens_the_interval() -> None:
    steady = median_over_blocks([[100.0, 100.0]] * 8)
    restless = median_over_blocks([[90.0, 110.0]] * 8)
    assert steady.relative_half_width == 0
    assert restless.relative_half_width is not None
    assert restless.relative_half_width > 0.02


def test_no_blocks_and_an_empty_block_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        median_over_blocks([])
    with pytest.raises(ValueError, match="at least one"):
        median_over_blocks([[1.0], []])


@pytest.mark.parametrize(
    ("blocks", "trials", "noise"),
    [(6, 1, "normal"), (6, 3, "skewed"), (7, 1, "bimodal"), (8, 1, "skewed"), (10, 2, "normal")],
)
def test_the_interval_covers_the_median_as_often_as_it_says(blocks: int, trials: int, noise: str) -> None:
    """400 samples: 95 % coverage shows as 372 or fewer with a probability of 3 %; these intervals cover 96 to 99 %."""
    random = np.random.default_rng(blocks * 10 + trials)
    size = (400, blocks, 1)
    between = {
        "normal": random.normal(0, 0.03, size),
        "skewed": (np.log(2) - random.exponential(1, size)) * 0.03,
        "bimodal": random.choice([-0.03, 0.03], size) + random.normal(0, 0.01, size),
    }[noise]
    samples = np.exp(between + random.normal(0, 0.01, (400, blocks, trials)))
    intervals = [median_over_blocks(sample.tolist()).interval for sample in samples]
    covered = sum(interval is not None and interval.low <= 1 <= interval.high for interval in intervals)
    assert covered >= 372


# --- percentiles of several blocks together --------------------------------------------------------------------

LATENCIES = st.lists(st.lists(st.integers(1, 2_000), min_size=1, max_size=40), min_size=1, max_size=9)


@settings(max_examples=50)
@given(LATENCIES)
def test_a_percentile_is_that_of_all_blocks_added_up_and_within_its_interval(blocks: list[list[int]]) -> None:
    histograms = [histogram(block) for block in blocks]
    percentages = (50, 95, 99.9, 100)
    for percentage, found in zip(percentages, percentiles_over_blocks(histograms, percentages), strict=True):
        assert found.value == merge(histograms).percentile(percentage)
        assert (found.interval is not None) == (len(blocks) >= 6 and percentage < 100)
        if found.interval:
            assert found.interval.low <= found.value <= found.interval.high
            assert min(map(min, blocks)) <= found.interval.low
            assert found.interval.high <= max(map(max, blocks))


def test_blocks_that_are_alike_have_a_narrow_interval_and_others_a_wide_one() -> None:
    alike = percentiles_over_blocks([histogram([100] * 90 + [900] * 10)] * 6, (50, 95))
    assert [each.interval for each in alike] == [Interval(100, 100), Interval(900, 900)]
    (median_of_all,) = percentiles_over_blocks([histogram([at] * 100) for at in (100, 110, 120, 130, 140, 150)], (50,))
    assert median_of_all == Estimate(120, Interval(100, 150))


def test_the_interval_of_a_percentile_holds_the_true_one() -> None:
    """Six starts of 1,000 requests, whose medians differ by 5 %: 200 sweeps, of which 95 % are 190."""
    random = np.random.default_rng(3)
    held = 0
    for _ in range(200):
        blocks = [
            histogram((1_000 * np.exp(random.normal(0, 0.05)) * random.exponential(1, 1_000) + 1).astype(int).tolist())
            for _ in range(6)
        ]
        interval = percentiles_over_blocks(blocks, (50,))[0].interval
        held += interval is not None and interval.low <= 1 + 1_000 * np.log(2) <= interval.high
    assert held >= 182
