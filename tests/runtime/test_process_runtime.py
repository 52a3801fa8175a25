"""What a server that runs as a process of this host may not do, with servers that really try it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.builders import said, server
from support.start_scripts import runs
from support.waiting import until

from ab_runner.host import procfs
from ab_runner.host.machine import CpuSplit
from ab_runner.load.generator import Completed
from ab_runner.load.generator_registry import GENERATORS
from ab_runner.model.message import Code, Message
from ab_runner.runtime import process, process_server
from ab_runner.runtime.base import StartError
from ab_runner.runtime.process import ProcessRuntime
from ab_runner.runtime.process_server import ProcessServer

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("setpriv", "prlimit", "setsid"))), reason="needs Linux and util-linux"
)
USER = 65534 if os.getuid() == 0 else os.getuid()
LOG = "1-a-1.log"


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that nobody may look into, unlike tmp_path."""
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


Starter = Callable[[str], ProcessServer]


@pytest.fixture
def start(tmp_path: Path, open_to_all: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Starter]:
    """Starts a script as a server; with --version it says nothing unless it asks for its arguments."""
    runtimes: list[ProcessRuntime] = []
    for folder in ("raw", "scratch"):
        (tmp_path / folder).mkdir()

    def start(script: str) -> ProcessServer:
        runs(monkeypatch, open_to_all, script)
        runtime = ProcessRuntime(tmp_path, tmp_path, CpuSplit((), ()), 0)
        runtimes.append(runtime)
        runtime.begin("sweep", tmp_path / "raw", tmp_path / "scratch")
        return runtime.start(server("a", kind="c"), "1-a-1")

    yield start
    for runtime in runtimes:
        runtime.close()


def running(seconds: int) -> list[int]:
    """The processes that sleep for so long."""
    done = subprocess.run(["pgrep", "-f", f"^sleep {seconds}$"], capture_output=True, text=True, check=False)
    return [int(pid) for pid in done.stdout.split()]


def test_a_child_in_a_session_of_its_own_does_not_survive_its_server(start: Starter) -> None:
    first, second = 900_000_000 + os.getpid(), 800_000_000 + os.getpid()
    guest = start(f"[ $# -gt 0 ] && exit; setsid sleep {first} & (setsid sleep {second} &); exec sleep 60")
    until(lambda: running(first) and running(second))
    guest.stop()
    assert (running(first), running(second)) == ([], [])


def test_a_child_that_was_left_by_the_question_for_the_version_ends_too(start: Starter) -> None:
    seconds = 700_000_000 + os.getpid()
    guest = start(f"[ $# -gt 0 ] || exec sleep 60; (setsid sleep {seconds} &); sleep 0.3; echo 1.0")
    assert guest.environment["version"] == "1.0"
    assert running(seconds) == []


def test_a_start_that_fails_leaves_no_folder(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[Path] = []

    def launch(server: ProcessServer, *arguments: object) -> None:
        stages.append(server.stage)
        raise StartError(Message(Code.DOES_NOT_START))

    monkeypatch.setattr(ProcessServer, "launch", launch)
    with pytest.raises(StartError):
        start("exit")
    assert not stages[0].exists()


def test_the_end_of_a_server_ends_no_other_one(start: Starter) -> None:
    first, second = start("[ $# -gt 0 ] || exec sleep 60"), start("[ $# -gt 0 ] || exec sleep 60")
    first.stop()
    assert second.ended() is None


def test_even_the_question_for_the_version_is_asked_without_rights(start: Starter) -> None:
    guest = start("[ $# -gt 0 ] || exec sleep 60; id -u; cat /proc/self/status /proc/self/limits")
    user, *lines = guest.environment["version"].splitlines()
    assert user == str(USER)
    assert "NoNewPrivs:\t1" in lines
    limits = {line[:25].rstrip(): line[26:].split()[:2] for line in lines if line.startswith("Max ")}
    assert limits["Max core file size"] == ["0", "0"]
    assert limits["Max file size"] == [str(100 << 20)] * 2
    assert all(int(limit) <= 16_384 for limit in limits["Max processes"])


def test_the_output_of_a_generator_is_as_it_was_printed(start: Starter) -> None:
    guest = start("[ $# -gt 0 ] && exit; exec sleep 60")
    done = guest.generate(["printf", r"GET / HTTP/1.1\r\n\r\n\377"], 10)
    assert done == Completed(0, "GET / HTTP/1.1\r\n\r\n\\xff", "")


def test_a_version_without_an_end_is_cut_off(start: Starter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_server, "_VERSION_SECONDS", 0.3)
    guest = start("[ $# -gt 0 ] || exec sleep 60; exec yes")
    assert guest.environment["version"] == ""


def test_a_log_does_not_fill_the_disk(start: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(process._LIMITS, "fsize", 1 << 20)
    guest = start("[ $# -gt 0 ] || exec yes")
    until(lambda: guest.ended() is not None)
    assert guest.ended() == said("server killed by SIGXFSZ")
    assert (tmp_path / "raw" / LOG).stat().st_size == 1 << 20


def test_a_process_does_not_take_the_memory_of_the_machine(start: Starter, tmp_path: Path) -> None:
    guest = start("[ $# -gt 0 ] || exec dd if=/dev/zero of=/dev/null bs=9G count=1")
    until(lambda: guest.ended() is not None)
    assert "memory exhausted" in (tmp_path / "raw" / LOG).read_text()


def test_a_limit_is_never_above_the_runners_own() -> None:
    script = "from ab_runner.runtime.process import _allowed; print(_allowed('nproc', 16384), _allowed('core', 5))"
    command = ["prlimit", "--nproc=1000", "--core=unlimited", sys.executable, "-c", script]
    environment = os.environ | {"PYTHONPATH": "src"}
    assert subprocess.check_output(command, text=True, env=environment) == "1000 5\n"


def test_orphans_of_before_are_left_alone() -> None:
    """In a process of its own, which adopts for as long as it lives."""
    script = """
import os, subprocess, time
from ab_runner.host.orphans import Orphans
before = subprocess.Popen(["sleep", "60"], start_new_session=True)
orphans = Orphans()
orphans.adopt()
spared = subprocess.Popen(["sleep", "60"], start_new_session=True)
same = subprocess.Popen(["sleep", "60"])
leaves = "setsid sh -c 'sleep 60; true' & setsid setsid sleep 60 & sleep 0.2"
subprocess.run(["sh", "-c", leaves], start_new_session=True)
assert orphans.end({spared.pid})
assert [each.poll() for each in (before, spared, same)] == [None] * 3
for each in (before, spared, same):
    each.kill()
    each.wait()
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("none left")
"""
    environment = os.environ | {"PYTHONPATH": "src"}
    assert subprocess.check_output([sys.executable, "-c", script], text=True, env=environment) == "none left\n"


def test_the_parent_of_a_process_is_known() -> None:
    assert procfs.process_stat(os.getpid()).parent == os.getppid()


def test_each_generator_that_is_missing_names_its_own_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert {name: process.why_unusable(each) for name, each in GENERATORS.items()} == {
        "ab": "ab is not installed (Debian: apt-get install apache2-utils)",
        "open-load": "cargo, which builds open-load, is not installed (Debian: apt-get install cargo)",
        "wrk": "wrk is not installed (Debian: apt-get install wrk)",
    }
