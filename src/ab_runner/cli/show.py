"""The terminal, and what there is to know of the servers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ab_runner.catalog.sets import MARK, ServerSet
from ab_runner.cli.availability import Availability
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName

WIDTH_OF_FILES = 160
"""Columns where the output is no terminal and nothing (COLUMNS) says how wide it is."""


def console_for(stream: TextIO) -> Console:
    width = WIDTH_OF_FILES if not stream.isatty() and "COLUMNS" not in os.environ else None
    return Console(file=stream, width=width, highlight=False)


LETTERS: dict[WorkloadName, str] = {"echo": "e", "small": "s", "small-keepalive": "k", "large": "l"}


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


def show_servers(servers: Sequence[Server], here: Availability, sets: Mapping[str, ServerSet]) -> None:
    if not servers:
        say(console_for(sys.stderr), "no server fits all of that")
        return
    console = console_for(sys.stdout)
    table = _in_words(servers, here)
    unbounded = console.options.update_width(1000)
    roomy = console.measure(table, options=unbounded).maximum <= console.width
    put(table if roomy else _in_letters(servers, here))
    if not roomy:
        say(console, "workloads: " + ", ".join(f"{letter} {name}" for name, letter in LETTERS.items()))
    for name, each in sets.items():
        say(console, f"{MARK}{name}  {len(each.servers)} servers: {each.summary}")
    say(console, f"here: {here.where}")
    say_missing(console, servers, here.missing)


def say_missing(console: Console, servers: Iterable[Server], missing: Mapping[str, str]) -> None:
    """Shows those of the servers that are missing, a line for each reason."""
    by_reason: dict[str, list[str]] = {}
    for server in servers:
        if server.id in missing:
            by_reason.setdefault(missing[server.id], []).append(server.id)
    for reason, ids in by_reason.items():
        say(console, f"not here: {', '.join(ids)}: {reason}")


def _in_words(servers: Iterable[Server], here: Availability) -> Table:
    table = _table_of("server", "family", "year", "I/O model", "workloads", "here")
    for server in servers:
        cells = (server.id, server.family, str(server.release_year), server.io_model, ", ".join(server.workloads))
        table.add_row(*map(Text, cells), _can_run(server, here))
    return table


def _in_letters(servers: Iterable[Server], here: Availability) -> Table:
    """For narrow terminals; without the family, as ids begin with it."""
    table = _table_of("server", "year", "I/O model", "".join(LETTERS.values()), "here")
    for server in servers:
        letters = "".join(letter if name in server.workloads else "-" for name, letter in LETTERS.items())
        table.add_row(
            *map(Text, (server.id, str(server.release_year), server.io_model, letters)), _can_run(server, here)
        )
    return table


def _table_of(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for heading in headings:
        table.add_column(heading, no_wrap=True)
    return table


def _can_run(server: Server, here: Availability) -> Text:
    return Text("no", style="yellow") if server.id in here.missing else Text("yes", style="green")


def show_server(server: Server, here: Availability) -> None:
    facts = {
        "what it is": server.summary,
        "family": f"{server.family} {server.version}, released {server.released}",
        "I/O model": server.io_model,
        "workloads": ", ".join(server.workloads),
        "runs on": f"JDK {server.jdk_at_least} or later" if server.jdk_at_least > 8 else "",
        "here": f"no: {here.missing[server.id]}" if server.id in here.missing else f"yes, {here.where}",
        "stands for": f"{server.published} of 2006" if server.published else "",
        "settings": " ".join(f"{name}={value}" for name, value in server.environment.items()),
        "mind": "\n".join(server.caveats),
    }
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
    for name, value in facts.items():
        if value:
            table.add_row(Text(name, style="dim"), Text(value))
    put(Text(server.id, style="bold"), table)
