"""The display of a running sweep: live on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

from ab_runner.analysis.cells import summarise_record
from ab_runner.analysis.overview import seconds_left
from ab_runner.model.axis import Axis, level_text
from ab_runner.model.text import counted
from ab_runner.model.trial import CellRecord, NotMeasured
from ab_runner.report.say.figures import result_text
from ab_runner.report.say.numbers import time_left_text
from ab_runner.sweep.events import CellFinished, CellsAgain, CellsLeftOut, Event, NodeSaid, OnNode, PhaseStarted


def display_for(console: Console, cells: int, axis: Axis = "connections", expected: float | None = None) -> Display:
    """Return the display for a sweep with this number of cells, whose levels are on that axis, and which is expected to
    take so many seconds."""
    kind = LiveDisplay if console.is_terminal else PlainDisplay
    return kind(console, cells, axis, expected)


class TimeLeft:
    """Estimates the rest. At first it is what is left of the expected time. The more cells are measured, the more it is
    what the others take if each costs as much as these, start and warm-up included. Cells that were given up cost
    nothing."""

    def __init__(self, cells: int, expected: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._cells = cells
        self._expected = expected
        self._measured = 0
        self._done = 0
        self._clock = clock
        self._began = clock()

    def leave_out(self, cells: int) -> None:
        """So many cells are not measured."""
        self._cells -= cells

    def add(self, record: CellRecord) -> None:
        """A cell has its record."""
        self._done += 1
        self._measured += not isinstance(record, NotMeasured)

    def text(self) -> str:
        """Return how long the rest will take; empty while that is not known."""
        elapsed, to_do = self._clock() - self._began, self._cells - self._done
        left = seconds_left(elapsed, self._measured, to_do)
        if self._expected is not None:
            planned = max(0.0, self._expected - elapsed)
            share = self._measured / (self._measured + to_do) if left is not None else 0.0
            left = (1 - share) * planned + share * (left or 0.0)
        return time_left_text(left)


def phase_text(phase: PhaseStarted, axis: Axis = "connections") -> str:
    """Return `tomcat-5.5.15 small c=100` or `tomcat-5.5.15 small probe` or `tomcat-5.5.15 start`."""
    if phase.what == "trial" and phase.level is not None:
        return f"{phase.server} {phase.workload} {level_text(axis, phase.level)}"
    return " ".join(part for part in (phase.server, phase.workload, phase.what) if part)


def left_out_text(event: CellsLeftOut) -> str:
    """Return how many cells are left out, and why."""
    return f"left out: {counted(event.cells, 'cell')} that failed in half of the blocks"


class Display(AbstractContextManager["Display"]):
    """Shows the events of a sweep from when it is entered."""

    def __init__(self, console: Console, cells: int, axis: Axis, expected: float | None) -> None:
        self._axis = axis
        self._console = console
        self._cells = cells
        self._left = TimeLeft(cells, expected)

    @abstractmethod
    def show(self, event: Event) -> None: ...

    def _print(self, line: str) -> None:
        self._console.print(Text(line.rstrip()), soft_wrap=True)


class PlainDisplay(Display):
    """Prints a line for each cell and for each start of a server."""

    _done = 0

    def __exit__(self, *error: object) -> None:
        pass

    def show(self, event: Event) -> None:
        match event:
            case OnNode(node=node, event=on_node):
                self._show(on_node, f"{node}: ")
            case NodeSaid(node=node, text=text):
                self._print(f"{node}: {text}")
            case CellsAgain(cells=cells):
                self._cells += cells
                self._left.leave_out(-cells)
            case CellsLeftOut(cells=cells):
                self._cells -= cells
                self._left.leave_out(cells)
                self._print(left_out_text(event))
            case _:
                self._show(event)

    def _show(self, event: PhaseStarted | CellFinished, where: str = "") -> None:
        if isinstance(event, PhaseStarted):
            if event.what == "start":
                self._print(f"{where}{phase_text(event, self._axis)}  {self._left.text()}")
            return
        self._done += 1
        self._left.add(event.record)
        result = result_text(summarise_record(event.record), self._axis)
        self._print(f"[{self._done}/{self._cells}] {where}{result}")


class LiveDisplay(Display):
    """Keeps one line at the bottom: what runs now, on each node of a swarm, trials done, time left; a bar and the last
    figure where there is room. What becomes of nodes is above it."""

    def __init__(self, console: Console, cells: int, axis: Axis, expected: float | None) -> None:
        super().__init__(console, cells, axis, expected)
        self._nodes: dict[str, str] = {}
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

    def __enter__(self) -> Display:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def show(self, event: Event) -> None:
        match event:
            case OnNode(node=node, event=PhaseStarted() as phase):
                self._nodes[node] = f"{node}: {phase_text(phase, self._axis)}"
                self._progress.update(self._task, phase=" | ".join(self._nodes.values()))
            case OnNode(event=CellFinished(record=record)) | CellFinished(record=record):
                self._left.add(record)
                last = f"last: {result_text(summarise_record(record), self._axis)}"
                self._progress.update(self._task, advance=1, last=last, left=self._left.text())
            case NodeSaid(node=node, text=text):
                self._nodes.pop(node, None)
                self._print(f"{node}: {text}")
            case CellsLeftOut(cells=cells):
                self._leave_out(cells)
            case CellsAgain(cells=cells):
                self._leave_out(-cells)
            case PhaseStarted():
                self._progress.update(self._task, phase=phase_text(event, self._axis))

    def _leave_out(self, cells: int) -> None:
        self._cells -= cells
        self._left.leave_out(cells)
        self._progress.update(self._task, total=self._cells)
