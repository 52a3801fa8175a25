"""trials.csv: the table of all trials, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping

from ab_runner.report.trials import COLUMNS, Row, rows
from ab_runner.store.reader import Stored

_YES_NO = {True: "yes", False: "no"}


def render(stored: Stored) -> str:
    return write(COLUMNS, (worded(row, _YES_NO) for row in rows(stored)))


def worded(row: Row, words: Mapping[bool, str]) -> Row:
    """The row with these words for what is true or false."""
    return {name: words[value] if isinstance(value, bool) else value for name, value in row.items()}


def write(columns: Iterable[str], table: Iterable[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, tuple(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return text.getvalue()
