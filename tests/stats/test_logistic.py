from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.stats.estimate import FEWEST_STARTS
from ab_runner.stats.logistic import Step, curve

STEPS = st.lists(st.tuples(st.integers(0, 10**18) | st.sampled_from((1_000, 1_250, 1_600)), st.booleans()), min_size=1)
STARTS = st.lists(STEPS, min_size=1, max_size=8).filter(lambda starts: any(met for steps in starts for _, met in steps))


def drawn(middles: np.ndarray, slope: float, seed: int, trials: int) -> list[list[Step]]:
    """So many trials of each start at rates around its middle, those that go up and down."""
    random = np.random.default_rng(seed)
    starts: list[list[Step]] = []
    for middle in middles:
        rate, steps = 10_000.0, []
        for _ in range(trials):
            met = bool(random.random() < 1 / (1 + (rate / middle) ** (1 / slope)))
            steps.append((rate, met))
            rate *= 1.25 if met else 0.8
        starts.append(steps)
    return starts


def test_many_trials_find_the_rates_that_half_and_ninety_per_cent_meet() -> None:
    found = curve(drawn(np.full(6, 12_000.0), slope=0.15, seed=1, trials=300))
    assert found.half.value == pytest.approx(12_000, rel=0.02)
    assert found.ninety.value == pytest.approx(12_000 / 9**0.15, rel=0.03)
    assert found.starts == pytest.approx([12_000] * 6, rel=0.05)


def test_ninety_per_cent_are_of_the_trials_of_all_starts() -> None:
    """Within a start nearly all of them meet 95 % of what half of them do."""
    middles = 12_000 * np.exp(0.3 * np.array([-1.4, -0.8, -0.3, 0.0, 0.3, 0.8, 1.4]))
    found = curve(drawn(middles, slope=0.03, seed=2, trials=200))
    assert found.starts == pytest.approx(middles.tolist(), rel=0.05)
    assert 12_000 * np.exp(-0.6) < found.ninety.value < 12_000 * np.exp(-0.3)


def test_what_separates_completely_has_a_figure_between_and_an_interval_around() -> None:
    found = curve([[(1_000, True), (2_000, False)]] * 6)
    assert found.half.interval is not None
    assert found.half.interval.low < found.half.value < found.half.interval.high
    assert found.half.value == pytest.approx((1_000 * 2_000) ** 0.5, rel=0.01)
    assert found.starts == pytest.approx([(1_000 * 2_000) ** 0.5] * 6)


def test_if_no_step_missed_the_figures_are_the_highest_rate_without_an_interval() -> None:
    found = curve([[(1_000, True), (2_000, True)], *([[(1_600, True)]] * 6)])
    assert (found.half.value, found.ninety.value) == (2_000, 2_000)
    assert (found.half.interval, found.ninety.interval) == (None, None)
    assert found.starts == (2_000, *[1_600] * 6)


@pytest.mark.parametrize("starts", [[], [[]], [[(1_000, True)], []], [[(1_000, False)], [(500, False)]]])
def test_without_a_step_that_met_there_is_no_curve(starts: list[list[Step]]) -> None:
    with pytest.raises(ValueError, match="one of which met the SLO"):
        curve(starts)


@given(STARTS)
def test_every_start_has_figures_within_what_was_tried(starts: list[list[Step]]) -> None:
    found = curve(starts)
    rates = [max(rate, 1) for steps in starts for rate, _ in steps]
    assert 0 < found.ninety.value <= found.half.value * 1.01
    assert found.half.value <= max(rates) * 1.000001
    assert all(0 < rate < float("inf") for rate in found.starts)
    assert len(found.starts) == len(starts)
    has_interval = len(starts) >= FEWEST_STARTS and not all(met for steps in starts for _, met in steps)
    for estimate in (found.half, found.ninety):
        assert (estimate.interval is not None) == has_interval
        assert estimate.interval is None or estimate.interval.low <= estimate.value <= estimate.interval.high


@given(st.lists(STEPS, min_size=FEWEST_STARTS, max_size=8))
def test_a_rate_at_which_most_trials_met_is_never_above_the_interval(starts: list[list[Step]]) -> None:
    tried = [step for steps in starts for step in steps]
    if not any(met for _, met in tried):
        return
    interval = curve(starts).half.interval
    if interval is None:
        return
    for rate in {max(rate, 1) for rate, _ in tried}:
        met = [met for each, met in tried if max(each, 1) == rate]
        if len(met) > 1 and sum(met) > len(met) / 2:
            assert log(rate) <= log(interval.high) + 1e-9
        if len(met) > 1 and sum(met) < len(met) / 2:
            assert log(rate) >= log(interval.low) - 1e-9


@given(STARTS)
def test_the_order_of_starts_and_steps_changes_nothing(starts: list[list[Step]]) -> None:
    one, other = curve(starts), curve([steps[::-1] for steps in starts[::-1]])
    assert other.half.value == pytest.approx(one.half.value)
    assert other.ninety.value == pytest.approx(one.ninety.value)
    assert other.starts == pytest.approx(one.starts[::-1])
