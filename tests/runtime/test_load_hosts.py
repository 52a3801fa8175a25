"""Engines by their contexts, and the hosts that load comes from; that Docker takes it so, the end-to-end tests see."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from support import compose_yaml
from support.builders import server
from support.waiting import until

from ab_runner.catalog import docker_templates
from ab_runner.errors import UserError
from ab_runner.host.machine import CpuSplit
from ab_runner.model.message import Code, Message
from ab_runner.runtime.agent import Agent
from ab_runner.runtime.base import RuntimeUnusable, each_is_tried
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.docker_commands import OURS, engine_of, remove_left_over
from ab_runner.runtime.engine import USUAL, Engine
from ab_runner.runtime.load_hosts import CLIENT_SYSCTLS, GeneratorOnHost, LoadHosts, address_of

LAB2 = Engine("lab2", "ssh://lab2")


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A docker command that a test writes, with the arguments that it got in a log."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path / "docker"


def says(docker: Path, script: str) -> Path:
    log = docker.with_name("log")
    docker.write_text(f'#!/bin/sh\necho "$*" >> "{log}"\n{script}\n')
    docker.chmod(0o755)
    return log


def test_commands_name_the_context_of_their_engine() -> None:
    assert USUAL.docker("ps") == ("docker", "ps")
    assert LAB2.docker("ps") == ("docker", "--context", "lab2", "ps")
    assert LAB2.variables == {"DOCKER_HOST": "", "DOCKER_CONTEXT": "lab2"}
    assert USUAL.variables == {}


def test_an_engine_is_asked_for_by_its_context(docker: Path) -> None:
    log = says(docker, "echo ssh://me@lab2")
    assert engine_of("lab2") == Engine("lab2", "ssh://me@lab2")
    assert engine_of("") == Engine("", "ssh://me@lab2")
    asked = "context inspect --format {{.Endpoints.docker.Host}}"
    assert log.read_text().splitlines() == [f"{asked} lab2", asked]


def test_a_context_that_docker_does_not_know_is_a_mistake_of_the_user(docker: Path) -> None:
    says(docker, "echo 'context \"lab9\": not found' >&2; exit 1")
    with pytest.raises(UserError, match="there is no Docker context lab9: `docker context create lab9 --docker host="):
        engine_of("lab9")
    with pytest.raises(UserError, match="'--privileged' is no name of a Docker context"):
        engine_of("--privileged")


@pytest.mark.parametrize(
    ("endpoint", "given", "address"),
    [
        ("tcp://10.0.0.5:2376", None, "10.0.0.5"),
        ("ssh://me@10.0.0.5", None, "10.0.0.5"),
        ("unix:///var/run/docker.sock", "192.0.2.7", "192.0.2.7"),
        ("tcp://10.0.0.5:2376", "192.0.2.7", "192.0.2.7"),
    ],
)
def test_load_hosts_find_the_server_at_its_engines_address_or_at_the_one_that_is_given(
    endpoint: str, given: str | None, address: str
) -> None:
    assert address_of(Engine("lab1", endpoint), given) == address


@pytest.mark.parametrize(
    ("endpoint", "given", "says"),
    [
        ("unix:///var/run/docker.sock", None, "unix:///var/run/docker.sock does not tell the address"),
        ("tcp://127.0.0.1:2376", None, "127.0.0.1 is no address"),
        ("", "0.0.0.0", "0.0.0.0 is no address"),
        ("", "no such host", "no such host has no IPv4 address here"),
    ],
)
def test_an_address_that_other_hosts_cannot_reach_is_refused(endpoint: str, given: str | None, says: str) -> None:
    with pytest.raises(UserError, match=says) as found:
        address_of(Engine("lab1", endpoint), given)
    assert "--server-address" in str(found.value)


def test_a_server_is_published_at_its_hosts_address_alone_and_only_for_load_hosts() -> None:
    runtime = DockerRuntime(CpuSplit((1, 2, 3), (0,)), "hosts", load_hosts=LoadHosts([LAB2], "192.0.2.7"))
    services = compose_yaml.parse(runtime._override(server("jetty-5.1.10")))["services"]
    measured, generator, agent = services["jetty-5.1.10"], services["ab"], services["agent"]
    assert measured["ports"] == [{"target": 8080, "host_ip": "192.0.2.7", "protocol": "tcp"}], "any free port"
    assert "network_mode" not in measured
    assert (measured["cpuset"], measured["healthcheck"]) == ("1,2,3", {"disable": True})
    assert (generator["network_mode"], agent["network_mode"]) == ("service:jetty-5.1.10",) * 2


def on_load_host() -> dict[str, Any]:
    return compose_yaml.parse(
        docker_templates.fill(
            "load.yaml", generator="ab", label=OURS, sysctls=CLIENT_SYSCTLS, fixtures="files",
            fixtures_in_container="/srv/www",
        )
    )  # fmt: skip


def test_on_a_load_host_a_generator_and_an_agent_run_unpinned_and_nothing_is_published() -> None:
    changes = on_load_host()
    assert set(changes["services"]) == {"ab", "agent"}
    generator, agent = changes["services"]["ab"], changes["services"]["agent"]
    assert (agent["network_mode"], agent["pid"]) == ("service:ab", "host")
    assert not {"ports", "cpuset"} & {*generator, *agent}
    assert generator["labels"] == agent["labels"] == [OURS]
    assert [mount["type"] for mount in generator["volumes"]] == ["volume"]


RUNNING = 'case "$*" in *inspect*) printf "running false 0\\nrunning false 0\\n" ;; *) exec cat ;; esac'


def test_a_load_host_is_there_while_its_containers_run(docker: Path) -> None:
    generator = GeneratorOnHost(LAB2, "project", "ab")
    says(docker, RUNNING)
    assert generator.ended() is None
    says(docker, 'printf "exited true 137\\nrunning false 0\\n"')
    assert generator.ended() == Message(Code.RAN_OUT_OF_MEMORY, {"who": "generator on lab2"})


@pytest.mark.parametrize("script", ["exit 1", 'printf "exited false 137\\nexited false 137\\n"'])
def test_a_load_host_whose_engine_does_not_answer_or_was_started_again_is_gone(docker: Path, script: str) -> None:
    says(docker, script)
    assert GeneratorOnHost(LAB2, "project", "ab").ended() == Message(Code.LOAD_HOST_GONE, {"who": "lab2"})


def test_a_load_host_whose_agent_is_not_connected_any_more_is_gone(docker: Path) -> None:
    says(docker, RUNNING)
    generator = GeneratorOnHost(LAB2, "project", "ab")
    agent = generator._agent = Agent(["true"])
    until(lambda: not agent.is_alive())
    assert generator.ended() == Message(Code.LOAD_HOST_GONE, {"who": "lab2"})
    generator.hang_up()


def test_what_was_left_is_found_by_its_label_and_removed_on_its_engine(docker: Path) -> None:
    log = says(docker, 'case "$*" in *" ps "*) printf "one\\ntwo\\none\\n" ;; esac')
    assert remove_left_over(LAB2) == ["one", "two"]
    asked, *removed = log.read_text().splitlines()
    assert asked.startswith(f"--context lab2 ps --all --filter label={OURS} ")
    assert [line.split(" down ")[0] for line in removed] == [
        f"--context lab2 compose --project-name {name}" for name in ("one", "two")
    ]


def test_a_host_that_is_gone_does_not_keep_another_ones_containers() -> None:
    done: list[str] = []

    def gone() -> None:
        raise RuntimeUnusable("lab2 is gone")

    with pytest.raises(RuntimeUnusable, match="lab2 is gone"):
        each_is_tried(gone, lambda: done.append("lab3"))
    assert done == ["lab3"]
