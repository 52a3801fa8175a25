"""The commands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import click

from ab_runner import paths
from ab_runner.catalog.servers import load, select
from ab_runner.catalog.sets import expand, load_sets
from ab_runner.cli import options
from ab_runner.errors import UserError
from ab_runner.host import interrupt
from ab_runner.model.load import Load
from ab_runner.model.server import DEFAULT_JDK, JDKS
from ab_runner.model.workload import WorkloadName
from ab_runner.store.layout import LATEST
from ab_runner.store.reader import read
from ab_runner.sweep.protocol import PROTOCOLS

BAD_INPUT = 2
INTERRUPTED = 130


class _DefaultsToRun(click.Group):
    """`./ab-runner --concurrency 1` is `./ab-runner run --concurrency 1`, and the help shows the options of `run`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "-h")):
            args = ["run", *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        run.format_options(click.Context(run, info_name="run"), formatter)
        self.format_commands(ctx, formatter)


_table_format = click.option(
    "--format", "form", type=click.Choice(["terminal", "markdown", "csv"]), default="terminal", show_default=True
)


@click.group(
    cls=_DefaultsToRun,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    options_metavar="",
    subcommand_metavar="[OPTIONS] | COMMAND …",
)
def cli() -> None:
    """Measures servers with Apache Benchmark, as the Cindy benchmark of 2006 did: starts each server, checks its
    answers, warms it up, sweeps the concurrency, and shows requests per second.

    \b
      ./ab-runner --protocol quick                      all servers, a second per trial
      ./ab-runner --concurrency 1,10,100,500,1000       the full sweep, six blocks of two seconds
      ./ab-runner --servers 'tomcat*,httpd*' --workloads small,large
      ./ab-runner --servers @core                       twelve servers of 2006 and of today
      ./ab-runner --protocol 2006                       200,000 requests per trial, as the original
      ./ab-runner report results/latest                 the tables again
      ./ab-runner report --then-and-now                 beside the figures of 2006
      ./ab-runner report --html                         as a page with charts
      ./ab-runner serve                                 all sweeps in a browser, a running one too

    A server runs in a container where a Docker engine answers, else as a process of this host. Every trial is
    written to results/…/trials.jsonl when it ends: Ctrl-C loses none and leaves nothing running.

    Exit codes: 0 done, 1 stopped early or without a single valid trial (compare: too slow), 2 bad input and nothing
    was started, 130 interrupted.
    """


@cli.command()
@click.option(
    "--servers",
    type=options.Names("server"),
    default="*",
    metavar="GLOB,…",
    help="Which servers, by id, pattern or set: '@core,nginx*'; ./ab-runner list shows the sets.  [default: all]",
)
@click.option(
    "--workloads",
    type=options.Names("workload", options.WORKLOAD_NAMES),
    default=",".join(options.WORKLOAD_NAMES),
    metavar="NAME,…",
    help=f"Of {', '.join(options.WORKLOAD_NAMES)}.  [default: all]",
)
@click.option(
    "--concurrency",
    type=options.Concurrency(),
    default=options.DEFAULT_CONCURRENCY,
    show_default=True,
    help="Connections at once.",
)
@click.option(
    "--protocol",
    type=click.Choice(list(PROTOCOLS)),
    default="standard",
    show_default=True,
    help="2006: 200,000 requests after 100,000 of warm-up. standard: 6 blocks of 2 s trials. quick: 1 s trials. "
    "Where connections are many and answers slow a timed trial lasts up to five times as long.",
)
@click.option(
    "--requests", type=options.Whole(min=1), metavar="N", help="Requests per trial, instead of the protocol's length."
)
@click.option("--duration", type=options.Seconds(), help="Seconds per trial, instead of the protocol's length.")
@click.option(
    "--blocks",
    type=options.Whole(1, 1000),
    metavar="N",
    help="Fresh starts of every server, in an order drawn anew each time. Intervals and ranks need 6.  "
    "[default: the protocol's]",
)
@click.option(
    "--until-precision",
    type=options.Percentage(),
    help="Adds blocks where they are needed, until every interval is this narrow (3% for ±3 %).",
)
@click.option(
    "--budget",
    type=options.Span(),
    default="1h",
    show_default=True,
    help="How long --until-precision may add blocks.",
)
@click.option(
    "--generators",
    type=options.Whole(1, 64),
    default=1,
    show_default=True,
    metavar="N",
    help="ab processes at once, each on a core of its own, that share the connections. For trials of a length in time.",
)
@click.option(
    "--warmup",
    type=options.Amount(),
    help="Warm-up of each start: a time (10s), requests of each workload (20000) or 0.  [default: until warm]",
)
@click.option(
    "--runtime",
    type=click.Choice(["auto", "docker", "process"]),
    default="auto",
    show_default=True,
    help="docker: containers, pinned and isolated. process: this host's Java, Maven, ab and native servers.",
)
@click.option(
    "--network",
    type=click.Choice(["loopback", "bridge"]),
    default="loopback",
    show_default=True,
    help="docker only: ab in the server's network namespace as in 2006, or across a bridge.",
)
@click.option(
    "--jdk",
    type=click.Choice(JDKS),
    help=f"What all JVM servers run on.  [default: docker {DEFAULT_JDK}, process the newest of this host]",
)
@click.option(
    "--port",
    type=options.Whole(1, 65535),
    default=8080,
    show_default=True,
    help="process only: the port on 127.0.0.1.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of this sweep.  [default: results/TIME-PROTOCOL]",
)
@click.option("--dry-run", is_flag=True, help="Checks the options, says what would be measured, and starts nothing.")
def run(
    servers: tuple[str, ...],
    workloads: tuple[WorkloadName, ...],
    concurrency: tuple[int, ...],
    protocol: str,
    requests: int | None,
    duration: int | None,
    warmup: Load | None,
    blocks: int | None,
    out: Path | None,
    **where: Any,
) -> None:
    """Runs a sweep and shows its tables. This is what happens without a command."""
    from ab_runner.cli.run import run_sweep

    changed = options.with_overrides(PROTOCOLS[protocol], requests, duration, warmup, blocks)
    options.check_requests(changed, workloads, concurrency)
    options.check_generators(changed, where["generators"])
    catalog = load(paths.SERVERS)
    chosen = select(catalog, expand(servers, load_sets(paths.SERVERS, catalog)))
    sys.exit(run_sweep(chosen, workloads, concurrency, changed, out, **where))


@cli.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--anyway", is_flag=True, help="Even if machine, versions or servers are no longer what they were.")
@click.option(
    "--port", type=options.Whole(1, 65535), default=8080, show_default=True, help="As for a sweep of processes."
)
def resume(results: Path, anyway: bool, port: int) -> None:
    """Goes on with a sweep that was interrupted, from the first cell that has no record."""
    from ab_runner.cli.run import resume_sweep

    sys.exit(resume_sweep(results, port=port, anyway=anyway))


@cli.command("list")
@click.argument("servers", nargs=-1, metavar="[GLOB|@SET]…")
@click.option("--family", type=options.Names("family"), default=(), help="All versions of one system: tomcat,jetty.")
@click.option(
    "--year",
    "--era",
    "years",
    type=options.Years(),
    default=(),
    help="Year of release: 2006, 2004-2008, -2008 or 2020-.",
)
@click.option("--io-model", type=options.Names("I/O model"), default=(), help="Such as 'NIO reactor,event loop'.")
@click.option(
    "--workload",
    type=options.Names("workload", options.WORKLOAD_NAMES),
    default=(),
    help=f"Of {', '.join(options.WORKLOAD_NAMES)}.",
)
@click.option("--available/--unavailable", default=None, help="Those that can run here, or those that cannot.")
def list_servers(
    servers: tuple[str, ...],
    family: tuple[str, ...],
    years: tuple[range, ...],
    io_model: tuple[str, ...],
    workload: tuple[str, ...],
    available: bool | None,
) -> None:
    """Shows the servers and the sets; with a GLOB or a set what there is to know of each of its servers, and what that
    cannot do.

    Of one option's values a server has to have one; it has to fit every option that is given.
    """
    from ab_runner.catalog.filters import Filter
    from ab_runner.cli.availability import look
    from ab_runner.cli.show import show_server, show_servers

    catalog = load(paths.SERVERS)
    sets = load_sets(paths.SERVERS, catalog)
    wanted = Filter(families=family, years=years, io_models=io_model, workloads=workload)
    wanted.check(catalog.values())
    found = [server for server in select(catalog, expand(servers, sets) or ("*",)) if wanted.fits(server)]
    here = look(found)
    found = [server for server in found if available in (None, server.id not in here.missing)]
    if not servers:
        show_servers(found, here, sets)
    for server in found if servers else ():
        show_server(server, here)


@cli.command("new-server")
@click.argument("id", type=options.NewId())
def new_server(id: str) -> None:
    """Makes servers/ID: a small echo server in Java that runs at once, to be edited into another."""
    from ab_runner.cli.new_server import make

    make(id)


@cli.command()
@click.argument("results", type=click.Path(path_type=Path), default=paths.RESULTS / LATEST)
@_table_format
@click.option(
    "--then-and-now", is_flag=True, help="The figures of 2006 beside those of the sweep, with factors and ranks."
)
@click.option("--html", is_flag=True, help="Writes report.html, a page that needs nothing else, instead.")
@click.option("--svg", is_flag=True, help="Writes the charts as files, into charts/, instead.")
@click.option("--png", is_flag=True, help="The same as pixels.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Where to write them.  [default: the sweep's folder]"
)
def report(results: Path, form: str, then_and_now: bool, html: bool, svg: bool, png: bool, out: Path | None) -> None:
    """Shows the tables of a sweep again.  [default: results/latest]"""
    if html or svg or png:
        from ab_runner.cli.files import write_files

        write_files(read(results), out or results, html=html, svg=svg, png=png)
        return
    if out is not None:
        raise click.UsageError("--out says where --html, --svg and --png write; tables go to stdout")
    from ab_runner.cli.reports import show_report
    from ab_runner.cli.then_and_now import show_then_and_now

    show = show_then_and_now if then_and_now else show_report
    show(read(results), form)


@cli.command()
@click.argument("results", type=click.Path(path_type=Path), required=False)
@_table_format
def conclusions(results: Path | None, form: str) -> None:
    """Says which conclusions of the author of 2006 hold: by his own figures, and by those of a sweep."""
    from ab_runner.cli.conclusions import show_conclusions

    show_conclusions(results, form)


@cli.command()
@click.argument("results", type=click.Path(path_type=Path), nargs=-1, metavar="A B [C]…")
@_table_format
@click.option(
    "--fail-if-slower",
    "slower",
    type=options.Percentage(),
    help="Exit code 1 if it can be told that a cell or a family is slower than in A by more than this, or if a cell "
    "of A has no figure any more.",
)
@click.option("--anyway", is_flag=True, help="Even if machine, protocol or fixtures are not the same.")
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Writes it as a page with charts, which needs nothing else, instead.",
)
def compare(results: tuple[Path, ...], form: str, slower: float | None, anyway: bool, page: Path | None) -> None:
    """Sets sweeps against the first: by what factor each cell and each family is faster or slower, with its interval,
    and whether that can be told from noise."""
    from ab_runner.cli.compare import show_comparison

    sys.exit(show_comparison(results, form, page, slower=slower, anyway=anyway))


@cli.command()
@click.argument("results", type=click.Path(path_type=Path), nargs=-1)
@click.option("--format", "form", type=click.Choice(["csv", "json", "parquet"]), default="csv", show_default=True)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, metavar="FILE")
def export(results: tuple[Path, ...], form: str, out: Path) -> None:
    """Writes the trials of one or more sweeps into one table for other programs, a row per trial.
    [default: results/latest]"""
    from ab_runner.cli.export import export_trials

    export_trials(results or (paths.RESULTS / LATEST,), form, out)


@cli.command()
@click.argument("results", type=click.Path(path_type=Path), default=paths.RESULTS, metavar="[RESULTS_DIR]")
@click.option("--port", type=options.Whole(0, 65535), default=8000, show_default=True, help="On 127.0.0.1; 0: any.")
def serve(results: Path, port: int) -> None:
    """Shows all sweeps of a folder in a browser, with their reports, and follows one that is running.
    [default: results]"""
    from ab_runner.web.serve import serve as serve_until_interrupted

    serve_until_interrupted(results, port)


@cli.group(invoke_without_command=True)
@click.pass_context
def artifacts(context: click.Context) -> None:
    """Shows the files that servers need and no package registry has: which are there, and where to get the others."""
    if context.invoked_subcommand is None:
        from ab_runner.cli.artifacts import show_artifacts

        show_artifacts(load(paths.SERVERS).values())


@artifacts.command("fetch")
def fetch_artifacts() -> None:
    """Downloads those that are missing. A sweep does it by itself."""
    from ab_runner.cli.artifacts import fetch_missing

    sys.exit(fetch_missing(load(paths.SERVERS).values()))


@artifacts.command("add")
@click.argument(
    "files",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    nargs=-1,
    required=True,
    metavar="FILE…",
)
def add_artifacts(files: tuple[Path, ...]) -> None:
    """Takes each FILE that was got elsewhere, under any name: its sha256 says what it is."""
    from ab_runner.cli.artifacts import add_file

    servers = load(paths.SERVERS).values()
    for file in files:
        add_file(file, servers)


@cli.command()
def doctor() -> None:
    """Says what this machine has, what is missing for a sweep, and how to mend it."""
    from ab_runner.cli.doctor import show_findings

    show_findings()


def main() -> int:
    try:
        cli.main(prog_name="./ab-runner", standalone_mode=False)
        return 0
    except click.ClickException as error:
        return _complain(error.format_message())
    except UserError as error:
        return _complain(str(error))
    except (interrupt.Interrupted, KeyboardInterrupt, click.Abort):
        print("ab-runner: interrupted", file=sys.stderr)
        return INTERRUPTED
    except subprocess.SubprocessError as error:
        return _complain(f"a command that a sweep needs failed: {error}")


def _complain(message: str) -> int:
    print(f"ab-runner: {' '.join(message.split())}", file=sys.stderr)
    return BAD_INPUT
