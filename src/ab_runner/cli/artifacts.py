"""./ab-runner artifacts: the files that servers need and no package registry has."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ab_runner.catalog import artifacts
from ab_runner.catalog.catalog import load_catalog
from ab_runner.cli.console import say_err, say_out


@click.group("artifacts", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Shows files that servers need and no registry has. A missing file is listed with its URL."""
    if context.invoked_subcommand is None:
        from ab_runner.cli.artifact_table import show_artifacts

        show_artifacts(load_catalog().servers.values())


@command.command("fetch")
def fetch() -> None:
    """Downloads the missing files. A sweep does this by itself."""
    failed = 0
    for artifact in artifacts.artifacts_of(load_catalog().servers.values()):
        if artifacts.state_of(artifact) == "present":
            say_out(f"{artifact.file}: there")
            continue
        try:
            artifacts.fetch(artifact)
            say_out(f"{artifact.file}: fetched, {artifact.licence}")
        except artifacts.ArtifactError as error:
            failed = 1
            say_err(f"ab-runner: {error}")
    sys.exit(failed)


@command.command("add")
@click.argument(
    "files",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    nargs=-1,
    required=True,
    metavar="FILE…",
)
def add(files: tuple[Path, ...]) -> None:
    """Adds files that were downloaded elsewhere. A file may have any name: its sha256 identifies it."""
    users = artifacts.artifacts_of(load_catalog().servers.values())
    for file in files:
        artifact = artifacts.add(file, users)
        say_out(f"{file} is {artifact.file} ({artifact.licence}), for {', '.join(users[artifact])}")
