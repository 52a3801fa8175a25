"""./ab-runner serve: shows all sweeps of a folder in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from ab_runner import paths
from ab_runner.cli import options


@click.command("serve")
@click.argument("results", type=click.Path(path_type=Path), default=lambda: paths.RESULTS, metavar="[RESULTS_DIR]")
@click.option(
    "--port", type=options.Whole(0, 65535), default=8000, show_default=True, help="On 127.0.0.1; 0 for any free port."
)
def command(results: Path, port: int) -> None:
    """Shows the sweeps of a folder in a browser. It has their reports, and follows a sweep that is running.
    [default: results]"""
    from ab_runner.cli.console import say_out
    from ab_runner.web.serve import serve

    serve(results, port, say_out)
