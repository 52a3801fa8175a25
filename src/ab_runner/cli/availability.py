"""Which servers can run here, in the runtime that a sweep would choose."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from ab_runner import paths
from ab_runner.catalog import artifacts
from ab_runner.host import machine
from ab_runner.model.server import Server
from ab_runner.runtime import docker, process
from ab_runner.runtime.base import Runtime


class Availability(Struct, frozen=True):
    where: str
    """The runtime, in words, and why it is not Docker."""
    missing: dict[str, str]
    """Servers that cannot run, with the reason and what to do about it."""


def look(servers: Iterable[Server]) -> Availability:
    """Builds and fetches nothing, so a server that is not named may still turn out not to build."""
    no_docker = docker.why_unusable()
    runtime: Runtime
    if no_docker is None:
        where, broken = "in containers", None
        runtime = docker.DockerRuntime(paths.ROOT, paths.FIXTURES, machine.cpu_split(), "loopback")
    else:
        where, broken = f"as processes of this host, because {no_docker}", process.why_unusable()
        runtime = process.ProcessRuntime(paths.SERVERS, paths.FIXTURES, machine.cpu_split(), port=0)
    reasons = {server.id: broken or runtime.unavailable(server) or artifacts.unavailable(server) for server in servers}
    return Availability(where, {id: reason for id, reason in reasons.items() if reason})
