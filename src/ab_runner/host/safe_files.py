"""Reads and writes the files of a results folder, which may come from someone else: no link in it is followed, and only
regular files are opened. What is refused is an OSError with the reason and the path."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path
from typing import BinaryIO

READ_AT_MOST = 1 << 30
"""The most bytes that are read: far more than a sweep writes, and far less than a file can claim to have."""
_LINK = "it is a symbolic link, which is not followed; replace it by the file it points to, or remove it"


def real_folder(path: Path) -> Path:
    """Return the path, unless it is a link."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, _LINK, str(path))
    return path


def opener(path: str, flags: int) -> int:
    """Open a regular file, for `open(…, opener=…)`. A FIFO or a device is refused without waiting for it."""
    try:
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, _LINK, path) from None
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "it is not a regular file; remove it", path)
    return file


def read(path: Path, at_most: int = READ_AT_MOST) -> bytes:
    """Return what a regular file has, as far as it goes when it is opened."""
    with open(path, "rb", opener=opener) as file:
        size = os.fstat(file.fileno()).st_size
        if size > at_most:
            raise OSError(errno.EFBIG, f"it has more than {at_most:,} bytes", str(path))
        return file.read(size)


def create(path: Path) -> BinaryIO:
    """Return a new file, open for writing. What had its name before is removed and not written to."""
    path.unlink(missing_ok=True)
    return open(path, "xb")


def flush(path: Path) -> None:
    """Return when the bytes of a file, or the names in a folder, are on disk."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def write_whole(path: Path, content: bytes) -> None:
    """Put a file in place whole or not at all. A link in its place is replaced, not followed."""
    # A name that nobody can have prepared, and not mkstemp's file, which only its owner may read.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.draft")
    try:
        with open(draft, "xb") as file:
            file.write(content)
        os.replace(draft, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        draft.unlink(missing_ok=True)
