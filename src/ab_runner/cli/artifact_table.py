"""The table of artifacts, each with its state."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.table import Table
from rich.text import Text

from ab_runner.catalog import artifacts
from ab_runner.cli.console import put, say_out
from ab_runner.model.server import Server


def show_artifacts(servers: Iterable[Server]) -> None:
    """Show every artifact of these servers, and where to get those that are missing."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading in ("file", "state", "bytes", "licence", "for"):
        table.add_column(heading, justify="right" if heading == "bytes" else "left", no_wrap=heading == "file")
    users = artifacts.artifacts_of(servers)
    states = {artifact: artifacts.state_of(artifact) for artifact in users}
    lacking = [artifact for artifact, state in states.items() if state != "present"]
    for artifact, ids in users.items():
        state = Text(states[artifact], style="yellow" if artifact in lacking else "green")
        file, licence, users_of = map(Text, (artifact.file, artifact.licence, ", ".join(ids)))
        table.add_row(file, state, f"{artifact.bytes:,}", licence, users_of)
    put(table)
    say_out(f"kept in {artifacts.cache_folder()}")
    for artifact in lacking:
        say_out(f"{states[artifact]}: {artifact.file}, sha256 {artifact.sha256}, {artifact.url}")
    if lacking:
        say_out("./ab-runner artifacts fetch downloads them; ./ab-runner artifacts add FILE adds a file you downloaded")
