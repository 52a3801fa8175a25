"""A sweep's folder: sweep.json, the append-only trials.jsonl, raw output; and reading all of it back."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from io import FileIO
from pathlib import Path

import msgspec

from ab_runner import regular
from ab_runner.model import FORMAT, EndRecord, Record, ResumeRecord, Sweep
from ab_runner.refusal import Refusal
from ab_runner.regular import write_whole

SWEEP_FILE = "sweep.json"
TRIALS_FILE = "trials.jsonl"
RAW_FOLDER = "raw"
LATEST = "latest"
_SCRATCH = ".scratch-"
_GENERATOR_FILE_AT_MOST = 4 << 20
"""Bytes of a file that the generator leaves: 60,000 different milliseconds are less than one MiB."""


class StoreError(Refusal):
    """A folder that holds no sweep, or one that cannot be written."""


class Store:
    """Writes one sweep. Every record is on disk when `append` returns."""

    def __init__(self, folder: Path) -> None:
        """Opens the log of a folder that has its sweep.json. StoreError if that cannot be done."""
        self.folder = folder
        try:
            self.raw = regular.real_folder(folder / RAW_FOLDER)
            # Unbuffered: what a full disk refuses is not tried again at the end, when it would hide the first error.
            self._log = FileIO(str(folder / TRIALS_FILE), "a+", opener=regular.opener)
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
        """The folder that has a folder for each start, which its generator may write to. `close` removes it."""
        return Path(self._scratch.name)

    @classmethod
    def make(cls, folder: Path, sweep: Sweep) -> Store:
        """Makes the folder and writes sweep.json. StoreError if that cannot be done or there is a sweep already."""
        try:
            (folder / RAW_FOLDER).mkdir(parents=True)
            write_whole(folder / SWEEP_FILE, msgspec.json.format(msgspec.json.encode(sweep), indent=2) + b"\n")
        except OSError as error:
            raise StoreError(f"cannot write to {error.filename or folder}: {error.strerror}") from error
        return cls(folder)

    def append(self, record: Record) -> None:
        """OSError if the disk does not take it whole; then nothing of it stays."""
        line = msgspec.json.encode(record) + b"\n"
        if (written := self._log.write(line)) != len(line):
            self._log.truncate(self._log.seek(0, os.SEEK_END) - written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.folder / TRIALS_FILE))
        os.fsync(self._log.fileno())

    def keep_raw(self, name: str, text: str) -> None:
        write_whole(self.raw / name, text.encode("utf-8", errors="backslashreplace"))

    def take(self, start: str, name: str) -> str | None:
        """Return a file that the generator of that start left in `scratch`, and keep it in raw/. None without a regular
        file of that name and of a plausible size: a generator that a server has taken over may leave anything."""
        try:
            content = regular.read(regular.real_folder(self.scratch / start) / name, _GENERATOR_FILE_AT_MOST)
        except OSError:
            return None
        write_whole(self.raw / name, content)
        return content.decode("utf-8", errors="replace")

    def close(self) -> None:
        self._log.close()
        self._scratch.cleanup()


def _end_last_line(log: FileIO) -> None:
    """What a crash cut off must not spoil the record that comes after it."""
    size = log.seek(0, os.SEEK_END)
    if size:
        log.seek(size - 1)
        if log.read(1) != b"\n":
            log.write(b"\n")


class Stored(msgspec.Struct, frozen=True):
    """A sweep as it was read back. `damage` has a line for everything in its log that could not be read."""

    sweep: Sweep
    records: tuple[Record, ...]
    damage: tuple[str, ...] = ()

    @property
    def ending(self) -> str | None:
        """Why it ended, be it `finished`; None where it goes on, or broke off."""
        ends = (record for record in reversed(self.records) if isinstance(record, EndRecord | ResumeRecord))
        last = next(ends, None)
        return last.reason if isinstance(last, EndRecord) else None


def read(folder: Path) -> Stored:
    """StoreError if the folder is no sweep. A damaged line of the log is reported and the rest is read."""
    try:
        content = regular.read(folder / SWEEP_FILE)
        lines = _lines(folder / TRIALS_FILE)
    except (FileNotFoundError, NotADirectoryError):
        if folder.name == LATEST and not folder.is_symlink():
            raise StoreError(f"{folder}: no sweep was made yet; ./ab-runner makes one") from None
        raise StoreError(f"{folder}: not the folder of a sweep (there is no {SWEEP_FILE})") from None
    except OSError as error:
        raise StoreError(f"{error.filename or folder}: cannot be read: {error.strerror}") from error
    try:
        sweep = msgspec.json.decode(content, type=Sweep)
    except _UNREADABLE as error:
        raise StoreError(f"{folder / SWEEP_FILE}: {_explain(content, error)}") from error
    records: list[Record] = []
    damage = [f"{folder / TRIALS_FILE} is missing"] if lines is None else []
    for number, line in lines or ():
        try:
            records.append(_DECODER.decode(line))
        except _UNREADABLE as error:
            damage.append(f"{folder / TRIALS_FILE}: line {number} is damaged and left out: {error}")
    return Stored(sweep, tuple(records), tuple(damage))


def is_being_written(folder: Path) -> bool:
    """Is the sweep in it under way? Its writer shares a lock that is asked for alone here: two who look at the same
    moment may take each other for a writer, but a writer never goes unseen."""
    try:
        with open(folder / TRIALS_FILE, "rb", opener=regular.opener) as log:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


_DECODER = msgspec.json.Decoder(Record)
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def _lines(path: Path) -> list[tuple[int, bytes]] | None:
    """Return the lines with their numbers; None if there is no such file."""
    try:
        lines = regular.read(path).split(b"\n")
    except FileNotFoundError:
        return None
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _explain(content: bytes, error: Exception) -> str:
    """Says so where the file is merely of another version of the format."""
    try:
        version = msgspec.json.decode(content)["format"]
    except (*_UNREADABLE, KeyError, TypeError):
        return str(error)
    return str(error) if version == FORMAT else f"format {version!r}; this toolkit reads format {FORMAT}"


def write_report(path: Path, text: str) -> None:
    """Puts a derived file in place whole or not at all."""
    write_whole(path, text.encode("utf-8"))


def point_latest_to(folder: Path) -> None:
    """Makes `latest`, beside the folder, a link to it; a folder of that name stays."""
    link = folder.parent / LATEST
    draft = folder.parent / f".{LATEST}-{os.getpid()}"
    if link.exists() and not link.is_symlink():
        return
    draft.symlink_to(folder.name)
    os.replace(draft, link)
