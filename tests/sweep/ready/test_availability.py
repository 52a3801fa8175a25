from __future__ import annotations

from pathlib import Path

import pytest
from support.builders import server

from ab_runner.catalog.catalog import load_catalog
from ab_runner.model.message import SkipKind
from ab_runner.model.server import Artifact, Needs
from ab_runner.runtime import docker_commands
from ab_runner.sweep.ready.availability import Availability, what_can_run

CATALOG = load_catalog()
JAR = Artifact(file="cindy.jar", sha256="0" * 64, bytes=5, licence="Apache-2.0", url="https://example.org/cindy.jar")


def reasons(here: Availability) -> dict[str, str]:
    return {server: reason.detail for server, reason in here.missing.items()}


def test_without_docker_the_reasons_are_those_of_this_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ab").touch(mode=0o755)
    (tmp_path / "cc").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    lacking = server("thttpd-2", kind="debian", needs=Needs("no-such-command", ("thttpd",)))
    here = what_can_run(CATALOG, [server("ceiling", kind="c"), lacking])
    assert here.where.startswith("as processes of this host, because no Docker engine answers")
    assert reasons(here) == {"thttpd-2": "no-such-command is not installed (Debian: apt-get install thttpd)"}


def test_without_docker_and_ab_nothing_can_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    here = what_can_run(CATALOG, [server("ceiling", kind="c")])
    assert reasons(here) == {"ceiling": "ab is not installed (Debian: apt-get install apache2-utils)"}


def test_with_docker_only_what_no_registry_has_can_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docker_commands, "why_unusable", lambda *on: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    here = what_can_run(CATALOG, [server("cindy-2", artifacts=(JAR,)), server("jetty-5")])
    assert here.where == "in containers"
    assert list(here.missing) == ["cindy-2"]
    assert "`./ab-runner artifacts fetch` downloads it" in reasons(here)["cindy-2"]
    assert here.missing["cindy-2"].kind == SkipKind.ARTIFACT
