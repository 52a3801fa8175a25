"""The files that no package registry has, as a person sees them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from ab_runner.catalog import artifacts
from ab_runner.catalog.artifacts import ArtifactError
from ab_runner.cli.show import console_for, put, say
from ab_runner.model.server import Artifact, Server


def show_artifacts(servers: Iterable[Server]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in ("file", "state", "bytes", "licence", "for"):
        table.add_column(heading, justify="right" if heading == "bytes" else "left", no_wrap=heading == "file")
    found = artifacts.artifacts_of(servers)
    states = {artifact: artifacts.state_of(artifact) for artifact in found}
    lacking = [artifact for artifact, state in states.items() if state != "present"]
    for artifact, users in found.items():
        state = Text(states[artifact], style="yellow" if artifact in lacking else "green")
        table.add_row(artifact.file, state, f"{artifact.bytes:,}", artifact.licence, Text(", ".join(users)))
    put(table)
    console = console_for(sys.stdout)
    say(console, f"kept in {artifacts.cache_folder()}")
    for artifact in lacking:
        say(console, f"{states[artifact]}: {artifact.file}, sha256 {artifact.sha256}, {artifact.url}")
    if lacking:
        say(
            console,
            "./ab-runner artifacts fetch downloads them, ./ab-runner artifacts add FILE takes one from elsewhere",
        )


def fetch_missing(servers: Iterable[Server]) -> int:
    """Fetches them all, whatever becomes of the others; the exit code is 1 if one cannot be had."""
    failed = 0
    for artifact in artifacts.artifacts_of(servers):
        if artifacts.state_of(artifact) == "present":
            say(console_for(sys.stdout), f"{artifact.file}: there")
            continue
        try:
            artifacts.fetch(artifact)
            say(console_for(sys.stdout), f"{artifact.file}: fetched, {artifact.licence}")
        except ArtifactError as error:
            failed = 1
            say(console_for(sys.stderr), f"ab-runner: {error}")
    return failed


def add_file(file: Path, servers: Iterable[Server]) -> None:
    users = artifacts.artifacts_of(servers)
    artifact = artifacts.add(file, users)
    say(console_for(sys.stdout), f"{file} is {artifact.file} ({artifact.licence}), for {', '.join(users[artifact])}")


def provide(servers: Sequence[Server], tell: Callable[[str], None]) -> dict[str, str]:
    """Fetches what these servers lack. Returns those that still lack something, with the reason and what to do."""
    failed: dict[Artifact, str] = {}
    for artifact in artifacts.artifacts_of(servers):
        if artifacts.state_of(artifact) != "present":
            tell(f"fetching {artifact.file}")
            try:
                artifacts.fetch(artifact)
            except ArtifactError as error:
                failed[artifact] = f"{artifacts.how_to_get(artifact)} ({error})"
    return {server.id: failed[artifact] for server in servers for artifact in server.artifacts if artifact in failed}
