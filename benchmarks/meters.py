#!/usr/bin/env python3
"""Do the agent's figures agree with those of control groups? Both meters in the same trials, on this machine's engine.

    PYTHONPATH=src .venv/bin/python benchmarks/meters.py [TRIALS] [SERVER]…

Each server is warmed up and has trials of 2 s of `small` at concurrency 100. Ten times a second the runner reads the
control groups of server and generator, and the agent their processes. The ratio of what both say of a trial should be
within 0.99 and 1.01. docs/measurement.md says where it cannot be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from statistics import median

from overhead import one_start

from ab_runner.model.load import Load
from ab_runner.model.resources import Usage
from ab_runner.monitor.sampler import INTERVAL_SECONDS
from ab_runner.monitor.usage import usage_of
from ab_runner.monitor.watch import Accounts, ResourceAccounts
from ab_runner.runtime.agent import AgentAccounts
from ab_runner.runtime.docker_commands import checked
from ab_runner.runtime.docker_server import DockerServer
from ab_runner.runtime.engine import USUAL
from ab_runner.sweep.server.start import Start

SERVERS = ("ceiling", "lighttpd-1.4", "httpd-2.4-prefork", "jetty-12.1", "tomcat-11")
TRIAL, WARM_UP, CONNECTIONS = Load(seconds=2), Load(seconds=10), 100
FIGURES: dict[str, Callable[[Usage], float | None]] = {
    "server's CPU time": lambda usage: usage.server_cpu_seconds,
    "generator's CPU time": lambda usage: usage.generator_cpu_seconds,
    "peak memory": lambda usage: usage.peak_memory_bytes,
    "JIT CPU time": lambda usage: usage.jit_cpu_seconds,
    "context switches": lambda usage: usage.context_switches,
}


def main(trials: int, servers: tuple[str, ...]) -> None:
    print("| server | figure | control group | agent / control group, median | lowest | highest |")
    print("|---|---|--:|--:|--:|--:|")
    for server in servers:
        with one_start(server, "meters") as start:
            start.load("small", CONNECTIONS, WARM_UP, idle_timeout=30)
            pairs = [both(start) for _ in range(trials)]
        for name, by_group, ratios in ratios_of(pairs):
            row = f"{by_group:,.6g} | {median(ratios):.3f} | {min(ratios):.3f} | {max(ratios):.3f}"
            print(f"| {server} | {name} | {row} |", flush=True)


def both(start: Start) -> tuple[Usage, Usage]:
    """Return what a trial took by control groups and by the agent."""
    running = start.running
    assert isinstance(running, DockerServer)
    groups = running.accounts
    assert isinstance(groups, ResourceAccounts), "the engine shows no control groups"
    containers = running._container, running._generator
    server, generator = checked(USUAL, "inspect", "--format", "{{.Id}}", *containers).splitlines()
    assert running._agent is not None
    agent = AgentAccounts(running._agent, server, generator, groups.server_cpus, groups.generator_cpus)
    accounts: tuple[Accounts, Accounts] = (groups, agent)
    watches = [each.watch(INTERVAL_SECONDS) for each in accounts]
    start.load("small", CONNECTIONS, TRIAL, idle_timeout=30)
    ours, theirs = (usage_of(*watch.end()) for watch in watches)
    assert ours, "nothing was read here"
    assert theirs, "the agent read nothing"
    return ours, theirs


def ratios_of(pairs: list[tuple[Usage, Usage]]) -> Iterator[tuple[str, float, list[float]]]:
    """Yield for each figure that is known and not zero its median by control groups, and the ratios."""
    for name, figure in FIGURES.items():
        both = [(figure(ours), figure(theirs)) for ours, theirs in pairs]
        known = [(ours, theirs) for ours, theirs in both if ours and theirs is not None]
        if known:
            yield name, median(ours for ours, _ in known), [theirs / ours for ours, theirs in known]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10, tuple(sys.argv[2:]) or SERVERS)
