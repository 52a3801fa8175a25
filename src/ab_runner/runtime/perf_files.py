"""Copies of the file with a JVM's performance counters (`ab_runner.perfdata`), which only its own user may read."""

from __future__ import annotations

import base64
import binascii
import select
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from ab_runner.interrupt import held

_ANSWER_SECONDS = 5.0
_SCRIPT = "while read -r _; do cat /tmp/hsperfdata_*/* | base64 -w 0; echo; done"


def of_process(pid: int) -> bytes:
    """Empty if this is no JVM. The folder is in /tmp whatever java.io.tmpdir says."""
    with suppress(OSError):
        user = (Path("/proc") / str(pid)).stat().st_uid
        for file in Path("/tmp").glob(f"hsperfdata_*/{pid}"):
            if file.stat().st_uid == user:
                return file.read_bytes()
    return b""


class InContainer:
    """A shell in the container that answers each line with a copy: a `docker exec` for each would cost 0.1 s, twice a
    trial. It ends with the container, or when the runner does."""

    def __init__(self, container: str) -> None:
        with held():
            self._shell = subprocess.Popen(
                ["docker", "exec", "--interactive", container, "sh", "-c", _SCRIPT], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, start_new_session=True,
            )  # fmt: skip
        assert self._shell.stdin is not None, "they are pipes"
        assert self._shell.stdout is not None
        self._stdin, self._stdout = self._shell.stdin, self._shell.stdout

    def copy(self) -> bytes:
        """Empty if there is no JVM, or no longer one."""
        with suppress(OSError, binascii.Error):
            self._stdin.write(b"\n")
            return base64.b64decode(self._line(), validate=True)
        return b""

    def _line(self) -> bytes:
        """What it answers; empty if it has ended. One that does not answer in time is ended, as its late answer would
        be taken for that to the next question."""
        line = b""
        deadline = time.monotonic() + _ANSWER_SECONDS
        while not line.endswith(b"\n"):
            if not select.select([self._stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                self._shell.kill()
                return b""
            if not (part := self._stdout.read(65536)):
                return b""
            line += part
        return line.strip()

    def close(self) -> None:
        with self._shell:  # which closes the pipes, and waits
            self._shell.kill()
