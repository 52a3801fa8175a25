"""What is only shown: the servers, and the tables of a sweep."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ab_runner.model import Server
from ab_runner.report import csv, markdown, terminal
from ab_runner.report.tables import Report, report_of
from ab_runner.store import Stored

WIDTH_OF_FILES = 160
"""Columns where the output is no terminal and nothing (COLUMNS) says how wide it is."""


def console_for(stream: TextIO) -> Console:
    width = WIDTH_OF_FILES if not stream.isatty() and "COLUMNS" not in os.environ else None
    return Console(file=stream, width=width, highlight=False)


WIDTH_FOR_SENTENCES = 120
"""Narrower terminals get a list of servers without what each one is."""


def put(*parts: RenderableType) -> None:
    """Shows on stdout; without the blanks that fill up lines where that is no terminal."""
    console = console_for(sys.stdout)
    if console.is_terminal:
        console.print(*parts, sep="\n")
        return
    with console.capture() as shown:
        console.print(*parts, sep="\n")
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in shown.get().splitlines()))


def say(console: Console, line: str) -> None:
    """A line as it is: nothing in it is markup, and it is not broken."""
    console.print(Text(line), soft_wrap=True)


def show_servers(servers: Iterable[Server]) -> None:
    roomy = console_for(sys.stdout).width >= WIDTH_FOR_SENTENCES
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in ("server", "year", "I/O model", "workloads", "what it is")[: 5 if roomy else 3]:
        table.add_column(heading, no_wrap=heading in ("server", "I/O model"))
    for server in servers:
        cells = (server.id, str(server.era), server.io_model, ", ".join(server.workloads), server.summary)
        table.add_row(*map(Text, cells[: len(table.columns)]))
    put(table)


def show_server(server: Server) -> None:
    facts = {
        "what it is": server.summary,
        "family": f"{server.family} {server.version}, released {server.released}",
        "I/O model": server.io_model,
        "workloads": ", ".join(server.workloads),
        "runs on": f"JDK {server.jdk_at_least} or later" if server.jdk_at_least > 8 else "",
        "stands for": f"{server.published} of 2006" if server.published else "",
        "settings": " ".join(f"{name}={value}" for name, value in server.environment.items()),
        "mind": "\n".join(server.cannot),
    }
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
    for name, value in facts.items():
        if value:
            table.add_row(Text(name, style="dim"), Text(value))
    put(Text(server.id, style="bold"), table)


def show_report(stored: Stored, form: str) -> None:
    show(report_of(stored), csv.render(stored), stored.damage, form)


def show(report: Report, as_csv: str, damage: Iterable[str], form: str) -> None:
    """CSV has no place for damaged lines: there they are named on stderr."""
    if form == "terminal":
        put(*terminal.render(report, console_for(sys.stdout).width))
    elif form == "markdown":
        sys.stdout.write(markdown.render(report))
    else:
        sys.stdout.write(as_csv)
        for line in damage:
            say(console_for(sys.stderr), f"! {line}")
