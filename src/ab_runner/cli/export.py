"""./ab-runner export: writes trials for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from ab_runner.cli import options


@click.command("export")
@click.argument("results", type=click.Path(path_type=Path), nargs=-1)
@click.option("--format", "form", type=click.Choice(["csv", "json"]), default="csv", show_default=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, metavar="FILE")
def command(results: tuple[Path, ...], form: str, out: Path) -> None:
    """Writes trials into one file for other programs. It has a row for each trial of one or more sweeps.
    [default: results/latest]"""
    from ab_runner.cli.console import say_err
    from ab_runner.report.formats.files import write_export
    from ab_runner.store.reader import read

    sweeps = [(folder, read(folder)) for folder in results or (options.latest_sweep(),)]
    write_export(sweeps, form, out)
    for _, stored in sweeps:
        for line in stored.damage:
            say_err(f"! {line}")
