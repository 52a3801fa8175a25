"""How numbers read."""

from __future__ import annotations

import pytest

from ab_runner.report.figures import latency_figure, rate_figure, share_figure
from ab_runner.report.sparkline import sparkline


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
