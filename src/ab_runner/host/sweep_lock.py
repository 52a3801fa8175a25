"""One sweep at a time: two would disturb each other."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ab_runner.errors import UserError

LOCK = Path(tempfile.gettempdir()) / f"ab-runner-{os.getuid()}.lock"
"""Held by the one sweep that this user may run at a time. What was left by a sweep under it, its holder may remove."""


class NotAloneError(UserError):
    """Another sweep is running, in a line that names its process."""


@contextmanager
def sweep_lock() -> Iterator[None]:
    """Hold the lock until the end of the block. NotAloneError if it is held already."""
    with LOCK.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise NotAloneError(
                f"another sweep of yours is running (process {lock.read().strip()}), and two would disturb each other: "
                "wait until it ends"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield
