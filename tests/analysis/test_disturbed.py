"""Trials that the hypervisor disturbed: which of a cell count, and what is said of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from support.builders import failed_trial, outcome, server, sweep, trial, usage

from ab_runner.analysis.cells import CellSummary, summarise_cell
from ab_runner.analysis.disturbed import DISTURBED, is_disturbed
from ab_runner.analysis.failures import FailureKind
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.model.records import Record
from ab_runner.model.trial import Cell, Search, Step, Trial
from ab_runner.report.say.figures import cell_text, figure_cell, remark_text
from ab_runner.report.say.notes import UNDISTURBED, grouped_notes, rate_notes
from ab_runner.report.say.summary import summary_lines
from ab_runner.report.tables.fastest import fastest_table
from ab_runner.store.reader import Stored

SOME = 0.125


def made(block: int, rate: float, stolen: float | None = 0.0, server: str = "a-1", **changes: Any) -> Trial:
    taken = usage(server_stolen_share=0.0, generator_stolen_share=stolen)
    return trial(server, "small", 1, block=block, outcome=outcome(requests_per_second=rate), usage=taken, **changes)


def cell(*trials: Record) -> CellSummary:
    return summarise_cell(Cell("a-1", "small", 1), [each for each in trials if isinstance(each, Trial)])


def test_a_trial_is_disturbed_if_much_was_stolen_from_server_or_generator() -> None:
    assert is_disturbed(made(1, 1_000, DISTURBED + 0.001))
    assert not is_disturbed(made(1, 1_000, DISTURBED))
    by_server = usage(server_stolen_share=SOME, generator_stolen_share=0.0)
    assert is_disturbed(trial("a-1", "small", 1, usage=by_server))


@pytest.mark.parametrize("changes", [{"usage": None}, {"usage": usage()}])
def test_where_stolen_time_is_not_known_a_trial_counts(changes: dict[str, Any]) -> None:
    found = summarise_cell(Cell("a-1", "small", 1), [trial("a-1", "small", 1, **changes)])
    assert (found.disturbed, found.figure) == (0, 12_345)


def test_a_search_is_disturbed_if_the_step_that_ended_it_was() -> None:
    def found(*shares: float | None) -> Trial:
        rates = (1_000, 2_000, 1_500)
        steps = tuple(
            Step(rate=rate, latency=1.0, answers_per_second=rate, reason=None, stolen_share=share)
            for rate, share in zip(rates, shares, strict=True)
        )
        return made(1, 1_000, search=Search(met=1_000, missed=1_500, steps=steps))

    assert is_disturbed(found(0.0, 0.0, SOME))
    assert not is_disturbed(found(0.0, SOME, 0.0))
    assert not is_disturbed(found(None, None, None))


def test_a_figure_is_of_the_undisturbed_trials_and_says_how_many_they_are() -> None:
    found = cell(*(made(block, 1_000) for block in range(1, 5)), made(5, 100, SOME), made(6, 200, 0.25))
    assert (found.figure, found.disturbed, found.is_disturbed) == (1_000, 2, False)
    assert sorted(found.by_batch) == sorted(found.cpu_efficiency_by_batch) == [1, 2, 3, 4]
    assert cell_text(found) == "1,000 (4 of 6 undisturbed)*"
    assert figure_cell(found).brief == ("1,000", "4/6 undisturbed*")
    assert [remark_text(each) for each in found.remarks] == [
        "the hypervisor gave 12.5 to 25.0 % of the CPU time to others"
    ]


def test_half_of_the_trials_are_enough() -> None:
    found = cell(*(made(block, 1_000, SOME * (block > 3)) for block in range(1, 7)))
    assert (found.figure, found.is_disturbed) == (1_000, False)
    assert cell_text(found) == "1,000 (3 of 6 undisturbed)*"


def test_below_half_a_cell_is_disturbed_and_its_figure_is_no_result() -> None:
    found = cell(*(made(block, 1_000 if block < 3 else 500, SOME * (block > 2)) for block in range(1, 7)))
    assert found.failure_kind is FailureKind.DISTURBED
    assert (found.figure, found.by_batch, found.cpu_efficiency) == (None, {}, None)
    assert cell_text(found) == "1,000 (disturbed; 2 of 6 undisturbed)"
    assert figure_cell(found).brief == ("1,000", "disturbed")


def test_the_figure_of_a_cell_without_any_undisturbed_trial_is_shown_too() -> None:
    found = cell(made(1, 4_587, 0.494))
    assert (found.figure, found.rejected is not None) == (None, True)
    assert cell_text(found) == "4,587 (disturbed)"
    assert figure_cell(found).brief == ("4,587", "disturbed")


def test_failed_trials_are_counted_apart() -> None:
    failed = failed_trial("a-1", "small", 1, "timeout", block=6)
    found = cell(*(made(block, 1_000, SOME * (block > 3)) for block in range(1, 6)), failed)
    assert cell_text(found) == "1,000 (1 of 6 failed: timeout; 3 of 5 undisturbed)"
    mostly = cell(*(made(block, 1_000, SOME) for block in (1, 2)), failed, failed)
    assert (mostly.failure_kind, mostly.disturbed) == (FailureKind.TIMEOUT, 0)


# --- in a sweep --------------------------------------------------------------------------------------------------


def analysed(**stolen: Sequence[float]) -> SweepAnalysis:
    """Of servers that are each faster than the next; of each these shares were stolen in its blocks."""
    names = list(stolen)
    records = [
        made(block, 20_000 - 5_000 * number + block, share, name)
        for number, name in enumerate(names)
        for block, share in enumerate(stolen[name], 1)
    ]
    there = sweep(*map(server, names))
    request = msgspec.structs.replace(there.request, levels=(1,))
    return analyse(Stored(msgspec.structs.replace(there, request=request), tuple(records)))


QUIET = [0.0] * 6


def fastest(analysis: SweepAnalysis) -> list[str]:
    table = fastest_table(analysis)
    return [] if table is None else [row[2].text for row in table.rows]


def test_a_disturbed_cell_has_no_rank_and_is_not_among_the_fastest() -> None:
    found = analysed(a=[SOME] * 6, b=QUIET, c=QUIET)
    assert {cell.server: str(rank) for cell, rank in found.ranks.items()} == {"b": "1", "c": "2"}
    assert fastest(found) == ["b"]


def test_a_cell_with_some_disturbed_trials_is_ranked_by_the_others() -> None:
    found = analysed(a=[*QUIET[:4], SOME, SOME], b=QUIET, c=QUIET)
    assert str(found.ranks[Cell("a", "small", 1)]) == "1"
    assert fastest(found) == ["a"]


def test_where_every_cell_is_disturbed_nobody_is_the_fastest_but_all_figures_are_shown() -> None:
    found = analysed(a=[SOME], b=[SOME])
    assert fastest(found) == []
    assert [cell_text(each) for each in found.cells.values()] == ["20,001 (disturbed)", "15,001 (disturbed)"]


def test_notes_and_confidence_tell_of_disturbed_cells() -> None:
    found = analysed(a=[SOME] * 6, b=QUIET, c=QUIET)
    assert UNDISTURBED in list(rate_notes("small", found))
    assert UNDISTURBED in list(grouped_notes(found))
    assert UNDISTURBED not in list(grouped_notes(analysed(b=QUIET, c=QUIET)))
    (line,) = summary_lines(found.summary)
    assert "1 of 3 cells is disturbed; " in line
