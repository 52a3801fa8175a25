"""Trials: what is stored of a cell in a block, and on what its figure rests. docs/formats.md describes them."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType, field

from ab_runner.model.limits import (
    Amount,
    Count,
    Level,
    Moment,
    Real,
    Whole,
)
from ab_runner.model.load import Limit, Outcome
from ab_runner.model.message import Message, Verdict
from ab_runner.model.resources import Cooldown, Course, HostLoad, JvmActivity, Usage
from ab_runner.model.workload import WorkloadName

COURSE_SECONDS = 10
"""What happens in each second is recorded and shown of trials with a load of so many seconds or more."""
BEFORE, AFTER = 0, -1
"""The blocks in which the reference is measured; those of the sweep itself count from 1."""


class Cell(Struct, frozen=True, order=True):
    """One place in the tables."""

    server: str
    workload: WorkloadName
    level: int
    """What the sweep's axis counts: connections, unless its load is open."""


class Step(Struct, frozen=True, kw_only=True):
    """A rate that a search for a capacity tried. `latency` is the percentile of the SLO in milliseconds; None where no
    request was answered. `reason` says why the SLO was not met, None if it was."""

    rate: Count
    latency: Amount | None
    answers_per_second: Amount
    reason: Message | None
    limit: Limit | None = None
    stolen_share: Real | None = None
    """As in `Usage`. None in older files too."""


class Search(Struct, frozen=True, kw_only=True):
    """The search for the rate at which half of a server's trials meet an SLO. `met` is the highest rate of a step that
    met it, 0 if there is none; `missed` is the lowest rate above it that was tried, None if there is none. Older
    searches tried no rate twice."""

    met: Count
    missed: Count | None
    steps: tuple[Step, ...]


class _OfCell(Struct, frozen=True, kw_only=True):
    """A record of one cell in one block. `batch` is the number of the batch in the sweep, from 1: the servers that ran
    at the same time, whose trials alternated. None where each server ran alone, and in older files."""

    block: Whole
    server: str
    workload: WorkloadName
    level: Level = field(name="concurrency")
    batch: Count | None = None

    @property
    def is_reference_check(self) -> bool:
        """Whether it is one of the reference, before or after the sweep's own blocks."""
        return self.block in (BEFORE, AFTER)

    @property
    def measured_with(self) -> int:
        """What the servers have in common that were measured under the same conditions: the batch, or the block."""
        return self.block if self.batch is None else self.batch


class Trial(_OfCell, frozen=True, kw_only=True, tag="trial", tag_field="record"):
    """One run of the generator against one cell. Without an `outcome` the verdict says why there is none."""

    start: Count
    at: Moment
    command: tuple[str, ...]
    exit_code: Whole
    outcome: Outcome | None
    verdict: Verdict
    raw: str
    """Name of the file in raw/ that holds what the generator printed."""
    wall_seconds: Amount | None = None
    """What ab's whole run took: with its start, and the sorting and counting after the load; None in older files."""
    jdk: Count | None = None
    """What the server ran on; None for one that is not written in Java."""
    usage: Usage | None = None
    limit: Limit | None = None
    jvm: JvmActivity | None = None
    cooldown: Cooldown | None = field(name="ground", default=None)
    lead_in_seconds: Amount | None = None
    """What the load before it took, which is not counted; None where there was none, and in older files."""
    peak: Amount | None = None
    """Requests per second of a closed load of 100 connections at the same start, where the rate of an open load comes
    from it."""
    search: Search | None = None
    """Where a capacity was searched for; the trial's outcome is that of a step at the highest rate of those that met
    the SLO."""
    samples: Count | None = None
    """Answers that the runner requested during the trial and compared byte by byte; None in older files."""
    course: Course | UnsetType = UNSET
    """Of a closed load of `COURSE_SECONDS` or more; the records of other trials do not mention it."""
    load_hosts: tuple[HostLoad, ...] | UnsetType = UNSET
    """Those that made its load; the records of trials without any do not mention it."""

    @property
    def watched_seconds(self) -> float:
        """The time that `usage` and `jvm` are about: that of the load, of an open one with its lead-in. 0 without an
        outcome."""
        if self.outcome is None:
            return 0.0
        return self.outcome.seconds + (self.lead_in_seconds or 0.0 if self.is_open else 0.0)

    @property
    def is_open(self) -> bool:
        """Whether it has the outcome of an open load."""
        return self.outcome is not None and self.outcome.arrivals is not None


COLD, DISTURBED, MOVED = "cold", "disturbed", "moved"
"""Why trials are made again: the server's JIT compiler was still at work, the hypervisor gave CPU time to others, or
their block went to another node."""


class RepeatedTrial(Struct, frozen=True, kw_only=True, tag="repeated-trial", tag_field="record"):
    """A trial that was made twice, or more often: the cell's record is another one. It is kept so that nothing is lost,
    and no table counts it."""

    trial: Trial
    reason: str
    """`COLD` or `DISTURBED`; `MOVED` is not stored, but what the reader makes of the trials of a block that moved."""


PEAK, STEP = "peak", "step"
"""What a cell's figure rests on: the closed load whose rate is a server's peak, and the steps of a search."""


class SupportingTrial(Struct, frozen=True, kw_only=True, tag="supporting-trial", tag_field="record"):
    """A trial on which the figure of a cell rests, beside that of the cell itself. It is kept so that nothing is lost,
    and no table counts it. The trial of a cell is one of its steps, with the search."""

    trial: Trial
    role: str
    """`PEAK` or `STEP`."""


class NotMeasured(_OfCell, frozen=True, kw_only=True, tag="not-measured", tag_field="record"):
    """A cell that got no trial in this block, and why."""

    reason: Message


CellRecord = Trial | NotMeasured


def cell_of(record: CellRecord) -> Cell:
    return Cell(record.server, record.workload, record.level)
