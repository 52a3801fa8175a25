"""trials.csv: the table of all trials, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping

from ab_runner.report.trials import COLUMNS, Row, Value, rows
from ab_runner.store import Stored

_YES_NO: Mapping[Value, str] = {True: "yes", False: "no"}


def render(stored: Stored) -> str:
    return write(COLUMNS, (row | {"valid": _YES_NO[row["valid"]]} for row in rows(stored)))


def write(columns: Iterable[str], table: Iterable[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, tuple(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()
