"""./ab-runner conclusions: judges what the authors of studies concluded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ab_runner.cli import options

if TYPE_CHECKING:
    from ab_runner.analysis.sweep_analysis import SweepAnalysis
    from ab_runner.catalog.studies import Study
    from ab_runner.history.verdicts import Judgement
    from ab_runner.report.document import Report


@click.command("conclusions")
@click.argument("results", type=click.Path(path_type=Path), nargs=-1, metavar="[SWEEP]…")
@options.table_format
@click.option("--sessions", is_flag=True, help="The sweeps are sessions of one result, and are judged together.")
@click.option(
    "--only",
    type=click.Choice(["tables", "verdicts"]),
    help="tables: without facts and warnings. verdicts: a row for each conclusion, without what decides it.",
)
def command(results: tuple[Path, ...], form: str, sessions: bool, only: str | None) -> None:
    """Shows which published conclusions hold. Those of the study of the sweeps are judged by its author's own figures
    and by theirs; without sweeps those of all studies by their own."""
    from ab_runner.cli.tables import analysed, show_tables
    from ab_runner.report.formats import conclusions_csv
    from ab_runner.report.tables.studies import judged

    if only and form == "csv":
        raise click.UsageError("--format csv has all parts of all conclusions; --only selects tables")
    sweeps = named(results, analysed, sessions)
    studies = judged(sweeps)
    damage = damage_of(sweeps)
    show_tables(lambda: report_for(studies, damage, only), lambda: conclusions_csv.render(studies), damage, form)


def named(
    folders: Sequence[Path], load: Callable[[Path], SweepAnalysis], sessions: bool = False
) -> list[tuple[str, SweepAnalysis]]:
    """Return each sweep under its name in the tables: one is `now`, several are called after their folders. As
    `sessions` they are one result. UserError for sweeps that cannot be that."""
    from ab_runner.analysis.sessions import together
    from ab_runner.report.tables.studies import NOW

    if sessions and folders:
        return [(NOW, together([(str(folder), load(folder)) for folder in folders]))]

    return [(NOW if len(folders) == 1 else folder.resolve().name, load(folder)) for folder in folders]


def damage_of(sweeps: Sequence[tuple[str, SweepAnalysis]]) -> list[str]:
    """Return the warnings of all sweeps about damaged records."""
    return [line for _, analysis in sweeps for line in analysis.stored.damage]


def report_for(studies: Sequence[tuple[Study, Sequence[Judgement]]], damage: Sequence[str], only: str | None) -> Report:
    """Return the tables that are wanted."""
    from ab_runner.report.document import only_tables
    from ab_runner.report.tables.conclusions import report_conclusions, report_verdicts

    if only == "verdicts":
        return report_verdicts(studies)
    report = report_conclusions(studies, damage)
    return only_tables(report) if only else report
