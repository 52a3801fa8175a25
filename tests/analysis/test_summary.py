"""How far the figures of a sweep can be trusted."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest
from support.builders import blocks, failed_trial, outcome, served

from ab_runner.analysis.cells import cells_and_trials
from ab_runner.analysis.compared import compared_by
from ab_runner.analysis.drift import Drift
from ab_runner.analysis.measurements import measurements_of
from ab_runner.analysis.summary import summary_of
from ab_runner.model.records import Record
from ab_runner.report.say.summary import ONE_SESSION, summary_lines


def said(
    *records: Iterable[Record],
    levels: tuple[int, ...] = (1,),
    drift: float = 0.0,
    warnings: int = 0,
    sessions: int = 1,
) -> list[str]:
    cells = cells_and_trials(record for some in records for record in some)[0]
    drifts = [Drift("small", 1000, 1000 * (1 + drift))]
    return list(
        summary_lines(summary_of(cells, [compared_by(measurements_of(cells))], levels, drifts, warnings, sessions))
    )


def test_six_starts_with_narrow_intervals_are_believed() -> None:
    assert said(blocks("a-1", 20_000), blocks("b-1", 10_000)) == [
        f"Confidence: 6 starts; {ONE_SESSION}; intervals are narrow"
    ]


def test_a_sweep_that_was_resumed_is_of_two_sessions() -> None:
    told = said(blocks("a-1", 20_000), blocks("b-1", 10_000), sessions=2)
    assert told == [
        "Confidence: 6 starts; 2 sessions, so intervals hold for their hours on this machine; intervals are narrow"
    ]


def test_a_rate_that_ab_limited_is_a_doubt() -> None:
    limited = blocks("a-1", 20_000, per_cpu_second=10_000, limit="generator")
    assert said(limited, blocks("b-1", 10_000, per_cpu_second=30_000)) == [
        f"Confidence: 6 starts; {ONE_SESSION}; 1 cell limited by the generator"
    ]


def test_one_start_is_not_believed() -> None:
    assert said(blocks("a-1", 20_000, of=1), blocks("b-1", 10_000, of=1)) == [
        "Confidence: none (one start: too few to tell differences from noise (--blocks 6))"
    ]


def test_a_starved_server_is_named() -> None:
    starved = [
        msgspec.structs.replace(each, outcome=served(50_000, 100, 0.2, seconds=60.0))
        for each in blocks("a-1", 50_000, 100)
    ]
    confidence, told = said(starved, blocks("b-1", 20_000, 100), blocks("c-1", 10_000, 100), levels=(100,))
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
    assert confidence == f"Confidence: 6 starts; {ONE_SESSION}; {doubt}"


def test_cells_without_a_figure_are_counted_and_wide_intervals_told() -> None:
    wide = [msgspec.structs.replace(each, block=each.block) for each in blocks("a-1", 20_000)]
    wide[0] = msgspec.structs.replace(wide[0], outcome=outcome(requests_per_second=30_000.0))
    belief = said(wide, [failed_trial("b-1", "small", 1, "timeout")])[-1]
    assert "half of the intervals are wider than " in belief
    assert "1 of 2 cells has no figure" in belief


def test_nothing_is_said_of_nothing() -> None:
    assert said([failed_trial("a-1", "small", 1, "timeout")]) == []
    assert said([]) == []
