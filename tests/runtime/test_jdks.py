"""Which JDKs a host has, and what becomes of servers that cannot run on the one that was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.builders import server

from ab_runner.host.machine import CpuSplit
from ab_runner.model.server import Server
from ab_runner.runtime import jdks
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.process import ProcessRuntime

CPUS = CpuSplit((), ())
OLD, NEW = server("jetty-5.1.10"), server("helidon-4.3", jdk_at_least=21)
NATIVE = server("lighttpd-1.4", kind="c", jdk_at_least=25)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ('IMPLEMENTOR="Eclipse Adoptium"\nJAVA_RUNTIME_VERSION="25.0.1+8-LTS"\nJAVA_VERSION="25.0.1"\n', 25),
        ('JAVA_VERSION="1.8.0_504"\nOS_NAME="Linux"\n', 8),
        ('openjdk version "1.8.0_504"\nOpenJDK Runtime Environment (build 1.8.0_504-8u504-ga-1-b01)\n', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "17.0.15" 2025-04-15\n', 17),
        ('openjdk version "26-ea" 2027-03-16\n', 26),
        ("", None),
        ('FULL_VERSION="25"\n', None),
        ("/opt/java: not found", None),
    ],
)
def test_the_version_is_read_from_the_release_file_or_from_what_java_says(text: str, version: int | None) -> None:
    assert jdks.version_in(text) == version


def make_jdk(home: Path, release: str | None, says: str = "", compiles: bool = True) -> Path:
    """A folder like a JDK's, whose java prints its version as a real one does."""
    (home / "bin").mkdir(parents=True)
    for name in ("java", "javac") if compiles else ("java",):
        (home / "bin" / name).write_text(f"#!/bin/sh\necho '{says}' >&2\n")
        (home / "bin" / name).chmod(0o755)
    if release is not None:
        (home / "release").write_text(release)
    return home


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for JDKs of a host that has none but what a test puts there."""
    folder = tmp_path / "jvm"
    folder.mkdir()
    monkeypatch.setattr(jdks, "FOLDER", folder)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return folder


def test_the_newest_comes_first_and_a_link_is_not_another_one(host: Path) -> None:
    old = make_jdk(host / "java-8", None, says='openjdk version "1.8.0_504"')
    new = make_jdk(host / "java-25", 'JAVA_VERSION="25.0.1"')
    (host / "default").symlink_to(new)
    (host / "sources-only").mkdir()
    (host / "broken").symlink_to(host / "nowhere")
    assert jdks.installed() == [jdks.Jdk(25, new), jdks.Jdk(8, old)]


def test_of_two_of_one_version_the_users_choice_comes_first(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make_jdk(host / "a", 'JAVA_VERSION="17"')
    on_path = make_jdk(host.parent / "elsewhere", 'JAVA_VERSION="17.0.1"')
    named = make_jdk(host.parent / "mine", 'JAVA_VERSION="17.0.2"')
    monkeypatch.setenv("PATH", str(on_path / "bin"))
    monkeypatch.setenv("JAVA_HOME", str(named))
    assert [jdk.home for jdk in jdks.installed()] == [named, on_path, first]


def process(jdk: int | None = None) -> ProcessRuntime:
    return ProcessRuntime(Path("servers"), Path("fixtures"), CPUS, 8080, jdk)


def reasons(runtime: ProcessRuntime | DockerRuntime, *servers: Server) -> list[str | None]:
    return [skip.detail if (skip := runtime.unavailable(each)) else None for each in servers]


def test_a_server_that_needs_a_newer_java_is_left_out_and_the_others_are_not(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [None, "needs Java 21 or later; this sweep runs on 17"]
    assert reasons(DockerRuntime(CPUS, "loopback", 17), OLD, NEW) == expected
    assert reasons(DockerRuntime(CPUS, "loopback", 17), NATIVE) == [None]
    assert reasons(DockerRuntime(CPUS, "loopback", 25), OLD, NEW) == [None, None]
    make_jdk(host / "java-17", 'JAVA_VERSION="17"')
    add_maven(host, monkeypatch)
    assert reasons(process(), OLD, NEW) == expected


def add_maven(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = host.parent / "tools"
    tools.mkdir()
    (tools / "mvn").write_text("")
    (tools / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))


def test_processes_run_on_the_newest_jdk_or_on_the_one_that_was_asked_for(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_maven(host, monkeypatch)
    make_jdk(host / "java-8", 'JAVA_VERSION="1.8.0_504"')
    make_jdk(host / "java-17", 'JAVA_VERSION="17"', compiles=False)
    assert (process().jdk, process(8).jdk) == (17, 8)
    assert reasons(process(), OLD) == [None]
    assert reasons(process(8), OLD) == [None]


def test_a_jdk_that_the_host_lacks_is_named_with_its_package(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_maven(host, monkeypatch)
    make_jdk(host / "java-17", 'JAVA_VERSION="17"')
    (reason,) = reasons(process(25), OLD)
    assert reason is not None
    assert reason.startswith("there is no JDK 25 in ")
    assert "apt-get install openjdk-25-jre-headless" in reason
    assert process(25).jdk == 25


def test_a_host_without_jdk_without_compiler_or_without_maven_says_what_to_install(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert process().jdk is None
    assert reasons(process(), OLD) == ["no JDK is installed (Debian: apt-get install default-jdk-headless)"]
    make_jdk(host / "java-17", 'JAVA_VERSION="17"', compiles=False)
    assert reasons(process(), OLD) == ["no JDK is installed (Debian: apt-get install default-jdk-headless)"]
    make_jdk(host / "java-25", 'JAVA_VERSION="25"')
    assert reasons(process(), OLD) == ["mvn is not installed (Debian: apt-get install maven)"]
