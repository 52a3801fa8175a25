"""./ab-runner doctor: checks this machine, or other hosts."""

from __future__ import annotations

import sys
from itertools import chain

import click

from ab_runner.cli import options


@click.command("doctor")
@click.option(
    "--hosts",
    type=options.Names("host"),
    metavar="CONTEXT,…",
    help="Checks the hosts of these Docker contexts instead, as --server-host and --load-hosts of `run` name them.",
)
@click.option("--clean", is_flag=True, help="Removes what killed sweeps of yours left on these hosts, or in Docker.")
def command(hosts: tuple[str, ...] | None, clean: bool) -> None:
    """Shows what this machine lacks for a sweep. It says how to fix each finding."""
    from rich.text import Text

    from ab_runner.cli.console import console_for
    from ab_runner.sweep.ready import host_checks
    from ab_runner.sweep.ready.readiness import findings

    console = console_for(sys.stdout)
    checks = host_checks.host_findings(hosts) if hosts else chain(findings(), host_checks.node_findings())
    for finding in host_checks.clean(hosts or ()) if clean else checks:
        mark = ("ok   ", "green") if finding.good else ("fix  ", "yellow")
        console.print(Text.assemble(mark, finding.text), soft_wrap=True)
