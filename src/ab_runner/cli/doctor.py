"""What this machine has, what is missing for a sweep, and how to mend it."""

from __future__ import annotations

import sys

from rich.text import Text

from ab_runner import paths
from ab_runner.catalog.servers import load
from ab_runner.cli.show import console_for
from ab_runner.host import machine, preflight
from ab_runner.runtime.docker import why_unusable
from ab_runner.runtime.jdks import installed
from ab_runner.runtime.process import ProcessRuntime
from ab_runner.runtime.process import why_unusable as why_no_load

_NO_JDK = "no JDK in JAVA_HOME, the PATH or /usr/lib/jvm"


def show_findings() -> None:
    console = console_for(sys.stdout)
    for good, text in findings():
        console.print(Text.assemble(("ok    ", "green") if good else ("mend  ", "yellow"), text), soft_wrap=True)


def findings() -> list[tuple[bool, str]]:
    """Lines about this machine, each with whether it is as a sweep would like it."""
    here = machine.describe()
    cpus = machine.cpu_split()
    docker = why_unusable()
    lines = [
        (True, f"{here.system}, kernel {here.kernel}, {here.cpu_model}, {here.cpus} CPUs"),
        (bool(cpus.server), _cpu_text(cpus)),
        (docker is None, docker or "docker: engine, Compose and buildx answer"),
        (
            here.open_files > 1100,
            f"open files: {here.open_files:,}" + ("" if here.open_files > 1100 else "; raise ulimit -n"),
        ),
        *((finding.good, finding.text) for finding in preflight.findings(preflight.look())),
    ]
    return lines if docker is None else lines + _process_findings(cpus)


def _cpu_text(cpus: machine.CpuSplit) -> str:
    if not cpus.server:
        return "one CPU: servers and ab will share it, and the figures are not those of a server alone"
    return f"servers get CPU {', '.join(map(str, cpus.server))}; ab gets CPU {', '.join(map(str, cpus.generator))}"


def _process_findings(cpus: machine.CpuSplit) -> list[tuple[bool, str]]:
    """What servers as processes of this host need on top."""
    no_ab = why_no_load()
    runtime = ProcessRuntime(paths.SERVERS, paths.FIXTURES, cpus, port=0)
    missing = {server.id: runtime.unavailable(server) for server in load(paths.SERVERS).values()}
    jdks = [f"{jdk.version} ({jdk.home})" for jdk in installed()]
    return [
        (bool(jdks), f"JDK {', '.join(jdks)}: the newest is taken unless --jdk names another" if jdks else _NO_JDK),
        (no_ab is None, no_ab or "ab: installed"),
        *((finding.good, finding.text) for finding in preflight.network_findings(machine.sysctls())),
        *((reason is None, f"{server}: {reason or 'can run as a process'}") for server, reason in missing.items()),
    ]
