"""./ab-runner check: whether servers meet the requirements in docs/adding-a-server.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ab_runner.cli import options
from ab_runner.host import interrupt

if TYPE_CHECKING:
    from ab_runner.conformance.check import Result

NOT_AS_DECLARED = 1


@click.command("check")
@click.argument("servers", nargs=-1, required=True, metavar="ID…")
@options.servers_from
@options.runtime
@options.port_of_processes
def command(servers: tuple[str, ...], servers_from: tuple[Path, ...], runtime: str, port: int) -> None:
    """Checks servers against the requirements in docs/adding-a-server.md. An ID may be a pattern ('tomcat*') or a set
    (@core). Exit code 1: a result differs from what the server's server.toml declares."""
    with interrupt.fatal():
        from ab_runner.cli.console import say_err, say_out
        from ab_runner.conformance.check import check_servers

    server, wrong = "", 0
    for result in check_servers(servers, servers_from, runtime, port, say_err):
        if result.server != server:
            server = result.server
            say_out(server)
        for line in _lines(result):
            say_out(line)
        wrong += not result.as_declared
    if wrong:
        say_err(f"{wrong} result{'s' * (wrong > 1)} unlike what server.toml declares")
        sys.exit(NOT_AS_DECLARED)


def _lines(result: Result) -> Iterator[str]:
    """Yield what was asked and what must come back, and what came instead."""
    if result.rule is None:
        yield f"  WRONG     start: {result.complaint}"
        return
    rule = f"{result.rule.name}: {result.rule.asks} → {result.rule.says}"
    if result.complaint is None:
        yield f"  {'ok' if result.as_declared else 'WRONG':<9} {rule}"
    else:
        yield f"  {'declared' if result.as_declared else 'WRONG':<9} {rule}"
        yield f"            came back: {result.complaint}"
    if result.declared is not None:
        said = result.declared if result.complaint else f"{result.declared}; the rule is met, so remove this"
        yield f"            server.toml: {said}"
