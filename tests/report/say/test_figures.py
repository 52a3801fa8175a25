"""How numbers read."""

from __future__ import annotations

import pytest

from ab_runner.report.formats.sparkline import sparkline
from ab_runner.report.say.numbers import (
    differences_text,
    estimate_figure,
    latency_figure,
    latency_figures,
    rate_figure,
    share_figure,
)
from ab_runner.stats.estimate import Estimate, Interval


@pytest.mark.parametrize(
    ("figures", "text"),
    [((), ""), ((None,), "·"), ((1, 2, 4, 8), "▂▃▅█"), ((100, None, 0.1), "█·▁"), ((7, 7), "██")],
)
def test_a_curve_goes_from_nothing_to_the_highest(figures: tuple[float | None, ...], text: str) -> None:
    assert sparkline(figures) == text


@pytest.mark.parametrize(("rate", "text"), [(12345.6, "12,346"), (100, "100"), (99.94, "99.9"), (0.5, "0.5")])
def test_rates_have_as_many_digits_as_mean_something(rate: float, text: str) -> None:
    assert rate_figure(rate) == text


@pytest.mark.parametrize(
    ("share", "text"), [(None, "-"), (0.0512, "5.1"), (0.0994, "9.9"), (0.0996, "10"), (0.834, "83"), (1.041, "104")]
)
def test_shares_are_per_cent_with_at_least_two_digits(share: float | None, text: str) -> None:
    assert share_figure(share) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(None, "-"), (0.0571, "0.0571"), (1.0, "1.00"), (12.345, "12.3"), (99.96, "100"), (2500, "2,500")],
)
def test_latencies_have_three_digits(milliseconds: float | None, text: str) -> None:
    assert latency_figure(milliseconds) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (980, 1020, "1,000 ±2.0 %"),
        (980, 1020.4, "1,000 ±2.0 %"),
        (980, 1021, "1,000 −2.0/+2.1 %"),  # noqa: RUF001
        (970, 1045, "1,000 −3.0/+4.5 %"),  # noqa: RUF001
        (970, 1110, "1,000 −3.0/+11 %"),  # noqa: RUF001
        (890, 1000, "1,000 −11/+0.0 %"),  # noqa: RUF001
        (300, 3500, "1,000 −70/+250 %"),  # noqa: RUF001
        (1000, 1000, "1,000 ±0.0 %"),
    ],
)
def test_an_interval_is_shown_as_plus_or_minus_only_where_both_ends_are_equally_far(
    low: float, high: float, text: str
) -> None:
    assert estimate_figure(Estimate(1000.0, Interval(low, high))) == text


@pytest.mark.parametrize(
    ("p99", "p99_9", "longest", "text"),
    [
        (0.2, 0.749, 4.0, "< 1"),
        (0.2, 0.999, 4.0, "1.0"),
        (0.9, 1.25, 4.0, "1.5"),
        (1.24, 2.749, 9.0, "2.5"),
        (7.0, 14.9, 40.0, "15.0"),
        (70.0, 101.25, 400.0, "101"),
        (1.4, 1.41, 9.0, "1.5"),
        (1.1, 1.2, 9.0, "1.10"),
        (1.1, 1.3, 1.31, "1.31"),
    ],
)
def test_p99_9_has_the_half_millisecond_to_which_it_is_known(
    p99: float, p99_9: float, longest: float, text: str
) -> None:
    """Never below p99 nor above the longest, which are known better."""
    assert latency_figures((0.1, 0.15, p99, p99_9, longest))[3] == text


def test_latencies_that_are_not_known_have_no_figures() -> None:
    assert latency_figures((None,) * 5) == ("-",) * 5


@pytest.mark.parametrize(
    ("shares", "text"),
    [
        ([0.09], "a difference of 9.0 %"),
        ([0.21, 0.09, 0.12], "a difference of 9.0 to 21 %"),
        ([0.12, 1.5], "a difference of 12 % to a factor of 2.5"),
        ([1.0, 1.5], "a factor of 2 to 2.5"),
        ([9.0], "a factor of 10"),
    ],
)
def test_differences_that_would_have_shown_are_a_range(shares: list[float], text: str) -> None:
    assert differences_text(shares) == text
