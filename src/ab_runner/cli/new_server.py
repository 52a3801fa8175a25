"""./ab-runner new-server: makes a small server to start from."""

from __future__ import annotations

from pathlib import Path

import click

from ab_runner.cli import options


@click.command("new-server")
@click.argument("id", type=options.NewId("an id", "mina-0.9.2"))
@click.option(
    "--in",
    "root",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder outside the repository, for a server of your own: an image or a program.",
)
def command(id: str, root: Path | None) -> None:
    """Makes a small echo server to start from. It is written in Java, is in servers/ID and runs as it is. With --in
    it makes DIR/ID/server.toml, which describes a server that you have built."""
    from ab_runner.catalog.new_server import make, make_outside
    from ab_runner.catalog.template import package_of

    if root is not None:
        folder = make_outside(id, root)
        for line in (
            f"{folder / 'server.toml'}: edit it first",
            f"./ab-runner check {id} --servers-from {root}    tests it",
            f"./ab-runner --servers {id} --servers-from {root} --protocol quick    measures it",
        ):
            click.echo(line)
        return
    folder = make(id)
    for line in (
        f"{folder}: an echo server, in the package abrunner.{package_of(id)}; edit its server.toml first",
        "servers/pom.xml and compose.yaml list it too",
        f"./ab-runner check {id}    tests it",
        f"./ab-runner --servers {id} --protocol quick    measures it",
    ):
        click.echo(line)
