"""A report as data, before it becomes terminal text, Markdown, or a page."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Literal

import msgspec

from ab_runner.errors import UserError


class Emphasis(Enum):
    """The emphasis of a text, where a renderer can show it."""

    NONE = "none"
    BEST = "best"
    """The server is statistically tied for first, and at least one other server is not."""
    LOWER_BOUND = "lower bound"
    """The server may be faster than this figure says."""
    REASON = "reason"
    """The text says why there is no valid result, or that some trials have none."""
    GOOD = "good"
    BAD = "bad"
    UNSURE = "unsure"
    FAINT = "faint"


class TableCell(msgspec.Struct, frozen=True):
    """A text in a table. `brief` is shown in its place where there is little room: parts that are placed beside or
    below each other. Without it there is no shorter text."""

    text: str
    emphasis: Emphasis = Emphasis.NONE
    brief: tuple[str, ...] = ()
    value: float | Literal[""] | None = None
    """The figure in the text, by which the page sorts a column. Empty: there is nothing, and the row comes last. None:
    the text is a name or a sentence, and is sorted as it is."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A text for each of `headings` in each row. The first `names` are names, and those at the positions of `prose` are
    sentences, which may be broken into lines; all others are figures. `notes` explain the abbreviations and marks in
    the texts.

    `splits`: the columns of figures are alike, so that a narrow terminal may show them in several tables, each with the
    names. `curves` has the figures of each row, where these are a curve worth drawing.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    notes: tuple[str, ...] = ()
    names: int = 1
    prose: tuple[int, ...] = ()
    splits: bool = False
    curves: tuple[tuple[float | None, ...], ...] = ()


class Group(msgspec.Struct, frozen=True):
    """A line about several servers or cells. `items` are these: the name of each, and what else is known of it, which
    may be empty."""

    line: str
    items: tuple[tuple[str, str], ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A document of tables. `answer` and `summary` come first: who is fastest, and how far that can be trusted. Facts
    about what was run, the tables and warnings follow. `notes` explain marks that are in several tables."""

    heading: str = ""
    facts: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    answer: Table | None = None
    summary: tuple[str, ...] = ()


def emphasised(cell: TableCell, is_best: bool) -> TableCell:
    """Return the cell, with emphasis if it is one of the best."""
    return msgspec.structs.replace(cell, emphasis=Emphasis.BEST) if is_best else cell


def plain(texts: Iterable[str]) -> tuple[TableCell, ...]:
    """Return these texts as cells without emphasis."""
    return tuple(map(TableCell, texts))


def only_tables(report: Report) -> Report:
    """Return the tables of a report with their notes, for a page that has a heading of its own."""
    return Report(tables=report.tables, notes=report.notes)


def only_fastest(report: Report) -> Report:
    """Return the table of the fastest servers alone. UserError if no server has a figure."""
    if report.answer is None:
        raise UserError("no server has a figure")
    return Report(tables=(report.answer,))


def only_summary(report: Report) -> Report:
    """Return the summary of a report alone."""
    return Report(summary=report.summary)
