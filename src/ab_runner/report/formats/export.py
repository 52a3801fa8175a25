"""Trials of one or more sweeps as one table, for other programs: CSV, JSON. docs/formats.md has the columns. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.report.formats import csv, export_columns
from ab_runner.report.formats.export_columns import Kind, Row

FORMAT = 1
"""Version of the table, in each of its rows. It changes when a reader of the old one would misread the new one; another
column is no such change."""

COLUMNS: dict[str, Kind] = {
    "format": "whole",
    "sweep": "text",
    "protocol": "text",
    **export_columns.COLUMNS,
    "study": "text",
}
_TRUTH = {True: "true", False: "false"}


def table(sweeps: Iterable[SweepAnalysis]) -> Iterator[Row]:
    """Yield the rows of all sweeps. Each has all columns, in their order."""
    for analysis in sweeps:
        sweep = analysis.sweep
        request = sweep.request
        common: Row = {
            "format": FORMAT, "sweep": sweep.id, "protocol": request.protocol.name, "study": request.study,
        }  # fmt: skip
        for row in export_columns.rows(analysis):
            whole = common | row
            yield {column: whole.get(column) for column in COLUMNS}


def as_csv(sweeps: Iterable[SweepAnalysis]) -> bytes:
    """Return a heading and a row per line."""
    worded = (
        {name: _TRUTH[value] if isinstance(value, bool) else value for name, value in row.items()}
        for row in table(sweeps)
    )
    return csv.write(COLUMNS, worded).encode()


def as_json(sweeps: Iterable[SweepAnalysis]) -> bytes:
    """Return an array with a row per line."""
    return b"[\n" + b",\n".join(map(msgspec.json.encode, table(sweeps))) + b"\n]\n"


FORMS = {"csv": as_csv, "json": as_json}
