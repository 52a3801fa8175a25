"""What is shown while a sweep runs."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from support.builders import failed_trial, not_measured, trial

from ab_runner.cli.progress import LiveDisplay, PlainDisplay, TimeLeft, display_for, left_out_text, phase_text
from ab_runner.sweep.events import CellFinished, CellsAgain, CellsLeftOut, NodeSaid, OnNode, PhaseStarted


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def console(width: int = 80, is_terminal: bool = False) -> tuple[Console, io.StringIO]:
    shown = io.StringIO()
    return Console(file=shown, width=width, force_terminal=is_terminal, color_system=None, highlight=False), shown


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        (PhaseStarted("trial", "tomcat-5.5.15", "small", 100), "tomcat-5.5.15 small c=100"),
        (PhaseStarted("probe", "tomcat-5.5.15", "small"), "tomcat-5.5.15 small probe"),
        (PhaseStarted("start", "tomcat-5.5.15"), "tomcat-5.5.15 start"),
    ],
)
def test_a_phase_is_named_by_what_it_is_of(phase: PhaseStarted, expected: str) -> None:
    assert phase_text(phase) == expected


def test_where_there_is_no_terminal_every_cell_and_every_start_is_a_line() -> None:
    target, shown = console()
    with display_for(target, 4) as display:
        assert isinstance(display, PlainDisplay)
        display.show(PhaseStarted("start", "a-1"))
        display.show(PhaseStarted("warm-up", "a-1"))
        display.show(PhaseStarted("trial", "a-1", "small", 1))
        display.show(CellFinished(trial("a-1", "small", 1)))
        display.show(CellsLeftOut(1))
        display.show(CellFinished(failed_trial("a-1", "small", 10, "timeout")))
        display.show(CellFinished(not_measured("b-1", "small", 1, "does not build")))
    assert shown.getvalue().splitlines() == [
        "a-1 start",
        "[1/4] a-1 small c=1: 12,345 rps",
        "left out: 1 cell that failed in half of the blocks",
        "[2/3] a-1 small c=10: timeout",
        "[3/3] b-1 small c=1: does not build",
    ]


def test_lines_of_a_swarm_name_the_node() -> None:
    target, shown = console()
    with display_for(target, 2) as display:
        display.show(NodeSaid("n1", "block 1"))
        display.show(OnNode("n1", PhaseStarted("start", "a-1")))
        display.show(OnNode("n1", CellFinished(trial("a-1", "small", 1))))
        display.show(NodeSaid("n1", "is gone: block 1 goes to another node"))
        display.show(CellsAgain(1))
        display.show(OnNode("n2", CellFinished(trial("a-1", "small", 1))))
    assert shown.getvalue().splitlines() == [
        "n1: block 1",
        "n1: a-1 start",
        "[1/2] n1: a-1 small c=1: 12,345 rps",
        "n1: is gone: block 1 goes to another node",
        "[2/3] n2: a-1 small c=1: 12,345 rps",
    ]


def test_on_a_terminal_each_node_tells_what_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    target, shown = console(140, is_terminal=True)
    with display_for(target, 4) as display:
        display.show(NodeSaid("n2", "block 2"))
        display.show(OnNode("n1", PhaseStarted("trial", "a-1", "small", 10)))
        display.show(OnNode("n2", PhaseStarted("probe", "b-1", "small")))
        display.show(OnNode("n1", CellFinished(trial("a-1", "small", 10))))
        display.show(CellsAgain(1))
    text = shown.getvalue()
    assert "n2: block 2" in text
    assert "n1: a-1 small c=10 | n2: b-1 small probe" in text
    assert "1/5" in text


def test_of_several_cells_that_are_left_out_the_number_is_said() -> None:
    assert left_out_text(CellsLeftOut(3)) == "left out: 3 cells that failed in half of the blocks"


def test_a_line_is_not_broken_and_nothing_in_it_is_markup() -> None:
    target, shown = console(width=20)
    with display_for(target, 1) as display:
        display.show(CellFinished(not_measured("[bold]a-1[/bold]", "small", 1, "a reason that is a long one")))
    assert shown.getvalue() == "[1/1] [bold]a-1[/bold] small c=1: a reason that is a long one\n"


@pytest.mark.parametrize(("width", "has_room"), [(140, True), (80, False)])
def test_a_terminal_has_one_line_that_tells_what_runs_and_how_far_it_is(
    width: int, has_room: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    target, shown = console(width, is_terminal=True)
    with display_for(target, 4) as display:
        assert isinstance(display, LiveDisplay)
        display.show(CellsLeftOut(1))
        display.show(CellFinished(trial("a-1", "small", 1)))
        display.show(PhaseStarted("trial", "b-1", "small", 10))
    text = shown.getvalue()
    assert "b-1 small c=10" in text
    assert "1/3" in text
    assert ("last: a-1 small c=1: 12,345 rps" in text) == has_room


def test_the_time_that_is_left_is_that_of_cells_like_those_that_were_measured() -> None:
    clock = Clock()
    left = TimeLeft(10, clock=clock)
    assert left.text() == ""
    clock.now += 30
    left.add(trial("a-1", "small", 1))
    left.add(trial("a-1", "small", 10))
    assert left.text() == "", "too few to tell"
    left.add(failed_trial("a-1", "small", 100, "timeout"))
    assert left.text() == "about 70 s left"
    left.add(not_measured("b-1", "small", 1, "does not build"))
    assert left.text() == "about 60 s left", "a cell that was given up took no time"
    left.leave_out(3)
    assert left.text() == "about 30 s left"


def test_at_first_the_time_that_is_left_is_what_was_expected_and_at_last_what_the_cells_took() -> None:
    clock = Clock()
    left = TimeLeft(10, expected=600, clock=clock)
    assert left.text() == "about 10 min left"
    clock.now += 120
    assert left.text() == "about 8 min left", "servers are started and warmed up"
    for _ in range(5):
        left.add(trial("a-1", "small", 1))
    assert left.text() == "about 5 min left", "half of 480 s and half of 120 s"
    for _ in range(4):
        left.add(trial("a-1", "small", 1))
    clock.now += 150
    assert left.text() == "about 60 s left", "a tenth of 330 s and nine tenths of 30 s"


def test_a_sweep_that_takes_longer_than_expected_has_no_negative_time_left() -> None:
    clock = Clock()
    left = TimeLeft(10, expected=60, clock=clock)
    clock.now += 90
    assert left.text() == "about 0 s left"
