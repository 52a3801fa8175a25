"""Who won, by how much, and can one believe it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest
from builders import failed_trial, report, trial, usage

from ab_runner.model import Limit, Record, Trial
from ab_runner.report.cells import summarise
from ab_runner.report.drift import Drift
from ab_runner.report.summary import summary

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
    cells = summarise(record for some in records for record in some)
    return list(summary(cells, levels, [Drift("small", 1000, 1000 * (1 + drift))], warnings))


def test_a_winner_is_ahead_of_the_next_by_a_factor() -> None:
    winners, belief = said(blocks("a-1", 20_000), blocks("b-1", 10_000), blocks("c-1", 5_000))
    assert winners == "small: a-1 is first at 1, 2 times the next"
    assert belief == "to be believed? yes: 6 blocks, and who is said to be first was tested, intervals are narrow"


def test_who_cannot_be_told_apart_shares_the_first_place() -> None:
    a, b, c = blocks("a-1", 20_000), blocks("b-1", 19_900), blocks("c-1", 5_000)
    assert said(a, b, c)[0] == "small: a-1, b-1 share the first place at 1, 4 times the next"
    assert said(a, b)[0] == "small: 2 servers cannot be told apart at 1"
    many = [blocks(f"{letter}-1", 20_000) for letter in "abdef"]
    assert said(*many, c)[0] == "small: 5 of 6 servers share the first place at 1, 4 times the next"


def test_concurrencies_with_the_same_winners_are_said_together() -> None:
    records = [blocks("a-1", rate, level) for rate, level in ((20_000, 1), (30_000, 10), (10_000, 100))]
    other = [blocks("b-1", 10_000, 1), blocks("b-1", 10_000, 10), blocks("b-1", 30_000, 100)]
    assert said(*records, *other, levels=(1, 10, 100))[0] == (
        "small: a-1 is first at 1, 10, 2 to 3 times the next; b-1 is first at 100, 3 times the next"
    )


def test_where_ab_was_the_limit_cpu_time_decides_and_is_doubted() -> None:
    winners, belief = said(
        blocks("a-1", 20_000, per_cpu_second=10_000), blocks("b-1", 19_000, per_cpu_second=30_000, limit="generator")
    )
    assert winners == "small: b-1 is first by CPU time at 1, 3 times the next"
    assert "with care" in belief
    assert "ab was the limit of 1, where CPU time decides" in belief


def test_one_block_is_not_to_be_believed() -> None:
    winners, belief = said(blocks("a-1", 20_000, of=1), blocks("b-1", 10_000, of=1))
    assert winners == "small: a-1 has the highest figure at 1"
    assert belief == "to be believed? no: one block, so that nothing can be told from noise (--blocks 6)"


@pytest.mark.parametrize(
    ("drift", "warnings", "doubt"), [(-0.07, 0, "the machine drifted by up to 7 %"), (0.01, 2, "2 warnings above")]
)
def test_whatever_speaks_against_it_is_said(drift: float, warnings: int, doubt: str) -> None:
    belief = said(blocks("a-1", 20_000), blocks("b-1", 10_000), drift=drift, warnings=warnings)[-1]
    assert belief == f"to be believed? with care: 6 blocks, and who is said to be first was tested; {doubt}"


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
