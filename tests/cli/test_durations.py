"""One grammar of durations for all options."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.cli.durations import parse_duration
from ab_runner.cli.options import LONGEST_TRIAL, Duration, WarmUpOption
from ab_runner.model.load import Load
from ab_runner.model.protocol import NO_WARM_UP, WarmUp

UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
NUMBERS = st.integers(0, 999_999_999)


@given(NUMBERS, st.sampled_from(list(UNITS)))
def test_a_number_with_a_unit_or_without_one_is_that_many_seconds(number: int, unit: str) -> None:
    assert parse_duration(f"{number}{unit}") == number * UNITS[unit]
    assert parse_duration(f" {number}{unit} ") == number * UNITS[unit]


@given(st.text())
def test_any_other_text_is_no_duration(text: str) -> None:
    seconds = parse_duration(text)
    written = text.strip()
    is_duration = written.rstrip("smh").isascii() and written.rstrip("smh").isdigit() and len(written) <= 10
    assert seconds is None or is_duration


@pytest.mark.parametrize("text", ["", "s", "-1", "1.5h", "1h30m", "2 m", "2M", "9" * 5000, "١٢", "1d"])
def test_what_is_no_duration_is_none(text: str) -> None:
    assert parse_duration(text) is None


@given(st.integers(1, LONGEST_TRIAL // 3600), st.sampled_from(list(UNITS)))
def test_all_options_read_the_same(number: int, unit: str) -> None:
    text = f"{number}{unit}"
    seconds = number * UNITS[unit]
    assert Duration().convert(text, None, None) == seconds
    if unit:
        assert WarmUpOption().convert(text, None, None) == WarmUp(Load(seconds=seconds))


@given(NUMBERS)
def test_a_number_alone_is_a_number_of_requests_for_a_warm_up(number: int) -> None:
    assert WarmUpOption().convert(str(number), None, None) == WarmUp(Load(requests=number))


def test_no_warm_up_at_all_is_another_thing_than_none_at_first() -> None:
    assert WarmUpOption().convert("none", None, None) == NO_WARM_UP != WarmUpOption().convert("0", None, None)


@pytest.mark.parametrize("text", ["0", "0s", "25h", "86401"])
def test_what_is_out_of_range_is_refused_with_the_range_and_examples(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"from 1 to 86,400, written like 90, 90s, 2m or 1h"):
        Duration().convert(text, None, None)
