"""The list of a folder's sweeps as a page that updates itself while it is served."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.overview import Entry
from ab_runner.model.axis import Axis, levels_text
from ab_runner.model.protocol import SweepRequest, cpus_text
from ab_runner.model.records import StartRecord
from ab_runner.report.html.templates import fill, ours
from ab_runner.report.say.figures import result_text, start_text
from ab_runner.report.say.numbers import time_left_text


class Row(msgspec.Struct, frozen=True):
    """A sweep in the list: its overview, what it measures, how long it will take, and its latest records."""

    entry: Entry
    what: str
    left: str
    latest: tuple[str, ...]


def render(folder: str, sweeps: Sequence[Entry], trouble: Sequence[str]) -> str:
    """Return the page. `trouble`: a line for each folder that cannot be read."""
    return fill(
        "overview", folder=folder, sweeps=list(map(row_of, sweeps)), trouble=trouble, scripts=[ours("overview.js")]
    )


def row_of(entry: Entry) -> Row:
    """Return the row of a sweep in the list."""
    latest = tuple(_latest_text(each, entry.request.axis) for each in entry.latest)
    return Row(entry, _what(entry.request), time_left_text(entry.seconds_left), latest)


def _latest_text(latest: CellSummary | StartRecord, axis: Axis) -> str:
    return start_text(latest) if isinstance(latest, StartRecord) else result_text(latest, axis)


def _what(request: SweepRequest) -> str:
    workloads = ", ".join(request.workloads)
    cpus = "" if request.server_cpus is None else f"; servers on {cpus_text(request.server_cpus)}"
    if request.open:
        return f"{request.protocol.name}: {workloads}; {levels_text(request.axis, request.levels, request.open)}{cpus}"
    levels = ", ".join(f"{level:,}" for level in request.levels)
    return f"{request.protocol.name}: {workloads} at {levels}{cpus}"
