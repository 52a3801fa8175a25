"""Reads a sweep's folder back."""

from __future__ import annotations

import errno
import fcntl
import os
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import get_args

import msgspec

from ab_runner.host import safe_files
from ab_runner.model.axis import lowest_level
from ab_runner.model.compact import Compact
from ab_runner.model.records import EndRecord, Record, ResumeRecord
from ab_runner.model.sweep import FORMAT, Sweep
from ab_runner.model.text import shown
from ab_runner.model.trial import RepeatedTrial, SupportingTrial, Trial
from ab_runner.store import format_1
from ab_runner.store.checks import wrong_in_record, wrong_in_sweep
from ab_runner.store.layout import LATEST, PUBLISHED_SWEEPS, SWEEP_FILE, TRIALS_FILE, StoreError
from ab_runner.store.log import log_lines, log_path
from ab_runner.store.nodes import counted_once

RECORDS_AT_MOST = 1_000_000
_SWEEP_AT_MOST = 16 << 20
"""Bytes of sweep.json; that of all servers has less than 100,000."""
_NAMED_AT_MOST = 100
"""Damaged lines, and unknown kinds of records, that are named; of more, the number is."""
_OTHERS = "others"
_KIND_AT_MOST = 40
_REASON_AT_MOST = 300


class Stored(msgspec.Struct, frozen=True):
    """A sweep as it was read back. `damage` has a line for everything in its log that could not be read."""

    sweep: Sweep
    records: tuple[Record, ...]
    damage: tuple[str, ...] = ()

    @property
    def ending(self) -> str | None:
        """Why the sweep ended, such as `finished`; None while it runs, or if it was killed."""
        ends = (record for record in reversed(self.records) if isinstance(record, EndRecord | ResumeRecord))
        last = next(ends, None)
        return last.reason if isinstance(last, EndRecord) else None


def read(folder: Path) -> Stored:
    """Return the sweep in a folder. StoreError if the folder is no sweep, or one of a newer format.

    A damaged line of the log is reported and the rest is read. Fields that this version does not know are ignored. So
    are unknown kinds of records, which a line of `damage` reports.
    """
    sweep = read_sweep(folder)
    servers, lowest = {server.id for server in sweep.everyone}, lowest_level(sweep.request.axis)
    log = log_path(folder)
    records: list[Record] = []
    damage: list[str] = []
    damaged = 0
    unknown: Counter[str] = Counter()
    try:
        for number, line in enumerate(log_lines(folder), 1):
            if not line.strip():
                continue
            try:
                records.append(_record(line, sweep.format, servers, lowest))
            except UNREADABLE as error:
                if kind := _unknown_kind(line):
                    unknown[kind if len(unknown) < _NAMED_AT_MOST else _OTHERS] += 1
                    continue
                damaged += 1
                if damaged <= _NAMED_AT_MOST:
                    reason = shown(str(error), _REASON_AT_MOST)
                    damage.append(f"{log}: line {number} is damaged and ignored: {reason}")
            if len(records) > RECORDS_AT_MOST:
                raise OSError(errno.EFBIG, f"it has more than {RECORDS_AT_MOST:,} records", str(log))
    except FileNotFoundError:
        damage.append(f"{log} is missing")
    except OSError as error:
        raise _unreadable(folder, error) from error
    if damaged > _NAMED_AT_MOST:
        damage.append(f"{log}: {damaged - _NAMED_AT_MOST:,} more lines are damaged and ignored")
    if unknown:
        kinds = ", ".join(sorted(unknown))
        count = f"{unknown.total()} records of a kind that this version does not know are ignored"
        damage.append(f"{log}: {count}: {kinds}")
    return Stored(sweep, counted_once(records), tuple(damage))


def read_sweep(folder: Path) -> Sweep:
    """Return what the sweep in a folder was when it began. StoreError as `read`."""
    try:
        content = safe_files.read(folder / SWEEP_FILE, _SWEEP_AT_MOST)
    except (FileNotFoundError, NotADirectoryError):
        if folder.name == LATEST and not folder.is_symlink():
            raise StoreError(f"{folder}: there is no sweep yet; ./ab-runner runs one") from None
        raise StoreError(f"{folder}: not the folder of a sweep (there is no {SWEEP_FILE})") from None
    except OSError as error:
        raise _unreadable(folder, error) from error
    return _sweep(folder / SWEEP_FILE, content)


def sweeps_in(results: Path) -> list[Path]:
    """Return the folders of sweeps in a folder, those of published sweeps first. OSError if it cannot be read. Links
    are excluded: `latest` would be a second entry, and another link could expose a folder that nobody meant to show."""
    published = results / PUBLISHED_SWEEPS
    folders = [*(published.iterdir() if published.is_dir() and not published.is_symlink() else ()), *results.iterdir()]
    return [path for path in folders if not path.is_symlink() and os.path.lexists(path / SWEEP_FILE)]


def readable_sweeps(results: Path) -> list[tuple[Sweep, Path]]:
    """Return the sweeps in a folder, as they were begun, with their own folders; none where it cannot be read. A sweep
    that cannot be read is left out."""
    sweeps = []
    try:
        folders = sweeps_in(results)
    except OSError:
        return []
    for folder in folders:
        try:
            sweeps.append((read_sweep(folder), folder))
        except StoreError:
            continue
    return sweeps


def is_being_written(folder: Path) -> bool:
    """Return whether the sweep in the folder is running. Its writer holds a shared lock; an exclusive one is tried
    here. Two readers at the same moment may take each other for a writer, but a writer is never missed."""
    try:
        with open(folder / TRIALS_FILE, "rb", opener=safe_files.opener) as log:
            fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _unreadable(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"{error.filename or folder}: cannot be read: {error.strerror}")


class _Format(msgspec.Struct):
    format: int = FORMAT


class _Kind(msgspec.Struct):
    record: str


_RECORDS = msgspec.json.Decoder(Record)
_KINDS = frozenset(kind.__struct_config__.tag for kind in get_args(Record))
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def _sweep(path: Path, content: bytes) -> Sweep:
    try:
        version = msgspec.json.decode(content, type=_Format).format
        if version > FORMAT:
            raise StoreError(
                f"{path}: format {version}; this toolkit reads formats up to {FORMAT}: use a newer toolkit"
            )
        sweep = format_1.sweep_of(content) if version == 1 else msgspec.json.decode(content, type=Sweep)
    except UNREADABLE as error:
        raise StoreError(f"{path}: {shown(str(error), _REASON_AT_MOST)}") from error
    if wrong := wrong_in_sweep(sweep):
        raise StoreError(f"{path}: {wrong}")
    return sweep


def _record(line: bytes, version: int, servers: Collection[str], lowest: int) -> Record:
    """Return the record in a line of a sweep of that format which has these servers, and whose lowest possible level
    this is. One of `UNREADABLE` if there is none, or a wrong one."""
    record = _of_format_1(line) if version == 1 else _RECORDS.decode(line)
    if wrong := wrong_in_record(record, servers, lowest):
        raise msgspec.ValidationError(wrong)
    if isinstance(record, RepeatedTrial | SupportingTrial):
        return msgspec.structs.replace(record, trial=_compact(record.trial))
    return _compact(record) if isinstance(record, Trial) else record


def _of_format_1(line: bytes) -> Record:
    """Return the record in a line of a log of format 1, to which `resume` may have added records of today."""
    try:
        return format_1.record_of(line)
    except msgspec.ValidationError as error:
        with suppress(msgspec.ValidationError):
            record: Record = _RECORDS.decode(line)
            return record
        raise error


def _compact(trial: Trial) -> Trial:
    replace, outcome = msgspec.structs.replace, trial.outcome
    if outcome is None:
        return trial
    if arrivals := outcome.arrivals:
        arrivals = replace(arrivals, lag=Compact(arrivals.lag))
    seconds = (replace(each, latency=Compact(each.latency), lag=Compact(each.lag)) for each in outcome.per_second)
    compact = replace(outcome, latency=Compact(outcome.latency), arrivals=arrivals, per_second=tuple(seconds))
    return replace(trial, outcome=compact)


def _unknown_kind(line: bytes) -> str | None:
    """Return the kind of a whole record that a newer version has written; None for any other line."""
    try:
        kind = msgspec.json.decode(line, type=_Kind).record
    except UNREADABLE:
        return None
    return None if kind in _KINDS else shown(kind, _KIND_AT_MOST)
