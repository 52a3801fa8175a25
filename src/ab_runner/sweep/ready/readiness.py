"""What this machine has, what is missing for a sweep, and how to fix it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from ab_runner.catalog.catalog import load_catalog
from ab_runner.host import facts, machine, preflight
from ab_runner.host.preflight import Finding
from ab_runner.model.protocol import cpus_text
from ab_runner.model.server import Server
from ab_runner.runtime import engine, process
from ab_runner.runtime.base import Runtime
from ab_runner.runtime.jdks import installed
from ab_runner.sweep.ready.runtime_choice import usual_runtime

_ENOUGH_FILES = 1100
"""Open files for 1,000 connections, and the other files that ab opens."""
_OLD_PINS = Path("/etc/apt/preferences.d/ab-runner-docker")
"""What earlier versions of docker/install-engine left."""
_NO_JDK = "no JDK in JAVA_HOME, the PATH or /usr/lib/jvm"


def findings() -> Iterator[Finding]:
    """Return a finding for each thing that a sweep needs or that may spoil its figures, whether it is good or bad.
    Without Docker this includes what servers need as processes of this host."""
    here = machine.describe()
    cpus = machine.cpu_split()
    catalog = load_catalog()
    runtime, no_docker = usual_runtime(catalog)
    yield Finding(True, f"{here.system}, kernel {here.kernel}, {here.cpu_model}, {cpus_text(here.cpus)}")
    yield Finding(bool(cpus.server), _cpu_text(cpus))
    yield Finding(no_docker is None, no_docker or "docker: engine, Compose and buildx answer")
    if no_docker is None and engine.is_elsewhere():
        yield Finding(True, "the engine runs on another machine: a sweep takes the facts and CPUs of that one")
    if _OLD_PINS.exists():
        yield Finding(
            False, f"{_OLD_PINS} keeps this machine from an upgrade to Debian 13: docker/install-engine removes it"
        )
    enough = here.open_files > _ENOUGH_FILES
    yield Finding(enough, f"open files: {here.open_files:,}" + ("" if enough else "; raise ulimit -n"))
    yield from preflight.findings(preflight.conditions_now())
    if no_docker is not None:
        yield from _process_findings(runtime, catalog.servers.values())


def _cpu_text(cpus: machine.CpuSplit) -> str:
    if not cpus.server:
        return "one CPU: servers and ab will share it, and the figures are not those of a server alone"
    return f"servers get CPU {', '.join(map(str, cpus.server))}; ab gets CPU {', '.join(map(str, cpus.generator))}"


def _process_findings(runtime: Runtime, servers: Iterable[Server]) -> Iterator[Finding]:
    jdks = [f"{jdk.version} ({jdk.home})" for jdk in installed()]
    yield Finding(
        bool(jdks), f"JDK {', '.join(jdks)}: the newest is used unless --jdk names another" if jdks else _NO_JDK
    )
    no_ab = process.why_unusable()
    yield Finding(no_ab is None, no_ab or "ab: installed")
    rights = process.rights()
    yield Finding(rights is None, rights or "servers run as nobody")
    yield from preflight.network_findings(facts.sysctls())
    for server in servers:
        skip = runtime.unavailable(server)
        yield Finding(skip is None, f"{server.id}: {skip.detail if skip else 'can run as a process'}")
