"""The log of a sweep as bytes: as it was written, or compressed if the sweep is published."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from ab_runner.host import safe_files
from ab_runner.store.layout import PACKED_TRIALS_FILE, TRIALS_FILE

_MEMORY_AT_MOST = 256 << 20
"""Bytes that the decompressor may take: what was packed here needs 65 MiB."""


def log_path(folder: Path) -> Path:
    """Return the path of the log in a sweep's folder, whether or not there is one."""
    plain, packed = folder / TRIALS_FILE, folder / PACKED_TRIALS_FILE
    return packed if os.path.lexists(packed) and not os.path.lexists(plain) else plain


def read_log(folder: Path) -> bytes:
    """Return the whole log of a sweep. OSError if it cannot be read or decompressed."""
    path = log_path(folder)
    content = safe_files.read(path)
    return _unpacked(content, path) if path.name == PACKED_TRIALS_FILE else content


def packed(log: bytes) -> bytes:
    """Return the log compressed, to about a seventh."""
    import lzma  # few commands need it, and a Python may be built without it

    return lzma.compress(log, preset=9)


def _unpacked(content: bytes, path: Path) -> bytes:
    import lzma

    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY_AT_MOST)
    try:
        log = decompressor.decompress(content, safe_files.READ_AT_MOST)
    except lzma.LZMAError as error:
        raise OSError(errno.EINVAL, f"it cannot be decompressed: {error}", str(path)) from error
    if not decompressor.eof:
        cut_off = decompressor.needs_input
        reason = "it ends in the middle" if cut_off else f"it has more than {safe_files.READ_AT_MOST:,} bytes"
        raise OSError(errno.EINVAL, reason, str(path))
    return log
