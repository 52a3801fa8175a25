"""The report on a terminal, as wide as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rich import box
from rich.console import JustifyMethod, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from ab_runner.report.document import Emphasis, Report, Table, TableCell
from ab_runner.report.sparkline import sparkline

_CURVE = "curve"
_GAP = 2
"""Blanks between two columns, one of which is the line between them."""
_LONGEST_CELL = 42
"""A longer text in a cell is broken into lines; five latencies are not as long."""
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
    """Yield what to show, one below the other, on a terminal of that width. What is most important comes last, where
    it is seen first."""
    yield Text(report.heading, style="bold")
    for fact in report.facts:
        yield Text(fact, style="dim")
    for table in report.tables:
        yield ""
        yield Text(table.title, style="bold")
        if table.splits:
            yield from _parts(table, width)
        else:
            yield _whole(table)
        yield from _indented(table.notes, "yellow")
    if report.notes:
        yield ""
        yield from _indented(report.notes, "yellow")
    if report.summary or report.warnings:
        yield ""
    if report.summary:
        yield Text("Summary", style="bold")
        yield from _indented(report.summary)
    for warning in report.warnings:
        yield Text(f"! {warning}", style="bold yellow")


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
    """One way to show a table: with what texts, and with curves or without."""

    texts: Literal["full", "brief", "stacked"]
    curves: bool


_FORMS = (_Form("full", True), _Form("full", False), _Form("brief", True), _Form("brief", False))
"""Those without a broken line; the first that fits is taken."""
_NARROWEST = _Form("stacked", False)


def _parts(table: Table, width: int) -> Iterator[RenderableType]:
    """Yield the table in the first form that fits; where none does, as several tables with some of the columns each."""
    for form in _FORMS:
        widths = _widths(table, form)
        if sum(widths) + _GAP * (len(widths) - 1) <= width:
            yield _part(table, form, range(len(table.headings)), [row[0].text for row in table.rows])
            return
    widths = _widths(table, _NARROWEST)
    names = _broken_names(table, widths, width)
    longest = max((len(line) for name in names for line in name.split("\n")), default=0)
    for number, columns in enumerate(pack([max(longest, len(table.headings[0])), *widths[1:]], width)):
        if number:
            yield ""
        yield _part(table, _NARROWEST, [0, *columns], names)


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


def _widths(table: Table, form: _Form) -> list[int]:
    """Return the width of each column, that of the curves last if there is one."""
    rows = [[*table.headings], *([_text(cell, form) for cell in row] for row in table.rows)]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    if table.curves and form.curves:
        widths.append(max(len(_CURVE), len(table.headings) - table.names))
    return widths


def _width(text: str) -> int:
    return min(_LONGEST_CELL, max(map(len, text.split("\n"))))


def _text(cell: TableCell, form: _Form) -> str:
    if form.texts == "full" or not cell.brief:
        return cell.text
    return (" " if form.texts == "brief" else "\n").join(cell.brief)


def _broken_names(table: Table, widths: Sequence[int], width: int) -> list[str]:
    """Return the names, broken at their hyphens as far as that gives the other columns room: all of them if they can
    have it, else the widest."""
    pieces = max((len(piece) for row in table.rows for piece in _pieces(row[0].text)), default=0)
    for others in (widths[1:], [max(widths[1:], default=0)]):
        room = width - sum(_GAP + column for column in others)
        if room >= pieces:
            break
    return [_broken(row[0].text, max(room, pieces)) for row in table.rows]


def _pieces(name: str) -> list[str]:
    """Return `tomcat-`, `5.5.15-`, `defaults`."""
    *beginning, last = name.split("-")
    return [*(f"{piece}-" for piece in beginning), last]


def _broken(name: str, width: int) -> str:
    lines = [""]
    for piece in _pieces(name):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _part(table: Table, form: _Form, columns: Sequence[int], names: Sequence[str]) -> RichTable:
    """Return a table with the columns at these positions."""
    part = RichTable(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, _GAP - 1, 0, 0), header_style="bold"
    )
    for position in columns:
        part.add_column(
            escape(table.headings[position]),
            justify="left" if position == 0 else "right",
            overflow="fold",
            max_width=_LONGEST_CELL,
        )
    if table.curves and form.curves:
        part.add_column(_CURVE, no_wrap=True)
    for at, (name, row) in enumerate(zip(names, table.rows, strict=True)):
        shown = [Text(name) if column == 0 else _styled(row[column], form) for column in columns]
        if table.curves and form.curves:
            shown.append(Text(sparkline(table.curves[at]), style="cyan"))
        part.add_row(*shown)
    return part


def _styled(cell: TableCell, form: _Form) -> Text:
    return Text(_text(cell, form), style=_STYLES[cell.emphasis])
