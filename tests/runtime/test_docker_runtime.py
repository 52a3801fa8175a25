"""What a sweep changes in compose.yaml; that Compose takes it so, the end-to-end tests see."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import compose_yaml
from support.builders import server

from ab_runner.host.machine import CpuSplit
from ab_runner.load.generator import Completed
from ab_runner.runtime import docker_server, engine
from ab_runner.runtime.base import StartError
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.docker_commands import why_unusable
from ab_runner.runtime.docker_server import DockerServer


def override(tmp_path: Path, network: str) -> dict[str, Any]:
    runtime = DockerRuntime(tmp_path / "$fixtures", CpuSplit((1, 2, 3), (0,)), network)
    runtime._scratch = tmp_path / "scratch: 'x'"
    return compose_yaml.parse(runtime._override(server("jetty-5.1.10"), "1-jetty-5.1.10-1"))


@pytest.mark.parametrize("network", ["loopback", "bridge"])
def test_a_sweep_pins_both_publishes_nothing_and_asks_nothing_while_it_measures(tmp_path: Path, network: str) -> None:
    services = override(tmp_path, network)["services"]
    measured, generator = services["jetty-5.1.10"], services["ab"]
    assert (measured["cpuset"], generator["cpuset"]) == ("1,2,3", "0")
    assert measured["ports"] == "reset"
    assert measured["healthcheck"] == {"disable": True}
    assert generator["entrypoint"][-1] == "/raw/sockets", "the runner's way to the server"


def test_paths_with_special_characters_survive_yaml_and_compose(tmp_path: Path) -> None:
    services = override(tmp_path, "loopback")["services"]
    assert services["jetty-5.1.10"]["volumes"][0]["source"] == str(tmp_path / "$$fixtures")
    assert services["ab"]["volumes"][0]["source"] == str(tmp_path / "scratch: 'x'" / "1-jetty-5.1.10-1")


def test_over_loopback_there_is_no_network_and_ab_is_in_the_servers_namespace(tmp_path: Path) -> None:
    changes = override(tmp_path, "loopback")
    measured, generator = changes["services"]["jetty-5.1.10"], changes["services"]["ab"]
    assert (measured["networks"], measured["network_mode"]) == ("reset", "none")
    assert (generator["networks"], generator["network_mode"]) == ("reset", "service:jetty-5.1.10")
    assert "sysctls" not in generator
    assert "networks" not in changes


def test_across_a_bridge_ab_has_a_namespace_of_its_own_with_the_same_settings(tmp_path: Path) -> None:
    changes = override(tmp_path, "bridge")
    generator = changes["services"]["ab"]
    assert generator["networks"] == ["servers"]
    assert "network_mode" not in changes["services"]["jetty-5.1.10"]
    assert changes["networks"]["servers"] == {
        "internal": True,
        "driver_opts": {"com.docker.network.bridge.inhibit_ipv4": "true"},
    }
    service = yaml.safe_load((Path(__file__).parents[2] / "docker/service.yaml").read_text())["services"]["server"]
    assert generator["sysctls"].items() <= service["sysctls"].items()


def test_ab_writes_its_files_as_the_user_who_runs_the_sweep(tmp_path: Path) -> None:
    generator = override(tmp_path, "loopback")["services"]["ab"]
    assert generator["user"] == f"{os.getuid()}:{os.getgid()}"


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DockerServer]:
    """Its containers are shells of this host, and always running."""
    (tmp_path / "docker").write_text(
        "#!/bin/sh\n"
        'case "$1" in\n'
        'exec) shift 3; exec "$@" ;;\n'
        'inspect) printf "running false 0\\nrunning false 0\\n" ;;\n'
        "esac\n"
    )
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    made = DockerServer("project", server("ceiling", kind="c"), "ab", tmp_path / "log", tmp_path)
    yield made
    made.stop()
    assert not any(shell.is_open() for shell in made._shells.values())


def test_a_shell_that_was_closed_is_opened_again(running: DockerServer) -> None:
    assert running.generate(["echo", "one"], 5) == Completed(0, "one\n", "")
    for shell in running._shells.values():
        shell.close()
    assert running.generate(["echo", "two"], 5) == Completed(0, "two\n", "")


def test_a_setting_that_a_kernel_does_not_have_costs_nothing(
    running: DockerServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docker_server, "SYSCTLS", ("net.none", "net.core.somaxconn"))
    assert list(running._sysctls()) == ["net.core.somaxconn"]


def test_a_server_whose_version_cannot_be_had_does_not_start_and_says_why(running: DockerServer) -> None:
    with pytest.raises(StartError, match="does not start") as found:
        running._version()
    assert "/server/start: not found" in found.value.message.detail


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("echo 26.1.5 buildx", "the docker command has no Compose v2: "),
        ("echo 26.1.5 compose", "the docker command has no buildx: "),
        ("echo no daemon >&2; exit 1", "no Docker engine answers (no daemon): "),
        ("echo permission denied while connecting >&2; exit 1", "you may not use the Docker engine: "),
    ],
)
def test_what_docker_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, expected: str) -> None:
    (tmp_path / "docker").write_text(f"#!/bin/sh\n{says}\n")
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(engine, "is_usable", lambda: False)
    assert (why_unusable() or "").startswith(expected)
