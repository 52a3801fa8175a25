"""trials.csv: the table of all trials, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.text import visible
from ab_runner.report.formats.export_columns import COLUMNS, rows
from ab_runner.stats.estimate import Estimate


def render(analysis: SweepAnalysis) -> str:
    """Return the table of all trials of a sweep."""
    return write(COLUMNS, rows(analysis))


def ratio_columns(ratio: Estimate | None) -> dict[str, float]:
    """Return a ratio and the ends of its interval, as far as there are any."""
    ends = {"ratio_low": ratio.interval.low, "ratio_high": ratio.interval.high} if ratio and ratio.interval else {}
    found = {"ratio": ratio.value} | ends if ratio else {}
    return {name: round(value, 4) for name, value in found.items()}


def write(columns: Iterable[str], table: Iterable[Mapping[str, object]]) -> str:
    """Return the rows below a heading, in these columns. A spreadsheet computes nothing of what a text says."""
    text = io.StringIO()
    writer = csv.DictWriter(text, tuple(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in row.items()} for row in table)
    return text.getvalue()


_LIKE_A_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠].", re.DOTALL)  # noqa: RUF001


def _harmless(value: object) -> object:
    """Return a text that would be a formula with an apostrophe before it (OWASP, "CSV Injection"), any without control
    characters, and true and false as words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str):
        return value
    return visible(f"'{value}" if _LIKE_A_FORMULA.match(value) else value)
