"""tables.md: the report in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ab_runner.model.text import visible
from ab_runner.report.document import Report, Table

_DEEPEST = 6


def render(report: Report, below: int = 0) -> str:
    """Return the whole report, with its headings below one of that level. One without a heading is a part of another
    document: its titles are bold lines."""
    whole = bool(report.heading)

    def title(text: str) -> str:
        return f"{_marks(below + 2)} {_plain(text)}" if whole else f"**{_plain(text)}**"

    lines = [f"{_marks(below + 1)} {_plain(report.heading)}", ""] if whole else []
    if report.answer:
        lines += [title(report.answer.title), "", *_table(report.answer), ""]
    for line in report.summary:
        lines += [_plain(line), ""]
    lines += _list(report.facts)
    for table in report.tables:
        lines += ["", title(table.title), "", *_table(table)]
    if report.notes:
        lines += ["", *_list(report.notes)]
    if report.warnings:
        lines += ["", title("Warnings"), "", *_list(report.warnings)]
    return "\n".join(lines).strip("\n") + "\n"


def _marks(level: int) -> str:
    return "#" * min(_DEEPEST, level)


def _list(texts: Iterable[str]) -> Iterator[str]:
    yield from (f"- {_plain(text)}" for text in texts)


def _table(table: Table) -> Iterator[str]:
    yield _row(map(_plain, table.headings))
    left = {*range(table.names), *table.prose}
    yield _row(":--" if position in left else "--:" for position in range(len(table.headings)))
    for row in table.rows:
        yield _row(_plain(cell.text) for cell in row)
    if table.notes:
        yield ""
    yield from _list(table.notes)


def _row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#~&"})


def _plain(text: str) -> str:
    """Return the text with markup and control characters escaped: it may come from a server or a file."""
    return visible(" ".join(text.split())).translate(_SPECIAL)
