"""./ab-runner resume: continues an interrupted sweep."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ab_runner.cli import options
from ab_runner.host import interrupt


@click.command("resume")
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--anyway", is_flag=True, help="Continues even if the machine, versions or servers have changed.")
@options.port_of_processes
def command(results: Path, anyway: bool, port: int) -> None:
    """Continues an interrupted sweep. It begins at the first cell that has no record."""
    sys.exit(_resume(results.resolve(), port, anyway))  # results/latest is a link, which would come to point to itself


def _resume(folder: Path, port: int, anyway: bool) -> int:
    with interrupt.fatal():
        from ab_runner.cli.console import say_err
        from ab_runner.cli.measuring import measure_and_report
        from ab_runner.sweep.reopen import reopen_sweep

    with reopen_sweep(folder, port, anyway, say_err) as ready:
        if ready is not None:
            return measure_and_report(ready)
    say_err(f"{folder} is complete: every cell has its record")
    return 0
