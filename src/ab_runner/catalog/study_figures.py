"""published.csv of a study: its figures, read and checked."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from ab_runner import paths
from ab_runner.catalog.toml_files import DocumentError, explained
from ab_runner.catalog.workloads import load_workloads, unknown_workload
from ab_runner.host import safe_files
from ab_runner.model.limits import Connections, Count
from ab_runner.model.workload import WorkloadName

FIGURES_FILE = "published.csv"
_AT_MOST = 16 << 20
"""Bytes of a file."""


class Figure(Struct, frozen=True, forbid_unknown_fields=True):
    """A row: what was published of one server, workload and concurrency."""

    workload: WorkloadName
    server: str
    concurrency: Connections
    requests_per_second: Annotated[float, Meta(gt=0, lt=1e9)] | None
    failed_requests: Count | None
    outcome: Literal["ok", "failed", "timeout", "untested"]

    @property
    def rate(self) -> float | None:
        """Requests per second where they are valid: as in our own trials, if no request failed."""
        return self.requests_per_second if self.reason is None else None

    @property
    def reason(self) -> str | None:
        """Why the figure is not valid, in the words of our own cells."""
        if self.outcome != "ok":
            return self.outcome
        return f"{self.failed_requests} failed" if self.failed_requests else None


def read(path: Path) -> tuple[Figure, ...]:
    """Return the figures of a file. DocumentError, with file, line and reason, at the first row that is wrong."""
    try:
        text = safe_files.read(path, _AT_MOST).decode()
        return tuple(_figures(path, io.StringIO(text, newline="")))
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}; restore it with git") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DocumentError(f"{path}: not CSV in UTF-8: {error}") from error


def _figures(path: Path, lines: Iterator[str]) -> Iterator[Figure]:
    rows = csv.DictReader(lines, strict=True)
    expected = list(Figure.__struct_fields__)
    if rows.fieldnames != expected:
        raise DocumentError(f"{path}: line 1: the columns must be {','.join(expected)}")
    workloads = load_workloads(paths.WORKLOADS)
    seen: set[tuple[str, str, int]] = set()
    for row in rows:
        place = f"{path}: line {rows.line_num}"
        if None in row or None in row.values():
            raise DocumentError(f"{place}: must have {len(expected)} fields")
        try:
            figure = msgspec.convert({name: text or None for name, text in row.items()}, Figure, strict=False)
        except msgspec.ValidationError as error:
            raise DocumentError(f"{place}: {explained(error)}") from error
        if wrong := unknown_workload(figure.workload, workloads):
            raise DocumentError(f"{place}: workload: {wrong}")
        _check(place, figure, seen)
        yield figure


def _check(place: str, figure: Figure, seen: set[tuple[str, str, int]]) -> None:
    """Check what involves more than one field."""
    if (figure.outcome == "ok") != (figure.requests_per_second is not None):
        raise DocumentError(f"{place}: requests_per_second: rows with outcome ok must have a figure, others must not")
    key = (figure.workload, figure.server, figure.concurrency)
    if key in seen:
        raise DocumentError(f"{place}: a second row for {figure.server}, {figure.workload} at {figure.concurrency}")
    seen.add(key)
