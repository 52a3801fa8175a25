"""docs/licences.md names everything that comes from elsewhere."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path

import pytest
import vl_convert

from ab_runner.catalog.artifacts import artifacts_of
from ab_runner.catalog.servers import load

ROOT = Path(__file__).parents[1]
SERVERS = load(ROOT / "servers")
LICENCES = (ROOT / "docs/licences.md").read_text()
APACHE_2_0 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
NAMES = {
    "ceiling": None,
    "httpd": "Apache httpd",
    "jdk": "JDK's HTTP server",
    "spring-boot": "Spring Boot",
    "vertx": "Vert.x",
}
"""Families that are called otherwise there; None: written here."""


def test_the_licence_is_the_text_that_apache_publishes() -> None:
    assert hashlib.sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == APACHE_2_0


@pytest.mark.parametrize("name", re.findall(r"^([a-z][a-z0-9-]*)", (ROOT / "requirements/run.in").read_text(), re.M))
def test_every_python_library_is_there(name: str) -> None:
    assert re.search(rf"^\|.*\b{name}\b.*\|.*\|$", LICENCES, re.M)


@pytest.mark.parametrize("name", tomllib.loads((ROOT / "generators/open-load/Cargo.toml").read_text())["dependencies"])
def test_every_rust_library_is_there(name: str) -> None:
    assert re.search(rf"^\|.*\b{name}\b.*\|.*\|$", LICENCES, re.M)


@pytest.mark.parametrize("family", sorted({server.family for server in SERVERS.values()}))
def test_every_family_of_servers_is_there(family: str) -> None:
    name = NAMES.get(family, family)
    assert name is None or re.search(rf"^\|.*{re.escape(name)}", LICENCES, re.M | re.I)


def test_every_file_that_no_registry_has_is_there_with_its_licence() -> None:
    for artifact in artifacts_of(SERVERS.values()):
        name, _, version = artifact.file.removesuffix(".jar").partition("-")
        assert re.search(rf"^\| {name}.*{re.escape(version)}.*\| {artifact.licence} \|$", LICENCES, re.M | re.I)


def test_the_version_of_vega_is_the_one_in_reports() -> None:
    assert f"| Vega {vl_convert.get_vega_version()} |" in LICENCES
