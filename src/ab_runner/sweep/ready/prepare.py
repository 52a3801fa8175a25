"""Prepares what a sweep runs on: the runtime, fixtures, artifacts and builds. Finds the servers that cannot take
part."""

from __future__ import annotations

import datetime
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from ab_runner import paths
from ab_runner.catalog import artifacts
from ab_runner.catalog.catalog import Catalog
from ab_runner.catalog.fixtures import digests
from ab_runner.catalog.workloads import unknown_workload, workloads_with
from ab_runner.errors import UserError
from ab_runner.host import facts, machine, preflight
from ab_runner.load.generator_registry import generator_of
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.protocol import Protocol, SweepRequest
from ab_runner.model.server import Artifact, Server
from ab_runner.model.sweep import Conditions, Machine, Outside, Sweep
from ab_runner.model.workload import Workload
from ab_runner.runtime import swarm
from ab_runner.runtime.base import Runtime, RuntimeUnusable
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.docker_commands import engine_of
from ab_runner.runtime.engine_machine import EngineMachine
from ab_runner.runtime.load_hosts import LoadHosts
from ab_runner.sweep.ready.fixtures import make_fixtures
from ab_runner.sweep.ready.runtime_choice import check_limits, choose_runtime
from ab_runner.sweep.ready.skipped import skipped_lines

MEMORY_OF_A_SERVER = 2**30
"""Bytes: a JVM's heap of 512 MB, and as much for the rest. One whose study lets it have more or less has that."""
NONE_HERE = "none of these servers can run here"


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """What a sweep runs on, prepared. `skipped` has the reasons of the servers that cannot run here. Without a
    reference it is not known whether the machine drifted."""

    request: SweepRequest
    workloads: tuple[Workload, ...]
    runtime: Runtime
    fixtures: Path
    servers: tuple[Server, ...]
    skipped: dict[str, Skip]
    outside: dict[str, Outside]
    reference: Server | None


def prepare(
    request: SweepRequest, catalog: Catalog, wanted: Sequence[Server], port: int, tell: Callable[[str], None]
) -> Prepared:
    """Build what can be built. A server that does not build takes part: that is the reason in its cells.
    RuntimeUnusable if none can run here."""
    workloads = workloads_of(request)
    fixtures = make_fixtures()
    runtime = choose_runtime(request, catalog, fixtures, port, tell)
    check_limits(runtime, request, workloads, port)
    reference = catalog.reference
    everyone = [*wanted, *(() if reference in wanted else (reference,))]
    skipped = unavailable_in(runtime, everyone)
    skipped |= provide([server for server in everyone if server.id not in skipped], tell)
    able = [server for server in wanted if server.id not in skipped]
    unbuilt = runtime.prepare([server for server in everyone if server.id not in skipped], tell) if able else {}
    if request.swarm and isinstance(runtime, DockerRuntime):
        tell("! --swarm: each node gives a container its engine's socket, which is root there (docs/swarm.md)")
        runtime.build_runner()
    if reference not in wanted and reference.id in unbuilt:
        skipped[reference.id] = Skip(SkipKind.OTHER, f"does not build: {unbuilt.pop(reference.id)}")
    for line in (*skipped_lines(skipped), *_unbuilt_lines(unbuilt)):
        tell(line)
    if len(unbuilt) == len(able):
        raise RuntimeUnusable(f"{NONE_HERE}: the lines above say why, and `./ab-runner doctor` checks this machine")
    return Prepared(
        request=request_here(request, runtime, [*able, reference]),
        workloads=workloads,
        runtime=runtime,
        fixtures=fixtures,
        servers=tuple(able),
        skipped=skipped,
        outside={
            server.id: Outside(str(catalog.outside[server.id]), runtime.program_of(server))
            for server in able
            if server.id in catalog.outside
        },
        reference=None if reference.id in {*skipped, *unbuilt} else reference,
    )


def workloads_of(request: SweepRequest) -> tuple[Workload, ...]:
    """Return the workloads as they are asked of servers now. UserError for one that is no more, or whose answers a
    generator that compares them cannot compare."""
    known, generator = workloads_with(request.study), generator_of(request)
    for name in request.workloads_needed:
        if wrong := unknown_workload(name, known):
            raise UserError(wrong)
        if known[name].host_only and not generator.can_ask_host_only:
            raise UserError(f"{name}: {generator.name} asks for kept connections in each request; measure it with wrk")
    return tuple(known[name] for name in request.workloads_needed)


def request_here(request: SweepRequest, runtime: Runtime, servers: Sequence[Server]) -> SweepRequest:
    """Return the request with what the runtime and the memory of its machine decide for these servers."""
    return msgspec.structs.replace(
        request,
        protocol=with_batches_that_fit(request.protocol, _memory_of(request, runtime), servers),
        runtime=runtime.name,
        network=runtime.network,
        jdk=runtime.jdk,
    )


def nodes_of(request: SweepRequest) -> int:
    """Return how many nodes of a swarm are ready for a sweep's blocks; 1 where it has none."""
    return max(1, sum(node.is_ready for node in swarm.nodes(engine_of("")))) if request.swarm else 1


def _memory_of(request: SweepRequest, runtime: Runtime) -> int:
    """Return the bytes of the machine that servers run on, of several the least."""
    if request.swarm:
        return min(node.memory_bytes for node in swarm.nodes(engine_of("")))
    return _machine_of(runtime).memory_bytes


def with_batches_that_fit(protocol: Protocol, memory_bytes: int, servers: Iterable[Server]) -> Protocol:
    """Return the protocol with batches of no more servers than half of the memory has room for, whichever of these they
    are."""
    largest = max((server.memory or MEMORY_OF_A_SERVER for server in servers), default=MEMORY_OF_A_SERVER)
    room = max(1, memory_bytes // 2 // largest)
    return msgspec.structs.replace(protocol, together=min(protocol.together, room))


def unavailable_in(runtime: Runtime, servers: Iterable[Server]) -> dict[str, Skip]:
    """Return the servers that cannot run in this runtime, whatever is fetched or built."""
    return {server.id: skip for server in servers if (skip := runtime.unavailable(server))}


def provide(servers: Sequence[Server], tell: Callable[[str], None]) -> dict[str, Skip]:
    """Fetch what these servers lack. Return those that still lack something, with the reason and what to do."""
    lacking = [each for each in artifacts.artifacts_of(servers) if artifacts.state_of(each) != "present"]
    if lacking:
        tell(f"fetching {', '.join(artifact.file for artifact in lacking)}")
    failed: dict[Artifact, str] = {}
    for artifact in lacking:
        try:
            artifacts.fetch(artifact)
        except artifacts.ArtifactError as error:
            failed[artifact] = f"{artifacts.how_to_get(artifact)} ({error})"
    return {
        server.id: Skip(SkipKind.ARTIFACT, failed[artifact])
        for server in servers
        for artifact in server.artifacts
        if artifact in failed
    }


def sweep_here(sweep_id: str, began: datetime.datetime, prepared: Prepared) -> Sweep:
    """Return the sweep as it is stored: the request, and the machine as it is now."""
    runtime = prepared.runtime
    hosts = _load_hosts(runtime)
    return Sweep(
        id=sweep_id,
        started=began,
        request=prepared.request,
        machine=_machine_of(runtime),
        conditions=_conditions_of(runtime),
        server_cpus=runtime.server_cpus,
        generator_cpus=runtime.generator_cpus,
        load_hosts=hosts.about if hosts else (),
        links_together=hosts.links_together if hosts else None,
        environment=runtime.environment() | _toolkit_version(),
        fixtures=digests(),
        workloads=prepared.workloads,
        servers=prepared.servers,
        outside=prepared.outside,
        skipped=prepared.skipped,
        reference=prepared.reference,
    )


def _there(runtime: Runtime) -> EngineMachine | None:
    """Return the machine that servers run on, where it is another one than this."""
    return runtime.there if isinstance(runtime, DockerRuntime) else None


def _load_hosts(runtime: Runtime) -> LoadHosts | None:
    return runtime.load_hosts if isinstance(runtime, DockerRuntime) else None


def _machine_of(runtime: Runtime) -> Machine:
    """Return the facts of the servers' machine; with load hosts also how it tracks connections."""
    there = _there(runtime)
    found, conntrack = (there.machine, there.conntrack) if there else (machine.describe(), facts.conntrack())
    if _load_hosts(runtime) is None:
        return found
    return msgspec.structs.replace(found, sysctls=found.sysctls | conntrack)


def _conditions_of(runtime: Runtime) -> Conditions:
    there = _there(runtime)
    return there.conditions if there else preflight.conditions_now()


def _unbuilt_lines(unbuilt: Mapping[str, str]) -> Iterable[str]:
    """Return a line for each reason: variants share the build of their program."""
    servers: dict[str, list[str]] = {}
    for server, reason in unbuilt.items():
        servers.setdefault(reason, []).append(server)
    return (f"does not build: {', '.join(ids)}: {reason}" for reason, ids in servers.items())


def _toolkit_version() -> dict[str, str]:
    command = ["git", "-C", str(paths.ROOT), "describe", "--always", "--dirty", "--tags"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return {}
    return {"toolkit": done.stdout.strip()} if done.returncode == 0 else {}
