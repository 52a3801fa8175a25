"""What `./ab-runner new-server` makes is a server at once, in a copy of the repository."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from e2e.conftest import ROOT

from ab_runner.conformance.rules import RULES

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker")]

ID = "new-server-1.0"
"""Always the same, so that Docker knows the build the next time."""
NOT_COPIED = shutil.ignore_patterns(".*", "target", "__pycache__", "results", "files")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
    shutil.copy(ROOT / ".dockerignore", copy)
    (copy / ".venv").symlink_to(ROOT / ".venv")
    return copy


@pytest.fixture
def image() -> Iterator[None]:
    yield
    if found := images():
        subprocess.run(["docker", "image", "rm", *found], check=True, capture_output=True)


def images() -> list[str]:
    command = ["docker", "image", "ls", "--filter", f"reference=ab-runner/{ID}", "--format", "{{.Repository}}:{{.Tag}}"]
    return subprocess.check_output(command, text=True).split()


@pytest.mark.usefixtures("image")
def test_a_new_server_meets_all_requirements_without_a_further_step(copy: Path) -> None:
    subprocess.run([copy / "ab-runner", "new-server", ID], check=True)
    command = [str(copy / "ab-runner"), "check", ID]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    server, *findings = done.stdout.splitlines()
    assert server == ID
    assert len(findings) == sum(not rule.of_files for rule in RULES)
    assert all(line.startswith("  ok ") for line in findings)
    assert images()
