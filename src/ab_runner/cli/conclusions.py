"""./ab-runner conclusions: judges what the author of 2006 concluded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ab_runner.cli import options

if TYPE_CHECKING:
    from ab_runner.history.papers import Paper
    from ab_runner.history.verdicts import Judgement
    from ab_runner.report.document import Report


@click.command("conclusions")
@click.argument("results", type=click.Path(path_type=Path), required=False)
@options.table_format
@click.option(
    "--only",
    type=click.Choice(["tables", "verdicts"]),
    help="tables: without facts and warnings. verdicts: a row for each conclusion, without what decides it.",
)
def command(results: Path | None, form: str, only: str | None) -> None:
    """Shows which conclusions of 2006 hold. They are judged by their author's own figures, and by those of a sweep."""
    from ab_runner.cli.tables import analysed, show_tables
    from ab_runner.report import conclusions_csv
    from ab_runner.report.published import judged

    if only and form == "csv":
        raise click.UsageError("--format csv has all parts of all conclusions; --only selects tables")
    analysis = analysed(results) if results else None
    papers = judged(analysis)
    damage = analysis.stored.damage if analysis else ()
    show_tables(lambda: report_for(papers, damage, only), lambda: conclusions_csv.render(papers), damage, form)


def report_for(papers: Sequence[tuple[Paper, Sequence[Judgement]]], damage: Sequence[str], only: str | None) -> Report:
    """Return the tables that are wanted."""
    from ab_runner.report.conclusions_tables import report_conclusions, report_verdicts
    from ab_runner.report.selection import only_tables

    if only == "verdicts":
        return report_verdicts(papers)
    report = report_conclusions(papers, damage)
    return only_tables(report) if only else report
