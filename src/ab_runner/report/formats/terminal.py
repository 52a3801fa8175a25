"""The report on a terminal, at the terminal's width."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rich import box
from rich.console import JustifyMethod, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from ab_runner.report.document import Emphasis, Report, Table, TableCell
from ab_runner.report.formats.sparkline import sparkline

_CURVE = "curve"
_GAP = 2
"""Blanks between two columns."""
_ROOM_FOR_SENTENCES = 80
"""The narrowest terminal on which a table with sentences in it is readable."""
_LONGEST_CELL = 42
"""A longer text in a cell is broken into lines; five latencies are shorter than this."""
_STYLES = {
    Emphasis.NONE: "",
    Emphasis.BEST: "bold green",
    Emphasis.LOWER_BOUND: "dim",
    Emphasis.REASON: "yellow",
    Emphasis.GOOD: "green",
    Emphasis.BAD: "red",
    Emphasis.UNSURE: "yellow",
    Emphasis.FAINT: "dim",
}


def render(report: Report, width: int) -> Iterator[RenderableType]:
    """Yield what to show, from top to bottom, on a terminal of that width: the answer, then what it rests on."""
    if report.heading:
        yield Text(report.heading, style="bold")
    if report.answer and width < _ROOM_FOR_SENTENCES:
        yield ""
        yield Text(report.answer.title, style="bold")
        yield from _as_lines(report.answer)
    elif report.answer:
        yield from _shown(report.answer, width)
    for line in report.summary:
        yield Text(line)
    if report.answer or report.summary:
        yield ""
    for fact in report.facts:
        yield Text(fact, style="dim")
    for table in report.tables:
        yield from _shown(table, width)
    if report.notes:
        yield ""
        yield from _indented(report.notes, "yellow")
    if report.warnings:
        yield ""
    for warning in report.warnings:
        yield Text(f"! {warning}", style="bold yellow")


def _shown(table: Table, width: int) -> Iterator[RenderableType]:
    """Yield a table between its title and its notes."""
    yield ""
    yield Text(table.title, style="bold")
    if table.splits:
        yield from _parts(table, width)
    else:
        yield _whole(table)
    yield from _indented(table.notes, "yellow")


def _as_lines(table: Table) -> Iterator[RenderableType]:
    """Yield each row as a line of its headings and texts."""
    for row in table.rows:
        said = zip(table.headings, (cell.text for cell in row), strict=True)
        yield Text("; ".join(f"{heading}: {text}" for heading, text in said if text))
    yield from _indented(table.notes, "yellow")


def _indented(lines: Sequence[str], style: str = "") -> Iterator[Padding]:
    yield from (Padding(Text(line, style=style), (0, 0, 0, 2)) for line in lines)


def _whole(table: Table) -> RichTable:
    """Return a table whose columns belong together. Names are never broken, sentences and figures where they must."""
    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    for position, heading in enumerate(table.headings):
        prose = position in table.prose
        justify: JustifyMethod = "left" if prose or position < table.names else "right"
        wraps = prose or position >= table.names
        shown.add_column(escape(heading), justify=justify, no_wrap=not wraps, overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(cell.text, style=_STYLES[cell.emphasis]) for cell in row))
    return shown


# --- tables whose columns are alike ------------------------------------------------------------------------------


class _Form(NamedTuple):
    """One form of a table: with full or brief texts, and with curves or without."""

    texts: Literal["full", "brief", "stacked"]
    curves: bool


_FORMS = (_Form("full", True), _Form("full", False), _Form("brief", True), _Form("brief", False))
"""The first that fits is taken."""
_NARROWEST = _Form("stacked", False)


class _Column(NamedTuple):
    """A column as it is shown: the lines of each cell, that of the heading first, and how they stand out."""

    cells: list[list[str]]
    styles: list[str]
    is_left: bool

    @property
    def width(self) -> int:
        return max(len(line) for lines in self.cells for line in lines)


def _parts(table: Table, width: int) -> Iterator[RenderableType]:
    """Yield the table in the first form that fits; where none does, as several tables with some of the columns each.
    Rich's own tables measure each cell several times, which takes seconds for those of a large sweep."""
    for form in _FORMS:
        columns = _columns(table, form, _LONGEST_CELL)
        if _total(columns) <= width:
            yield from _lines(columns)
            return
    columns = _columns(table, _NARROWEST, _LONGEST_CELL)
    names = _broken_names(columns, width)
    columns = _columns(table, _NARROWEST, min(_LONGEST_CELL, width - names.width - _GAP))
    for number, group in enumerate(pack([names.width, *(column.width for column in columns[1:])], width)):
        if number:
            yield ""
        yield from _lines([names, *(columns[position] for position in group)])


def pack(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """Yield positions of the columns that fit beside each other. The first column, which has the names, stands before
    each of these groups and is in none of them."""
    names, *others = widths
    group: list[int] = []
    used = names
    for position, column in enumerate(others, 1):
        if group and used + _GAP + column > width:
            yield group
            group, used = [], names
        group.append(position)
        used += _GAP + column
    if group:
        yield group


def _columns(table: Table, form: _Form, longest: int) -> list[_Column]:
    """Return the columns in this form, that of the curves last if there is one."""
    columns = []
    for position, heading in enumerate(table.headings):
        cells = [row[position] for row in table.rows]
        columns.append(
            _Column(
                [_wrapped(heading, longest), *(_wrapped(_text(cell, form), longest) for cell in cells)],
                ["bold", *(_STYLES[cell.emphasis] for cell in cells)],
                is_left=position == 0,
            )
        )
    if table.curves and form.curves:
        curves = [[_CURVE], *([sparkline(figures)] for figures in table.curves)]
        columns.append(_Column(curves, ["bold", *("cyan" for _ in table.curves)], is_left=True))
    return columns


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + _GAP * (len(columns) - 1)


def _text(cell: TableCell, form: _Form) -> str:
    if form.texts == "full" or not cell.brief:
        return cell.text
    return (" " if form.texts == "brief" else "\n").join(cell.brief)


def _wrapped(text: str, longest: int) -> list[str]:
    """Return the text in lines that are no longer, broken between words if that is possible."""
    if len(text) <= longest and "\n" not in text:
        return [text]
    return [line for part in text.split("\n") for line in textwrap.wrap(part, longest, break_on_hyphens=False) or [""]]


def _broken_names(columns: Sequence[_Column], width: int) -> _Column:
    """Return the first column with its names broken at their hyphens, as far as that gives the other columns room: all
    of them if they can have it, else the widest."""
    names, *others = columns
    texts = ["".join(lines) for lines in names.cells]
    longest_piece = max(len(piece) for text in texts for piece in _pieces(text))
    room = width - _total(others) - _GAP
    if room < longest_piece:
        room = width - max(column.width for column in others) - _GAP
    room = min(max(room, longest_piece), width // 2)
    return names._replace(
        cells=[[line for part in _broken(text, room) for line in _wrapped(part, room)] for text in texts]
    )


def _pieces(name: str) -> list[str]:
    """Return `tomcat-`, `5.5.15-`, `defaults`."""
    *beginning, last = name.split("-")
    return [*(f"{piece}-" for piece in beginning), last]


def _broken(name: str, width: int) -> list[str]:
    lines = [""]
    for piece in _pieces(name):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return lines


def _lines(columns: Sequence[_Column]) -> Iterator[Text]:
    """Yield a table with these columns, line by line: its headings, a rule, and its rows."""
    for row in range(len(columns[0].cells)):
        for at in range(max(len(column.cells[row]) for column in columns)):
            line = Text(no_wrap=True)
            for number, column in enumerate(columns):
                lines = column.cells[row]
                text = lines[at] if at < len(lines) else ""
                shown = text.ljust(column.width) if column.is_left else text.rjust(column.width)
                line.append(" " * _GAP if number else "").append(shown, column.styles[row])
            line.rstrip()
            yield line
        if row == 0:
            yield Text("─" * _total(columns))
