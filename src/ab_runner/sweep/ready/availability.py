"""Which servers can run here, in the runtime that a sweep would choose."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from ab_runner.catalog import artifacts
from ab_runner.catalog.catalog import Catalog
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.server import Server
from ab_runner.runtime import process
from ab_runner.sweep.ready.runtime_choice import usual_runtime


class Availability(Struct, frozen=True):
    where: str
    """The runtime, in words; where it is not Docker, with the reason."""
    missing: dict[str, Skip]
    """Servers that cannot run."""


def what_can_run(catalog: Catalog, servers: Iterable[Server]) -> Availability:
    """Return what can run here. Nothing is built or fetched, so a server that is not named may still turn out not to
    build."""
    runtime, no_docker = usual_runtime(catalog)
    where = f"as processes of this host, because {no_docker}" if no_docker else "in containers"
    broken = process.why_unusable() if no_docker else None
    nothing = Skip(SkipKind.OTHER, broken) if broken else None
    looked_at = {
        server.id: nothing or runtime.unavailable(server) or artifacts.unavailable(server) for server in servers
    }
    return Availability(where, {server: skip for server, skip in looked_at.items() if skip})
