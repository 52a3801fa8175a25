"""compose.yaml from the catalog: one short service for each server; what they share is in docker/service.yaml.

PYTHONPATH=src .venv/bin/python -m ab_runner.catalog.compose > compose.yaml        (make compose)
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from ab_runner.catalog import docker_templates
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.server_file import GENERATORS
from ab_runner.model.server import DEFAULT_JDK, Server

TOOLS = frozenset({"server", "fixtures", "agent", "runner", *GENERATORS})
"""Services that are no server's."""

_JDK = f"${{JDK:-{DEFAULT_JDK}}}"
"""The variable that the user or a sweep sets."""
_ARTIFACTS = "${XDG_CACHE_HOME:-${HOME}/.cache}/ab-runner/artifacts"
"""The folder that `artifacts.cache_folder` names, in Compose's words."""


def render(servers: Iterable[Server], of_sweep: bool = False) -> str:
    """Return compose.yaml for these servers. That of a sweep has no service `server`, which is for people."""
    ordered = sorted(servers, key=lambda each: each.id)
    return docker_templates.fill(
        "compose.yaml", servers=ordered, of_sweep=of_sweep, generators=GENERATORS, jdk=_JDK, artifacts=_ARTIFACTS
    )


if __name__ == "__main__":
    sys.stdout.write(render(load_catalog().servers.values()))
