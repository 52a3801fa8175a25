"""Trials of one or more sweeps as one table, for other programs: CSV, JSON, Parquet. docs/formats.md has the columns.
Pure, but for the files by which DuckDB takes its input and leaves its output."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.report.formats import csv
from ab_runner.report.formats import export_columns as trials
from ab_runner.report.formats.export_columns import Kind, Row

FORMAT = 1
"""Version of the table, in each of its rows. It changes when a reader of the old one would misread the new one; another
column is no such change."""

COLUMNS: dict[str, Kind] = {"format": "whole", "sweep": "text", "protocol": "text", **trials.COLUMNS}
_SQL: dict[Kind, str] = {"text": "VARCHAR", "whole": "BIGINT", "real": "DOUBLE", "truth": "BOOLEAN"}
_TRUTH = {True: "true", False: "false"}


def table(sweeps: Iterable[SweepAnalysis]) -> Iterator[Row]:
    """Yield the rows of all sweeps. Each has all columns, in their order."""
    for analysis in sweeps:
        sweep = analysis.sweep
        common: Row = {"format": FORMAT, "sweep": sweep.id, "protocol": sweep.request.protocol.name}
        for row in trials.rows(analysis):
            whole = common | row
            yield {column: whole.get(column) for column in COLUMNS}


def as_csv(sweeps: Iterable[SweepAnalysis]) -> bytes:
    """Return a heading and a row per line."""
    return csv.write(COLUMNS, (csv.worded(row, _TRUTH) for row in table(sweeps))).encode()


def as_json(sweeps: Iterable[SweepAnalysis]) -> bytes:
    """Return an array with a row per line."""
    return b"[\n" + b",\n".join(map(msgspec.json.encode, table(sweeps))) + b"\n]\n"


def as_parquet(sweeps: Iterable[SweepAnalysis]) -> bytes:
    """Return what DuckDB writes, which reads our JSON by our columns."""
    import duckdb  # takes its time to load

    columns = ", ".join(f"'{name}': '{_SQL[kind]}'" for name, kind in COLUMNS.items())
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        source, target = Path(folder, "trials.json"), Path(folder, "trials.parquet")
        source.write_bytes(as_json(sweeps))
        read = f"read_json({_quoted(source)}, format = 'array', columns = {{{columns}}})"
        database.execute(f"COPY (FROM {read}) TO {_quoted(target)} (FORMAT parquet)")
        return target.read_bytes()


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"


FORMS = {"csv": as_csv, "json": as_json, "parquet": as_parquet}
