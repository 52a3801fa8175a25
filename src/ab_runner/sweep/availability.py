"""Which servers can run here, in the runtime that a sweep would choose."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from ab_runner import paths
from ab_runner.catalog import artifacts
from ab_runner.host import machine
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.server import Server
from ab_runner.runtime import docker, docker_commands, process
from ab_runner.runtime.base import Runtime


class Availability(Struct, frozen=True):
    where: str
    """The runtime, in words; where it is not Docker, with the reason."""
    missing: dict[str, Skip]
    """Servers that cannot run."""


def look(servers: Iterable[Server]) -> Availability:
    """Return what can run here. Nothing is built or fetched, so a server that is not named may still turn out not to
    build."""
    no_docker = docker_commands.why_unusable()
    runtime: Runtime
    if no_docker is None:
        where, broken = "in containers", None
        runtime = docker.DockerRuntime(paths.ROOT, paths.FIXTURES, machine.cpu_split(), "loopback")
    else:
        where, broken = f"as processes of this host, because {no_docker}", process.why_unusable()
        runtime = process.ProcessRuntime(paths.SERVERS, paths.FIXTURES, machine.cpu_split(), port=0)
    nothing = Skip(SkipKind.OTHER, broken) if broken else None
    looked_at = {
        server.id: nothing or runtime.unavailable(server) or artifacts.unavailable(server) for server in servers
    }
    return Availability(where, {server: skip for server, skip in looked_at.items() if skip})
