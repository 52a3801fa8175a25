"""Servers as `./ab-runner list` shows them: all in a table, or each with all its facts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_letters
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from ab_runner import paths
from ab_runner.catalog.sets import MARK, ServerSet
from ab_runner.catalog.workloads import load_workloads
from ab_runner.cli.console import console_for, put, say
from ab_runner.model.server import Server
from ab_runner.model.text import shown
from ab_runner.model.workload import WorkloadName
from ab_runner.sweep.ready.availability import Availability
from ab_runner.sweep.ready.skipped import not_here_lines

if TYPE_CHECKING:
    from ab_runner.catalog.studies import Study
    from ab_runner.store.answers import StoredAnswers

_NAME_AT_MOST = 80
"""Characters of a sweep's id, which a file may hold."""


def show_servers(servers: Sequence[Server], here: Availability, sets: Mapping[str, ServerSet]) -> None:
    """Show a row for each server, the sets, and why some servers cannot run here."""
    console = console_for(sys.stdout)
    table = _in_words(servers, here)
    unbounded = console.options.update_width(1000)
    roomy = console.measure(table, options=unbounded).maximum <= console.width
    letters = letters_of(load_workloads(paths.WORKLOADS))
    put(table if roomy else _in_letters(servers, here, letters))
    if not roomy:
        say(console, "workloads: " + ", ".join(f"{letter} {name}" for name, letter in letters.items()))
    for name, members in sets.items():
        say(console, f"{MARK}{name}  {len(members.servers)} servers: {members.summary}")
    say(console, f"here: {here.where}")
    listed = {server.id: here.missing[server.id] for server in servers if server.id in here.missing}
    for line in not_here_lines(listed):
        say(console, line)


def show_server(
    server: Server, here: Availability, folder: Path | None, answers: StoredAnswers | None, study: Study
) -> None:
    """Show all facts about one server. `folder` is that of one from outside; `answers` are those of the newest sweep
    that has any, and it may stand for a server of the study."""
    stands_for = study.stands_for(server)
    missing = here.missing.get(server.id)
    facts = {
        "what it is": server.summary,
        "family": f"{server.family} {server.version}, released {server.released}",
        "revision": f"{server.revision} (its behaviour was changed here)" if server.revision > 1 else "",
        "I/O model": server.io_model,
        "workloads": ", ".join(server.workloads),
        "runs on": f"JDK {server.jdk_at_least} or later" if server.jdk_at_least > 8 else "",
        "here": f"no: {missing.detail}" if missing else f"yes, {here.where}",
        "stands for": f"{stands_for} of {study.year}" if stands_for else "",
        "from": f"{folder}{'' if server.origin else ', without an origin'}" if folder else "",
        "origin": server.origin or "",
        "image": server.image,
        "command": shlex.join(server.command),
        "settings": " ".join(f"{name}={value}" for name, value in server.environment.items()),
        "formerly": ", ".join(server.former_ids),
        "exceptions": "\n".join(f"{rule}: {why}" for rule, why in server.exceptions.items()),
        "caveats": "\n".join(server.caveats),
    }
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
    for name, value in facts.items():
        if value:
            table.add_row(Text(name, style="dim"), Text(value))
    put(Text(server.id, style="bold"), table, *map(Text, _answer_lines(answers) if answers else ()))


def _answer_lines(stored: StoredAnswers) -> Iterator[str]:
    """Yield the head of the answer to one workload, and the lengths of the others."""
    from ab_runner.report.tables.answers import head_lines  # here, for the table of all needs no report

    first, *others = sorted(stored.answers, key=lambda each: each.workload != "small")
    yield f"  Answer head ({first.workload}, {first.head_bytes:,} bytes; sweep {shown(stored.sweep, _NAME_AT_MOST)}):"
    yield from (f"    {line}" for line in head_lines(first))
    if others:
        yield f"  Other heads: {', '.join(f'{each.workload} {each.head_bytes:,} bytes' for each in others)}"


def _in_words(servers: Iterable[Server], here: Availability) -> Table:
    table = _table_of("server", "family", "year", "I/O model", "workloads", "here")
    for server in servers:
        cells = (server.id, server.family, str(server.release_year), server.io_model, ", ".join(server.workloads))
        table.add_row(*map(Text, cells), _can_run(server, here))
    return table


def letters_of(workloads: Iterable[WorkloadName]) -> dict[WorkloadName, str]:
    """Return a letter for each workload: the first one of its last word that no other has."""
    letters: dict[WorkloadName, str] = {}
    for name in workloads:
        last = name.rpartition("-")[2]
        free = (letter for letter in last + name + ascii_letters if letter not in {*letters.values(), "-"})
        letters[name] = next(free, "?")
    return letters


def _in_letters(servers: Iterable[Server], here: Availability, letters: Mapping[WorkloadName, str]) -> Table:
    """Return a table for narrow terminals; without the family, as ids begin with it."""
    table = _table_of("server", "year", "I/O model", "".join(letters.values()), "here")
    for server in servers:
        served = "".join(letter if name in server.workloads else "-" for name, letter in letters.items())
        table.add_row(
            *map(Text, (server.id, str(server.release_year), server.io_model, served)), _can_run(server, here)
        )
    return table


def _table_of(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for heading in headings:
        table.add_column(heading, no_wrap=True)
    return table


def _can_run(server: Server, here: Availability) -> Text:
    return Text("no", style="yellow") if server.id in here.missing else Text("yes", style="green")
