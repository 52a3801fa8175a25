"""./ab-runner conclusions: judges what the author of 2006 concluded."""

from __future__ import annotations

from pathlib import Path

import click

from ab_runner.cli import options


@click.command("conclusions")
@click.argument("results", type=click.Path(path_type=Path), required=False)
@options.table_format
def command(results: Path | None, form: str) -> None:
    """Shows which conclusions of 2006 hold. They are judged by their author's own figures, and by those of a sweep."""
    from ab_runner.analysis.sweep_analysis import analyse
    from ab_runner.cli.tables import show_tables
    from ab_runner.report import conclusions_csv
    from ab_runner.report.conclusions_tables import report_conclusions
    from ab_runner.report.published import judged
    from ab_runner.store.reader import read

    stored = read(results) if results else None
    papers = judged(analyse(stored) if stored else None)
    damage = stored.damage if stored else ()
    show_tables(lambda: report_conclusions(papers, damage), lambda: conclusions_csv.render(papers), damage, form)
