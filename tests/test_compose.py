"""Catalog, compose.yaml and images agree: adding a server is adding a folder."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import compose_yaml

from ab_runner.catalog import load
from ab_runner.compose import TOOLS, render

ROOT = Path(__file__).parents[1]
SERVERS = load(ROOT / "servers")


def test_compose_yaml_is_what_the_catalog_says() -> None:
    assert (ROOT / "compose.yaml").read_text() == render(SERVERS.values()), "run `make compose`"


def test_every_server_has_a_service_of_its_own_name_with_its_own_image_and_settings() -> None:
    services = compose_yaml.parse(render(SERVERS.values()))["services"]
    assert set(services) == {*SERVERS, *TOOLS}
    for id, server in SERVERS.items():
        service = services[id]
        assert service["image"] == f"ab-runner/{server.program}"
        assert service["build"]["args"]["PROGRAM"] == server.program
        assert service.get("environment", {}) == server.environment
        assert (ROOT / service["build"]["dockerfile"]).is_file()


def test_what_no_registry_has_is_mounted_and_never_copied_into_an_image() -> None:
    services = compose_yaml.parse(render(SERVERS.values()))["services"]
    for id, server in SERVERS.items():
        mounted = {each["target"]: each for each in services[id].get("volumes", []) if each["type"] == "bind"}
        assert set(mounted) == {f"/server/lib/{artifact.file}" for artifact in server.artifacts}
        for artifact in server.artifacts:
            mount = mounted[f"/server/lib/{artifact.file}"]
            assert mount["source"].endswith(f"/ab-runner/artifacts/{artifact.cached_as}")
            assert mount["read_only"]
            assert not mount["bind"]["create_host_path"], "Docker would make an empty folder of that name"
            pom = (ROOT / "servers" / server.program / "pom.xml").read_text()
            assert f"${{artifacts}}/{artifact.cached_as}</systemPath>" in pom
            assert f"${{artifacts}}/{artifact.cached_as}</exists>" in (ROOT / "servers/pom.xml").read_text()


def test_every_program_can_be_built_and_started() -> None:
    namespace = "{http://maven.apache.org/POM/4.0.0}"
    modules = {each.text for each in ElementTree.parse(ROOT / "servers/pom.xml").iter(f"{namespace}module")}
    for program in {server.program for server in SERVERS.values()}:
        if SERVERS[program].kind == "jvm":
            assert program in modules, f"servers/pom.xml lacks <module>{program}</module>"
        else:
            assert (ROOT / "servers" / program / "start").stat().st_mode & 0o111


def test_what_a_server_stands_for_is_in_the_published_results() -> None:
    text = (ROOT / "results/published/cindy-2006.csv").read_text()
    for server in SERVERS.values():
        assert server.published is None or f",{server.published}," in text
