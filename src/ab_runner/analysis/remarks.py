"""Remarks: what a reader of a cell's figure should know, as data. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

import msgspec

from ab_runner.analysis.disturbed import stolen_shares
from ab_runner.analysis.failures import Failure
from ab_runner.model.message import Message
from ab_runner.model.trial import Trial

WORTH_A_REMARK = 0.05
"""The share of a trial's time above which a remark reports what the JVM did besides its work."""


class JvmWork(Enum):
    """What a JVM does besides its work."""

    GC = "gc"
    JIT_OF_CPU_TIME = "jit of CPU time"
    JIT_OF_TIME = "jit of time"
    """Wall-clock time, where the compiler's CPU time is not known. On a full CPU most of it is waiting."""


class JvmRemark(msgspec.Struct, frozen=True):
    """In `trials` of `of` trials the JVM spent more than `WORTH_A_REMARK` on that work."""

    work: JvmWork
    trials: int
    of: int


class ConnectionsServed(msgspec.Struct, frozen=True):
    """The number of connections that were served at a time."""

    served: int
    of: int


class Note(msgspec.Struct, frozen=True):
    """What a reader of valid trials should know: messages that all have the same code."""

    messages: tuple[Message, ...]


class StolenTime(msgspec.Struct, frozen=True):
    """The range of the shares of CPU time that the hypervisor gave to others in the disturbed trials."""

    low: float
    high: float


class SecondsLeftOut(msgspec.Struct, frozen=True):
    """Of `of` seconds of an open load `left_out` were not clean: latencies are of the others."""

    left_out: int
    of: int


Remark = Failure | Note | StolenTime | SecondsLeftOut | ConnectionsServed | JvmRemark


def notes_of(trials: Iterable[Trial]) -> Iterator[Note]:
    """Yield the notes on valid trials, one for each code."""
    found: dict[str, list[Message]] = {}
    for trial in trials:
        for message in trial.verdict.notes:
            found.setdefault(message.code, []).append(message)
    yield from (Note(tuple(same)) for same in found.values())


def stolen_remarks(trials: Iterable[Trial]) -> Iterator[StolenTime]:
    """Yield what the hypervisor gave to others in the disturbed trials, if there are any."""
    if stolen := stolen_shares(trials):
        yield StolenTime(min(stolen), max(stolen))


def left_out_remarks(trials: Iterable[Trial]) -> Iterator[SecondsLeftOut]:
    """Yield how many seconds of these trials were not clean, if there are any."""
    counted = [second.counted for trial in trials if trial.outcome for second in trial.outcome.per_second]
    if not all(counted):
        yield SecondsLeftOut(counted.count(False), len(counted))


def jvm_remarks(valid: Sequence[Trial]) -> Iterator[JvmRemark]:
    """Yield what the JVM did besides its work for more than `WORTH_A_REMARK` of the time, and in how many of the
    trials. Where the CPU time of the JIT is not known, its wall-clock time is used."""
    told = [(trial, trial.jvm, trial.watched_seconds) for trial in valid if trial.jvm]
    by_clock = [each for each in told if _jit_share(each[0]) is None]
    counts = {
        JvmWork.GC: sum(jvm.gc_seconds > WORTH_A_REMARK * seconds for _, jvm, seconds in told),
        JvmWork.JIT_OF_CPU_TIME: sum((_jit_share(trial) or 0) > WORTH_A_REMARK for trial in valid),
        JvmWork.JIT_OF_TIME: sum(jvm.jit_seconds > WORTH_A_REMARK * seconds for _, jvm, seconds in by_clock),
    }
    yield from (JvmRemark(work, count, len(valid)) for work, count in counts.items() if count)


def _jit_share(trial: Trial) -> float | None:
    return trial.usage.jit_share if trial.usage else None
