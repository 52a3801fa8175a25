"""Cargo, for the tests of generators of our own."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

OPEN_LOAD = Path(__file__).parents[2] / "generators" / "open-load"
_OLDEST = (1, 85)
"""Rust of Debian 13."""


def why_no_cargo() -> str | None:
    """Return why open-load cannot be built here; None if it can."""
    if shutil.which("cargo") is None:
        return "cargo is not installed (Debian 13: apt-get install cargo)"
    version = subprocess.check_output(["cargo", "--version"], text=True)
    found = re.match(r"cargo (\d+)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < _OLDEST:
        return f"cargo must be {_OLDEST[0]}.{_OLDEST[1]} or newer, and this is {version.strip()}"
    return None


def cargo(command: str, *options: str) -> None:
    """Run a command of Cargo in the source of open-load; it must succeed."""
    done = subprocess.run(
        ["cargo", command, "--locked", "--quiet", *options],
        cwd=OPEN_LOAD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=3600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
