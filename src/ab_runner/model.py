"""The words of the toolkit as plain frozen data: no I/O, no behaviour beyond small derived values.

Everything that is stored (`StartRecord` … `Trial`, `Sweep`) is a `msgspec.Struct`, so that its JSON form is
this file and nothing else; docs/formats.md describes it for readers who do not read Python.
"""

from __future__ import annotations

import datetime
from typing import Annotated, Literal, TypeGuard

from msgspec import Meta, Struct

FORMAT = 1
"""Version of sweep.json, trials.jsonl and server.toml. It changes when an old reader would misread a new file."""

IoModel = Literal[
    "blocking thread pool",
    "NIO reactor",
    "event loop",
    "process per connection",
    "thread per connection",
    "virtual threads",
]
Kind = Literal["jvm", "debian", "c"]
"""How it is built: by Maven, not at all (a package of Debian's), or by the C compiler."""
JDKS = (8, 17, 25)
"""The JDKs that there are images for."""
DEFAULT_JDK = 25
Lack = Literal["http-1.0", "keep-alive", "close", "head", "long-header", "many-connections"]
"""What some server cannot do of what is asked of all: answer HTTP/1.0, keep an HTTP/1.0 connection open, close one that
is to be closed, answer HEAD, take a header of 8 KB, answer all of a thousand connections that come at once. Tests hold
each server to what it does not name."""
WorkloadName = Literal["echo", "small", "small-keepalive", "large"]
ProtocolName = Literal["2006", "standard", "quick"]
Limit = Literal["generator", "server", "machine"]
"""Whose CPUs were full in a trial; `machine` where server and generator shared them."""


# --- what is measured ------------------------------------------------------------------------------------------


class Needs(Struct, frozen=True, forbid_unknown_fields=True):
    """What a server of Debian's needs on a host without Docker: the program that runs, and the packages with it."""

    command: str
    packages: tuple[str, ...]
    conflicts: str | None = None
    """A package of Debian's, needed for a sweep, that these packages cannot stand beside."""


class Artifact(Struct, frozen=True, forbid_unknown_fields=True):
    """A file that a server needs and that no package registry has. It is kept in the user's cache, never in the
    repository or an image."""

    file: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
    bytes: Annotated[int, Meta(gt=0)]
    licence: str
    url: Annotated[str, Meta(pattern=r"^https://")]

    @property
    def cached_as(self) -> str:
        """Its name in the cache, where versions of one file must not overwrite each other."""
        return f"{self.sha256}-{self.file}"


class Server(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One system under test, as its server.toml describes it. `id` is the name of its folder."""

    id: str
    summary: str
    family: str
    version: str
    released: datetime.date
    io_model: IoModel
    workloads: tuple[WorkloadName, ...]
    kind: Kind
    program: str
    """The folder whose build it runs; another server's for a variant."""
    environment: dict[str, str] = {}
    needs: Needs | None = None
    artifacts: tuple[Artifact, ...] = ()
    """What its class path needs beside what Maven finds."""
    jdk_at_least: int = 8
    """The oldest Java release that it runs on."""
    published: str | None = None
    """The server of the 2006 tables that it stands for."""
    cannot: tuple[str, ...] = ()
    """What a reader of its figures should know."""
    lacks: tuple[Lack, ...] = ()
    untestable: dict[WorkloadName, str] = {}
    """Workloads that it serves in its own way, and why ab cannot measure them. Tables show `-` and say so."""

    @property
    def era(self) -> int:
        return self.released.year


class Workload(Struct, frozen=True):
    """What is asked of a server. `length` is the body's, in bytes; None where the answer depends on the request."""

    name: WorkloadName
    path: str
    fixture: str | None
    length: int | None
    keep_alive: bool
    summary: str


WORKLOADS: tuple[Workload, ...] = (
    Workload("echo", "/echo", None, None, False, "the request's head comes back; a connection per request"),
    Workload("small", "/small.html", "small.html", 100, False, "a file of 100 bytes; a connection per request"),
    Workload("small-keepalive", "/small.html", "small.html", 100, True, "a file of 100 bytes; connections kept open"),
    Workload("large", "/large.bin", "large.bin", 947_111, False, "a file of 947,111 bytes; a connection per request"),
)


WARM_UP_CONCURRENCY = 10
"""Every warm-up begins at this concurrency, as it did in 2006."""
REFERENCE = "ceiling"
"""The server that is measured before and after each sweep, to see whether the machine stayed as fast as it was."""
BEFORE, AFTER = 0, -1
"""The blocks of these two measurements; those of the sweep itself count from 1."""


class Cell(Struct, frozen=True, order=True):
    """One place in the tables."""

    server: str
    workload: WorkloadName
    concurrency: int


# --- what a generator said -------------------------------------------------------------------------------------


class Failures(Struct, frozen=True):
    """ab's four counts of failed requests. With -r a reset counts up to three times (receive, length, exceptions)."""

    connect: int = 0
    receive: int = 0
    length: int = 0
    exceptions: int = 0

    @property
    def at_least(self) -> int:
        """The smallest number of requests that can have failed, given that one may be counted in several places."""
        return self.connect + max(self.receive, self.length, self.exceptions)


class LoadReport(Struct, frozen=True, kw_only=True):
    """The figures that one run of ab printed. With -r, `complete` counts failed requests too.

    `seconds` is the time that ab took; `percentiles` maps a percentage (0 to 100) to the time in milliseconds within
    which that share of the requests was served. `keep_alive` is None when ab was not asked to keep connections open.
    """

    tool: str
    """ab's version line, such as `2.3 <$Revision: 1923142 $>`."""
    document_length: int
    concurrency: int
    seconds: float
    complete: int
    failures: Failures
    write_errors: int
    non_2xx: int
    keep_alive: int | None
    total_bytes: int
    html_bytes: int
    requests_per_second: float
    percentiles: dict[int, float] = {}


class LoadError(Struct, frozen=True):
    """Why one run of ab ended without figures."""

    reason: str
    """A few words for a cell: `timeout`, `reset`, `refused` …; `ab.parse` knows them all."""
    detail: str
    """ab's own line."""
    completed: int | None = None
    """Requests that were done by then, where ab said so."""


class Verdict(Struct, frozen=True):
    """Does a trial count? `reason` says in a few words why not; `notes` what a reader of a valid figure should know."""

    valid: bool
    reason: str | None = None
    notes: tuple[str, ...] = ()


# --- what is asked for -----------------------------------------------------------------------------------------


class Load(Struct, frozen=True):
    """How much load: a number of requests or a time in seconds, never both."""

    requests: int | None = None
    seconds: int | None = None

    @property
    def text(self) -> str:
        return f"{self.seconds} s" if self.seconds is not None else f"{self.requests:,} requests"


class WarmUp(Struct, frozen=True):
    """Load that is not counted. By requests: so many of each workload. By time: windows of a second, in turns over all
    workloads, for `load.seconds` in all; with `steady` until the server is warm, after `load.seconds` at the earliest
    and `at_most` seconds at the latest."""

    load: Load
    steady: bool = False
    at_most: int | None = None


class Protocol(Struct, frozen=True, kw_only=True):
    """How warm-up, length and repeats are chosen. `large_` is for the large file, where a request is worth many."""

    name: ProtocolName
    warm_up: WarmUp
    large_warm_up: WarmUp
    trial: Load
    large_trial: Load
    blocks: int
    idle_timeout: int
    """Seconds without any progress after which ab gives a run up."""

    def warm_up_of(self, workload: str) -> WarmUp:
        return self.large_warm_up if workload == "large" else self.warm_up

    def trial_of(self, workload: str) -> Load:
        return self.large_trial if workload == "large" else self.trial


class Asked(Struct, frozen=True, kw_only=True):
    """What a sweep was asked to do, after all defaults were filled in."""

    protocol: Protocol
    servers: tuple[str, ...]
    workloads: tuple[WorkloadName, ...]
    concurrency: tuple[int, ...]
    runtime: str
    network: str
    seed: int
    precision: float | None = None
    """Blocks are added until half the width of every interval is this share of its figure; None for no more blocks
    than the protocol has."""
    budget: int | None = None
    """Seconds after which no more blocks are added."""
    generators: int = 1
    """ab processes that share each trial's connections."""
    jdk: int | None = None
    """What all JVM servers run on. None: the host has none, or the sweep was made before this was recorded."""


# --- what is stored --------------------------------------------------------------------------------------------


class Machine(Struct, frozen=True, kw_only=True):
    """The facts about the host that a figure depends on."""

    hostname: str
    system: str
    kernel: str
    architecture: str
    cpu_model: str
    cpus: int
    memory_bytes: int
    open_files: int
    sysctls: dict[str, str]


class Conditions(Struct, frozen=True, kw_only=True):
    """What about the host may spoil a measurement, as it was before the first trial. None or empty: not to be known."""

    governors: tuple[str, ...]
    """The frequency governors of the CPUs, each once."""
    turbo: bool | None
    swap_used_bytes: int
    busy_cores: float
    """CPU seconds per second that were spent while nothing was measured."""
    stolen: float
    """The share of all CPU time that the hypervisor gave to others."""
    cpu_quota: float | None
    """Cores that a cgroup around the runner allows."""


class Sweep(Struct, frozen=True, kw_only=True):
    """sweep.json: written once, when the sweep starts. What happens afterwards is in trials.jsonl."""

    id: str
    started: Annotated[datetime.datetime, Meta(tz=True)]
    asked: Asked
    machine: Machine
    conditions: Conditions | None = None
    server_cpus: tuple[int, ...]
    """CPUs that servers are pinned to; empty where nothing is pinned."""
    generator_cpus: tuple[int, ...]
    environment: dict[str, str]
    """Versions of what takes part: ab, Docker, the toolkit."""
    fixtures: dict[str, str]
    """File name to sha256."""
    servers: tuple[Server, ...]
    reference: Server | None = None
    """The server of the blocks `BEFORE` and `AFTER`; None where it cannot run."""
    left_out: dict[str, str] = {}
    """Servers that were asked for and cannot run here, with the reason; the reference too, if it cannot."""
    format: Literal[1] = 1

    @property
    def everyone(self) -> tuple[Server, ...]:
        """The servers, and the reference if it is not one of them."""
        if self.reference is None or any(server.id == self.reference.id for server in self.servers):
            return self.servers
        return (*self.servers, self.reference)


class StartRecord(Struct, frozen=True, kw_only=True, tag="start", tag_field="record"):
    """A server was started. `error` says why it never became ready; `seconds` is the time that it took or was given."""

    block: int
    server: str
    start: int
    """The number of this start within the sweep, from 1: it tells apart the trials before and after a restart."""
    at: datetime.datetime
    seconds: float
    environment: dict[str, str] = {}
    """What was really started: version of the JVM or package, image id, the network's settings inside."""
    error: str | None = None


class WarmUpTurns(Struct, frozen=True):
    """The windows of one load in a warm-up: `rates` are requests per second, one for each window."""

    workload: WorkloadName
    concurrency: int
    rates: tuple[float, ...]


class WarmUpRecord(Struct, frozen=True, kw_only=True, tag="warm-up", tag_field="record"):
    """The warm-up of one start: windows of a second, in turns over all workloads. A cycle is one window of each."""

    block: int
    server: str
    start: int
    at: datetime.datetime
    turns: tuple[WarmUpTurns, ...] = ()
    jit_shares: tuple[float | None, ...] = ()
    """For each cycle, the JIT compiler's CPU time as a share of the server's; None where it is not known. A cycle has
    as many windows as there are turns; the last may be shorter."""
    steady: bool | None = None
    """Did the compiler become quiet and the rates steady? None where that was not looked at."""
    error: str | None = None
    wall_seconds: float | None = None
    """What ab's runs took together; None in older files."""
    workload: WorkloadName | None = None
    """Older files have a record for each workload, with its windows in `rates` instead of `turns`."""
    rates: tuple[float, ...] = ()

    @property
    def loads(self) -> tuple[WarmUpTurns, ...]:
        """What was measured, in old and new files alike."""
        if self.workload is None:
            return self.turns
        return (WarmUpTurns(self.workload, WARM_UP_CONCURRENCY, self.rates),)


class Usage(Struct, frozen=True, kw_only=True):
    """What a trial took of the machine. Cores and CPUs are seconds per second while the load was on, without what ab
    does before and after it; None where that was too short to tell. Other None: this system does not show it."""

    server_cpu_seconds: float
    """In the whole trial, with the kernel's work for it."""
    generator_cpu_seconds: float
    server_cores_busy: float | None
    generator_cores_busy: float | None
    server_cpus_idle: float | None
    """How many of the CPUs that it may use had nothing to do, for anybody."""
    generator_cpus_idle: float | None
    server_cpus_interrupts: float | None
    """How many of them served interrupts."""
    generator_cpus_interrupts: float | None
    busiest_thread: float | None
    """The cores busy of the server's busiest thread."""
    peak_memory_bytes: int | None
    """The most that the server had of its own at any of some ten looks a second."""
    context_switches: int | None
    """Of the server's threads that lived at the end."""
    jit_cpu_seconds: float | None = None
    """Of a JVM's compiler threads; None where there are none to be seen."""

    @property
    def jit_share(self) -> float | None:
        """The JIT compiler's part of the server's CPU time, from 0 to 1; None where it is not known."""
        if self.jit_cpu_seconds is None or not self.server_cpu_seconds:
            return None
        return self.jit_cpu_seconds / self.server_cpu_seconds


class JvmActivity(Struct, frozen=True, kw_only=True):
    """What a JVM did beside its work while a trial ran, by its own counters."""

    gc_count: int
    gc_seconds: float
    """How long collections stopped it; what they do beside the application does not count."""
    jit_seconds: float
    """How long its compiler threads took, each by the clock, for what they finished in the trial: where the CPU was
    full, that is mostly how long they waited for it."""
    heap_after_gc_bytes: int | None
    """What the last collection before the trial's end left on the heap; None if there was none since the start."""


class Ground(Struct, frozen=True, kw_only=True):
    """What earlier trials had left when this one began; None where it is not to be known."""

    time_wait: int | None
    """Closed connections in the server's network namespace whose ports are not free yet."""
    runnable: int | None
    """Threads of the machine that wanted a CPU; one of them is the runner's."""
    waited: float
    """Seconds that the runner gave them to go."""


class Trial(Struct, frozen=True, kw_only=True, tag="trial", tag_field="record"):
    """One run of the generator against one cell. Exactly one of `report` and `error` is there."""

    block: int
    server: str
    workload: WorkloadName
    concurrency: int
    start: int
    at: datetime.datetime
    command: tuple[str, ...]
    exit_code: int
    report: LoadReport | None
    error: LoadError | None
    verdict: Verdict
    raw: str
    """Name of the file in raw/ that holds what ab printed."""
    milliseconds: dict[int, int] = {}
    """Requests by their time in whole milliseconds; empty where ab ended without figures."""
    wall_seconds: float | None = None
    """What ab's whole run took: with its start, and the sorting and counting after the load; None in older files."""
    jdk: int | None = None
    """What the server ran on; None for one that is not written in Java."""
    usage: Usage | None = None
    limit: Limit | None = None
    jvm: JvmActivity | None = None
    ground: Ground | None = None
    lead_in_seconds: float | None = None
    """What the load before it took, which is not counted; None where there was none, and in older files."""
    samples: int | None = None
    """Answers that the runner asked for during the trial and compared byte by byte; None in older files."""


class ColdTrial(Struct, frozen=True, kw_only=True, tag="cold-trial", tag_field="record"):
    """A trial that was made while the server's JIT compiler was still at work, and made once more: the cell's record is
    the next one. It is kept so that nothing is lost, and no table counts it."""

    trial: Trial


class NotMeasured(Struct, frozen=True, kw_only=True, tag="not-measured", tag_field="record"):
    """A cell that got no trial in this block, and why: a few words for the table, and the whole story."""

    block: int
    server: str
    workload: WorkloadName
    concurrency: int
    reason: str
    detail: str = ""


class ResumeRecord(Struct, frozen=True, kw_only=True, tag="resume", tag_field="record"):
    """The sweep goes on after it was interrupted; `differences` says what is no longer as it was."""

    at: datetime.datetime
    differences: tuple[str, ...] = ()


class EndRecord(Struct, frozen=True, kw_only=True, tag="end", tag_field="record"):
    """The sweep ended, for now or for good; `reason` is `finished`, `interrupted` or what stopped it."""

    at: datetime.datetime
    reason: str


Record = StartRecord | WarmUpRecord | Trial | ColdTrial | NotMeasured | ResumeRecord | EndRecord
CellRecord = Trial | NotMeasured


def is_valid(record: Record) -> TypeGuard[Trial]:
    """Is it a trial whose figures count?"""
    return isinstance(record, Trial) and record.verdict.valid


def cell_of(record: CellRecord) -> Cell:
    return Cell(record.server, record.workload, record.concurrency)


def workload(name: WorkloadName) -> Workload:
    return _WORKLOADS_BY_NAME[name]


_WORKLOADS_BY_NAME = {each.name: each for each in WORKLOADS}
