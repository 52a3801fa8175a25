"""./ab-runner publish: makes a folder of a sweep that git takes."""

from __future__ import annotations

import getpass
from pathlib import Path

import click

from ab_runner.cli import options


@click.command("publish")
@click.argument("results", type=click.Path(path_type=Path), metavar="SWEEP")
@click.argument("name", type=options.NewId("a name", "2026-standard"))
@click.option("--anyway", is_flag=True, help="Publishes even servers that have no origin, which others cannot get.")
def command(results: Path, name: str, anyway: bool) -> None:
    """Publishes a sweep into results/sweeps/NAME. The folder has all records, compressed and without the names of host
    and user, and the reports; it leaves out what generator and servers printed."""
    from ab_runner.report.formats.publish import publish

    folder = publish(results, name, getpass.getuser(), anyway)
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    for file, size in sizes.items():
        click.echo(f"{size:>12,} bytes  {folder / file}")
    click.echo(f"{sum(sizes.values()):>12,} bytes in all; host name, user name and home folders are replaced")
