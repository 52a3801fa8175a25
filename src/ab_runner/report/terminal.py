"""The report on a terminal: as wide as it is, families side by side as far as they fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from rich import box
from rich.console import JustifyMethod, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from ab_runner.report.sparkline import sparkline
from ab_runner.report.tables import Listing, Report, Table

_CURVE = "curve"
_LONGEST_CELL = 36
"""A longer text in a cell is broken into lines."""


def render(report: Report, width: int) -> Iterator[RenderableType]:
    """What to show, one below the other, on a terminal of that width."""
    yield Text(report.heading, style="bold")
    for fact in report.facts:
        yield Text(fact, style="dim")
    for warning in report.warnings:
        yield Text(f"! {warning}", style="bold yellow")
    for table in report.tables:
        yield ""
        yield Text(table.title, style="bold")
        if isinstance(table, Listing):
            yield _listing(table)
        else:
            yield from (_part(table, columns) for columns in pack(table, width))
        for note in table.notes:
            yield Padding(Text(note, style="yellow"), (0, 0, 0, 2))
    if report.summary:
        yield ""
        yield Text("in short", style="bold")
        yield from (Padding(Text(line), (0, 0, 0, 2)) for line in report.summary)


def pack(table: Table, width: int) -> Iterator[list[int]]:
    """Positions of the columns that fit beside each other. A family stays together unless it is too wide by itself."""
    names = [*(str(concurrency) for concurrency, _ in table.rows), _CURVE if table.curves else ""]
    margin = max(map(len, names), default=1) + 2
    part: list[int] = []
    used = margin
    families = groupby(range(len(table.columns)), key=lambda position: table.columns[position].family)
    for _, family in families:
        members = list(family)
        groups = [members] if margin + _width(table, members) <= width else [[member] for member in members]
        for group in groups:
            if part and used + _width(table, group) > width:
                yield part
                part, used = [], margin
            part += group
            used += _width(table, group)
    if part:
        yield part


def _width(table: Table, positions: list[int]) -> int:
    """Characters that these columns take, each with its gap of three."""
    return sum(_longest(table, at) + 3 for at in positions)


def _longest(table: Table, position: int) -> int:
    lines = [*_heading(table, position), *(texts[position] for _, texts in table.rows), _curve(table, position)]
    return min(_LONGEST_CELL, max(map(len, lines)))


def _heading(table: Table, position: int) -> list[str]:
    """`jetty-5.1.10-nio` on three lines, because the figures are narrower than the names."""
    return table.columns[position].server.split("-", 2)


def _part(table: Table, positions: list[int]) -> RichTable:
    part = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    part.add_column("c", justify="right", no_wrap=True, vertical="bottom")
    for at in positions:
        part.add_column(escape("\n".join(_heading(table, at))), justify="right", max_width=_LONGEST_CELL)
    for row, (concurrency, texts) in enumerate(table.rows):
        part.add_row(str(concurrency), *(_styled(texts[at], (row, at) in table.best) for at in positions))
    if table.curves:
        part.add_row(_CURVE, *(_curve(table, at) for at in positions), style="cyan")
    return part


def _curve(table: Table, position: int) -> str:
    """Its figures over concurrency, from nothing to the highest of this server."""
    return sparkline(table.curves[position]) if table.curves else ""


def _listing(table: Listing) -> RichTable:
    listing = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    for position, heading in enumerate(table.headings):
        prose = position in table.prose
        justify: JustifyMethod = "left" if prose or position < table.names else "right"
        wraps = prose or position >= table.names
        listing.add_column(escape(heading), justify=justify, no_wrap=not wraps, overflow="fold")
    for texts in table.rows:
        listing.add_row(*(Text(text, style=_OF_WORDS.get(text.rstrip("*"), "")) for text in texts))
    return listing


_OF_WORDS = {
    "holds": "green",
    "does not hold": "red",
    "cannot be told": "yellow",
    "not measured": "dim",
    "faster": "green",
    "gained": "green",
    "slower": "red",
    "lost": "red",
}
"""What a verdict looks like."""
_FIGURE = re.compile(r"(≥ )?[0-9.,]+(–[0-9]+)?( ±[0-9.]+ %)?\*?( [gsm])?|-")  # noqa: RUF001


def _styled(text: str, best: bool) -> Text:
    """Who may be first stands out, and a reason why there is no figure from one that counts. A rate that ab was the
    limit of is dim, for the server may be faster."""
    if best:
        return Text(text, style="bold green")
    if not _FIGURE.fullmatch(text) and " / " not in text:
        return Text(text, style="yellow")
    return Text(text, style="dim" if text.endswith(" g") else "")
