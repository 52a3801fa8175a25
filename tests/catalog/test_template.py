"""A new server: which files, and under which names."""

from __future__ import annotations

import datetime
import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from support import cli as test_cli

from ab_runner import paths
from ab_runner.catalog import compose
from ab_runner.catalog.servers import load
from ab_runner.catalog.template import DESCRIPTION, files_of, package_of, with_module

cli = test_cli.cli

ROOT = Path(__file__).parents[2]
MODULE = "{http://maven.apache.org/POM/4.0.0}module"
TODAY = datetime.date(2026, 11, 21)
TEMPLATE = {
    "pom.xml": (
        "    <relativePath>../../pom.xml</relativePath>\n"
        "<artifactId>template</artifactId>\n<main.class>abrunner.template.EchoServer</main.class>"
    ),
    "src/main/java/abrunner/template/EchoServer.java": "package abrunner.template;",
    DESCRIPTION: '"$family" "$version" $released',
}


def test_a_new_server_has_names_of_its_own_everywhere() -> None:
    assert files_of("my-echo-1.0", TEMPLATE, TODAY) == {
        "pom.xml": "<artifactId>my-echo-1.0</artifactId>\n<main.class>abrunner.myecho10.EchoServer</main.class>",
        "src/main/java/abrunner/myecho10/EchoServer.java": "package abrunner.myecho10;",
        "server.toml": '"my-echo" "1.0" 2026-11-21',
    }


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("jetty-5.1.10-nio", '"jetty" "5.1.10-nio"'),
        ("echo", '"echo" "1"'),
        ("jdk-httpserver", '"jdk-httpserver" "1"'),
        ("7-8", '"7" "8"'),
    ],
)
def test_family_and_version_are_read_from_the_id(id: str, expected: str) -> None:
    assert files_of(id, TEMPLATE, TODAY)["server.toml"] == f"{expected} 2026-11-21"


@pytest.mark.parametrize(("id", "package"), [("netty-4.1-epoll", "netty41epoll"), ("new", "_new"), ("new-1", "new1")])
def test_a_package_has_a_name_that_java_takes(id: str, package: str) -> None:
    assert package_of(id) == package


def test_the_new_module_comes_last_and_not_into_a_profile() -> None:
    modules = "  <modules>\n    <module>a</module>\n  </modules>\n"
    profile = "  <profile>\n    <modules>\n      <module>p</module>\n    </modules>\n  </profile>\n"
    assert with_module(modules + profile, "b-1.0") == (
        "  <modules>\n    <module>a</module>\n    <module>b-1.0</module>\n  </modules>\n" + profile
    )


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What new-server reads, with one server in it."""
    for name in ("shared/template", "ceiling"):
        shutil.copytree(ROOT / "servers" / name, tmp_path / "servers" / name)
    shutil.copy(ROOT / "servers/pom.xml", tmp_path / "servers")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "SERVERS", tmp_path / "servers")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_catalog_pom_and_compose_file_have_the_new_server(repository: Path, cli: test_cli.Runner) -> None:
    code, stdout, stderr = cli("new-server", "my-echo-1.0")
    assert (code, stderr) == (0, "")
    assert str(repository / "servers/my-echo-1.0") in stdout
    servers = load(repository / "servers")
    made = servers["my-echo-1.0"]
    assert (made.family, made.version, made.workloads) == ("my-echo", "1.0", ("echo",))
    assert (repository / "compose.yaml").read_text() == compose.render(servers.values())
    modules = [each.text for each in ElementTree.parse(repository / "servers/pom.xml").iter(MODULE)]
    assert modules.count("my-echo-1.0") == 1
    assert "relativePath" not in (repository / "servers/my-echo-1.0/pom.xml").read_text()
    files = contents(repository / "servers/my-echo-1.0")
    assert not [name for name, text in files.items() if re.search(rb"template|\$", name.encode() + text)]
    assert {name for name in files if name.endswith(".java")} == {
        "src/main/java/abrunner/myecho10/EchoServer.java",
        "src/test/java/abrunner/myecho10/EchoServerTest.java",
    }


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("ceiling", "ceiling is there; choose another"),
        ("template", "template is there; choose another"),
        ("shared", "shared is there; choose another"),
        ("fixtures", "compose.yaml has a service of that name"),
        ("My-Echo", "an id is written in lower-case letters and digits, with single dots and dashes"),
        ("../echo", "not '../echo'"),
        ("echo..1", "not 'echo..1'"),
        ("echo-", "not 'echo-'"),
        ("", "not ''"),
        ("e" * 64, "an id has at most 63 characters, not 64"),
    ],
)
def test_an_id_that_cannot_be_is_refused(repository: Path, cli: test_cli.Runner, id: str, expected: str) -> None:
    before = contents(repository)
    assert expected in cli.complaint("new-server", id)
    assert contents(repository) == before


def test_another_servers_mistake_is_told_before_anything_is_written(repository: Path, cli: test_cli.Runner) -> None:
    (repository / "servers/ceiling/server.toml").write_text("format = 2")
    before = contents(repository)
    assert "ceiling/server.toml: format: must be 1" in cli.complaint("new-server", "my-echo-1.0")
    assert contents(repository) == before


def test_what_cannot_be_written_is_not_half_made(repository: Path, cli: test_cli.Runner) -> None:
    (repository / "compose.yaml").mkdir()
    before = contents(repository / "servers")
    assert "compose.yaml" in cli.complaint("new-server", "my-echo-1.0")
    assert contents(repository / "servers") == before
