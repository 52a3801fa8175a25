"""A short overview of the sweeps of a folder, as data. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from itertools import islice

import msgspec

from ab_runner.analysis.cells import CellSummary, summarise_record
from ab_runner.model.protocol import SweepRequest
from ab_runner.model.records import FINISHED, ResumeRecord, StartRecord
from ab_runner.model.trial import CellRecord, Trial
from ab_runner.store.plan import left_of
from ab_runner.store.reader import Stored

_LATEST = 8
_ENOUGH = 3
"""The fewest measured cells from which the time of the others is estimated."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A sweep. `name` is that of its folder. Only a running sweep has `seconds_left`, if that is known, and the
    `latest` of its starts and cells, newest first."""

    name: str
    started: datetime.datetime
    servers: tuple[str, ...]
    request: SweepRequest
    state: str
    is_running: bool
    done: int
    planned: int
    seconds_left: float | None = None
    latest: tuple[CellSummary | StartRecord, ...] = ()


def entry(name: str, stored: Stored, is_running: bool, now: datetime.datetime) -> Entry:
    """Return the overview of a sweep at this moment."""
    cells = [record for record in stored.records if isinstance(record, CellRecord)]
    to_do = sum(len(part.cells) for part in left_of(stored))
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
    """Return the state of a sweep that is not running."""
    if stored.ending is None:
        return "ended unexpectedly"
    return "not complete" if stored.ending == FINISHED and to_do else stored.ending


def _seconds_left(stored: Stored, to_do: int, now: datetime.datetime) -> float | None:
    """Return how long the rest will take; None for a sweep that was resumed, because it is not known how long its cells
    took."""
    starts = [record.at for record in stored.records if isinstance(record, StartRecord)]
    measured = sum(isinstance(record, Trial) for record in stored.records)
    resumed = any(isinstance(record, ResumeRecord) for record in stored.records)
    if resumed or not starts:
        return None
    return seconds_left((now - starts[0]).total_seconds(), measured, to_do)


def seconds_left(elapsed: float, measured: int, to_do: int) -> float | None:
    """Return how long the remaining cells will take, if each takes as long as those that were measured in `elapsed`
    seconds; None while these are too few to tell."""
    return elapsed / measured * to_do if measured >= _ENOUGH else None


def _latest(stored: Stored) -> Iterator[CellSummary | StartRecord]:
    for record in reversed(stored.records):
        if isinstance(record, StartRecord):
            yield record
        elif isinstance(record, CellRecord):
            yield summarise_record(record)
