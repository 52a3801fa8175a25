"""The files that servers serve: made on first use, and checked against their checksums before every sweep."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ab_runner import paths
from ab_runner.store.layout import StoreError


def make_fixtures() -> Path:
    """Return the folder of the fixtures. StoreError if one cannot be made, or is not the file that it should be."""
    folder = paths.FIXTURES / "files"
    done = subprocess.run(
        [sys.executable, str(paths.FIXTURES / "generate.py"), str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise StoreError(done.stderr)
    return folder
