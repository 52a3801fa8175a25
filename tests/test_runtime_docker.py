"""What a sweep changes in compose.yaml; that Compose takes it so, the end-to-end tests see."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import compose_yaml
import pytest
import yaml
from builders import server

from ab_runner.machine import CpuSplit
from ab_runner.runtime.docker import DockerRuntime, why_unusable


def override(tmp_path: Path, network: str) -> dict[str, Any]:
    runtime = DockerRuntime(tmp_path, tmp_path / "$fixtures", CpuSplit((1, 2, 3), (0,)), network)
    runtime._raw = tmp_path / "raw: 'x'"
    return compose_yaml.parse(runtime._override(server("jetty-5.1.10")))


@pytest.mark.parametrize("network", ["loopback", "bridge"])
def test_a_sweep_pins_both_publishes_nothing_and_asks_nothing_while_it_measures(tmp_path: Path, network: str) -> None:
    services = override(tmp_path, network)["services"]
    measured, generator = services["jetty-5.1.10"], services["ab"]
    assert (measured["cpuset"], generator["cpuset"]) == ("1,2,3", "0")
    assert measured["ports"] == "reset"
    assert measured["healthcheck"] == {"disable": True}
    assert override(tmp_path, network)["networks"]["servers"]["internal"] is True


def test_paths_with_special_characters_survive_yaml_and_compose(tmp_path: Path) -> None:
    services = override(tmp_path, "loopback")["services"]
    assert services["jetty-5.1.10"]["volumes"][0]["source"] == str(tmp_path / "$$fixtures")
    assert services["ab"]["volumes"][0]["source"] == str(tmp_path / "raw: 'x'")


def test_over_loopback_ab_is_in_the_servers_network_namespace(tmp_path: Path) -> None:
    generator = override(tmp_path, "loopback")["services"]["ab"]
    assert generator["network_mode"] == "service:jetty-5.1.10"
    assert generator["networks"] == "reset"
    assert "sysctls" not in generator


def test_across_a_bridge_ab_has_a_namespace_of_its_own_with_the_same_settings(tmp_path: Path) -> None:
    generator = override(tmp_path, "bridge")["services"]["ab"]
    assert generator["networks"] == ["servers"]
    service = yaml.safe_load((Path(__file__).parents[1] / "docker/service.yaml").read_text())["services"]["server"]
    assert generator["sysctls"].items() <= service["sysctls"].items()


def test_ab_writes_its_files_as_the_user_who_runs_the_sweep(tmp_path: Path) -> None:
    generator = override(tmp_path, "loopback")["services"]["ab"]
    assert generator["user"] == f"{os.getuid()}:{os.getgid()}"


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
    assert (why_unusable() or "").startswith(expected)
