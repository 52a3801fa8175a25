"""What a terminal shows of a report."""

from __future__ import annotations

import io

from rich.console import Console

from ab_runner.report.document import Report
from ab_runner.report.formats import terminal


def in_terminal(report: Report, width: int) -> str:
    """Return it without colours, and without blanks at the ends of lines."""
    text = io.StringIO()
    Console(file=text, width=width, highlight=False).print(*terminal.render(report, width), sep="\n")
    return "".join(line.rstrip() + "\n" for line in text.getvalue().splitlines())


def in_colour(report: Report, width: int) -> str:
    """Return it with the codes that a terminal takes."""
    text = io.StringIO()
    console = Console(file=text, width=width, highlight=False, force_terminal=True, color_system="standard")
    console.print(*terminal.render(report, width), sep="\n")
    return text.getvalue()
