"""published.csv of a study: its figures, read and checked."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ab_runner.catalog.toml_files import DocumentError, explained
from ab_runner.catalog.workloads import unknown_workload
from ab_runner.host import safe_files
from ab_runner.model.limits import Count
from ab_runner.model.workload import Workload, WorkloadName
from ab_runner.stats.little import under_way

FIGURES_FILE = "published.csv"
_AT_MOST = 16 << 20
"""Bytes of a file."""


Quantity = Annotated[float, Meta(gt=0, lt=1e12)]


class Figure(Struct, frozen=True, forbid_unknown_fields=True):
    """A row: what was published of one server, workload and level."""

    workload: WorkloadName
    server: str
    level: Annotated[int, Meta(ge=1, le=1_000_000)]
    """Connections of a closed load, or requests per second of an open one: the file's column says which."""
    requests_per_second: Annotated[float, Meta(gt=0, lt=1e9)] | None
    failed_requests: Count | None
    outcome: Literal["ok", "failed", "timeout", "untested"]
    requests: Annotated[int, Meta(gt=0)] | None = None
    answered: Count | None = None
    """Requests that were answered, or that the server began to answer, of an open load."""
    latency_mean_ms: Quantity | None = None
    latency_longest_ms: Quantity | None = None
    answer_bytes: Quantity | None = None
    """Bytes received for each request."""
    cpu_us: Quantity | None = None
    """Microseconds of CPU time of the server for each request."""
    allocated_bytes: Quantity | None = None
    """Bytes that the server's JVM allocated for each request."""
    failures_at_most: float = 0.0
    """The share of requests that may fail, as the study says; no column."""
    is_open: bool = False
    """Whether its level is a rate; no column."""
    wait_ms: Count = 0
    """What a request of its workload asks to wait; no column."""

    @property
    def rate(self) -> float | None:
        """Requests per second where they are valid: as in our own trials, if no more requests failed than may."""
        return self.requests_per_second if self.reason is None else None

    @property
    def reason(self) -> str | None:
        """Why the figure is not valid, in the words of our own cells."""
        if self.outcome != "ok":
            return self.outcome
        tolerated = self.failures_at_most * (self.requests or 0)
        return f"{self.failed_requests} failed" if (self.failed_requests or 0) > tolerated else None

    @property
    def connections_served(self) -> float | None:
        """How many connections were served on average, by Little's law; None where the mean latency is not known."""
        if self.latency_mean_ms is None or self.requests_per_second is None:
            return None
        return under_way(self.requests_per_second, self.latency_mean_ms)


COLUMNS = tuple(name for name in Figure.__struct_fields__ if name not in ("failures_at_most", "is_open", "wait_ms"))
_ALWAYS = COLUMNS[: COLUMNS.index("outcome") + 1]
"""The first columns of every file; any of the others may follow. In place of `level` the file says what it is."""
LEVELS = ("concurrency", "rate")


def read(path: Path, workloads: Mapping[str, Workload], failures_at_most: float) -> tuple[Figure, ...]:
    """Return the figures of a file, whose workloads are among these and of which the share of requests that may fail is
    given. DocumentError, with file, line and reason, at the first row that is wrong."""
    try:
        text = safe_files.read(path, _AT_MOST).decode()
        rows = _figures(path, io.StringIO(text, newline=""), workloads)
        return tuple(
            replace(row, failures_at_most=failures_at_most, wait_ms=workloads[row.workload].not_before_ms)
            for row in rows
        )
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}; restore it with git") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise DocumentError(f"{path}: not CSV in UTF-8: {error}") from error


def _figures(path: Path, lines: Iterator[str], workloads: Collection[str]) -> Iterator[Figure]:
    rows = csv.DictReader(lines, strict=True)
    found = tuple(rows.fieldnames or ())
    is_open = "rate" in found
    rows.fieldnames = names = ["level" if name in LEVELS else name for name in found]
    is_right = tuple(names[: len(_ALWAYS)]) == _ALWAYS and len({*names}) == len(names) and {*names} <= {*COLUMNS}
    if not is_right or "level" in found:
        first, others = ",".join(_ALWAYS).replace("level", LEVELS[0]), ", ".join(COLUMNS[len(_ALWAYS) :])
        raise DocumentError(
            f"{path}: line 1: the columns must be {first} (rate in place of concurrency for open loads), "
            f"and any of {others}"
        )
    seen: set[tuple[str, str, int]] = set()
    for row in rows:
        place = f"{path}: line {rows.line_num}"
        if None in row or None in row.values():
            raise DocumentError(f"{place}: must have {len(found)} fields")
        try:
            values = {name: text or None for name, text in row.items()} | {"is_open": is_open}
            figure = msgspec.convert(values, Figure, strict=False)
        except msgspec.ValidationError as error:
            reason = explained(error).replace("level: ", f"{LEVELS[is_open]}: ")
            raise DocumentError(f"{place}: {reason}") from error
        if wrong := unknown_workload(figure.workload, workloads):
            raise DocumentError(f"{place}: workload: {wrong}")
        _check(place, figure, seen)
        yield figure


def _check(place: str, figure: Figure, seen: set[tuple[str, str, int]]) -> None:
    """Check what involves more than one field."""
    has_figure = figure.requests_per_second is not None
    if has_figure != (figure.outcome == "ok") and (has_figure or not figure.is_open):
        raise DocumentError(f"{place}: requests_per_second: rows with outcome ok must have a figure, others must not")
    key = (figure.workload, figure.server, figure.level)
    if key in seen:
        raise DocumentError(f"{place}: a second row for {figure.server}, {figure.workload} at {figure.level}")
    seen.add(key)
