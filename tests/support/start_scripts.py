"""Servers of the process runtime that are a shell script."""

from __future__ import annotations

from pathlib import Path

import pytest

from ab_runner.model.server import Server
from ab_runner.runtime import process
from ab_runner.runtime.process import ProcessRuntime


def command(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    """Have every server of the process runtime be this script."""

    def fill(self: ProcessRuntime, stage: Path, server: Server) -> None:
        (stage / "server").mkdir()
        command(stage / "server" / "start", script)
        stage.chmod(0o755)

    monkeypatch.setattr(ProcessRuntime, "_fill", fill)
    monkeypatch.setattr(process, "LOCK", tmp_path / "lock")
