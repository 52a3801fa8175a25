"""How a sweep measures, and what it was asked to measure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta, Struct, field, structs

from ab_runner.model.axis import Axis, OpenLoad
from ab_runner.model.limits import (
    BLOCKS_AT_MOST,
    SERVERS_AT_MOST,
    WORKLOADS_AT_MOST,
    Count,
    Cpus,
    Level,
    Name,
    Real,
    Whole,
)
from ab_runner.model.load import Load
from ab_runner.model.workload import Workload, WorkloadName

ProtocolName = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=63)]
SweepName = ProtocolName
"""Of one of a study's sweeps."""
StudyId = Annotated[str, Meta(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*\Z", max_length=63)]
DEFAULT_STUDY = "cindy-2006"
"""What a sweep stands beside that names no study, and stood beside before there was another one."""
CONTEXT_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,62}\Z"
"""The names of Docker contexts."""
ContextName = Annotated[str, Meta(pattern=CONTEXT_PATTERN)]
LOAD_HOSTS_AT_MOST = 64
REGISTRY_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9][a-z0-9._-]*)*\Z"
"""A registry as Docker names it, with or without a path."""
Registry = Annotated[str, Meta(pattern=REGISTRY_PATTERN, max_length=255)]
FROM_HOSTS = "hosts"
"""The network of a sweep whose load comes from other hosts."""
RUNTIMES = ("auto", "docker", "process")
"""Where servers and generators are asked to run. `auto`: Docker where its engine answers, else processes."""
DEFAULT_GENERATOR = "ab"
"""What makes closed loads, and made those of all sweeps before this was a choice."""
WARM_UP_CONCURRENCY = 10
"""Every warm-up begins at this concurrency, as it did in 2006."""


class WarmUp(Struct, frozen=True):
    """Load that is not counted. By requests: so many of each workload. By time: windows of at most a second, in turns
    over all workloads, for `load.seconds` in all; with `steady` until the server is warm, after `load.seconds` at
    the earliest and `at_most` seconds at the latest."""

    load: Load
    steady: bool = False
    at_most: Count | None = None
    is_none: bool = False
    """Servers are measured as they start: that is what the sweep is about, and no trial counts as cold."""
    connections: Count | None = None
    """Those of all its load. None: 10, and 100 where the sweep has so many."""
    workload: WorkloadName | None = None
    """What warms a server up for all workloads. None: each of them."""


class Lengths(Struct, frozen=True):
    """How much load there is of one workload."""

    warm_up: WarmUp
    trial: Load


class Protocol(Struct, frozen=True, kw_only=True):
    """How warm-up, length and repeats are chosen."""

    name: ProtocolName
    warm_up: WarmUp
    trial: Load
    by_workload: Annotated[dict[WorkloadName, Lengths], Meta(max_length=WORKLOADS_AT_MOST)] = {}
    """In place of both, of workloads in which a request is worth many."""
    blocks: Annotated[int, Meta(ge=1, le=BLOCKS_AT_MOST)]
    together: Annotated[int, Meta(ge=1, le=SERVERS_AT_MOST)] = 1
    """The most servers that are started and warmed up together, in a batch. Their trials alternate, and while one of
    them is measured the others are paused."""
    idle_timeout: Count
    """Seconds without any progress after which the generator gives a run up."""
    failures_at_most: Real = 0.0
    """The share of requests that may fail in a valid trial."""

    def warm_up_of(self, workload: str) -> WarmUp:
        return self.by_workload[workload].warm_up if workload in self.by_workload else self.warm_up

    def trial_of(self, workload: str) -> Load:
        return self.by_workload[workload].trial if workload in self.by_workload else self.trial

    @property
    def trials(self) -> tuple[Load, ...]:
        """The loads of trials, whatever the workload."""
        return (self.trial, *(each.trial for each in self.by_workload.values()))

    @property
    def warm_ups(self) -> tuple[WarmUp, ...]:
        """The warm-ups, whatever the workload."""
        return (self.warm_up, *(each.warm_up for each in self.by_workload.values()))


NO_WARM_UP = WarmUp(Load(requests=0), is_none=True)
_UNTIL_WARM = WarmUp(Load(seconds=7), steady=True, at_most=30)

PROTOCOLS: dict[str, Protocol] = {
    "2006": Protocol(
        name="2006",
        warm_up=WarmUp(Load(requests=100_000)),
        trial=Load(requests=200_000),
        blocks=1,
        idle_timeout=30,
    ),
    "standard": Protocol(
        name="standard",
        warm_up=_UNTIL_WARM,
        trial=Load(seconds=1),
        blocks=6,
        together=12,
        idle_timeout=10,
    ),
    "quick": Protocol(
        name="quick",
        warm_up=_UNTIL_WARM,
        trial=Load(seconds=1),
        blocks=1,
        idle_timeout=10,
    ),
}


def for_workloads(protocol: Protocol, workloads: Iterable[Workload]) -> Protocol:
    """Return the protocol with the lengths of these workloads: where it counts requests, some have fewer."""
    if protocol.trial.requests is None:
        return protocol
    own = {workload.name: workload.by_requests for workload in workloads if workload.by_requests}
    by_workload = {
        name: Lengths(WarmUp(Load(requests=each.warm_up)), Load(requests=each.trial)) for name, each in own.items()
    }
    return structs.replace(protocol, by_workload=by_workload)


_OPEN_TRIALS = {"standard": Load(seconds=5), "quick": Load(seconds=2)}


def for_open_load(protocol: Protocol) -> Protocol:
    """Return the protocol with the trials of an open load, which are longer: p99 at 1,000 requests per second needs
    some seconds. One by requests is as it was."""
    trial = _OPEN_TRIALS.get(protocol.name)
    return structs.replace(protocol, trial=trial) if trial else protocol


class SweepRequest(Struct, frozen=True, kw_only=True):
    """What a sweep was asked to do, after all defaults were filled in."""

    protocol: Protocol
    servers: tuple[str, ...]
    workloads: Annotated[tuple[WorkloadName, ...], Meta(min_length=1, max_length=WORKLOADS_AT_MOST)]
    levels: Annotated[tuple[Level, ...], Meta(min_length=1)] = field(name="concurrency")
    """Rising. What they count is the `axis`."""
    open: OpenLoad | None = None
    """None: the load is closed."""
    runtime: str
    network: str
    """`loopback`, `bridge` or, where there are load hosts, `FROM_HOSTS`."""
    server_host: ContextName | None = None
    """The Docker context of the engine that servers run on. None: the one that the docker command takes by itself."""
    server_address: Annotated[str, Meta(max_length=255)] | None = None
    """The address or name at which load hosts find that host. None: by its engine's endpoint."""
    load_hosts: Annotated[tuple[ContextName, ...], Meta(max_length=LOAD_HOSTS_AT_MOST)] = ()
    """The Docker contexts of the engines that load comes from. None of them: it comes from beside the server."""
    swarm: bool = False
    """Whether whole blocks run on the nodes of a Docker swarm."""
    registry: Registry | None = None
    """Where these nodes get images from. None: from the engine that builds them."""
    seed: Whole
    precision: Real | None = None
    """Only of sweeps of older versions: blocks were added until half the width of every interval was this share of its
    figure. None: the sweep has the blocks of its protocol."""
    budget: Count | None = None
    """Seconds after which no more blocks were added."""
    generator: Name = DEFAULT_GENERATOR
    """The program that makes a closed load."""
    generators: Count = 1
    """Its processes or threads, which share each trial's connections; of several load hosts those of each."""
    server_cpus: Cpus | None = None
    """CPUs that a server is pinned to. None: all but those of the generators."""
    share_cpus: bool = False
    """Whether server and generator share all CPUs, and neither is pinned."""
    study: StudyId = DEFAULT_STUDY
    """The study whose published figures and conclusions the sweep stands beside."""
    study_sweep: SweepName | None = None
    """Which of the study's own sweeps it is. None: another one."""
    jdk: Count | None = None
    """What all JVM servers run on. None: the host has none, or the sweep was made before this was recorded."""

    @property
    def needs_docker(self) -> bool:
        """Whether it names engines, or nodes."""
        return self.server_host is not None or bool(self.load_hosts) or self.swarm

    @property
    def axis(self) -> Axis:
        """What the levels count."""
        return self.open.axis if self.open else "connections"

    @property
    def opened_before(self) -> int:
        """The connections that are opened before each trial's first request is due."""
        return self.open.opened_before if self.open else 0

    @property
    def failures_to_give_up(self) -> int:
        """The failed trials after which a cell gets no more: half of its blocks, for then it has no figure, whatever
        the others show, and a failure often takes longer than a trial. Where a study says exactly what a trial is, it
        has all of them, because what fails is what it asks."""
        blocks = self.protocol.blocks
        return blocks if self.open and self.open.is_exact else (blocks + 1) // 2

    @property
    def workloads_needed(self) -> tuple[WorkloadName, ...]:
        """Its workloads, and those of the warm-up and of a second load, each once."""
        beside = self.open.beside if self.open else None
        others = (self.protocol.warm_up.workload, beside.workload if beside else None)
        return tuple(dict.fromkeys((*self.workloads, *(name for name in others if name))))

    @property
    def load_by(self) -> str:
        """The name of the generator that makes the load."""
        return "open-load" if self.open else self.generator


def cpus_text(count: int) -> str:
    """Return `1 CPU` or `2 CPUs`."""
    return f"{count} CPU{'' if count == 1 else 's'}"
