"""./ab-runner check: whether servers keep the contract of docs/adding-a-server.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ab_runner.cli import options
from ab_runner.host import interrupt

if TYPE_CHECKING:
    from ab_runner.conformance.check import Finding

NOT_AS_DECLARED = 1


@click.command("check")
@click.argument("servers", nargs=-1, required=True, metavar="ID…")
@click.option("--runtime", type=click.Choice(["auto", "docker", "process"]), default="auto", show_default=True)
@options.port_of_processes
def command(servers: tuple[str, ...], runtime: str, port: int) -> None:
    """Checks whether servers meet all requirements (docs/adding-a-server.md). An ID may be a pattern ('tomcat*').
    It ends with 1 if one does not, or meets one that its server.toml says it does not."""
    with interrupt.fatal():
        from ab_runner.cli.console import say_err, say_out
        from ab_runner.conformance.check import check_servers

    server, wrong = "", 0
    for finding in check_servers(servers, runtime, port, say_err):
        if finding.server != server:
            server = finding.server
            say_out(server)
        for line in _lines(finding):
            say_out(line)
        wrong += not finding.as_declared
    if wrong:
        say_err(f"{wrong} not as the server's server.toml has it")
        sys.exit(NOT_AS_DECLARED)


def _lines(finding: Finding) -> Iterator[str]:
    """Yield what was asked and what must come back, and what came instead."""
    if finding.rule is None:
        yield f"  WRONG     start: {finding.complaint}"
        return
    rule = f"{finding.rule.name}: {finding.rule.asks} → {finding.rule.says}"
    if finding.complaint is None:
        yield f"  {'ok' if finding.as_declared else 'WRONG':<9} {rule}"
    else:
        yield f"  {'declared' if finding.as_declared else 'WRONG':<9} {rule}"
        yield f"            came back: {finding.complaint}"
    if finding.declared is not None:
        said = finding.declared if finding.complaint else f"{finding.declared}; it meets the rule, so remove that"
        yield f"            server.toml: {said}"
