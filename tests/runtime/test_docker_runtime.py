"""What a sweep changes in compose.yaml; that Compose takes it so, the end-to-end tests see."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import compose_yaml
from support.agents import DOCKERFILE, ROOT
from support.builders import server

from ab_runner.host.machine import CpuSplit
from ab_runner.load.generator import Completed
from ab_runner.runtime import docker_generator, docker_server, engine
from ab_runner.runtime.base import StartError
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.docker_builds import fill_libraries
from ab_runner.runtime.docker_commands import why_unusable
from ab_runner.runtime.docker_server import DockerServer
from ab_runner.runtime.engine import USUAL


def override(network: str) -> dict[str, Any]:
    runtime = DockerRuntime(CpuSplit((1, 2, 3), (0,)), network)
    return compose_yaml.parse(runtime._override(server("jetty-5.1.10")))


@pytest.fixture(params=["loopback", "bridge"])
def network(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_sweep_pins_both_publishes_nothing_and_asks_nothing_while_it_measures(network: str) -> None:
    services = override(network)["services"]
    measured, generator, agent = services["jetty-5.1.10"], services["ab"], services["agent"]
    assert (measured["cpuset"], generator["cpuset"], agent["cpuset"]) == ("1,2,3", "0", "0")
    assert measured["ports"] == "reset"
    assert measured["healthcheck"] == {"disable": True}
    assert generator["entrypoint"] == ["sleep", "infinity"], "commands come later"


def test_nothing_of_the_runners_machine_is_mounted(network: str) -> None:
    changes = override(network)
    mounts = [mount for service in changes["services"].values() for mount in service.get("volumes", [])]
    assert {mount["source"] for mount in mounts} == {"fixtures"}
    assert all(mount["type"] == "volume" and mount["read_only"] for mount in mounts)
    assert changes["volumes"] == {"fixtures": {"external": True, "name": "ab-runner-fixtures"}}


def test_libraries_that_no_registry_has_are_a_volume_named_after_the_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docker, log = tmp_path / "docker", tmp_path / "log"
    docker.write_text(f'#!/bin/sh\necho "$*" >> "{log}"\n[ "$1" = create ] && echo 4711\nexit 0\n')
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    volume = fill_libraries(USUAL, "sha256:0123456789abcdef0000", "/server/lib", [Path("/cache/a.jar")])
    assert volume == "ab-runner-libraries-0123456789abcdef"
    assert log.read_text().splitlines() == [
        f"create --network=none --volume {volume}:/server/lib sha256:0123456789abcdef0000",
        "cp /cache/a.jar 4711:/server/lib/a.jar",
        "rm 4711",
    ]
    runtime = DockerRuntime(CpuSplit((1,), (0,)), "loopback")
    runtime._libraries["cindy-2.4.4"] = volume
    changes = compose_yaml.parse(runtime._override(server("cindy-2.4.4")))
    (mount,) = changes["services"]["cindy-2.4.4"]["volumes"]
    assert (mount["type"], mount["target"], mount["read_only"]) == ("volume", "/server/lib", True)
    assert changes["volumes"]["libraries"] == {"external": True, "name": volume}


def test_the_agent_is_where_connections_start_and_where_no_server_can_find_it(network: str) -> None:
    agent = override(network)["services"]["agent"]
    assert agent["network_mode"] == {"loopback": "service:jetty-5.1.10", "bridge": "service:ab"}[network]
    assert agent["pid"] == "host", "a server cannot see it, and it does not end with the server"
    service = compose_yaml.parse((ROOT / "compose.yaml").read_text())["services"]["agent"]
    assert (service["cap_drop"], service["read_only"]) == (["ALL"], True)
    assert service["security_opt"] == ["no-new-privileges:true"]
    (user,) = re.findall(r"^USER (.*)$", DOCKERFILE.read_text(), re.MULTILINE)
    assert user not in ("0:0", "65534:65534"), "it is neither root nor a server"


def test_over_loopback_there_is_no_network_and_ab_is_in_the_servers_namespace() -> None:
    changes = override("loopback")
    measured, generator = changes["services"]["jetty-5.1.10"], changes["services"]["ab"]
    assert (measured["networks"], measured["network_mode"]) == ("reset", "none")
    assert (generator["networks"], generator["network_mode"]) == ("reset", "service:jetty-5.1.10")
    assert "sysctls" not in generator
    assert "networks" not in changes


def test_across_a_bridge_ab_has_a_namespace_of_its_own_with_the_same_settings() -> None:
    changes = override("bridge")
    generator = changes["services"]["ab"]
    assert generator["networks"] == ["servers"]
    assert "network_mode" not in changes["services"]["jetty-5.1.10"]
    assert changes["networks"]["servers"] == {
        "internal": True,
        "driver_opts": {"com.docker.network.bridge.inhibit_ipv4": "true"},
    }
    service = yaml.safe_load((ROOT / "docker/service.yaml").read_text())["services"]["server"]
    assert generator["sysctls"].items() <= service["sysctls"].items()


def test_a_generator_is_no_user_of_this_machine(network: str) -> None:
    assert "user" not in override(network)["services"]["ab"]
    for dockerfile in (ROOT / "docker/generators").iterdir():
        assert "\nUSER 65534:65534\n" in dockerfile.read_text()


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
    made = DockerServer(USUAL, "project", server("ceiling", kind="c"), "ab", tmp_path / "log")
    yield made
    made.stop()
    assert not any(shell.is_open() for shell in made._shells.values())


def test_a_shell_that_was_closed_is_opened_again(running: DockerServer) -> None:
    assert running.generate(["echo", "one"], 5) == Completed(0, "one\n", "")
    for shell in running._shells.values():
        shell.close()
    assert running.generate(["echo", "two"], 5) == Completed(0, "two\n", "")


@pytest.fixture
def folder(tmp_path: Path, running: DockerServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the generator, whose container is this host."""
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.setattr(docker_generator, "_FOLDER", str(folder))
    return folder


def test_what_the_generator_leaves_is_taken_once_byte_for_byte(running: DockerServer, folder: Path) -> None:
    (folder / "x y.csv").write_bytes(b"0,1\n\xff")
    assert running.take("x y.csv") == b"0,1\n\xff"
    assert running.take("x y.csv") is None


def test_what_a_generator_plants_is_not_taken(running: DockerServer, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    with (folder / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    for name in ("link", "fifo", "folder", "sparse", "none"):
        assert running.take(name) is None
    assert (tmp_path / "secret").exists()
    assert running.generate(["echo", "next"], 5) == Completed(0, "next\n", "")


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
    monkeypatch.setattr(engine, "is_usable", lambda on: False)
    assert (why_unusable() or "").startswith(expected)
