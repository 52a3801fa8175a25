"""./ab-runner report: shows the tables of a sweep, or writes its page and charts."""

from __future__ import annotations

from pathlib import Path

import click

from ab_runner.cli import options


@click.command("report")
@click.argument("results", type=click.Path(path_type=Path), default=options.latest_sweep)
@options.table_format
@click.option(
    "--all", "everything", is_flag=True, help="Shows all tables (latencies, ranks, CPU time) and all warnings."
)
@click.option(
    "--then-and-now", is_flag=True, help="Shows the figures of 2006 beside those of the sweep, with factors and ranks."
)
@click.option("--html", is_flag=True, help="Writes report.html, a self-contained page, instead.")
@click.option("--svg", is_flag=True, help="Writes the charts as SVG files into charts/ instead.")
@click.option("--png", is_flag=True, help="Writes the charts as PNG files into charts/ instead.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where --html, --svg and --png write.  [default: the sweep's folder]",
)
def command(
    results: Path, form: str, everything: bool, then_and_now: bool, html: bool, svg: bool, png: bool, out: Path | None
) -> None:
    """Shows the tables of a sweep again.  [default: results/latest]"""
    from ab_runner.analysis.sweep_analysis import analyse
    from ab_runner.store.reader import read

    if html or svg or png:
        from ab_runner.report.files import write_files

        for path in write_files(analyse(read(results)), out or results, html=html, svg=svg, png=png):
            click.echo(path)
        return
    if out is not None:
        raise click.UsageError("--out is for --html, --svg and --png; tables go to stdout")
    from ab_runner.cli.tables import show_report, show_then_and_now

    if then_and_now:
        show_then_and_now(analyse(read(results)), form)
    else:
        show_report(analyse(read(results)), form, everything)
