"""./ab-runner compare: sets sweeps against the first of them."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ab_runner.cli import options


@click.command("compare")
@click.argument("results", type=click.Path(path_type=Path), nargs=-1, metavar="A B [C]…")
@options.table_format
@click.option(
    "--fail-if-slower",
    "slower",
    type=options.Percentage(),
    help="Exit code 1 if a cell or a family is slower than in A by more than this, beyond the noise, or if a cell of A "
    "no longer has a figure.",
)
@click.option("--anyway", is_flag=True, help="Compares even if machine, protocol or fixtures differ.")
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Writes a self-contained page with charts instead.",
)
def command(results: tuple[Path, ...], form: str, slower: float | None, anyway: bool, page: Path | None) -> None:
    """Compares sweeps with the first of them. Shows by what factor each cell and each family is faster or slower,
    with its confidence interval, and whether the difference is more than noise."""
    if page is not None and form != "terminal":
        raise click.UsageError("--html writes a page; --format applies only without --html")
    from ab_runner.analysis.sessions import as_one
    from ab_runner.cli.console import say_err, say_out
    from ab_runner.cli.tables import show_tables
    from ab_runner.report.formats import comparison_csv
    from ab_runner.report.formats.files import write_comparison
    from ab_runner.report.tables.compare_sweeps import compare_all
    from ab_runner.report.tables.comparison import report_comparison, too_slow
    from ab_runner.store.reader import read

    sweeps = [as_one(read(folder)) for folder in results]
    compared = compare_all([*zip(map(str, results), sweeps, strict=True)], slower=slower, anyway=anyway)
    if page is None:
        damage = [line for analysis in sweeps for line in analysis.stored.damage]
        show_tables(lambda: report_comparison(sweeps, compared), lambda: comparison_csv.render(compared), damage, form)
    else:
        write_comparison(sweeps, compared, page)
        say_out(str(page))
    complaints = [line for comparison in compared for line in too_slow(comparison, slower)] if slower else []
    for line in complaints:
        say_err(f"! {line}")
    sys.exit(1 if complaints else 0)
