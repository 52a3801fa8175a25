"""A new server: its folder, its line in servers/pom.xml and its service in compose.yaml."""

from __future__ import annotations

import datetime
import shutil
import sys
from pathlib import Path

import click

from ab_runner import paths
from ab_runner.catalog import compose
from ab_runner.catalog.servers import SHARED, load
from ab_runner.catalog.template import DESCRIPTION, files_of, package_of, with_module
from ab_runner.cli.show import console_for, say
from ab_runner.store.writer import write_report


def make(id: str) -> None:
    """Makes it whole or not at all: click.UsageError where the id is taken or something cannot be written,
    DocumentError for another server's mistake."""
    folder = paths.SERVERS / id
    for taken in (folder, paths.SERVERS / SHARED / id):  # Maven knows the modules of both by this name
        if taken.exists():
            raise click.UsageError(f"the id {id} is taken: {taken} is there; choose another")
    if id in compose.TOOLS:
        raise click.UsageError(f"the id {id} is taken: compose.yaml has a service of that name; choose another")
    load(paths.SERVERS)
    pom = paths.SERVERS / "pom.xml"
    before = pom.read_text(encoding="utf-8")
    try:
        _fill(folder)
        write_report(pom, with_module(before, id))
        write_report(paths.ROOT / "compose.yaml", compose.render(load(paths.SERVERS).values()))
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        write_report(pom, before)
        raise click.UsageError(f"{error.filename} cannot be written: {error.strerror}") from None
    for line in (
        f"{folder}: an echo server, in the package abrunner.{package_of(id)}, to be edited: server.toml first",
        "servers/pom.xml and compose.yaml have it too",
        f"./ab-runner --servers {id} --protocol quick             measures it",
        f".venv/bin/python -m pytest tests/e2e/test_conformance.py -k {id}    tests it, after `make .venv/test.txt`",
    ):
        say(console_for(sys.stdout), line)


def _fill(folder: Path) -> None:
    source = paths.SERVERS / SHARED / "template"
    files = [source / "pom.xml", source / DESCRIPTION, *(source / "src").rglob("*.java")]
    template = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8") for path in files}
    for name, text in files_of(folder.name, template, datetime.date.today()).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
