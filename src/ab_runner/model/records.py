"""The records of trials.jsonl, those of trials apart. docs/formats.md describes them."""

from __future__ import annotations

from typing import TypeGuard

from msgspec import Struct

from ab_runner.model.limits import (
    Amount,
    Connections,
    Count,
    Moment,
    Real,
    Whole,
)
from ab_runner.model.message import Message
from ab_runner.model.protocol import WARM_UP_CONCURRENCY
from ab_runner.model.sweep import Conditions, Machine
from ab_runner.model.trial import NotMeasured, RepeatedTrial, SupportingTrial, Trial
from ab_runner.model.workload import WorkloadName


class StartRecord(Struct, frozen=True, kw_only=True, tag="start", tag_field="record"):
    """A server was started. `error` says why it never became ready; `seconds` is the time that it took or was given."""

    block: Whole
    server: str
    start: Count
    """The number of this start within the sweep, from 1: it distinguishes the trials before and after a restart."""
    at: Moment
    seconds: Amount
    environment: dict[str, str] = {}
    """What was really started: version of the JVM or package, image id, limits, the network's settings inside."""
    error: Message | None = None


class AnswerRecord(Struct, frozen=True, kw_only=True, tag="answer", tag_field="record"):
    """The head of the first right answer to the generator's request; once in a sweep for each server and workload."""

    block: Whole
    server: str
    start: Count
    workload: WorkloadName
    head: str
    """Its bytes as latin-1, with the empty line that ends it. A hostile server may have written anything."""
    head_bytes: Count
    body_bytes: Count


class WarmUpTurns(Struct, frozen=True):
    """The windows of one load in a warm-up: `rates` are requests per second, one for each window."""

    workload: WorkloadName
    concurrency: Connections
    rates: tuple[Real, ...]


class WarmUpRecord(Struct, frozen=True, kw_only=True, tag="warm-up", tag_field="record"):
    """The warm-up of one start: windows of a second or half of one, in turns over all workloads. A cycle is one window
    of each."""

    block: Whole
    server: str
    start: Count
    at: Moment
    turns: tuple[WarmUpTurns, ...] = ()
    jit_shares: tuple[Real | None, ...] = ()
    """For each cycle, the JIT compiler's CPU time as a share of the server's; None where it is not known. A cycle has
    as many windows as there are turns; the last may be shorter."""
    steady: bool | None = None
    """Whether the compiler became quiet. None where that was not checked."""
    error: Message | None = None
    wall_seconds: Amount | None = None
    """What ab's runs took together; None in older files."""
    workload: WorkloadName | None = None
    """Older files have a record for each workload, with its windows in `rates` instead of `turns`."""
    rates: tuple[Real, ...] = ()

    @property
    def loads(self) -> tuple[WarmUpTurns, ...]:
        """What was measured, in old and new files alike."""
        if self.workload is None:
            return self.turns
        return (WarmUpTurns(self.workload, WARM_UP_CONCURRENCY, self.rates),)


class VerificationRecord(Struct, frozen=True, kw_only=True, tag="verification", tag_field="record"):
    """Answers that were compared byte for byte after the trials of a start in a workload. `first_wrong` says what was
    wrong with the first wrong one."""

    block: Whole
    server: str
    start: Count
    workload: WorkloadName
    seconds: Amount
    compared: Count
    wrong: Count = 0
    first_wrong: Message | None = None


class NodeRecord(Struct, frozen=True, kw_only=True, tag="node", tag_field="record"):
    """A block begins on a node of a swarm. What the log has of this block from another node counts no more: a block is
    of one machine."""

    block: Whole
    node: str
    """The name of its machine."""
    job: Count
    """The number of the job that runs it there."""
    at: Moment
    machine: Machine
    conditions: Conditions
    server_cpus: tuple[Count, ...]
    generator_cpus: tuple[Count, ...]
    environment: dict[str, str]
    """The versions of what takes part there."""


class ResumeRecord(Struct, frozen=True, kw_only=True, tag="resume", tag_field="record"):
    """The sweep is resumed after an interruption; `differences` says what has changed."""

    at: Moment
    differences: tuple[str, ...] = ()


FINISHED = "finished"
"""The end of a sweep that was not stopped."""


class EndRecord(Struct, frozen=True, kw_only=True, tag="end", tag_field="record"):
    """The sweep ended, for now or for good; `reason` is `FINISHED`, `interrupted` or what stopped it."""

    at: Moment
    reason: str


Record = (
    StartRecord
    | AnswerRecord
    | WarmUpRecord
    | Trial
    | RepeatedTrial
    | SupportingTrial
    | VerificationRecord
    | NotMeasured
    | NodeRecord
    | ResumeRecord
    | EndRecord
)


def is_valid(record: Record) -> TypeGuard[Trial]:
    """Return whether it is a trial with a valid result."""
    return isinstance(record, Trial) and record.verdict.valid
