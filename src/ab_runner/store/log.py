"""The log of a sweep as lines: as it was written, or compressed if the sweep is published."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ab_runner.host import safe_files
from ab_runner.store.layout import PACKED_TRIALS_FILE, TRIALS_FILE

LOG_AT_MOST = 512 << 20
"""Bytes of a log: those of 150,000 trials. In memory its records take about twice as much, and at most 20 times."""
_LINE_AT_MOST = 32 << 20
_PART = 1 << 20
_MEMORY_AT_MOST = 256 << 20
"""Bytes that the decompressor may take: what was packed here needs 65 MiB."""


def log_path(folder: Path) -> Path:
    """Return the path of the log in a sweep's folder, whether or not there is one."""
    plain, packed = folder / TRIALS_FILE, folder / PACKED_TRIALS_FILE
    return packed if os.path.lexists(packed) and not os.path.lexists(plain) else plain


def log_lines(folder: Path) -> Iterator[bytes]:
    """Yield the lines of a sweep's log. It is never in memory as a whole. OSError if it cannot be read or decompressed,
    has too many bytes, or a line has."""
    path = log_path(folder)
    with open(path, "rb", opener=safe_files.opener) as file:
        parts = iter(lambda: file.read(_PART), b"")
        yield from _lines(_unpacked(parts, path) if path.name == PACKED_TRIALS_FILE else parts, path)


def packed(lines: Iterable[bytes]) -> bytes:
    """Return these lines compressed, to about a seventh."""
    import lzma  # few commands need it, and a Python may be built without it

    packer = lzma.LZMACompressor(preset=9)
    return b"".join([*(packer.compress(line + b"\n") for line in lines), packer.flush()])


def _lines(parts: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Yield the lines of a log whose bytes come in parts, and what is behind the end of the last one."""
    read = 0
    begun = b""
    for part in parts:
        read += len(part)
        *whole, begun = (begun + part).split(b"\n")
        for length, at_most, what in ((read, LOG_AT_MOST, "it"), (len(begun), _LINE_AT_MOST, "a line of it")):
            if length > at_most:
                raise OSError(errno.EFBIG, f"{what} has more than {at_most:,} bytes", str(path))
        yield from whole
    yield begun


def _unpacked(parts: Iterable[bytes], path: Path) -> Iterator[bytes]:
    import lzma

    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY_AT_MOST)
    try:
        for part in parts:
            yield unpacker.decompress(part, _PART)
            while not unpacker.needs_input and not unpacker.eof:
                yield unpacker.decompress(b"", _PART)
            if unpacker.eof:
                break
    except lzma.LZMAError as error:
        raise OSError(errno.EINVAL, f"it cannot be decompressed: {error}", str(path)) from error
    if not unpacker.eof:
        raise OSError(errno.EINVAL, "it ends in the middle", str(path))
