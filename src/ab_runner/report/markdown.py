"""tables.md: the report in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from ab_runner.report.tables import Listing, Report, Table


def render(report: Report) -> str:
    lines = [f"# {_plain(report.heading)}", ""]
    lines += [f"- {_plain(fact)}" for fact in report.facts]
    lines += [f"- **{_plain(warning)}**" for warning in report.warnings]
    if report.summary:
        lines += ["", "## in short", ""]
        lines += [f"- {_plain(line)}" for line in report.summary]
    for table in report.tables:
        lines += ["", *_table(table)]
    return "\n".join(lines) + "\n"


def _table(table: Table | Listing) -> Iterable[str]:
    yield f"## {_plain(table.title)}"
    yield ""
    yield from _grid(table) if isinstance(table, Table) else _listing(table)
    if table.notes:
        yield ""
    for note in table.notes:
        yield f"- {_plain(note)}"


def _grid(table: Table) -> Iterable[str]:
    yield _row(["c", *(column.server for column in table.columns)])
    yield _row(["--:"] * (len(table.columns) + 1))
    for concurrency, texts in table.rows:
        yield _row([str(concurrency), *map(_plain, texts)])


def _listing(table: Listing) -> Iterable[str]:
    yield _row(map(_plain, table.headings))
    left = {*range(table.names), *table.prose}
    yield _row(":--" if position in left else "--:" for position in range(len(table.headings)))
    for texts in table.rows:
        yield _row(map(_plain, texts))


def _row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|#"})


def _plain(text: str) -> str:
    """Text that comes from a server or a file must not become markup."""
    return " ".join(text.split()).translate(_SPECIAL)
