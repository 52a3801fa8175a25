"""What a sweep stores: sweep.json and the records of trials.jsonl. docs/formats.md describes them."""

from __future__ import annotations

from typing import Annotated, TypeGuard

from msgspec import Meta, Struct, field

from ab_runner.model.limits import (
    SERVERS_AT_MOST,
    WORKLOADS_AT_MOST,
    Amount,
    Connections,
    Count,
    Level,
    Moment,
    Real,
    Whole,
)
from ab_runner.model.load import Limit, Outcome
from ab_runner.model.message import Message, Skip, Verdict
from ab_runner.model.protocol import WARM_UP_CONCURRENCY, SweepRequest
from ab_runner.model.resources import Cooldown, JvmActivity, Usage
from ab_runner.model.server import Server
from ab_runner.model.workload import Workload, WorkloadName

FORMAT = 2
"""Version of sweep.json and trials.jsonl. A reader reads this version and older ones. It ignores fields and kinds of
records that it does not know, so these can be added; the version is raised where that would misread a file."""
BEFORE, AFTER = 0, -1
"""The blocks in which the reference is measured; those of the sweep itself count from 1."""


class Cell(Struct, frozen=True, order=True):
    """One place in the tables."""

    server: str
    workload: WorkloadName
    level: int
    """What the sweep's axis counts: connections, unless its load is open."""


class Machine(Struct, frozen=True, kw_only=True):
    """The facts about the host that a figure depends on."""

    hostname: str
    system: str
    kernel: str
    architecture: str
    cpu_model: str
    cpus: Count
    memory_bytes: Count
    open_files: Whole
    sysctls: dict[str, str]


class Conditions(Struct, frozen=True, kw_only=True):
    """Conditions of the host that may spoil a measurement, before the first trial. None or empty: not known."""

    governors: tuple[str, ...]
    """The frequency governors of the CPUs, each once."""
    turbo: bool | None
    swap_used_bytes: Count
    busy_cores: Real
    """CPU seconds per second that were spent while nothing was measured."""
    stolen: Real
    """The share of all CPU time that the hypervisor gave to others."""
    cpu_quota: Real | None
    """Cores that a cgroup around the runner allows."""


class Outside(Struct, frozen=True):
    """Where a server from outside the repository came from: its folder, and the sha256 of its image or its files."""

    folder: str
    program: str


class Sweep(Struct, frozen=True, kw_only=True):
    """sweep.json: written once, when the sweep starts. What happens afterwards is in trials.jsonl."""

    id: str
    started: Moment
    request: SweepRequest = field(name="asked")
    machine: Machine
    conditions: Conditions | None = None
    server_cpus: tuple[Count, ...]
    """CPUs that servers are pinned to; empty where nothing is pinned."""
    generator_cpus: tuple[Count, ...]
    environment: dict[str, str]
    """The versions of ab, Docker, the toolkit and other tools."""
    fixtures: dict[str, str]
    """File name to sha256."""
    workloads: Annotated[tuple[Workload, ...], Meta(max_length=WORKLOADS_AT_MOST)] = ()
    """Those of the request, as they were asked of its servers."""
    servers: Annotated[tuple[Server, ...], Meta(max_length=SERVERS_AT_MOST)]
    outside: dict[str, Outside] = {}
    """Those of the servers that are from outside the repository."""
    reference: Server | None = None
    """The server of the blocks `BEFORE` and `AFTER`; None where it cannot run."""
    skipped: dict[str, Skip] = field(name="left_out", default_factory=dict)
    """Requested servers that cannot run here; the reference too, if it cannot run."""
    format: int = FORMAT

    def workload(self, name: WorkloadName) -> Workload:
        """Return what is known of a workload: the name alone where the sweep has no more."""
        return next((each for each in self.workloads if each.name == name), Workload(name=name))

    @property
    def cpus_of_a_server(self) -> int:
        """The number of CPUs that a server may use: all of the machine where nothing is pinned."""
        return len(self.server_cpus) or self.machine.cpus

    @property
    def everyone(self) -> tuple[Server, ...]:
        """The servers, and the reference if it is not one of them."""
        if self.reference is None or any(server.id == self.reference.id for server in self.servers):
            return self.servers
        return (*self.servers, self.reference)


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
    """The warm-up of one start: windows of a second, in turns over all workloads. A cycle is one window of each."""

    block: Whole
    server: str
    start: Count
    at: Moment
    turns: tuple[WarmUpTurns, ...] = ()
    jit_shares: tuple[Real | None, ...] = ()
    """For each cycle, the JIT compiler's CPU time as a share of the server's; None where it is not known. A cycle has
    as many windows as there are turns; the last may be shorter."""
    steady: bool | None = None
    """Whether the compiler became quiet and the rates steady. None where that was not checked."""
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
    """The search for the highest rate at which a server meets an SLO. `met` is that rate, 0 if there is none; `missed`
    is the lowest rate above it at which the SLO was not met, None if it was met at all."""

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
    """Where a capacity was searched for; the trial's outcome is that of the highest rate at which the SLO was
    met."""
    samples: Count | None = None
    """Answers that the runner requested during the trial and compared byte by byte; None in older files."""

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


COLD, DISTURBED = "cold", "disturbed"
"""Why trials are made again: the server's JIT compiler was still at work, or the hypervisor gave CPU time to others."""


class RepeatedTrial(Struct, frozen=True, kw_only=True, tag="repeated-trial", tag_field="record"):
    """A trial that was made twice, or more often: the cell's record is another one. It is kept so that nothing is lost,
    and no table counts it."""

    trial: Trial
    reason: str
    """`COLD` or `DISTURBED`."""


PEAK, STEP = "peak", "step"
"""What a cell's figure rests on: the closed load whose rate is a server's peak, and the steps of a search."""


class SupportingTrial(Struct, frozen=True, kw_only=True, tag="supporting-trial", tag_field="record"):
    """A trial on which the figure of a cell rests, beside that of the cell itself. It is kept so that nothing is lost,
    and no table counts it. The trial of a cell is one of its steps, with the search."""

    trial: Trial
    role: str
    """`PEAK` or `STEP`."""


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


class NotMeasured(_OfCell, frozen=True, kw_only=True, tag="not-measured", tag_field="record"):
    """A cell that got no trial in this block, and why."""

    reason: Message


class ResumeRecord(Struct, frozen=True, kw_only=True, tag="resume", tag_field="record"):
    """The sweep is resumed after an interruption; `differences` says what has changed."""

    at: Moment
    differences: tuple[str, ...] = ()


class EndRecord(Struct, frozen=True, kw_only=True, tag="end", tag_field="record"):
    """The sweep ended, for now or for good; `reason` is `finished`, `interrupted` or what stopped it."""

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
    | ResumeRecord
    | EndRecord
)
CellRecord = Trial | NotMeasured


def is_valid(record: Record) -> TypeGuard[Trial]:
    """Return whether it is a trial with a valid result."""
    return isinstance(record, Trial) and record.verdict.valid


def cell_of(record: CellRecord) -> Cell:
    return Cell(record.server, record.workload, record.level)
