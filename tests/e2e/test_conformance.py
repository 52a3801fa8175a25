"""What docs/adding-a-server.md asks of a server, of every server, in the container that a sweep would start.

A server is started once for all of its tests. What it cannot do its server.toml says (`lacks`, `exceptions`), and then
the test must fail: a server that learns something must lose the word.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from e2e.conftest import FIXTURES, ROOT
from support.workloads import workload_named

from ab_runner.catalog import artifacts
from ab_runner.catalog.servers import load
from ab_runner.conformance.check import complaint_of
from ab_runner.conformance.rules import RULES, Rule, Subject
from ab_runner.host.machine import cpu_split, raise_open_files
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.sweep import probe

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker")]

SERVERS = load(ROOT / "servers")
SWEEP = f"conformance-{os.getpid()}"
START_SECONDS = 300.0
"""On a slow machine."""


@pytest.fixture(scope="module")
def runtime(docker: None, fixture_files: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerRuntime]:
    raise_open_files()
    runtime = DockerRuntime(ROOT, FIXTURES, cpu_split(), "loopback")
    runtime.prepare_generator()
    able = [server for server in SERVERS.values() if artifacts.unavailable(server) is None]
    assert runtime.prepare(able, print) == {}
    with sweep_lock():  # for it removes what sweeps left
        runtime.begin(SWEEP, tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("scratch"))
        yield runtime
        runtime.close()


@pytest.fixture(scope="module")
def started(runtime: DockerRuntime, request: pytest.FixtureRequest) -> Iterator[Subject]:
    server = SERVERS[request.param]
    if reason := artifacts.unavailable(server):
        pytest.skip(reason.detail)
    running = runtime.start(server, server.id)
    workloads = tuple(workload_named(name) for name in server.workloads)
    try:
        assert probe.wait_until_ready(running.connect, workloads[0], START_SECONDS, running.ended) is None
        yield Subject(server, workloads, FIXTURES, running)
    finally:
        running.stop()


def every_rule() -> Iterator[object]:
    """Every rule of every server that it concerns. Where a server declares that it does not meet one, the test must
    fail."""
    for server in SERVERS.values():
        for rule in RULES:
            if rule.concerns(map(workload_named, server.workloads)):
                declared = rule.declared(server)
                marks = [pytest.mark.xfail(strict=True, reason=declared)] if declared else []
                yield pytest.param(server.id, rule, id=f"{rule.name}-{server.id}", marks=marks)


@pytest.mark.parametrize(("started", "rule"), every_rule(), indirect=["started"])
def test_a_server_meets_the_rules(started: Subject, rule: Rule) -> None:
    assert complaint_of(rule, started) is None
