"""./ab-runner doctor: checks this machine."""

from __future__ import annotations

import sys

import click


@click.command("doctor")
def command() -> None:
    """Shows what this machine lacks for a sweep. It says how to fix each finding."""
    from rich.text import Text

    from ab_runner.cli.console import console_for
    from ab_runner.sweep.ready.readiness import findings

    console = console_for(sys.stdout)
    for finding in findings():
        mark = ("ok   ", "green") if finding.good else ("fix  ", "yellow")
        console.print(Text.assemble(mark, finding.text), soft_wrap=True)
