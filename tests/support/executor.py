"""Executors of a generator's commands."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from ab_runner.load.generator import Completed


class Here:
    """Runs them on this host."""

    fixtures = ""
    cpus: tuple[int, ...] = ()

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def execute(self, command: Sequence[str], time_limit: float) -> Completed:
        done = subprocess.run(command, capture_output=True, text=True, timeout=time_limit, check=False)
        return Completed(done.returncode, done.stdout, done.stderr)

    def take(self, name: str) -> str | None:
        return None


class Kept:
    """Keeps the command, and says that it ended so."""

    folder = "/raw"
    fixtures = "/srv/www"
    cpus: tuple[int, ...] = ()
    command: tuple[str, ...] = ()

    def __init__(self, done: Completed) -> None:
        self.done = done

    def execute(self, command: Sequence[str], time_limit: float) -> Completed:
        self.command = tuple(command)
        return self.done

    def take(self, name: str) -> str | None:
        return None
