"""The display of a running sweep: live on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

from ab_runner.analysis.overview import seconds_left
from ab_runner.model.axis import Axis, level_text
from ab_runner.model.records import CellRecord, NotMeasured
from ab_runner.report.figures import result_text, time_left_text
from ab_runner.sweep.events import CellFinished, Event, PhaseStarted, PlanChanged


class Display(Protocol):
    def __enter__(self) -> Display: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def show(self, event: Event) -> None: ...


def display_for(console: Console, cells: int, axis: Axis = "connections") -> Display:
    """Return the display for a sweep with this number of cells, whose levels are on that axis."""
    return LiveDisplay(console, cells, axis) if console.is_terminal else PlainDisplay(console, cells, axis)


class TimeLeft:
    """Estimates the rest from the cells that are done: they cost about the same each, start and warm-up included. Cells
    that were given up cost nothing, so they are ignored."""

    def __init__(self, cells: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._cells = cells
        self._measured = 0
        self._done = 0
        self._clock = clock
        self._began = clock()

    def expect(self, cells: int) -> None:
        """This many more cells are to be measured, or fewer where the number is negative."""
        self._cells += cells

    def add(self, record: CellRecord) -> None:
        """A cell has its record."""
        self._done += 1
        self._measured += not isinstance(record, NotMeasured)

    def text(self) -> str:
        """Return how long the rest will take; empty while that is not known."""
        left = seconds_left(self._clock() - self._began, self._measured, self._cells - self._done)
        return time_left_text(left)


def phase_text(phase: PhaseStarted, axis: Axis = "connections") -> str:
    """Return `tomcat-5.5.15 small c=100` or `tomcat-5.5.15 small probe` or `tomcat-5.5.15 start`."""
    if phase.what == "trial" and phase.level is not None:
        return f"{phase.server} {phase.workload} {level_text(axis, phase.level)}"
    return " ".join(part for part in (phase.server, phase.workload, phase.what) if part)


class PlainDisplay:
    """Prints a line for each cell and for each start of a server."""

    def __init__(self, console: Console, cells: int, axis: Axis = "connections") -> None:
        self._axis = axis
        self._console = console
        self._cells = cells
        self._done = 0
        self._left = TimeLeft(cells)

    def __enter__(self) -> PlainDisplay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def show(self, event: Event) -> None:
        if isinstance(event, PhaseStarted):
            if event.what == "start":
                self._print(f"{phase_text(event, self._axis)}  {self._left.text()}")
            return
        if isinstance(event, PlanChanged):
            self._cells += event.cells
            self._left.expect(event.cells)
            self._print(f"{event.cells} intervals are still too wide: one more block")
            return
        self._done += 1
        self._left.add(event.record)
        self._print(f"[{self._done}/{self._cells}] {result_text(event.record, self._axis)}")

    def _print(self, line: str) -> None:
        self._console.print(Text(line.rstrip()), soft_wrap=True)


class LiveDisplay:
    """Keeps one line at the bottom: what runs now, trials done, time left; a bar and the last figure where there is
    room."""

    def __init__(self, console: Console, cells: int, axis: Axis = "connections") -> None:
        self._axis = axis
        self._cells = cells
        self._left = TimeLeft(cells)
        roomy = console.width >= 130
        columns = [
            SpinnerColumn(),
            TextColumn("{task.fields[phase]}", markup=False, style="bold"),
            *([BarColumn(bar_width=20)] if roomy else []),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            *([TextColumn("{task.fields[last]}", markup=False, style="dim")] if roomy else []),
        ]
        self._progress = Progress(*columns, console=console, transient=True)
        self._task = self._progress.add_task("", total=cells, phase="", left="", last="")

    def __enter__(self) -> LiveDisplay:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def show(self, event: Event) -> None:
        if isinstance(event, CellFinished):
            self._left.add(event.record)
            last = f"last: {result_text(event.record, self._axis)}"
            self._progress.update(self._task, advance=1, last=last, left=self._left.text())
        elif isinstance(event, PlanChanged):
            self._cells += event.cells
            self._left.expect(event.cells)
            self._progress.update(self._task, total=self._cells)
        else:
            self._progress.update(self._task, phase=phase_text(event, self._axis))
