"""./ab-runner list: shows the servers and the sets."""

from __future__ import annotations

from pathlib import Path

import click

from ab_runner import paths
from ab_runner.catalog.catalog import load_catalog
from ab_runner.cli import options
from ab_runner.model.protocol import DEFAULT_STUDY


@click.command("list")
@click.argument("servers", nargs=-1, metavar="[GLOB|@SET]…")
@click.option("--available/--unavailable", default=None, help="Only those that can run here, or only the others.")
@options.servers_from
@click.option("--study", metavar="ID", help="With the servers that this study adds; ./ab-runner study lists all.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown"]),
    default="terminal",
    show_default=True,
    help="markdown: a table of what is the same on every machine.",
)
def command(
    servers: tuple[str, ...], available: bool | None, servers_from: tuple[Path, ...], study: str | None, form: str
) -> None:
    """Shows servers and sets. With a GLOB or a set: all facts about each of its servers, with its exceptions
    from the rules (docs/fairness.md), its caveats, and the head of its answers in the newest sweep.
    """
    from ab_runner.cli.console import say_err
    from ab_runner.cli.server_tables import show_server, show_servers
    from ab_runner.sweep.ready.availability import what_can_run

    catalog = load_catalog(servers_from, study)
    wanted = catalog.named(servers, say_err)
    if form == "markdown" and available is not None:
        raise click.UsageError("--format markdown has what is the same on every machine, and --available is not")
    if form == "markdown":
        from ab_runner.report.formats import markdown
        from ab_runner.report.tables.servers import report_servers

        click.echo(markdown.render(report_servers(wanted)), nl=False)
        return
    here = what_can_run(catalog, wanted)
    shown = [server for server in wanted if available in (None, server.id not in here.missing)]
    if not shown:
        say_err(f"{'none' if available else 'all'} of these servers can run here")
        return
    if not servers:
        show_servers(shown, here, catalog.sets)
        return
    from ab_runner.catalog.studies import read_study  # here, for the table of all needs no study and no sweep
    from ab_runner.store.answers import newest_answers

    compared = read_study(study or DEFAULT_STUDY, catalog.servers)
    answers = newest_answers(paths.RESULTS, shown)
    for server in shown:
        show_server(server, here, catalog.outside.get(server.id), answers.get(server.id), compared)
