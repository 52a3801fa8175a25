"""The first table of a report: who is fastest, by how much, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
import pytest
from support.builders import blocks, failed_trial, outcome, served, server, sweep, trial

from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.model.records import Record
from ab_runner.model.trial import Trial
from ab_runner.report.document import Emphasis, Table
from ab_runner.report.tables.fastest import LEAD, SOME_STARTS_FAILED, TIED, fastest_table, levels_text
from ab_runner.store.reader import Stored


def analysed(*records: Iterable[Record], levels: tuple[int, ...] = (1,)) -> SweepAnalysis:
    found = [record for some in records for record in some]
    ids = dict.fromkeys(record.server for record in found if isinstance(record, Trial))
    made = sweep(*(server(id) for id in ids))
    request = msgspec.structs.replace(made.request, levels=levels)
    return analyse(Stored(msgspec.structs.replace(made, request=request), tuple(found)))


def table(*records: Iterable[Record], levels: tuple[int, ...] = (1,)) -> Table:
    found = fastest_table(analysed(*records, levels=levels))
    assert found is not None
    return found


def rows(*records: Iterable[Record], levels: tuple[int, ...] = (1,)) -> list[tuple[str, ...]]:
    return [tuple(cell.text for cell in row) for row in table(*records, levels=levels).rows]


def noisy(name: str, rate: float) -> list[Trial]:
    spread = (0.7, 1.3, 0.8, 1.25, 0.75, 1.2)
    return [
        trial(name, "small", 1, block=block, outcome=outcome(requests_per_second=rate * by))
        for block, by in enumerate(spread, 1)
    ]


def test_a_winner_is_ahead_of_the_next_by_a_factor() -> None:
    assert rows(blocks("a-1", 20_000), blocks("b-1", 10_000), blocks("c-1", 5_000)) == [
        ("small", "1", "a-1", "20,000", "2 times", "ahead of all 2")
    ]


def test_only_those_orders_are_told_that_were_tested() -> None:
    """Noisy servers in between are neither ahead of the slow ones nor behind the fast one."""
    fast, slow = blocks("a-1", 20_000), [blocks("e-1", 12_000), blocks("f-1", 12_000)]
    between = [noisy("b-1", 16_000), noisy("c-1", 16_000), noisy("d-1", 16_000), noisy("g-1", 16_000)]
    (row,) = rows(fast, *between, *slow)
    assert row[:5] == ("small", "1", "a-1", "20,000", "1.7 times")
    assert row[5].startswith("ahead of 2 of 6; tied with 4 (a difference of ")
    (row,) = rows(fast, between[0], slow[0])
    assert row[5].startswith("ahead of 1 of 2; tied with b-1 (a difference of ")


def test_the_highest_figure_is_named_and_beside_it_what_difference_would_have_shown() -> None:
    a, b, c = blocks("a-1", 20_000), blocks("b-1", 19_900), blocks("c-1", 5_000)
    (row,) = rows(a, b, c)
    assert row[:5] == ("small", "1", "a-1", "20,000", "4 times")
    assert re.fullmatch(r"ahead of 1 of 2; tied with b-1 \(a difference of [\d.]+ % would have shown\)", row[5])
    (row,) = rows(a, b)
    assert row[:5] == ("small", "1", "highest figure: a-1", "20,000", "-")
    assert row[5].startswith("tied with b-1 (a difference of ")
    assert TIED in table(a, b).notes


def test_concurrencies_with_the_same_winners_are_one_row() -> None:
    first = [blocks("a-1", rate, level) for rate, level in ((20_000, 1), (30_000, 10), (10_000, 100))]
    other = [blocks("b-1", 10_000, 1), blocks("b-1", 10_000, 10), blocks("b-1", 30_000, 100)]
    assert rows(*first, *other, levels=(1, 10, 100)) == [
        ("small", "1, 10", "a-1", "20,000 to 30,000", "2 to 3 times", "ahead of the other"),
        ("", "100", "b-1", "30,000", "3 times", "ahead of the other"),
    ]


@pytest.mark.parametrize(
    ("levels", "text"),
    [((1,), "1"), ((1, 10), "1, 10"), ((1, 10, 100), "1 to 100"), ((1, 100, 500, 1000), "1, 100 to 1,000")],
)
def test_three_neighbouring_levels_are_a_range(levels: tuple[int, ...], text: str) -> None:
    assert levels_text(levels, (1, 10, 100, 500, 1000)) == text


def test_a_first_whose_rate_ab_limited_is_ahead_by_at_least_a_factor() -> None:
    (row,) = rows(
        blocks("a-1", 20_000, per_cpu_second=10_000, limit="generator"), blocks("b-1", 10_000, per_cpu_second=30_000)
    )
    assert row[2:5] == ("a-1", "≥ 20,000", "≥ 2 times")


def test_a_server_that_ab_limited_is_not_compared_with_one_whose_rate_is_higher() -> None:
    found = [blocks("a-1", 20_000), blocks("b-1", 19_000, per_cpu_second=30_000, limit="generator")]
    (row,) = rows(*found)
    assert row[2:] == ("highest figure: a-1", "20,000", "-", "not compared with 1 (ab was the limit)")


def test_where_ab_limited_both_the_higher_rate_is_first_and_cpu_time_decides_nothing() -> None:
    found = table(
        blocks("a-1", 20_000, per_cpu_second=10_000, limit="generator"),
        blocks("b-1", 19_000, per_cpu_second=30_000, limit="generator"),
        blocks("c-1", 9_000, per_cpu_second=99_000),
    )
    assert [cell.text for cell in found.rows[0]][2:] == [
        "a-1", "≥ 20,000", "≥ 2.2 times", "ahead of 1 of 2; not compared with 1 (ab was the limit)",
    ]  # fmt: skip
    assert found.notes == (LEAD,)


def test_no_first_has_a_lower_rate_than_another_that_may_be_first() -> None:
    """b is ahead of more servers than a: its rate is known, a's is a lower bound with more noise."""
    limited = [msgspec.structs.replace(each, limit="generator") for each in noisy("a-1", 21_000)]
    assert rows(limited, blocks("b-1", 20_000), blocks("c-1", 15_000), blocks("d-1", 15_000))[0][2].endswith("a-1")


def test_from_one_start_no_order_is_told() -> None:
    found = table(blocks("a-1", 20_000, of=1), blocks("b-1", 10_000, of=1))
    assert [cell.text for cell in found.rows[0]] == [
        "small", "1", "highest figure: a-1", "19,800", "-", "not tested: fewer than 6 starts",
    ]  # fmt: skip
    assert found.rows[0][2].emphasis is Emphasis.UNSURE
    assert found.notes == ()


def test_a_starved_server_is_neither_first_nor_counted() -> None:
    starved = [
        msgspec.structs.replace(each, outcome=served(50_000, 100, 0.2, seconds=60.0))
        for each in blocks("a-1", 50_000, 100)
    ]
    assert rows(starved, blocks("b-1", 20_000, 100), blocks("c-1", 10_000, 100), levels=(100,)) == [
        ("small", "100", "b-1", "20,000", "2 times", "ahead of the other")
    ]
    assert fastest_table(analysed(starved, levels=(100,))) is None


def test_a_first_of_whose_trials_some_failed_is_marked() -> None:
    failed = failed_trial("a-1", "small", 1, "timeout", block=7)
    found = table([*blocks("a-1", 20_000), failed], blocks("b-1", 10_000))
    assert found.rows[0][2].text == "a-1*"
    assert SOME_STARTS_FAILED in found.notes


def test_a_server_alone_wins_nothing_and_nothing_is_said_of_nothing() -> None:
    assert rows(blocks("a-1", 20_000)) == [("small", "-", "a-1", "20,000", "-", "the only server with a figure")]
    assert fastest_table(analysed([failed_trial("a-1", "small", 1, "timeout")])) is None
    assert fastest_table(analysed()) is None
    found = rows(blocks("a-1", 9), [failed_trial("b-1", "large", 1, "timeout")])
    assert found[1] == ("large", "-", "-", "-", "-", "no server has a figure")


def test_the_ceiling_is_no_competitor() -> None:
    assert rows(blocks("ceiling", 50_000), blocks("a-1", 20_000), blocks("b-1", 10_000))[0][2] == "a-1"
