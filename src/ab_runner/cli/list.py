"""./ab-runner list: shows the servers and the sets."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ab_runner import paths
from ab_runner.catalog.filters import Filter
from ab_runner.catalog.servers import load, renamed_lines, select
from ab_runner.catalog.sets import expand, load_sets
from ab_runner.cli import options
from ab_runner.model.server import Server


@click.command("list")
@click.argument("servers", nargs=-1, metavar="[GLOB|@SET]…")
@click.option("--family", type=options.Names("family"), default=(), help="All versions of one system: tomcat,jetty.")
@click.option(
    "--year",
    "--era",
    "years",
    type=options.Years(),
    default=(),
    help="Year of release: 2006, 2004-2008, -2008 or 2020-. (--era is its old name.)",
)
@click.option("--io-model", type=options.Names("I/O model"), default=(), help="Such as 'NIO reactor,event loop'.")
@click.option(
    "--workload",
    type=options.Names("workload", options.workload_names),
    default=(),
    help=f"Some of {', '.join(options.workload_names())}.",
)
@click.option("--available/--unavailable", default=None, help="Only those that can run here, or only the others.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown"]),
    default="terminal",
    show_default=True,
    help="markdown: a table of what is the same on every machine.",
)
def command(
    servers: tuple[str, ...],
    family: tuple[str, ...],
    years: tuple[range, ...],
    io_model: tuple[str, ...],
    workload: tuple[str, ...],
    available: bool | None,
    form: str,
) -> None:
    """Shows servers and sets. With a GLOB or a set: all facts about each of its servers, with its exceptions
    from the rules (docs/fairness.md), its caveats, and the head of its answers in the newest sweep.

    A server is shown if it matches every option that is given. It matches an option if it has one of the values.
    """
    from ab_runner.cli.console import say_err
    from ab_runner.cli.server_tables import show_server, show_servers
    from ab_runner.sweep.availability import look

    catalog = load(paths.SERVERS)
    wanted = Filter(families=family, years=years, io_models=io_model, workloads=workload)
    fitting = fitting_servers(catalog, servers, wanted)
    for line in renamed_lines(catalog, servers):
        say_err(line)
    if form == "markdown" and available is not None:
        raise click.UsageError("--format markdown has what is the same on every machine, and --available is not")
    if form == "markdown" and fitting:
        from ab_runner.report.formats import markdown
        from ab_runner.report.tables.servers import report_servers

        click.echo(markdown.render(report_servers(fitting)), nl=False)
        return
    here = look(fitting)
    shown = [server for server in fitting if available in (None, server.id not in here.missing)]
    if not servers:
        show_servers(shown, here, load_sets(paths.SERVERS, catalog))
        return
    from ab_runner.store.answers import newest_answers  # here, for the table of all needs no sweep

    answers = newest_answers(paths.RESULTS, shown)
    for server in shown:
        show_server(server, here, answers.get(server.id))


def fitting_servers(catalog: dict[str, Server], patterns: Sequence[str], wanted: Filter) -> list[Server]:
    """Return the servers that any of the patterns or sets names (none: all) and that have the wanted properties.
    CatalogError for a name or a property that no server has."""
    wanted.check(catalog.values())
    names = expand(patterns, load_sets(paths.SERVERS, catalog)) or ("*",)
    return [server for server in select(catalog, names) if wanted.fits(server)]
