"""What a sweep runs on is made ready, and what cannot take part is told in few lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support import builders

from ab_runner.catalog import artifacts
from ab_runner.catalog.catalog import load_catalog
from ab_runner.errors import UserError
from ab_runner.model.axis import OpenLoad
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.protocol import PROTOCOLS
from ab_runner.model.server import REFERENCE, Artifact, Server
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.sweep.ready import prepare as room
from ab_runner.sweep.ready.prepare import Prepared, prepare, with_batches_that_fit

JAR = Artifact(file="a.jar", sha256="0" * 64, bytes=5, licence="MIT", url="http://127.0.0.1:1/a.jar")
OLD = builders.server("cindy-2", artifacts=(JAR,))
OLD_NIO = builders.server("cindy-2-nio", artifacts=(JAR,))
NEW = builders.server("tomcat-11", jdk_at_least=21)
NEWER = builders.server("tomcat-12", jdk_at_least=21)
PLAIN = builders.server("jetty-5")
BROKEN = builders.server("jetty-6")


CATALOG = load_catalog()
TOO_OLD = Skip(SkipKind.JDK, "needs Java 21 or later")


class RuntimeOfJdk17:
    """Builds nothing, and some servers do not build."""

    name = "fake"
    network = "loopback"
    jdk: int | None = 17
    server_cpus = (1,)
    generator_cpus = (0,)

    def __init__(self, unbuilt: dict[str, str]) -> None:
        self._unbuilt = unbuilt
        self.built: list[str] = []

    def unavailable(self, server: Server) -> Skip | None:
        return TOO_OLD if server.jdk_at_least > 17 else None

    def prepare_generator(self) -> int:
        return 1024

    def prepare(self, servers: Sequence[Server], say: Callable[[str], None]) -> dict[str, str]:
        self.built = [server.id for server in servers]
        return {server: reason for server, reason in self._unbuilt.items() if server in self.built}


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[Prepared, list[str]]]:
    """Prepares a sweep of these servers, and returns it with what was told."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(room, "make_fixtures", lambda: tmp_path)

    def run(*servers: Server, unbuilt: dict[str, str] | None = None, **changes: Any) -> tuple[Prepared, list[str]]:
        monkeypatch.setattr(room, "choose_runtime", lambda *rest: RuntimeOfJdk17(unbuilt or {}))
        request = msgspec.structs.replace(builders.sweep(*servers).request, **changes)
        told: list[str] = []
        return prepare(request, CATALOG, servers, 8080, told.append), told

    return run


Ready = Callable[..., tuple[Prepared, list[str]]]


def test_servers_that_lack_the_same_are_skipped_in_one_line(ready: Ready) -> None:
    prepared, told = ready(OLD, OLD_NIO, NEW, NEWER, PLAIN)
    assert told == [
        "fetching a.jar",
        "2 servers skipped: needs Java 21 or later (tomcat-11, tomcat-12)",
        "2 servers skipped: their artifacts are missing (cindy-2, cindy-2-nio); ./ab-runner artifacts fetch gets them",
    ]
    assert [server.id for server in prepared.servers] == ["jetty-5"]
    assert prepared.skipped["tomcat-11"] == TOO_OLD
    assert JAR.url in prepared.skipped["cindy-2"].detail
    assert artifacts.how_to_get(JAR) in prepared.skipped["cindy-2-nio"].detail
    assert prepared.reference is not None
    assert prepared.reference.id == REFERENCE


def test_a_server_that_does_not_build_takes_part_and_a_reference_that_does_not_is_skipped(ready: Ready) -> None:
    prepared, told = ready(PLAIN, BROKEN, unbuilt={"jetty-6": "no such package", REFERENCE: "no compiler"})
    assert [server.id for server in prepared.servers] == ["jetty-5", "jetty-6"]
    assert prepared.skipped == {REFERENCE: Skip(SkipKind.OTHER, "does not build: no compiler")}
    assert prepared.reference is None
    assert told == [
        f"1 server skipped: does not build: no compiler ({REFERENCE})",
        "does not build: jetty-6: no such package",
    ]


def test_what_is_stored_is_what_the_runtime_is(ready: Ready) -> None:
    prepared, _ = ready(PLAIN, runtime="auto", jdk=None)
    assert (prepared.request.runtime, prepared.request.network, prepared.request.jdk) == ("fake", "loopback", 17)


def test_a_sweep_without_a_server_that_can_run_is_refused(ready: Ready) -> None:
    with pytest.raises(RuntimeUnusable, match="none of these servers can run here"):
        ready(NEW)
    with pytest.raises(RuntimeUnusable, match="none of these servers can run here"):
        ready(BROKEN, unbuilt={"jetty-6": "no such package"})


def test_more_connections_than_ab_may_open_are_refused(ready: Ready) -> None:
    with pytest.raises(UserError, match=r"concurrency 1,009 needs 1,025 open files and ab may open 1,024"):
        ready(PLAIN, levels=(1, 1009))
    ready(PLAIN, levels=(1, 1008))


@pytest.mark.parametrize(
    ("load", "levels", "said"),
    [
        (
            OpenLoad(axis="rate"),
            (1, 2_505),
            "--rate 2,505 needs 5,026 open files and open-load may open 5,024: .*or lower",
        ),
        (OpenLoad(axis="idle", rate=100), (0, 1_009), "--idle 1,009 needs 5,025 open files .*or lower --idle"),
        (OpenLoad(axis="slo"), (10,), r"an open load needs 16,016 open files .*that of the daemon\)$"),
    ],
)
def test_an_open_load_needs_the_connections_of_its_highest_rate(
    ready: Ready, load: OpenLoad, levels: tuple[int, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RuntimeOfJdk17, "prepare_generator", lambda self: 5_024)
    with pytest.raises(UserError, match=said):
        ready(PLAIN, open=load, levels=levels)
    if load.axis != "slo":
        ready(PLAIN, open=load, levels=(levels[0], levels[1] - 1))


@pytest.mark.parametrize(("memory", "together"), [(2**30, 1), (8 * 2**30, 4), (24 * 2**30, 12), (2**40, 12)])
def test_a_batch_takes_no_more_than_half_of_the_memory(memory: int, together: int) -> None:
    protocol = PROTOCOLS["standard"]
    assert with_batches_that_fit(protocol, memory, [PLAIN]) == msgspec.structs.replace(protocol, together=together)
    assert with_batches_that_fit(PROTOCOLS["quick"], memory, [PLAIN]).together == 1


def test_a_batch_counts_the_memory_that_a_study_lets_its_servers_have() -> None:
    large = msgspec.structs.replace(PLAIN, memory=3 * 2**30)
    assert with_batches_that_fit(PROTOCOLS["standard"], 24 * 2**30, [PLAIN, large]).together == 4
