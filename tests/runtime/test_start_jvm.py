"""The start script of every JVM server, with a `java` that prints its arguments."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ab_runner import paths

START = paths.SERVERS / "shared" / "start-jvm"


def arguments(folder: Path, nproc: str, **environment: str) -> list[str]:
    for name, script in (("java", 'echo "$@"'), ("nproc", f"echo {nproc}")):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    path = {"PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run([START], env=path | environment, check=True, capture_output=True, text=True).stdout.split()


@pytest.mark.parametrize(("processors", "collector"), [("1", "Serial"), ("2", "G1"), ("16", "G1")])
def test_the_collector_follows_the_cpus_that_the_server_is_sized_for(
    tmp_path: Path, processors: str, collector: str
) -> None:
    flags = [f"-XX:ActiveProcessorCount={processors}", f"-XX:+Use{collector}GC", "-Xms512m", "-Xmx512m"]
    assert arguments(tmp_path, "4", PROCESSORS=processors) == [*flags, "-jar", "server.jar"]


@pytest.mark.parametrize(("nproc", "collector"), [("1", "Serial"), ("4", "G1")])
def test_a_server_that_is_not_pinned_takes_the_collector_for_the_cpus_it_sees(
    tmp_path: Path, nproc: str, collector: str
) -> None:
    assert arguments(tmp_path, nproc) == [f"-XX:+Use{collector}GC", "-Xms512m", "-Xmx512m", "-jar", "server.jar"]


def test_the_flags_of_a_study_take_the_place_of_heap_and_collector(tmp_path: Path) -> None:
    flags = ["-Xmx2g", "-javaagent:lib/agent.jar", "-XX:+UseParallelGC"]
    rest = ["-jar", "server.jar"]
    assert arguments(tmp_path, "2", JVM_FLAGS=" ".join(flags)) == [*flags, *rest]
    assert arguments(tmp_path, "2", JVM_FLAGS="") == rest, "a JVM without any flag"
    assert arguments(tmp_path, "2", JVM_FLAGS="-Xmx2g", PROCESSORS="1") == [
        "-XX:ActiveProcessorCount=1",
        "-Xmx2g",
        *rest,
    ]
