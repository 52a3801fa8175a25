"""./ab-runner new-server: makes a small server to start from."""

from __future__ import annotations

import click

from ab_runner.cli import options


@click.command("new-server")
@click.argument("id", type=options.NewId("an id", "mina-0.9.2"))
def command(id: str) -> None:
    """Makes a small echo server to start from. It is written in Java, is in servers/ID and runs as it is."""
    from ab_runner.catalog.new_server import make
    from ab_runner.catalog.template import package_of

    folder = make(id)
    for line in (
        f"{folder}: an echo server, in the package abrunner.{package_of(id)}; edit its server.toml first",
        "servers/pom.xml and compose.yaml list it too",
        f"./ab-runner check {id}    tests it",
        f"./ab-runner --servers {id} --protocol quick    measures it",
    ):
        click.echo(line)
