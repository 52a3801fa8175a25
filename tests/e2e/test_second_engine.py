"""A sweep on an engine of which the runner sees nothing but the socket that DOCKER_HOST names."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from e2e.conftest import MINUTES, Engine, answered, check_store, take_images_as_they_are, verdicts

from ab_runner.model.records import StartRecord
from ab_runner.model.trial import Trial

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker", "fixture_files")]

ALONE = """
mount -t tmpfs none /sys/fs/cgroup
mount -t tmpfs none "$0"
! ls /proc/[0-9]*/comm | xargs grep -qx dockerd || exit 99
exec "$@"
"""
"""For sh, in namespaces of its own for processes and mounts: neither control groups nor the files of an engine are
there, and no process that is one."""


@pytest.fixture
def nothing_but_its_socket(engine: Engine) -> list[str]:
    """What a command begins with that shall see no more of the engine."""
    if shutil.which("unshare") is None:
        pytest.skip("namespaces of its own need util-linux")
    own = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    return [*own, "sh", "-c", ALONE, str(engine.data)]


def test_a_sweep_needs_nothing_of_an_engines_machine_but_the_engine(
    tmp_path: Path,
    copy_of_toolkit: Path,
    engine: Engine,
    nothing_but_its_socket: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine.host)
    take_images_as_they_are(copy_of_toolkit)
    folder = tmp_path / "sweep"
    done = subprocess.run(
        [*nothing_but_its_socket, str(copy_of_toolkit / "ab-runner"), "--runtime", "docker", "--protocol", "quick",
         "--servers", "ceiling,lighttpd-1.4,jdk-httpserver", "--workloads", "small,large", "--concurrency", "1,10",
         "--out", str(folder)],
        capture_output=True, text=True, timeout=MINUTES, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    stored = check_store(folder, starts=3)
    assert [cell for cell, verdict in verdicts(stored).items() if not answered(verdict)] == []
    starts = [record for record in stored.records if isinstance(record, StartRecord)]
    assert {record.environment["meter"] for record in starts} == {"processes"}
    for trial in (record for record in stored.records if isinstance(record, Trial)):
        assert trial.usage is not None
        assert trial.usage.peak_memory_bytes is not None
        assert (trial.usage.jit_cpu_seconds is not None) == (trial.server == "jdk-httpserver")
        assert trial.cooldown is not None
        assert trial.cooldown.time_wait is not None
    left = subprocess.check_output(["docker", "ps", "--all", "--quiet"], text=True)
    assert left == "", "nothing is left on the engine"
