"""Servers as processes, by their kinds: the files that they run from, and what they lack."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.builders import server
from support.start_scripts import command
from support.waiting import until

from ab_runner.host.machine import CpuSplit
from ab_runner.model.message import Skip, SkipKind
from ab_runner.runtime import process
from ab_runner.runtime.base import Runtime, StartError
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.process import ProcessRuntime
from ab_runner.runtime.process_kinds import OwnCommand, digest_of

SCRIPT = "#!/bin/sh\npwd\ncat secret data\nexec sleep 60\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A server's folder, with a link to what is not the server's, and a FIFO."""
    made = tmp_path / "mine" / "my-1"
    made.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (made / "run").write_text(SCRIPT)
    (made / "run").chmod(0o755)
    (made / "data").write_text("data")
    (made / "secret").symlink_to(tmp_path / "secret")
    os.mkfifo(made / "fifo")
    return made


@pytest.fixture
def lock_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where servers have their own folders, which nobody may look into, unlike tmp_path."""
    with tempfile.TemporaryDirectory() as open_to_all:
        os.chmod(open_to_all, 0o755)
        monkeypatch.setattr(process, "LOCK", Path(open_to_all) / "lock")
        yield


def mine(*command: str) -> dict[str, object]:
    return {"kind": "command", "command": command}


def runtime_of(tmp_path: Path, folder: Path) -> ProcessRuntime:
    for name in ("raw", "scratch", "www"):
        (tmp_path / name).mkdir()
    runtime = ProcessRuntime(tmp_path, tmp_path / "www", CpuSplit((), ()), 0, outside={"my-1": folder})
    runtime.begin("sweep", tmp_path / "raw", tmp_path / "scratch")
    return runtime


def test_a_copy_has_links_as_links_and_nothing_that_a_reader_would_wait_for(tmp_path: Path, folder: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    OwnCommand({"my-1": folder}).fill(copy, server("my-1", **mine("./run")))
    assert sorted(path.name for path in copy.iterdir()) == ["data", "run", "secret"]
    assert (copy / "secret").is_symlink()


@pytest.mark.usefixtures("lock_folder")
def test_a_command_runs_in_a_copy_of_its_folder(tmp_path: Path, folder: Path) -> None:
    runtime = runtime_of(tmp_path, folder)
    try:
        runtime.start(server("my-1", **mine("./run")), "1-my-1-1")
        log = tmp_path / "raw" / "1-my-1-1.log"
        until(lambda: "data" in log.read_text())
        at, *rest = log.read_text().splitlines()
        assert at.endswith("/server")
        assert not at.startswith(str(folder))
        if os.getuid() == 0:
            assert "Permission denied" in rest[0], "what the link leads to is not for the server to read"
    finally:
        runtime.close()


@pytest.mark.usefixtures("lock_folder")
@pytest.mark.parametrize("command", ["./data", "./gone"])
def test_a_command_that_cannot_be_run_ends_at_once(tmp_path: Path, folder: Path, command: str) -> None:
    runtime = runtime_of(tmp_path, folder)
    try:
        running = runtime.start(server("my-1", **mine(command)), "1-my-1-1")
        until(lambda: running.ended() is not None)
    except StartError:
        pass
    finally:
        runtime.close()


@pytest.mark.usefixtures("lock_folder")
def test_a_folder_that_has_gone_is_a_start_that_failed(tmp_path: Path, folder: Path) -> None:
    runtime = runtime_of(tmp_path, tmp_path / "gone")
    try:
        with pytest.raises(StartError):
            runtime.start(server("my-1", **mine("./run")), "1-my-1-1")
    finally:
        runtime.close()


def test_what_is_missing_is_named(tmp_path: Path, folder: Path) -> None:
    runtime = ProcessRuntime(tmp_path, tmp_path, CpuSplit((), ()), 0, outside={"my-1": folder})

    def reason(**changes: object) -> str | None:
        skip = runtime.unavailable(server("my-1", **changes))
        return skip.detail if skip else None

    assert reason(**mine("./run")) is None
    assert reason(**mine("sh", "run")) is None
    assert reason(**mine("./gone")) == "its command ./gone is not there"
    assert reason(**mine("no-such-program")) == "its command no-such-program is not there"
    assert reason(kind="image", image="my:1") == "it is an image, which needs Docker"


@pytest.mark.parametrize(("kind", "compiler", "packages"), [("c", "cc", "gcc libc6-dev"), ("go", "go", "golang-go")])
def test_what_is_compiled_needs_its_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, compiler: str, packages: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    runtime = ProcessRuntime(tmp_path, tmp_path, CpuSplit((), ()), 0)
    skip = runtime.unavailable(server("a-1", kind=kind))
    expected = f"{compiler} is not installed (Debian: apt-get install {packages})"
    assert skip == Skip(SkipKind.NOT_INSTALLED, expected)
    (tmp_path / compiler).touch(mode=0o755)
    assert runtime.unavailable(server("a-1", kind=kind)) is None


@pytest.mark.parametrize("kind", ["c", "go"])
def test_a_compiled_server_is_built_by_the_script_of_its_kind_and_runs_from_copies(tmp_path: Path, kind: str) -> None:
    (tmp_path / "shared").mkdir()
    command(tmp_path / "shared" / f"build-{kind}", 'mkdir -p "$1/target" && cp "$1/source" "$1/target/server"')
    (tmp_path / "a-1").mkdir()
    (tmp_path / "a-1" / "source").write_text("program")
    (tmp_path / "a-1" / "start").write_text("start")
    runtime = ProcessRuntime(tmp_path, tmp_path, CpuSplit((), ()), 0)
    assert runtime.prepare([server("a-1", kind=kind)], lambda line: None) == {}
    copy = tmp_path / "copy"
    copy.mkdir()
    runtime._kinds[kind].fill(copy, server("a-1", kind=kind))
    assert {path.name: path.read_text() for path in copy.iterdir()} == {"server": "program", "start": "start"}


def test_a_server_may_say_itself_in_which_runtime_it_cannot_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "cc").touch(mode=0o755)
    as_process: Runtime = ProcessRuntime(tmp_path, tmp_path, CpuSplit((), ()), 0)
    in_docker: Runtime = DockerRuntime(CpuSplit((), ()), "loopback")
    for name, cannot, can in (("docker", in_docker, as_process), ("process", as_process, in_docker)):
        which = server("a-1", kind="c", unavailable={name: "it is forbidden there"})
        assert cannot.unavailable(which) == Skip(SkipKind.OTHER, "it is forbidden there")
        assert can.unavailable(which) is None


def test_the_digest_is_of_names_rights_links_and_contents(tmp_path: Path, folder: Path) -> None:
    before = digest_of(folder, "./run")
    assert before.startswith("sha256:")
    assert digest_of(folder, "./run") == before
    found = {before}
    (folder / "data").write_text("other")
    found.add(digest_of(folder, "./run"))
    (folder / "data").chmod(0o755)
    found.add(digest_of(folder, "./run"))
    (folder / "data").rename(folder / "datum")
    found.add(digest_of(folder, "./run"))
    (folder / "secret").unlink()
    (folder / "secret").symlink_to("/elsewhere")
    found.add(digest_of(folder, "./run"))
    found.add(digest_of(folder, "sh"))
    assert len(found) == 6
