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
@options.servers_from
@options.port_of_processes
def command(results: Path, anyway: bool, servers_from: tuple[Path, ...], port: int) -> None:
    """Continues an interrupted sweep. It begins at the first cell that has no record."""
    folder = results.resolve()  # results/latest is a link, which would come to point to itself
    sys.exit(_resume(folder, servers_from, port, anyway))


def _resume(folder: Path, servers_from: tuple[Path, ...], port: int, anyway: bool) -> int:
    with interrupt.fatal():
        from ab_runner.cli.console import say_err
        from ab_runner.cli.measuring import measure_and_report
        from ab_runner.sweep.reopen import reopen_sweep

    with reopen_sweep(folder, servers_from, port, anyway, say_err) as ready:
        if ready is not None:
            return measure_and_report(ready)
    say_err(f"{folder} is complete: every cell has its record")
    return 0
