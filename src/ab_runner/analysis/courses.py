"""What happened in each second of a trial: series for charts, from the seconds that a generator told and from the
runner's looks. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, repeat
from typing import TypeVar

import msgspec

from ab_runner.model.load import Second
from ab_runner.model.records import Record
from ab_runner.model.resources import Course
from ab_runner.model.trial import COLD, COURSE_SECONDS, Cell, RepeatedTrial, Trial, cell_of
from ab_runner.stats.histogram import weighted

Figure = TypeVar("Figure")


class Answers(msgspec.Struct, frozen=True):
    """What the generator told of a second, about the requests that were due in it. Latencies are in milliseconds, None
    where no request was answered. `is_disturbed`: the hypervisor took CPU time."""

    answered: int
    failed: int
    p50: float | None
    p99: float | None
    longest: float | None
    is_disturbed: bool


class Use(msgspec.Struct, frozen=True):
    """What the server used in the time of about a second that ended `at`, in seconds since the trial began. `cores` are
    those that it kept busy, and `jit_share` is the JIT compiler's part of them, from 0 to 1. None: not known."""

    at: float
    cores: float
    jit_share: float | None
    collections: int | None
    memory_bytes: int | None


class TrialCourse(msgspec.Struct, frozen=True):
    """The course of a trial. `run` counts the trials of a start in a cell, from 1: those before the last one were cold
    and were made again. Each of `answers` and `uses` is empty where nothing tells it."""

    cell: Cell
    block: int
    start: int
    run: int
    answers: tuple[Answers, ...]
    uses: tuple[Use, ...]
    beside: tuple[Answers, ...] = ()
    """The same of the second load."""


def courses_of(records: Iterable[Record]) -> tuple[TrialCourse, ...]:
    """Return the courses of the trials that have one, valid or not, in the order of the log. Those of the reference
    before and after the sweep are of no cell, and a search is of several rates."""
    runs: Counter[tuple[int, Cell]] = Counter()
    found = []
    for trial in _trials(records):
        place = trial.start, cell_of(trial)
        runs[place] += 1
        answers = tuple(map(_answers, _seconds(trial)))
        uses = tuple(_uses(trial.course, trial.outcome.seconds)) if trial.course and trial.outcome else ()
        second = trial.outcome.beside if trial.outcome else None
        beside = tuple(map(_answers, second.per_second)) if second and answers else ()
        if answers or uses:
            found.append(TrialCourse(place[1], trial.block, trial.start, runs[place], answers, uses, beside))
    return tuple(found)


def _trials(records: Iterable[Record]) -> Iterator[Trial]:
    for record in records:
        trial = record.trial if isinstance(record, RepeatedTrial) and record.reason == COLD else record
        if isinstance(trial, Trial) and not trial.is_reference_check and trial.search is None:
            yield trial


def _seconds(trial: Trial) -> Sequence[Second]:
    """Return what the generator told of each second; nothing of a trial that was to be shorter. One of an open load
    goes on until it has its clean seconds."""
    if trial.outcome is None:
        return ()
    arrivals, seconds = trial.outcome.arrivals, trial.outcome.per_second
    asked = arrivals.clean_seconds_asked if arrivals else None
    return seconds if (len(seconds) if asked is None else asked) >= COURSE_SECONDS else ()


def _answers(second: Second) -> Answers:
    spread = weighted(second.latency.items())
    p50, p99, longest = map(spread.milliseconds, (50, 99, 100))
    return Answers(second.answered, second.failed, p50, p99, longest, bool(second.stolen))


def _uses(course: Course, load_seconds: float) -> Iterator[Use]:
    """Yield what was used while there was load. A compiler may go on when it is over, and is all that works then."""
    columns = zip(
        pairwise((0.0, *course.at)),
        course.server_cpu_seconds,
        _or_none(course.jit_cpu_seconds),
        _or_none(course.gc_count),
        _or_none(course.memory_bytes),
        strict=False,
    )
    for (before, at), server, jit, collections, memory in columns:
        if before < load_seconds:
            share = min(1.0, jit / server) if jit is not None and server else None
            yield Use(at, server / (at - before), share, collections, memory)


def _or_none(figures: Sequence[Figure]) -> Iterable[Figure | None]:
    """Return these figures, or for ever none where there are none."""
    return figures or repeat(None)
