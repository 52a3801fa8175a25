"""The sweeps of a folder in short."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from support.builders import NOON, server, sweep, trial

from ab_runner.analysis.overview import Entry, entry
from ab_runner.model.records import EndRecord, Record, ResumeRecord, StartRecord
from ab_runner.report.html.overview import row_of
from ab_runner.store.reader import Stored

SWEEP = sweep(server("a-1", workloads=("small", "large")))
"""Four cells: two workloads at two concurrencies."""
CELLS = tuple(trial("a-1", name, level) for name in ("small", "large") for level in (1, 100))
START = StartRecord(block=1, server="a-1", start=1, at=NOON, seconds=0.5)
FINISHED = EndRecord(at=NOON, reason="finished")


def entry_of(*records: Record, is_running: bool = False) -> Entry:
    return entry("folder", Stored(SWEEP, records), is_running, now=NOON + timedelta(minutes=6))


@pytest.mark.parametrize(
    ("records", "state"),
    [
        ((*CELLS, FINISHED), "finished"),
        ((*CELLS[:3], FINISHED), "not complete"),
        ((*CELLS[:3], EndRecord(at=NOON, reason="interrupted")), "interrupted"),
        (CELLS, "ended unexpectedly"),
        (
            (*CELLS[:3], EndRecord(at=NOON, reason="interrupted"), ResumeRecord(at=NOON, differences=())),
            "ended unexpectedly",
        ),
    ],
)
def test_the_state_is_what_the_log_ends_with(records: tuple[Record, ...], state: str) -> None:
    found = entry_of(*records)
    assert (found.state, found.seconds_left, found.latest) == (state, None, ())


def test_cells_are_counted_as_done_and_planned() -> None:
    found = entry_of(*CELLS[:3], FINISHED)
    assert (found.done, found.planned) == (3, 4)


def test_the_cpus_that_were_asked_for_are_in_what_a_sweep_measures() -> None:
    assert row_of(entry_of(*CELLS)).what == "quick: small, large at 1, 100"
    made = msgspec.structs.replace(SWEEP, request=msgspec.structs.replace(SWEEP.request, server_cpus=4))
    four = entry("folder", Stored(made, CELLS), False, NOON)
    assert row_of(four).what == "quick: small, large at 1, 100; servers on 4 CPUs"


def test_a_running_one_says_what_was_last_and_how_long_it_will_take() -> None:
    found = row_of(entry_of(START, *CELLS[:3], is_running=True))
    assert found.left == "about 2 min left"
    assert found.latest == (
        "a-1 large c=1: 12,345 rps", "a-1 small c=100: 12,345 rps", "a-1 small c=1: 12,345 rps", "a-1 start: 0.5 s"
    )  # fmt: skip


@pytest.mark.parametrize(
    "records",
    [(START, *CELLS[:2]), CELLS[:3], (START, *CELLS[:3], ResumeRecord(at=NOON, differences=()))],
    ids=["too few cells", "no start", "resumed"],
)
def test_how_long_it_will_take_is_not_said_where_it_cannot_be_known(records: tuple[Record, ...]) -> None:
    assert row_of(entry_of(*records, is_running=True)).left == ""
