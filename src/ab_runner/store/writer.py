"""Writes a sweep's folder: sweep.json, the append-only trials.jsonl, raw output and reports."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from io import FileIO
from pathlib import Path
from threading import Lock

import msgspec

from ab_runner.host import safe_files
from ab_runner.host.safe_files import write_whole
from ab_runner.model.records import Record
from ab_runner.model.sweep import Sweep
from ab_runner.store.layout import LATEST, RAW_FOLDER, SWEEP_FILE, TRIALS_FILE, StoreError
from ab_runner.store.log import log_path

_SCRATCH = ".scratch-"


class Store:
    """Writes one sweep. Every record is on disk when `append` returns; several threads may call it."""

    def __init__(self, folder: Path) -> None:
        """Opens the log of a folder that has its sweep.json. StoreError if that cannot be done, or it is published."""
        self.folder = folder
        self._one_at_a_time = Lock()
        if log_path(folder).name != TRIALS_FILE:
            raise StoreError(f"{folder} is a published sweep, to which nothing is added; measure a new one")
        try:
            self.raw = safe_files.real_folder(folder / RAW_FOLDER)
            # Unbuffered: what a full disk refuses is not tried again at the end, when it would hide the first error.
            self._log = FileIO(str(folder / TRIALS_FILE), "a+", opener=safe_files.opener)
            with suppress(OSError):  # a file system without locks: then nobody sees that it is being written
                fcntl.flock(self._log, fcntl.LOCK_SH)  # which ends with the process, however that ends
            _end_last_line(self._log)
            for left in folder.glob(f"{_SCRATCH}*"):  # of a sweep that was killed
                shutil.rmtree(left, ignore_errors=True)
            self._scratch = tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=folder, ignore_cleanup_errors=True)
        except OSError as error:
            raise StoreError(f"cannot write to {error.filename or folder}: {error.strerror}") from error

    @property
    def scratch(self) -> Path:
        """The folder in which each start may have a folder that its generator writes to. `close` removes it."""
        return Path(self._scratch.name)

    @classmethod
    def make(cls, folder: Path, sweep: Sweep) -> Store:
        """Makes the folder with its log, and writes sweep.json, without which no log can be read; both are on disk when
        this returns. StoreError if that cannot be done or there is a sweep already."""
        try:
            (folder / RAW_FOLDER).mkdir(parents=True)
            write_whole(folder / SWEEP_FILE, msgspec.json.format(msgspec.json.encode(sweep), indent=2) + b"\n")
            store = cls(folder)
            for path in (folder / SWEEP_FILE, folder, folder.parent):
                safe_files.flush(path)
        except OSError as error:
            raise StoreError(f"cannot write to {error.filename or folder}: {error.strerror}") from error
        return store

    def append(self, record: Record) -> None:
        """Append a record to the log. OSError if the disk does not take it whole; then nothing of it stays."""
        line = msgspec.json.encode(record, enc_hook=dict) + b"\n"  # dict: of what was read from another log
        with self._one_at_a_time:
            if (written := self._log.write(line)) != len(line):
                self._log.truncate(self._log.seek(0, os.SEEK_END) - written)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.folder / TRIALS_FILE))
            os.fsync(self._log.fileno())

    def keep_raw(self, name: str, text: str) -> None:
        """Keep a text in raw/."""
        self.keep(name, text.encode("utf-8", errors="backslashreplace"))

    def keep(self, name: str, content: bytes) -> None:
        """Keep a file in raw/."""
        write_whole(self.raw / name, content)

    def close(self) -> None:
        self._log.close()
        self._scratch.cleanup()


def _end_last_line(log: FileIO) -> None:
    """Begin a new line if a crash cut the last one off, so that the next record is not damaged."""
    size = log.seek(0, os.SEEK_END)
    if size:
        log.seek(size - 1)
        if log.read(1) != b"\n":
            log.write(b"\n")


def write_report(path: Path, text: str) -> None:
    """Puts a derived file in place whole or not at all."""
    write_whole(path, text.encode("utf-8"))


def point_latest_to(folder: Path) -> None:
    """Make `latest`, beside the folder, a link to it. A real folder of that name is left alone."""
    link = folder.parent / LATEST
    draft = folder.parent / f".{LATEST}-{os.getpid()}"
    if link.exists() and not link.is_symlink():
        return
    draft.symlink_to(folder.name)
    os.replace(draft, link)
