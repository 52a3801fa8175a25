"""`docker compose up` of one server: what a person gets. No sweep runs, so these tests run beside those that sweep."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from e2e.conftest import FIXTURES, ROOT, question_of_ab
from support.raw_client import to

from ab_runner.model.workload import WorkloadName
from ab_runner.runtime.base import STOP_SECONDS
from ab_runner.sweep.server import probe

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker", "fixture_files")]


class Service:
    """One service of compose.yaml in a project of its own."""

    def __init__(self, name: str, port: int, **environment: str) -> None:
        self.name = name
        self.address = ("127.0.0.1", port)
        self._project = f"ab-runner-test-{port}"
        self._environment = os.environ | {"PORT": str(port)} | environment

    def compose(self, *arguments: str) -> str:
        command = ["docker", "compose", "--project-name", self._project, "--profile", "*", *arguments]
        return subprocess.check_output(command, cwd=ROOT, env=self._environment, text=True)

    def up(self) -> None:
        self.compose("up", "--detach", "--wait", "--quiet-pull", self.name)

    def inspect(self) -> dict[str, Any]:
        container = self.compose("ps", "--all", "--quiet", self.name).strip()
        facts: dict[str, Any] = json.loads(subprocess.check_output(["docker", "inspect", container]))[0]
        return facts

    def get(self, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()


@pytest.fixture
def service(request: pytest.FixtureRequest, free_port: int) -> Iterator[Service]:
    name, environment = request.param
    service = Service(name, free_port, **environment)
    try:
        service.up()
        yield service
    finally:
        service.compose("down", "--volumes", "--timeout", "2")


def by_name(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("service", [(name, {}) for name in names], ids=names, indirect=True)


@by_name("tomcat-5.5.15", "httpd-2.4-event")
def test_docker_compose_up_serves_both_fixtures_byte_for_byte_and_nothing_else(service: Service) -> None:
    for name in ("small.html", "large.bin"):
        assert service.get(f"/{name}") == (200, (FIXTURES / name).read_bytes())
    workloads: tuple[WorkloadName, ...] = ("small", "small-keepalive", "large")
    for workload in workloads:
        probe.check(to(service.address), question_of_ab(workload))
    assert service.get("/missing.html")[0] == 404


@pytest.mark.parametrize(
    ("service", "server"),
    [(("server", {}), "tomcat-5.5.15"), (("server", {"SERVER": "jetty-5.1.10"}), "jetty-5.1.10")],
    indirect=["service"],
)
def test_the_service_called_server_is_tomcat_or_the_one_that_SERVER_names(service: Service, server: str) -> None:
    assert service.inspect()["Config"]["Image"] == f"ab-runner/{server}:jdk25"
    assert service.get("/small.html")[0] == 200


@by_name("jetty-5.1.10-nio", "lighttpd-1.4", "mina-0.9.2")
def test_a_server_is_a_guest_without_rights_that_only_this_machine_can_reach(service: Service) -> None:
    facts = service.inspect()
    assert facts["Config"]["User"] == "65534:65534"
    host = facts["HostConfig"]
    assert host["ReadonlyRootfs"]
    assert host["CapDrop"] == ["ALL"]
    assert "no-new-privileges:true" in host["SecurityOpt"]
    assert {binding["HostIp"] for binding in facts["NetworkSettings"]["Ports"]["8080/tcp"]} == {"127.0.0.1"}
    assert facts["State"]["Health"]["Status"] == "healthy"


@by_name("tomcat-5.5.15", "resin-3.0.9", "merecat-2.31")
def test_a_server_ends_by_itself_when_it_is_asked_to(service: Service) -> None:
    service.compose("stop", "--timeout", str(5 * STOP_SECONDS), service.name)  # the machine may be slow
    assert service.inspect()["State"]["ExitCode"] != 137, "137: it had to be killed"
