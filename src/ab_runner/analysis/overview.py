"""The sweeps of a folder in short. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from itertools import islice

import msgspec

from ab_runner.analysis.cells import result_text
from ab_runner.model.records import CellRecord, ResumeRecord, StartRecord, Trial
from ab_runner.store.plan import plan_of, remaining
from ab_runner.store.reader import Stored

_LATEST = 8
_ENOUGH = 3
"""Cells that tell how long the others will take."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A sweep. `name` is that of its folder; `left` is of one that is running, `latest` too, the latest first."""

    name: str
    started: datetime.datetime
    servers: tuple[str, ...]
    what: str
    state: str
    is_running: bool
    done: int
    planned: int
    left: str = ""
    latest: tuple[str, ...] = ()


def entry(name: str, stored: Stored, is_running: bool, now: datetime.datetime) -> Entry:
    request = stored.sweep.request
    cells = [record for record in stored.records if isinstance(record, CellRecord)]
    to_do = sum(len(part.cells) for part in remaining(plan_of(stored.sweep), stored.records))
    levels = ", ".join(f"{level:,}" for level in request.concurrency)
    return Entry(
        name=name,
        started=stored.sweep.started,
        servers=tuple(server.id for server in stored.sweep.servers),
        what=f"{request.protocol.name}: {', '.join(request.workloads)} at {levels}",
        state="running" if is_running else _state(stored, to_do),
        is_running=is_running,
        done=len(cells),
        planned=len(cells) + to_do,
        left=_left(stored, to_do, now) if is_running else "",
        latest=tuple(islice(_latest(stored), _LATEST)) if is_running else (),
    )


def _state(stored: Stored, to_do: int) -> str:
    """Of one that nobody goes on with at present."""
    if stored.ending is None:
        return "broke off"
    return "not complete" if stored.ending == "finished" and to_do else stored.ending


def _left(stored: Stored, to_do: int, now: datetime.datetime) -> str:
    """Of a sweep that was resumed nobody knows how long its cells took."""
    starts = [record.at for record in stored.records if isinstance(record, StartRecord)]
    measured = sum(isinstance(record, Trial) for record in stored.records)
    resumed = any(isinstance(record, ResumeRecord) for record in stored.records)
    if resumed or not starts:
        return ""
    return time_left((now - starts[0]).total_seconds(), measured, to_do)


def time_left(elapsed: float, measured: int, to_do: int) -> str:
    """As if the cells that are left take as long as those that were measured in `elapsed` seconds; empty as long as
    these are too few to tell."""
    if measured < _ENOUGH:
        return ""
    seconds = elapsed / measured * to_do
    return f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {seconds:.0f} s left"


def _latest(stored: Stored) -> Iterator[str]:
    for record in reversed(stored.records):
        if isinstance(record, CellRecord):
            yield result_text(record)
        elif isinstance(record, StartRecord):
            yield f"{record.server} start: {record.error or f'{record.seconds:.1f} s'}"
