"""The files that a start leaves in raw/, and the folder that its generator may write to."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from support.builders import server
from support.start_scripts import command, runs
from support.waiting import until

from ab_runner.host.machine import CpuSplit
from ab_runner.runtime.base import StartError
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.process import ProcessRuntime

CPUS = CpuSplit((), ())


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """What links lead to that somebody planted in raw/."""
    path = tmp_path / "secret"
    path.write_text("secret")
    (tmp_path / "raw").mkdir()
    (tmp_path / "scratch").mkdir()
    for name in ("1-a-1.log", "1-a-1.compose.yaml"):
        (tmp_path / "raw" / name).symlink_to(path)
    return path


def test_in_docker_neither_override_nor_log_is_written_through_a_link(
    tmp_path: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(tmp_path / "docker", 'case "$1" in inspect) exit 1 ;; logs) echo its log ;; esac')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    runtime = DockerRuntime(CPUS, "loopback")
    runtime.begin("sweep", tmp_path / "raw", tmp_path / "scratch")
    with pytest.raises(StartError, match="does not start"):
        runtime.start(server("a"), "1-a-1")
    assert secret.read_text() == "secret"
    assert (tmp_path / "raw" / "1-a-1.log").read_text() == "its log\n"
    override = (tmp_path / "raw" / "1-a-1.compose.yaml").read_text()
    assert str(tmp_path) not in override, "nothing of the runner's is mounted"


def test_as_a_process_a_server_may_open_its_stderr_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As httpd does. A runner that is root starts it as somebody else, who may not look into tmp_path."""
    for folder in ("raw", "scratch"):
        (tmp_path / folder).mkdir()
    log = tmp_path / "raw" / "1-a-1.log"
    with tempfile.TemporaryDirectory() as open_to_all:
        os.chmod(open_to_all, 0o755)
        runs(monkeypatch, Path(open_to_all), "[ $# -gt 0 ] && exit; echo opened > /dev/stderr; exec sleep 60")
        runtime = ProcessRuntime(tmp_path, tmp_path, CPUS, 0)
        runtime.begin("sweep", tmp_path / "raw", tmp_path / "scratch")
        try:
            runtime.start(server("a", kind="c"), "1-a-1")
            until(log.read_text)
        finally:
            runtime.close()
    assert log.read_text() == "opened\n"


def test_as_a_process_the_log_is_not_written_through_a_link_and_the_generator_has_a_folder_of_its_own(
    tmp_path: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs(monkeypatch, tmp_path, "echo its log; [ $# -gt 0 ] || exec sleep 60")
    runtime = ProcessRuntime(tmp_path, tmp_path, CPUS, 0)
    runtime.begin("sweep", tmp_path / "raw", tmp_path / "scratch")
    try:
        running = runtime.start(server("a", kind="c"), "1-a-1")
        assert running.generate(["sh", "-c", f"echo > {running.generator_folder}/x.csv"], 10).exit_code == 0
    finally:
        runtime.close()
    assert secret.read_text() == "secret"
    assert not (tmp_path / "raw" / "1-a-1.log").is_symlink()
    assert [path.name for path in (tmp_path / "scratch" / "1-a-1").iterdir()] == ["x.csv"]
