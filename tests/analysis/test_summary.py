"""Who is ahead of whom, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest
from support.builders import failed_trial, report, served, trial, usage

from ab_runner.analysis.cells import cells_and_trials
from ab_runner.analysis.drift import Drift
from ab_runner.analysis.measurements import measurements_of
from ab_runner.analysis.rankings import rankings_of
from ab_runner.analysis.summary import summary_of
from ab_runner.model.load import Limit
from ab_runner.model.records import Record, Trial
from ab_runner.report.summary import summary_lines

SPREAD = (0.99, 1.0, 1.01, 0.98, 1.02, 1.0)


def blocks(
    name: str, rate: float, concurrency: int = 1, of: int = 6, limit: Limit | None = None, per_cpu_second: float = 1e4
) -> list[Trial]:
    return [
        trial(
            name, "small", concurrency, block=block, limit=limit,
            report=report(requests_per_second=rate * by, complete=round(rate * by)),
            usage=usage(server_cpu_seconds=rate / per_cpu_second),
        )
        for block, by in enumerate(SPREAD[:of], 1)
    ]  # fmt: skip


def said(
    *records: Iterable[Record], levels: tuple[int, ...] = (1,), drift: float = 0.0, warnings: int = 0
) -> list[str]:
    cells = cells_and_trials(record for some in records for record in some)[0]
    measurements = measurements_of(cells)
    drifts = [Drift("small", 1000, 1000 * (1 + drift))]
    return list(
        summary_lines(summary_of(cells, measurements, rankings_of(cells, measurements), levels, drifts, warnings))
    )


def test_a_winner_is_ahead_of_the_next_by_a_factor() -> None:
    winners, confidence = said(blocks("a-1", 20_000), blocks("b-1", 10_000), blocks("c-1", 5_000))
    assert winners == "small: a-1 is first at 1, 2 times the next"
    assert confidence == "Confidence: high (6 starts; intervals are narrow)"


def noisy(name: str, rate: float) -> list[Trial]:
    spread = (0.7, 1.3, 0.8, 1.25, 0.75, 1.2)
    return [
        trial(name, "small", 1, block=block, report=report(requests_per_second=rate * by))
        for block, by in enumerate(spread, 1)
    ]


def test_only_those_orders_are_told_that_were_tested() -> None:
    """Noisy servers in between are neither ahead of the slow ones nor behind the fast one."""
    fast, slow = blocks("a-1", 20_000), [blocks("e-1", 12_000), blocks("f-1", 12_000)]
    between = [noisy("b-1", 16_000), noisy("c-1", 16_000), noisy("d-1", 16_000)]
    assert said(fast, *between, *slow)[0] == (
        "small: a-1 is ahead of 2 of 5 at 1; 3 others cannot be excluded from first place"
    )
    assert said(fast, between[0], slow[0])[0] == (
        "small: a-1 is ahead of 1 of 2 at 1; 1 other cannot be excluded from first place"
    )


def test_who_cannot_be_told_apart_is_said_to_be_ahead_of_the_others_alone() -> None:
    a, b, c = blocks("a-1", 20_000), blocks("b-1", 19_900), blocks("c-1", 5_000)
    assert said(a, b, c)[0] == (
        "small: a-1 and b-1 are each ahead of 1 of 2 at 1; which of them is first cannot be told"
    )
    assert said(a, b)[0] == "small: 2 servers cannot be told apart at 1"
    many = [blocks(f"{letter}-1", 20_000) for letter in "abdef"]
    assert said(*many, c)[0] == (
        "small: 5 of 6 servers are each ahead of 1 of 5 at 1; which of them is first cannot be told"
    )


def test_concurrencies_with_the_same_winners_are_said_together() -> None:
    records = [blocks("a-1", rate, level) for rate, level in ((20_000, 1), (30_000, 10), (10_000, 100))]
    other = [blocks("b-1", 10_000, 1), blocks("b-1", 10_000, 10), blocks("b-1", 30_000, 100)]
    assert said(*records, *other, levels=(1, 10, 100))[0] == (
        "small: a-1 is first at 1, 10, 2 to 3 times the next; b-1 is first at 100, 3 times the next"
    )


def test_a_first_whose_rate_ab_limited_is_ahead_by_at_least_a_factor() -> None:
    winners, confidence = said(
        blocks("a-1", 20_000, per_cpu_second=10_000, limit="generator"), blocks("b-1", 10_000, per_cpu_second=30_000)
    )
    assert winners == "small: a-1 is first at 1, at least 2 times the next"
    assert confidence == "Confidence: moderate (6 starts; 1 cell limited by ab)"


def test_a_server_that_ab_limited_is_not_told_to_be_behind() -> None:
    records = [blocks("a-1", 20_000), blocks("b-1", 19_000, per_cpu_second=30_000, limit="generator")]
    assert said(*records)[0] == "small: 2 servers cannot be told apart at 1"


def test_where_ab_limited_both_cpu_time_decides_and_is_named() -> None:
    records = [
        blocks("a-1", 20_000, per_cpu_second=10_000, limit="generator"),
        blocks("b-1", 19_000, per_cpu_second=30_000, limit="generator"),
        blocks("c-1", 9_000, per_cpu_second=99_000),
    ]
    assert said(*records)[0] == "small: b-1 is first at 1, 3 times the next in requests per CPU-second"


def test_from_one_start_no_order_is_told() -> None:
    winners, confidence = said(blocks("a-1", 20_000, of=1), blocks("b-1", 10_000, of=1))
    assert winners == "small: fewer than 6 starts, so no order can be told at 1"
    assert confidence == "Confidence: none (one start: too few to tell differences from noise (--blocks 6))"


def test_a_starved_server_is_neither_first_nor_counted_and_is_named() -> None:
    starved = [
        msgspec.structs.replace(each, report=served(50_000, 100, 0.2, seconds=60.0))
        for each in blocks("a-1", 50_000, 100)
    ]
    winners, told, confidence = said(starved, blocks("b-1", 20_000, 100), blocks("c-1", 10_000, 100), levels=(100,))
    assert winners == "small: b-1 is first at 100, 2 times the next"
    assert told == (
        "starved, so without a rate at that concurrency and without a rank: a-1 small at 100 "
        "(20 of 100 connections served at a time)"
    )
    assert "1 of 3 cells has no figure" in confidence
    assert said(starved, levels=(100,)) == [told]


@pytest.mark.parametrize(
    ("drift", "warnings", "doubt"), [(-0.07, 0, "the machine drifted by up to 7 %"), (0.01, 2, "2 warnings")]
)
def test_whatever_speaks_against_it_is_said(drift: float, warnings: int, doubt: str) -> None:
    confidence = said(blocks("a-1", 20_000), blocks("b-1", 10_000), drift=drift, warnings=warnings)[-1]
    assert confidence == f"Confidence: moderate (6 starts; {doubt})"


def test_cells_without_a_figure_are_counted_and_wide_intervals_told() -> None:
    wide = [msgspec.structs.replace(each, block=each.block) for each in blocks("a-1", 20_000)]
    wide[0] = msgspec.structs.replace(wide[0], report=report(requests_per_second=30_000.0))
    belief = said(wide, [failed_trial("b-1", "small", 1, "timeout")])[-1]
    assert "half of the intervals are wider than ±" in belief
    assert "1 of 2 cells has no figure" in belief


def test_a_server_alone_wins_nothing_and_nothing_is_said_of_nothing() -> None:
    assert said(blocks("a-1", 20_000))[0] == "small: a-1 alone has figures"
    assert said([failed_trial("a-1", "small", 1, "timeout")]) == []
    assert said([]) == []
    assert said(blocks("a-1", 9), [failed_trial("b-1", "large", 1, "timeout")])[1] == "large: no server has a figure"


def test_the_ceiling_is_no_competitor() -> None:
    assert said(blocks("ceiling", 50_000), blocks("a-1", 20_000), blocks("b-1", 10_000))[0].startswith("small: a-1 is")
