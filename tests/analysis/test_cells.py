"""What there is to say of a cell: its rate, why it has none, its limit, and its remarks."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from support.builders import failed_trial, noted, outcome, rejected, served, trial, usage

from ab_runner.analysis.cells import CellSummary, cells_and_trials, summarise_cell
from ab_runner.analysis.failures import FailureKind
from ab_runner.model.load import Limit
from ab_runner.model.resources import JvmActivity
from ab_runner.model.trial import Cell, Trial
from ab_runner.report.say.figures import cell_text, limit_text, remark_text


def remarks(cell: CellSummary) -> tuple[str, ...]:
    return tuple(map(remark_text, cell.remarks))


@pytest.mark.parametrize(
    ("failures", "text"), [(2, "12,345 (2 of 5 failed: timeout)"), (3, "3 of 5 failed: timeout"), (5, "timeout")]
)
def test_a_cell_of_which_half_or_more_failed_has_no_figure(failures: int, text: str) -> None:
    failed = [failed_trial("a-1", "small", 1, "timeout", block=block) for block in range(failures)]
    valid = [trial("a-1", "small", 1, block=block) for block in range(failures, 5)]
    found = summarise_cell(Cell("a-1", "small", 1), [*valid, *failed])
    assert cell_text(found) == text
    assert found.failure_kind is (FailureKind.TIMEOUT if failures > 2 else None)
    assert (found.figure is None, not found.by_batch, found.limit) == (failures > 2, failures > 2, None)


# --- starved connections ---------------------------------------------------------------------------------------


def starving(*shares: float, concurrency: int = 1000, **changes: Any) -> CellSummary:
    """Of a cell with such a share of the connections served in each block."""
    trials = [
        trial("a-1", "small", concurrency, block=block, outcome=served(15_393, concurrency, share, **changes))
        for block, share in enumerate(shares, 1)
    ]
    return summarise_cell(Cell("a-1", "small", concurrency), trials)


def test_a_server_that_serves_a_quarter_of_the_connections_has_no_rate_and_says_so() -> None:
    found = starving(*[0.256] * 6, seconds=60.0)
    assert cell_text(found) == "15,393 ±0.0 % (256 of 1,000 connections served)"
    assert (found.starved, found.failure_kind) == (True, FailureKind.STARVED)
    assert (found.figure, found.by_batch, found.cpu_efficiency_by_batch, found.limit) == (None, {}, {}, None)
    assert remarks(found) == ("about 256 of 1,000 connections served at a time",)


def test_a_server_that_serves_most_of_the_connections_has_a_rate_with_a_remark() -> None:
    found = starving(0.693, seconds=60.0)
    assert cell_text(found) == "15,393*"
    assert not found.starved
    assert remarks(found) == ("about 694 of 1,000 connections served at a time",)
    assert remarks(starving(0.95, seconds=60.0)) == ()


def test_below_a_concurrency_of_100_it_is_not_looked_at() -> None:
    assert cell_text(starving(0.3, concurrency=99)) == "15,393"


def test_starvation_is_a_cells_and_not_a_trials() -> None:
    """256 of 500 is near one half: single trials are on either side of it."""
    assert not starving(0.49, 0.52, 0.49, 0.52, 0.52, seconds=600.0).starved
    assert starving(0.49, 0.52, 0.49, 0.52, 0.49, seconds=600.0).starved


def test_where_latencies_are_not_known_nothing_is_said_of_starvation() -> None:
    found = summarise_cell(Cell("a-1", "small", 100), [trial("a-1", "small", 100, outcome=outcome(percentiles={}))])
    assert (found.served, found.starved, cell_text(found)) == (None, False, "12,345")


def test_without_latencies_the_generators_own_mean_tells_of_starvation() -> None:
    """15,393 requests per second of 16.63 ms are 256 at a time."""
    own = msgspec.structs.replace(outcome(requests_per_second=15_393.0, percentiles={}, seconds=60.0), own_mean=16.63)
    found = summarise_cell(Cell("a-1", "small", 1000), [trial("a-1", "small", 1000, outcome=own)])
    assert (found.starved, cell_text(found)) == (True, "15,393 (256 of 1,000 connections served)")


def test_failed_trials_of_a_starved_cell_are_told_too() -> None:
    trials = [trial("a-1", "small", 100, block=block, outcome=served(9_000, 100, 0.2)) for block in (1, 2)]
    failed = failed_trial("a-1", "small", 100, "timeout", block=3)
    found = summarise_cell(Cell("a-1", "small", 100), [*trials, failed])
    assert cell_text(found) == "9,000 (20 of 100 connections served; 1 of 3 failed: timeout)"


# --- cold trials -----------------------------------------------------------------------------------------------


def cold(share: int, block: int, rate: float = 12_345.0) -> Trial:
    reason = f"cold: the JIT took {share} % of the server's CPU time"
    made = outcome(requests_per_second=rate)
    return trial("a-1", "small", 1, block=block, outcome=made, verdict=rejected(reason))


def test_where_all_trials_are_cold_their_median_is_shown_with_the_reason() -> None:
    found = summarise_cell(Cell("a-1", "small", 1), [cold(12, 1, 9_000.0), cold(6, 2, 10_000.0), cold(30, 3, 11_000.0)])
    assert cell_text(found) == "10,000 (cold: the JIT took 6 to 30 % of the server's CPU time)"
    assert (found.figure, found.failure_kind) == (None, FailureKind.COLD)
    assert remarks(found) == ("cold: the JIT took 6 to 30 % of the server's CPU time",)


def test_some_cold_trials_are_counted_as_what_they_are() -> None:
    cell = Cell("a-1", "small", 1)
    warm = [trial("a-1", "small", 1, block=block) for block in range(1, 5)]
    assert cell_text(summarise_cell(cell, [*warm, cold(12, 5), cold(9, 6)])) == (
        "12,345 (2 of 6 cold: the JIT took 9 to 12 % of the server's CPU time)"
    )
    assert cell_text(summarise_cell(cell, [*warm[:2], *(cold(12, block) for block in range(3, 7))])) == (
        "4 of 6 cold: the JIT took 12 % of the server's CPU time"
    )
    mixed = [*warm, cold(12, 5), failed_trial("a-1", "small", 1, "timeout", block=6)]
    assert cell_text(summarise_cell(cell, mixed)) == "12,345 (2 of 6 failed: timeout)"


# --- the limit, and what a JVM did beside its work ------------------------------------------------------------


def jvm(**changes: Any) -> JvmActivity:
    fields: dict[str, Any] = {"gc_count": 3, "gc_seconds": 0.01, "jit_seconds": 0.02, "heap_after_gc_bytes": 5_000_000}
    return JvmActivity(**fields | changes)


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (["generator", "generator", None], "generator"),
        (["generator", "server"], None),
        (["server"], "server"),
        ([None, None, "generator"], None),
    ],
)
def test_a_cells_limit_is_that_of_most_of_its_trials(limits: list[Limit | None], expected: Limit | None) -> None:
    trials = [trial("a-1", "small", 10, block=block, limit=limit) for block, limit in enumerate(limits, 1)]
    (cell,) = cells_and_trials(trials)[0].values()
    assert cell.limit == expected


@pytest.mark.parametrize(
    ("limits", "limited", "by"),
    [
        (["network", "network", "generator"], 3, "network"),
        (["generator", "server", "network", "generator"], 3, "generator"),
        ([None, "network"], 1, "network"),
        (["server", None], 0, "generator"),
    ],
)
def test_a_cell_that_generator_or_network_limited_is_a_lower_bound(
    limits: list[Limit | None], limited: int, by: Limit
) -> None:
    trials = [trial("a-1", "small", 10, block=block, limit=limit) for block, limit in enumerate(limits, 1)]
    (cell,) = cells_and_trials(trials)[0].values()
    assert (cell.limited, cell.limited_by, cell.is_lower_bound) == (limited, by, limited > 0)
    if limited:
        assert limit_text(cell)[0] == by[0]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ()),
        ({"gc_seconds": 0.051}, ("GC took more than 5 % of the time in 1 of 2 trials",)),
        ({"jit_seconds": 0.051}, ("the JIT took more than 5 % of the time in 1 of 2 trials",)),
    ],
)
def test_what_a_jvm_did_beside_its_work_is_told_from_5_per_cent_on(
    changes: dict[str, float], expected: tuple[str, ...]
) -> None:
    trials = [trial("a-1", "small", 10, block=1, jvm=jvm()), trial("a-1", "small", 10, block=2, jvm=jvm(**changes))]
    (cell,) = cells_and_trials(trials)[0].values()
    assert remarks(cell) == expected


def test_a_jit_that_only_waited_for_a_cpu_took_no_time() -> None:
    """What counts is its share of the server's CPU time, 2.5 s here, and not of the trial's second."""
    waited = trial("a-1", "small", 10, jvm=jvm(jit_seconds=0.9), usage=usage(jit_cpu_seconds=0.12))
    worked = trial("a-1", "small", 10, jvm=jvm(jit_seconds=0.01), usage=usage(jit_cpu_seconds=0.13))
    assert [remarks(summary) for each in (waited, worked) for summary in cells_and_trials([each])[0].values()] == [
        (), ("the JIT took more than 5 % of the server's CPU time in 1 of 1 trial",)
    ]  # fmt: skip


def test_notes_of_several_blocks_that_differ_in_a_figure_are_one_with_its_range() -> None:
    trials = [
        trial("a-1", "small", 1, block=block, verdict=noted(f"{share} % kept alive"))
        for block, share in enumerate(("99.0", "98.1", "98.5", "100.0"), 1)
    ]
    trials += [failed_trial("a-1", "small", 1, f"server exited with {code}", block=5) for code in (1, 137)]
    (cell,) = cells_and_trials(trials)[0].values()
    assert remarks(cell) == ("server exited with 1; server exited with 137", "98.1 to 100.0 % kept alive")
