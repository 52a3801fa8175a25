"""One sweep at a time: two would disturb each other."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from ab_runner.errors import UserError
from ab_runner.host import safe_files

# Not in XDG_RUNTIME_DIR: not every shell of a user has one, and two sweeps would hold two locks.
LOCK = Path(tempfile.gettempdir()) / f"ab-runner-{os.getuid()}.lock"
"""Held by the one sweep that this user may run at a time. What was left by a sweep under it, its holder may remove."""


class NotAloneError(UserError):
    """Another sweep is running, in a line that names its process."""


class LockError(UserError):
    """The lock is not a file of this user's own, in a line that says what to do."""


@contextmanager
def sweep_lock() -> Iterator[None]:
    """Hold the lock until the end of the block. NotAloneError if it is held already, LockError if somebody else has put
    something in its place."""
    with _opened() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            process = lock.read(20).decode(errors="replace").strip()
            raise NotAloneError(
                f"another sweep of yours is running (process {process}), and two would disturb each other: "
                "wait until it ends"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n".encode())
        yield


def _opened() -> FileIO:
    """Return the lock's file. Any user of this machine could have made it before: it is not followed as a link, and not
    written to unless it is this user's own and has no other name."""
    try:
        lock = FileIO(str(LOCK), "a+", opener=safe_files.opener)
    except OSError as error:
        raise LockError(f"{LOCK}: {error.strerror}") from error
    status = os.fstat(lock.fileno())
    if status.st_uid != os.getuid() or status.st_nlink != 1:
        lock.close()
        raise LockError(f"{LOCK}: it is another user's file, or has another name too; remove it, or set TMPDIR")
    os.fchmod(lock.fileno(), 0o600)  # whoever can open it can hold it
    return lock
