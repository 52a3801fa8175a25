"""What docs/adding-a-server.md asks of a server, of every server, in the container that a sweep would start.

What it cannot do its server.toml says (`lacks`, `exceptions`), and then its check must fail: a server that learns
something must lose the word.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from e2e.conftest import FIXTURES, ROOT
from support.workloads import workload_named

from ab_runner.catalog import artifacts
from ab_runner.catalog.servers import load
from ab_runner.conformance import check
from ab_runner.conformance.check import check_server
from ab_runner.conformance.rules import RULES
from ab_runner.host.machine import cpu_split, raise_open_files
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.model.message import Skip
from ab_runner.model.server import Server
from ab_runner.runtime.docker import DockerRuntime

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker")]

SERVERS = load(ROOT / "servers")
SWEEP = f"conformance-{os.getpid()}"
START_SECONDS = 300.0
"""On a slow machine."""


def why_not(runtime: DockerRuntime, server: Server) -> Skip | None:
    return runtime.unavailable(server) or artifacts.unavailable(server)


@pytest.fixture(scope="module")
def runtime(docker: None, fixture_files: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DockerRuntime]:
    raise_open_files()
    runtime = DockerRuntime(cpu_split(), "loopback")
    runtime.prepare_generator()
    able = [server for server in SERVERS.values() if why_not(runtime, server) is None]
    assert runtime.prepare(able, print) == {}
    with sweep_lock():  # for it removes what sweeps left
        runtime.begin(SWEEP, tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("scratch"))
        yield runtime
        runtime.close()


@pytest.mark.parametrize("id", SERVERS)
def test_a_server_meets_the_requirements_but_those_that_it_declares(
    runtime: DockerRuntime, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = SERVERS[id]
    if reason := why_not(runtime, server):
        pytest.skip(reason.detail)
    monkeypatch.setattr(check, "READY_SECONDS", START_SECONDS)
    results = list(check_server(runtime, server, tuple(map(workload_named, server.workloads)), FIXTURES))
    assert results[-1].rule == RULES[-1], "it was asked everything"
    assert [each for each in results if not each.as_declared] == []
