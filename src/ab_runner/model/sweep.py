"""sweep.json: a sweep as it was begun. docs/formats.md describes it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from ab_runner.model.limits import (
    SERVERS_AT_MOST,
    WORKLOADS_AT_MOST,
    Amount,
    Count,
    Moment,
    Real,
    Whole,
)
from ab_runner.model.message import Skip
from ab_runner.model.protocol import LOAD_HOSTS_AT_MOST, ContextName, SweepRequest
from ab_runner.model.server import Server
from ab_runner.model.workload import Workload, WorkloadName

FORMAT = 2
"""Version of sweep.json and trials.jsonl. A reader reads this version and older ones. It ignores fields and kinds of
records that it does not know, so these can be added; the version is raised where that would misread a file."""


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


class LoadHost(Struct, frozen=True, kw_only=True):
    """A host that load comes from, by the name of its Docker context, as it was before the first trial."""

    name: ContextName
    engine: str
    """The version of its Docker engine."""
    machine: Machine
    conditions: Conditions
    link: Amount
    """Bytes per second that came from the server's host, when none went to the others."""


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
    """The same of the generator; on load hosts nothing is pinned, and it makes no load here."""
    load_hosts: Annotated[tuple[LoadHost, ...], Meta(max_length=LOAD_HOSTS_AT_MOST)] = ()
    links_together: Amount | None = None
    """Bytes per second that came from the server's host to all load hosts at once; None without any."""
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
