"""What a sweep survives, with each fault really made: the folder stays readable, the cell that was hit has a reason,
and the sweep goes on, by itself or with `./ab-runner resume`."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from e2e.conftest import (
    MINUTES,
    Engine,
    Sweeper,
    answered,
    containers_left,
    containers_of,
    listeners,
    logged,
    servers_left,
    take_images_as_they_are,
    verdicts,
    wait_for_trials,
    wait_until,
)
from support.builders import said_of

from ab_runner.host.sweep_lock import LOCK
from ab_runner.model.records import EndRecord
from ab_runner.store.reader import read

in_docker = pytest.mark.usefixtures("docker", "fixture_files")
on_this_host = pytest.mark.usefixtures("host_tools")


def reasons(folder: Path) -> dict[tuple[str, int], str | None]:
    """What became of each server's cells; None if every answer was right."""
    stored = read(folder)
    assert stored.damage == ()
    return {
        (server, level): None if answered(verdict) else said_of(verdict.reason)
        for (server, _, level), verdict in verdicts(stored).items()
    }


def ended_well(folder: Path) -> bool:
    """Does the log's last record say how the sweep ended, if it has begun at all?"""
    *_, end = [None, *read(folder).records]
    return end is None or (isinstance(end, EndRecord) and end.reason in ("finished", "interrupted"))


# --- in Docker -------------------------------------------------------------------------------------------------


def wait_for_load(folder: Path, server: str, concurrency: int, process: subprocess.Popen[str]) -> None:
    """Waits until ab is at work on that cell."""
    wait_until(lambda: is_loaded(folder, server, concurrency), process)


def is_loaded(folder: Path, server: str, concurrency: int) -> bool:
    if not (folder / "trials.jsonl").exists():
        return False
    command = rf"^\d+ +ab .*/1-{re.escape(server)}-.*-c{concurrency}\.csv"
    for ab in containers_of(read(folder).sweep.id, "ab"):
        top = subprocess.run(["docker", "top", ab, "-o", "pid,args"], capture_output=True, text=True, check=False)
        if re.search(command, top.stdout, re.MULTILINE):
            return True
    return False


def docker(*arguments: str) -> None:
    """Not checked: what ends a server also ends the `docker exec` that did it."""
    subprocess.run(["docker", *arguments], check=False, capture_output=True, timeout=MINUTES)


def server_exits(server: str, ab: str) -> None:
    docker("exec", server, "sh", "-c", "kill -9 -1")


def server_hangs(server: str, ab: str) -> None:
    docker("exec", server, "sh", "-c", "kill -STOP -1")


def server_runs_out_of_memory(server: str, ab: str) -> None:
    """Under a low limit many small programs take memory, until the kernel ends the biggest, which is the JVM."""
    docker("update", "--memory", "256m", "--memory-swap", "256m", server)
    docker("exec", server, "sh", "-c", "for each in $(seq 30); do head -c 10M /dev/zero | tail & done; wait")


def signal_ab(ab: str, name: str) -> None:
    docker(
        "exec", ab, "sh", "-c", f'for p in /proc/[0-9]*; do [ "$(cat $p/comm)" != ab ] || kill -{name} ${{p#/*/}}; done'
    )


def ab_is_killed(server: str, ab: str) -> None:
    signal_ab(ab, "KILL")


def ab_hangs(server: str, ab: str) -> None:
    signal_ab(ab, "STOP")


def ab_is_gone_with_its_container(server: str, ab: str) -> None:
    docker("kill", ab)


@pytest.mark.docker
@in_docker
def test_a_fault_costs_the_cell_that_it_hits_and_the_sweep_goes_on(sweeping: Sweeper, tmp_path: Path) -> None:
    faults: dict[tuple[str, int], tuple[Callable[[str, str], None], str]] = {
        ("jdk-httpserver", 1): (server_runs_out_of_memory, "server ran out of memory"),
        ("jdk-httpserver", 2): (ab_is_killed, "killed"),
        ("jdk-httpserver", 3): (ab_hangs, "over time"),
        ("lighttpd-1.4", 1): (server_exits, "server exited with 137"),
        ("lighttpd-1.4", 2): (ab_is_gone_with_its_container, "generator exited with 137"),
        ("lighttpd-1.4", 3): (server_hangs, "timeout"),
    }
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "docker", "--servers", "jdk-httpserver,lighttpd-1.4", "--workloads", "small", "--protocol",
        "quick", "--warmup", "0", "--duration", "5", "--concurrency", "1,2,3,4", "--out", str(folder),
    )  # fmt: skip
    for (server, concurrency), (make_fault, _) in faults.items():
        wait_for_load(folder, server, concurrency, process)
        (container,), (ab,) = (containers_of(read(folder).sweep.id, name) for name in (server, "ab"))
        make_fault(container, ab)
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    healthy = {("jdk-httpserver", 4): None, ("lighttpd-1.4", 4): None}
    assert reasons(folder) == healthy | {cell: reason for cell, (_, reason) in faults.items()}
    assert ended_well(folder)
    assert "server ran out of memory" in output
    assert containers_left(read(folder).sweep.id) == ""


@pytest.mark.docker
@in_docker
def test_a_server_that_does_not_build_or_ends_at_once_has_that_in_its_cells(
    sweeping: Sweeper, tmp_path: Path, copy_of_toolkit: Path
) -> None:
    servers = copy_of_toolkit / "servers"
    for broken in ("lighttpd-8", "lighttpd-9"):
        shutil.copytree(servers / "lighttpd-1.4", servers / broken)
    (servers / "lighttpd-8" / "start").write_text("#!/bin/sh\nexit 3\n")
    toml = servers / "lighttpd-9" / "server.toml"
    toml.write_text(toml.read_text().replace('packages = ["lighttpd"]', 'packages = ["lighttpd-nine"]'))
    with (copy_of_toolkit / "compose.yaml").open("w") as compose:
        command = [sys.executable, "-m", "ab_runner.catalog.compose"]
        subprocess.run(
            command, stdout=compose, check=True, env=os.environ | {"PYTHONPATH": str(copy_of_toolkit / "src")}
        )
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "docker", "--servers", "lighttpd-*", "--workloads", "small", "--protocol", "quick",
        "--warmup", "0", "--concurrency", "1,2", "--out", str(folder), root=copy_of_toolkit,
    )  # fmt: skip
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    assert reasons(folder) == {
        **{("lighttpd-1.4", level): None for level in (1, 2)},
        **{("lighttpd-1.4-workers", level): None for level in (1, 2)},
        **{("lighttpd-8", level): "does not start" for level in (1, 2)},
        **{("lighttpd-9", level): "does not build" for level in (1, 2)},
    }
    assert "Unable to locate package lighttpd-nine" in output


@pytest.mark.docker
@in_docker
def test_what_a_killed_runner_left_is_removed_by_the_next_sweep(sweeping: Sweeper, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "docker", "--servers", "ceiling", "--workloads", "small", "--protocol", "quick", "--warmup", "0",
        "--duration", "4", "--concurrency", "1,2", "--out", str(folder),
    )  # fmt: skip
    wait_for_load(folder, "ceiling", 1, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert containers_left(read(folder).sweep.id)
    output, _ = sweeping("resume", str(folder)).communicate(timeout=MINUTES)
    assert reasons(folder) == {("ceiling", level): None for level in (1, 2)}, output
    assert containers_left(read(folder).sweep.id) == ""


@pytest.mark.docker
@in_docker
def test_a_sweep_waits_for_an_engine_that_is_restarted(
    sweeping: Sweeper,
    tmp_path: Path,
    copy_of_toolkit: Path,
    engine: Engine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine.host)
    take_images_as_they_are(copy_of_toolkit)
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "docker", "--servers", "lighttpd-1.4,ceiling", "--workloads", "small", "--protocol", "quick",
        "--warmup", "0", "--duration", "4", "--concurrency", "1,2", "--out", str(folder), root=copy_of_toolkit,
    )  # fmt: skip
    for server, number in (("ceiling", signal.SIGTERM), ("lighttpd-1.4", signal.SIGKILL)):
        wait_for_load(folder, server, 1, process)
        engine.end(number)
        time.sleep(2)
        engine.start()
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    assert reasons(folder) == {
        **{(server, 1): "no Docker engine" for server in ("lighttpd-1.4", "ceiling")},
        **{(server, 2): None for server in ("lighttpd-1.4", "ceiling")},
    }
    assert containers_left(read(folder).sweep.id) == ""


LONG = ",".join(map(str, range(1, 31)))
"""Concurrencies of a sweep that takes half a minute and more on every machine: trials take a second each."""


@pytest.mark.docker
@in_docker
@pytest.mark.parametrize(("log", "pause"), [("", 0.0), ("", 0.5), ('"record":"trial"', 0.0), ('"record":"trial"', 0.5)])
def test_an_interruption_at_any_moment_leaves_no_container(
    sweeping: Sweeper, tmp_path: Path, log: str, pause: float
) -> None:
    """While the reference is started before the first block, and while it is stopped after it and started again."""
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "docker", "--servers", "ceiling", "--workloads", "small", "--protocol", "quick", "--warmup", "0",
        "--duration", "1", "--concurrency", LONG, "--out", str(folder),
    )  # fmt: skip
    wait_until(lambda: (folder / "trials.jsonl").exists() and log in logged(folder), process)
    time.sleep(pause)
    process.send_signal(signal.SIGTERM)
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 130, output
    assert "Traceback" not in output
    assert read(folder).damage == ()
    assert ended_well(folder)
    assert containers_left(read(folder).sweep.id) == ""


# --- as processes of this host ---------------------------------------------------------------------------------


def ceiling(port: int, folder: Path, levels: str) -> list[str]:
    """A sweep of a second per concurrency, and some of the reference before it."""
    return [
        "--runtime", "process", "--port", str(port), "--protocol", "quick", "--duration", "1", "--warmup", "0",
        "--servers", "ceiling", "--workloads", "small", "--concurrency", levels, "--out", str(folder),
    ]  # fmt: skip


Happened = Callable[[subprocess.Popen[str], Path, int], object]


def has_loaded(library: str) -> Happened:
    return lambda process, folder, port: library in Path(f"/proc/{process.pid}/maps").read_text()


def handles_signals(process: subprocess.Popen[str], folder: Path, port: int) -> bool:
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = re.search(r"^SigCgt:\t([0-9a-f]+)$", status, re.MULTILINE)
    assert caught is not None
    return bool(int(caught[1], 16) >> (signal.SIGTERM - 1) & 1)


def has_logged(record: str) -> Happened:
    return lambda process, folder, port: f'"record":"{record}"' in logged(folder)


EVENTS: dict[str, Happened] = {
    "the first module is loaded": has_loaded("/msgspec/"),
    "more modules are loaded": has_loaded("/numpy/"),
    "signals are handled": handles_signals,
    "the folder is there": lambda process, folder, port: (folder / "sweep.json").exists(),
    "a server listens": lambda process, folder, port: listeners(port),
    "a server is started": has_logged("start"),
    "a trial is stored": has_logged("trial"),
}


@pytest.mark.process
@on_this_host
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("event", "pause"), [*((event, 0.0) for event in EVENTS), ("a server is started", 0.3), ("a trial is stored", 0.15)]
)
def test_an_interruption_at_any_moment_ends_everything_without_a_traceback(
    sweeping: Sweeper, tmp_path: Path, free_port: int, event: str, pause: float, number: int
) -> None:
    """From the loading of modules on. Before it Python itself starts."""
    folder = tmp_path / "sweep"
    process = sweeping(*ceiling(free_port, folder, LONG))
    wait_until(lambda: EVENTS[event](process, folder, free_port), process)
    time.sleep(pause)
    process.send_signal(number)
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 130 or (process.returncode == -number and "loaded" in event), output
    assert "Traceback" not in output
    if (folder / "sweep.json").exists():
        assert ended_well(folder)
    assert not listeners(free_port)
    assert servers_left(free_port) == []


@pytest.mark.process
@on_this_host
def test_a_second_sweep_is_refused_and_the_first_goes_on(sweeping: Sweeper, tmp_path: Path, free_port: int) -> None:
    first = sweeping(*ceiling(free_port, tmp_path / "first", "1,2"))
    wait_for_trials(tmp_path / "first", 1, first)
    first.send_signal(signal.SIGSTOP)  # or it might end before the second begins
    second = sweeping(*ceiling(free_port, tmp_path / "second", "1"))
    output, _ = second.communicate(timeout=MINUTES)
    first.send_signal(signal.SIGCONT)
    assert second.returncode == 2, output
    assert f"another sweep of yours is running (process {first.pid})" in output
    assert not (tmp_path / "second").exists()
    output, _ = first.communicate(timeout=MINUTES)
    assert first.returncode == 0, output
    assert set(reasons(tmp_path / "first").values()) == {None}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a small disk needs root and mount: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filler:
        while True:
            try:
                filler.write(bytes(4096))
            except OSError:
                return


@pytest.mark.process
@on_this_host
def test_a_full_disk_stops_the_sweep_which_goes_on_when_there_is_room(
    sweeping: Sweeper, small_disk: Path, free_port: int
) -> None:
    folder, filler = small_disk / "sweep", small_disk / "filler"
    process = sweeping(*ceiling(free_port, folder, "1,2,3,4,5"))
    wait_for_trials(folder, 2, process)
    fill(filler)
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 1, output
    assert "the sweep stopped: [Errno 28] No space left on device" in output
    before = read(folder)
    assert 2 <= len(reasons(folder)) < 5
    assert set(reasons(folder).values()) == {None}
    still_full = sweeping("resume", str(folder), "--port", str(free_port))
    output, _ = still_full.communicate(timeout=MINUTES)
    assert still_full.returncode in (1, 2), output
    assert "No space left on device" in output
    assert "Traceback" not in output
    filler.unlink()
    output, _ = sweeping("resume", str(folder), "--port", str(free_port)).communicate(timeout=MINUTES)
    assert reasons(folder) == {("ceiling", level): None for level in range(1, 6)}, output
    assert read(folder).records[: len(before.records)] == before.records


@pytest.mark.process
@on_this_host
def test_the_next_sweep_removes_the_folder_of_a_server_whose_runner_was_killed(
    sweeping: Sweeper, tmp_path: Path, free_port: int
) -> None:
    process = sweeping(*ceiling(free_port, tmp_path / "one", "1,2,3"))
    wait_for_trials(tmp_path / "one", 1, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = set(LOCK.parent.glob(f"{LOCK.stem}-*"))
    assert left
    output, _ = sweeping("resume", str(tmp_path / "one"), "--port", str(free_port)).communicate(timeout=MINUTES)
    assert set(reasons(tmp_path / "one").values()) == {None}, output
    assert not [folder for folder in left if folder.exists()]
