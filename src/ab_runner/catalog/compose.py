"""compose.yaml from the catalog: one short service for each server; what they share is in docker/service.yaml.

PYTHONPATH=src .venv/bin/python -m ab_runner.catalog.compose > compose.yaml        (make compose)
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from ab_runner.catalog.servers import load
from ab_runner.model.server import DEFAULT_JDK, Artifact, Server

TOOLS = frozenset({"server", "fixtures", "ab"})
"""Services that are no server's."""

_HEAD = """\
# Made from servers/*/server.toml by `make compose`; a test says when that is due. What servers share is in
# docker/service.yaml.
#
#     docker compose up tomcat-5.5.15                 a server, on http://127.0.0.1:8080/small.html
#     SERVER=lighttpd-1.4 docker compose up server    the same, by variable; ./ab-runner list shows the ids
#     JDK=17 docker compose up tomcat-5.5.15          on another JDK
#     docker compose --profile '*' down --volumes     ends and removes everything
name: ab-runner

services:
  server: # SERVER=lighttpd-1.4 docker compose up server
    extends: {service: "${SERVER:-tomcat-5.5.15}"}
    profiles: !reset []
"""

_TAIL = """\
  fixtures: # makes the files that the servers serve, then ends
    image: ab-runner/fixtures
    build: {dockerfile: docker/fixtures.Dockerfile}
    pull_policy: build
    network_mode: none
    read_only: true
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    volumes: ["fixtures:/srv/www"]

  ab: # docker compose run --rm ab -n 1000 -c 10 http://…
    image: ab-runner/ab
    build: {dockerfile: docker/ab.Dockerfile}
    pull_policy: build
    networks: [servers]
    init: true
    read_only: true
    tmpfs: [/tmp]
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true"]
    profiles: [tools]

volumes:
  fixtures:

networks:
  servers: # without masquerading: ports can be published, answers from outside find no way in
    driver_opts: {com.docker.network.bridge.enable_ip_masquerade: "false"}

secrets:
  ca: # for builds behind a TLS proxy
    file: ${CA_BUNDLE:-/etc/ssl/certs/ca-certificates.crt}
"""

_JDK = f"${{JDK:-{DEFAULT_JDK}}}"
"""A person's choice, or a sweep's."""
_ARTIFACTS = "${XDG_CACHE_HOME:-${HOME}/.cache}/ab-runner/artifacts"
"""The folder that `artifacts.cache_folder` names, in Compose's words."""


def render(servers: Iterable[Server]) -> str:
    return (
        _HEAD + "".join(f"\n{_service(server)}" for server in sorted(servers, key=lambda each: each.id)) + "\n" + _TAIL
    )


def _service(server: Server) -> str:
    """Values that could hold anything are written as JSON, which YAML includes."""
    arguments = {"PROGRAM": server.program}
    if server.needs is not None:
        arguments["PACKAGES"] = " ".join(server.needs.packages)
    tag = ""
    if server.kind == "jvm":  # an image for each JDK
        arguments["JDK"] = _JDK
        tag = f":jdk{_JDK}"
    build = [f"dockerfile: docker/{server.kind}.Dockerfile", f"args: {_mapping(arguments)}"]
    if server.artifacts:
        build.append(f"additional_contexts: {{artifacts: {_quoted(_ARTIFACTS)}}}")
    lines = [
        f"{server.id}:",
        "  extends: {file: docker/service.yaml, service: server}",
        f"  image: ab-runner/{server.program}{tag}",
        f"  build: {{{', '.join(build)}}}",
        *([f"  environment: {_mapping(server.environment)}"] if server.environment else []),
        *(["  volumes:"] if server.artifacts else []),
        *map(_artifact_volume, server.artifacts),
        "  profiles: [servers]",
    ]
    return "".join(f"  {line}\n" for line in lines)


def _artifact_volume(artifact: Artifact) -> str:
    """Mounted beside the other libraries, so that it is in no layer of the image."""
    source = _quoted(f"{_ARTIFACTS}/{artifact.cached_as}")
    target = _quoted(f"/server/lib/{artifact.file}")
    return (
        f"    - {{type: bind, source: {source}, target: {target}, read_only: true, bind: {{create_host_path: false}}}}"
    )


def _mapping(values: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name}: {_quoted(value)}" for name, value in values.items()) + "}"


_quoted = json.dumps


if __name__ == "__main__":
    sys.stdout.write(render(load(Path(__file__).resolve().parents[3] / "servers").values()))
