"""What Docker hosts have and lack for a sweep whose servers and generators run there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence

from ab_runner.errors import UserError
from ab_runner.host.preflight import Finding, conntrack_findings, findings
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.load.generator_registry import GENERATORS
from ab_runner.model.limits import CONNECTIONS_AT_MOST
from ab_runner.model.protocol import cpus_text
from ab_runner.runtime import swarm
from ab_runner.runtime.agent import AGENT
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.runtime.docker import FIXTURES
from ab_runner.runtime.docker_builds import copy_images, lacks
from ab_runner.runtime.docker_commands import checked, engine_of, remove_left_over, why_unusable
from ab_runner.runtime.engine import Engine
from ab_runner.runtime.engine_machine import build_agent, machine_of
from ab_runner.sweep.ready.prepare import MEMORY_OF_A_SERVER

_OLDEST_ENGINE = 25
_VERSION = "{{.Server.Version}}|{{.Server.Arch}}"


def host_findings(contexts: Sequence[str]) -> Iterator[Finding]:
    """Yield what is good and bad of the hosts of these Docker contexts. The first one builds the image of the agent,
    which tells the facts, and the others get it. UserError for a context that docker does not know."""
    engines = [engine_of(context) for context in contexts]
    first: Engine | None = None
    for engine in engines:
        if unusable := why_unusable(engine):
            yield Finding(False, f"{engine.context}: {unusable}")
            continue
        try:
            for finding in _findings(engine, first or engine):
                yield Finding(finding.good, f"{engine.context}: {finding.text}")
        except (RuntimeUnusable, subprocess.SubprocessError) as error:
            yield Finding(False, f"{engine.context}: {error}")
        else:
            first = first or engine


def _findings(engine: Engine, first: Engine) -> Iterator[Finding]:
    version, architecture = checked(engine, "version", "--format", _VERSION).split("|")
    major = version.partition(".")[0]
    is_new = not major.isdigit() or int(major) >= _OLDEST_ENGINE
    yield Finding(
        is_new, f"Docker Engine {version}, {architecture}" + ("" if is_new else f": install {_OLDEST_ENGINE} or newer")
    )
    yield _image_finding(engine)
    if engine is first:
        build_agent(engine)
    else:
        copy_images([f"ab-runner/{AGENT}"], first, engine)
    found = machine_of(engine)
    machine = found.machine
    yield Finding(True, f"{machine.system}, kernel {machine.kernel}, {machine.cpu_model}, {cpus_text(machine.cpus)}")
    enough = machine.memory_bytes >= 2 * MEMORY_OF_A_SERVER
    yield Finding(
        enough,
        f"memory: {machine.memory_bytes / 2**30:.1f} GiB" + ("" if enough else "; a server alone may need half of it"),
    )
    enough = machine.open_files > CONNECTIONS_AT_MOST
    yield Finding(
        enough,
        f"open files of a container: {machine.open_files:,}"
        + ("" if enough else f"; for {CONNECTIONS_AT_MOST:,} connections raise the engine's default-ulimits"),
    )
    yield from findings(found.conditions)
    yield from conntrack_findings(found.conntrack)


def _image_finding(engine: Engine) -> Finding:
    """Return which images are there. None that lacks is a fault: sweeps bring them."""
    wanted = [f"ab-runner/{name}" for name in (AGENT, FIXTURES, *GENERATORS)]
    missing = ", ".join(lacks(engine, wanted))
    return Finding(True, f"images: a sweep brings {missing}" if missing else "images: all there")


def node_findings() -> Iterator[Finding]:
    """Yield what is good and bad of the nodes of the swarm that this engine is a manager of, which have the label;
    nothing where it is none."""
    if why_unusable():
        return
    engine = engine_of("")
    if swarm.why_no_swarm(engine):
        return
    for node in swarm.nodes(engine):
        if not node.is_ready:
            yield Finding(False, f"node {node.name}: it is not ready, or not active: docker node ls")
            continue
        try:
            swarm.engine_of_node(engine, node)
        except (UserError, subprocess.SubprocessError) as error:
            yield Finding(False, f"node {node.name}: {error}")
        else:
            yield Finding(True, f"node {node.name}: ready, {node.memory_bytes / 2**30:.1f} GiB, its engine answers")


def clean(contexts: Iterable[str]) -> Iterator[Finding]:
    """Remove what killed sweeps of this user left on the hosts of these contexts, or without any on the engine that
    docker takes by itself, and yield what that was. NotAloneError while a sweep runs."""
    with sweep_lock():
        for engine in [engine_of(context) for context in contexts] or [engine_of("")]:
            name = engine.context or "Docker"
            try:
                removed = remove_left_over(engine)
                if not engine.context:
                    removed += swarm.clean_swarm(engine)
            except (RuntimeUnusable, subprocess.SubprocessError) as error:
                yield Finding(False, f"{name}: {why_unusable(engine) or error}")
            else:
                yield Finding(True, f"{name}: removed {', '.join(removed)}" if removed else f"{name}: nothing was left")
