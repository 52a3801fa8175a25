"""trials.csv: the table of all trials, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.text import visible
from ab_runner.report.formats.export_columns import COLUMNS, Row, rows

_YES_NO = {True: "yes", False: "no"}


def render(analysis: SweepAnalysis) -> str:
    """Return the table of all trials of a sweep."""
    return write(COLUMNS, (worded(row, _YES_NO) for row in rows(analysis)))


def worded(row: Row, words: Mapping[bool, str]) -> Row:
    """Return the row with these words for true and false."""
    return {name: words[value] if isinstance(value, bool) else value for name, value in row.items()}


def write(columns: Iterable[str], table: Iterable[Mapping[str, object]]) -> str:
    """Return the rows below a heading, in these columns. A spreadsheet computes nothing of what a text says."""
    text = io.StringIO()
    writer = csv.DictWriter(text, tuple(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in row.items()} for row in table)
    return text.getvalue()


_LIKE_A_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠].", re.DOTALL)  # noqa: RUF001


def _harmless(value: object) -> object:
    """Return a text that would be a formula with an apostrophe before it (OWASP, "CSV Injection"), and any without
    control characters."""
    if not isinstance(value, str):
        return value
    return visible(f"'{value}" if _LIKE_A_FORMULA.match(value) else value)
