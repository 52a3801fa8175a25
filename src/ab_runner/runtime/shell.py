"""A shell in a container that runs one command after another. A `docker exec` for each would cost 70 ms: 3 % of a trial
and 7 % of a second of warm-up."""

from __future__ import annotations

import select
import shlex
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

import msgspec

from ab_runner.host.interrupt import held
from ab_runner.runtime.engine import Engine

_PART = 65536
_PRINTED_AT_MOST = 16 << 20
"""Bytes; generators and what else is run print a few thousand."""
_END_SECONDS = 5.0
"""How long the docker command may take to end after its shell has."""


class Ran(msgspec.Struct, frozen=True):
    """How a command ended. Where the shell ended under it: the exit code of that, and what there was until then."""

    exit_code: int
    stdout: bytes
    stderr: bytes


class Shell:
    """A shell that runs in a container. It ends with the container, or when the runner does."""

    def __init__(self, on: Engine, container: str) -> None:
        with held():
            self._process = subprocess.Popen(
                on.docker("exec", "--interactive", container, "sh"), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, start_new_session=True,
            )  # fmt: skip
        assert self._process.stdin is not None, "they are pipes"
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._stdin, self._stdout, self._stderr = self._process.stdin, self._process.stdout, self._process.stderr

    def is_open(self) -> bool:
        """Return whether it still runs."""
        return self._process.poll() is None

    def run(self, command: Sequence[str], seconds: float) -> Ran:
        """Run a command and return how it ended. subprocess.TimeoutExpired if it takes longer, or prints without an
        end. Then, and when it is interrupted, the shell is closed: what comes late would be taken for the answer to the
        next command."""
        try:
            return self._run(command, seconds)
        except BaseException:
            self.close()
            raise

    def _run(self, command: Sequence[str], seconds: float) -> Ran:
        end = uuid.uuid4().hex.encode()
        line = f"{shlex.join(command)} < /dev/null; printf '{end.decode()}%3d' $?; printf {end.decode()} >&2\n"
        got = {self._stdout: b"", self._stderr: b""}
        ends = {self._stdout: len(end) + 3, self._stderr: len(end)}
        deadline = time.monotonic() + seconds
        try:
            self._stdin.write(line.encode())
        except BrokenPipeError:
            return self._ended(got)
        waiting = set(got)
        while waiting:
            left = deadline - time.monotonic()
            ready = select.select(waiting, [], [], left)[0] if left > 0 else []
            if not ready:
                raise subprocess.TimeoutExpired(command, seconds)
            for pipe in ready:
                part = pipe.read(_PART)
                if not part:
                    return self._ended(got)
                got[pipe] += part
                if len(got[pipe]) > _PRINTED_AT_MOST:
                    raise subprocess.TimeoutExpired(command, seconds)
                if got[pipe][-ends[pipe] :].startswith(end):
                    waiting.discard(pipe)
        stdout, _, code = got[self._stdout].rpartition(end)
        # The server runs as the same user and could write here too.
        return Ran(int(code) if code.strip().isdigit() else 1, stdout, got[self._stderr].removesuffix(end))

    def _ended(self, got: Mapping[IO[bytes], bytes]) -> Ran:
        rest = {pipe: b"" for pipe in got}
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
            rest = {pipe: pipe.read() or b"" for pipe in got}
        self.close()
        stdout, stderr = (got[pipe] + rest[pipe] for pipe in (self._stdout, self._stderr))
        return Ran(self._process.returncode or 1, stdout, stderr)

    def close(self) -> None:
        """End it; may be called twice."""
        with self._process:  # which closes the pipes, and waits
            self._process.kill()
