"""Chooses where servers and generators run, and checks what that needs from this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from pathlib import Path

from ab_runner import paths
from ab_runner.catalog.catalog import Catalog
from ab_runner.errors import UserError
from ab_runner.host import machine
from ab_runner.load.generator_registry import generator_of
from ab_runner.model.protocol import FROM_HOSTS, SweepRequest
from ab_runner.model.server import DEFAULT_JDK
from ab_runner.model.workload import Workload
from ab_runner.runtime import docker_commands, process, swarm
from ab_runner.runtime.base import Runtime, RuntimeUnusable
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.docker_commands import engine_of
from ab_runner.runtime.engine import USUAL, Engine
from ab_runner.runtime.engine_machine import engine_machine
from ab_runner.runtime.load_hosts import LoadHosts, address_of
from ab_runner.runtime.process import ProcessRuntime
from ab_runner.sweep.trial.connection_limit import most_connections

SPARE_FILES = 16
"""What a generator opens besides its connections."""


def choose_runtime(
    request: SweepRequest, catalog: Catalog, fixtures: Path, port: int, tell: Callable[[str], None]
) -> Runtime:
    """Return Docker where its engine answers, else processes of this host. RuntimeUnusable or UserError where the
    request cannot be met."""
    generator = generator_of(request)
    on = _server_engine(request)
    unusable = docker_commands.why_unusable(on) if request.runtime != "process" else None
    if unusable and request.needs_docker:
        raise RuntimeUnusable(f"{request.server_host or 'the Docker engine'}: {unusable}")
    if request.swarm:
        _check_swarm(on)
    load_hosts = _load_hosts(request, on)
    there = engine_machine(on) if request.runtime != "process" and not unusable else None
    generators = 1 if load_hosts else request.generators  # those of load hosts have cores there
    cpus = machine.cpu_split(generators, request.server_cpus, there.cores if there else None)
    if request.share_cpus:
        cpus = machine.CpuSplit((), ())
    if 0 < len(cpus.generator) < generators:
        tell(
            f"! {generators} generators need {generators + 1} cores and this machine has fewer: "
            "they share the cores there are, which limits their load"
        )
    if request.runtime == "docker" and unusable:
        raise RuntimeUnusable(f"--runtime docker: {unusable}")
    if request.runtime != "process" and not unusable:
        network = FROM_HOSTS if load_hosts else request.network
        return DockerRuntime(cpus, network, request.jdk or DEFAULT_JDK, generator, there, on, load_hosts)
    if request.network != "loopback":
        raise UserError(f"--network {request.network} needs Docker" + (f": {unusable}" if unusable else ""))
    if request.server_cpus is not None and (missing := process.why_not_pinned()):
        raise UserError(f"--server-cpus {request.server_cpus}: {missing}")
    if unusable:
        tell(f"servers run as processes of this host, because {unusable}")
    if rights := process.rights():
        tell(f"! {rights}")
    return ProcessRuntime(catalog.root, fixtures, cpus, port, request.jdk, generator, catalog.outside)


def _check_swarm(on: Engine) -> None:
    """RuntimeUnusable where no job can be placed, or those of another sweep are at work."""
    if why := swarm.why_no_swarm(on):
        raise RuntimeUnusable(f"--swarm: {why}")
    if whose := swarm.others_at_work(on):
        raise RuntimeUnusable(
            f"--swarm: another sweep, begun on {whose}, has jobs on this swarm, and two would disturb each other: "
            f"wait until it ends; `docker service ls --filter label={docker_commands.LABEL}` lists them"
        )


def _server_engine(request: SweepRequest) -> Engine:
    """Return the engine that servers run on. UserError if there is no such context."""
    return engine_of(request.server_host or "") if request.needs_docker else USUAL


def _load_hosts(request: SweepRequest, server: Engine) -> LoadHosts | None:
    """Return the hosts that load comes from; None where it comes from beside the server. UserError for one that is no
    context, or whose engine is the server's or that of another one; RuntimeUnusable if its engine does not answer."""
    if not request.load_hosts:
        return None
    engines = [engine_of(name) for name in request.load_hosts]
    names: dict[str, str] = {}
    for engine in engines:
        if engine.endpoint == server.endpoint:
            raise UserError(f"load host {engine.context} is the server's host: its generator would take CPU time there")
        if (name := names.setdefault(engine.endpoint, engine.context)) != engine.context:
            raise UserError(f"load hosts {name} and {engine.context} are one host: name it once")
        if unusable := docker_commands.why_unusable(engine):
            raise RuntimeUnusable(f"load host {engine.context}: {unusable}")
    return LoadHosts(engines, address_of(server, request.server_address))


def usual_runtime(catalog: Catalog) -> tuple[Runtime, str | None]:
    """Return the runtime that a sweep without options has, and why it is not Docker; None if it is."""
    unusable, cpus = docker_commands.why_unusable(), machine.cpu_split()
    if unusable is None:
        return DockerRuntime(cpus, "loopback"), None
    return ProcessRuntime(catalog.root, paths.FIXTURES, cpus, port=0, outside=catalog.outside), unusable


def check_limits(runtime: Runtime, request: SweepRequest, workloads: Iterable[Workload], port: int) -> None:
    """Make the generator ready. UserError if the port of a process is taken, or the generator may open too few
    files."""
    if runtime.name == ProcessRuntime.name:
        _check_port(port)
    _check_open_files(request, workloads, runtime.prepare_generator())


def _check_port(port: int) -> None:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("", port))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UserError(f"port {port}: {reason}; free it or choose another with --port") from None


def _check_open_files(request: SweepRequest, workloads: Iterable[Workload], limit: int) -> None:
    highest = max(request.levels)
    options = {
        "connections": ("concurrency", "--concurrency"),
        "rate": ("--rate", "--rate"),
        "idle": ("--idle", "--idle"),
    }
    what, lower = options.get(request.axis, ("an open load", ""))
    needed = SPARE_FILES + most_connections(request, workloads) + (highest if request.axis == "idle" else 0)
    if needed > limit:
        raise UserError(
            f"{what}{f' {highest:,}' if lower else ''} needs {needed:,} open files "
            f"and {generator_of(request).name} may open {limit:,}: "
            f"raise the limit (ulimit -n; for Docker that of the daemon){f' or lower {lower}' if lower else ''}"
        )
