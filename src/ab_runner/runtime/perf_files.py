"""Copies of the file with a JVM's performance counters (`ab_runner.perfdata`), which only its own user may read."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

IN_CONTAINER = ("sh", "-c", "cat /tmp/hsperfdata_*/*")
"""Prints the only JVM's. The folder is in /tmp whatever java.io.tmpdir says."""


def of_process(pid: int) -> bytes:
    """Empty if this is no JVM."""
    with suppress(OSError):
        user = (Path("/proc") / str(pid)).stat().st_uid
        for file in Path("/tmp").glob(f"hsperfdata_*/{pid}"):
            if file.stat().st_uid == user:
                return file.read_bytes()
    return b""
