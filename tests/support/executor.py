"""An executor of a generator's commands on this host."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from ab_runner.load.generator import Completed


class Here:
    fixtures = ""
    cpus: tuple[int, ...] = ()

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def execute(self, command: Sequence[str], time_limit: float) -> Completed:
        done = subprocess.run(command, capture_output=True, text=True, timeout=time_limit, check=False)
        return Completed(done.returncode, done.stdout, done.stderr)

    def take(self, name: str) -> str | None:
        return None
