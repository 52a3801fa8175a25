"""The sweeps of a folder in short, as data. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from itertools import islice

import msgspec

from ab_runner.model.protocol import SweepRequest
from ab_runner.model.records import CellRecord, NotMeasured, ResumeRecord, StartRecord, Trial
from ab_runner.store.plan import plan_of, remaining
from ab_runner.store.reader import Stored

_LATEST = 8
_ENOUGH = 3
"""Cells that tell how long the others will take."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A sweep. `name` is that of its folder. Only one that is running has `seconds_left`, if that can be told, and the
    `latest` of its records, the latest first."""

    name: str
    started: datetime.datetime
    servers: tuple[str, ...]
    request: SweepRequest
    state: str
    is_running: bool
    done: int
    planned: int
    seconds_left: float | None = None
    latest: tuple[CellRecord | StartRecord, ...] = ()


def entry(name: str, stored: Stored, is_running: bool, now: datetime.datetime) -> Entry:
    """Return what there is to say of a sweep at this moment."""
    cells = [record for record in stored.records if isinstance(record, CellRecord)]
    to_do = sum(len(part.cells) for part in remaining(plan_of(stored.sweep), stored.records))
    return Entry(
        name=name,
        started=stored.sweep.started,
        servers=tuple(server.id for server in stored.sweep.servers),
        request=stored.sweep.request,
        state="running" if is_running else _state(stored, to_do),
        is_running=is_running,
        done=len(cells),
        planned=len(cells) + to_do,
        seconds_left=_seconds_left(stored, to_do, now) if is_running else None,
        latest=tuple(islice(_latest(stored), _LATEST)) if is_running else (),
    )


def _state(stored: Stored, to_do: int) -> str:
    """Return the state of a sweep that nobody goes on with at present."""
    if stored.ending is None:
        return "broke off"
    return "not complete" if stored.ending == "finished" and to_do else stored.ending


def _seconds_left(stored: Stored, to_do: int, now: datetime.datetime) -> float | None:
    """Return how long the rest will take; None of a sweep that was resumed, of which nobody knows how long its cells
    took."""
    starts = [record.at for record in stored.records if isinstance(record, StartRecord)]
    measured = sum(isinstance(record, Trial) for record in stored.records)
    resumed = any(isinstance(record, ResumeRecord) for record in stored.records)
    if resumed or not starts:
        return None
    return seconds_left((now - starts[0]).total_seconds(), measured, to_do)


def seconds_left(elapsed: float, measured: int, to_do: int) -> float | None:
    """Return how long the cells that are left will take, if each takes as long as those that were measured in `elapsed`
    seconds; None as long as these are too few to tell."""
    return elapsed / measured * to_do if measured >= _ENOUGH else None


def _latest(stored: Stored) -> Iterator[CellRecord | StartRecord]:
    for record in reversed(stored.records):
        if isinstance(record, Trial | NotMeasured | StartRecord):
            yield record
