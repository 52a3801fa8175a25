"""What is only shown: the servers, and the tables of a sweep."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ab_runner import store
from ab_runner.model import Server
from ab_runner.report import csv, markdown, terminal
from ab_runner.report.tables import report_of

WIDTH_OF_FILES = 160
"""Columns where the output is no terminal and nothing (COLUMNS) says how wide it is."""


def console_for(stream: TextIO) -> Console:
    width = WIDTH_OF_FILES if not stream.isatty() and "COLUMNS" not in os.environ else None
    return Console(file=stream, width=width, highlight=False)


def say(console: Console, line: str) -> None:
    """A line as it is: nothing in it is markup, and it is not broken."""
    console.print(Text(line), soft_wrap=True)


def show_servers(servers: Iterable[Server]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in ("server", "year", "I/O model", "workloads", "what it is"):
        table.add_column(heading, no_wrap=heading == "server", overflow="fold")
    for server in servers:
        cells = (server.id, str(server.era), server.io_model, ", ".join(server.workloads), server.summary)
        table.add_row(*map(Text, cells))
    console_for(sys.stdout).print(table)


def show_server(server: Server) -> None:
    console = console_for(sys.stdout)
    console.print(Text(server.id, style="bold"))
    facts = {
        "what it is": server.summary,
        "family": f"{server.family} {server.version}, released {server.released}",
        "I/O model": server.io_model,
        "workloads": ", ".join(server.workloads),
        "stands for": f"{server.published} of 2006" if server.published else "",
        "settings": " ".join(f"{name}={value}" for name, value in server.environment.items()),
        "mind": "\n".join(server.cannot),
    }
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
    for name, value in facts.items():
        if value:
            table.add_row(Text(name, style="dim"), Text(value))
    console.print(table)


def show_report(folder: Path, form: str) -> None:
    """StoreError if the folder holds no sweep. CSV has no place for damaged lines: there they are named on stderr."""
    stored = store.read(folder)
    console = console_for(sys.stdout)
    if form == "terminal":
        terminal.render(report_of(stored), console)
    elif form == "markdown":
        sys.stdout.write(markdown.render(report_of(stored)))
    else:
        sys.stdout.write(csv.render(stored))
        for line in stored.damage:
            say(console_for(sys.stderr), f"! {line}")
