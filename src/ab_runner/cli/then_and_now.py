"""A sweep beside the figures of 2006, as a person sees it."""

from __future__ import annotations

import click

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.cli.reports import show
from ab_runner.history.published import CINDY_2006, read
from ab_runner.history.then_and_now import then_and_now
from ab_runner.report import then_and_now_csv
from ab_runner.report.then_and_now_tables import report_then_and_now
from ab_runner.store.reader import Stored


def show_then_and_now(stored: Stored, form: str) -> None:
    """Refuses a sweep that has nothing in common with 2006."""
    analysis = analyse(stored)
    compared = then_and_now(analysis, read(paths.PUBLISHED / CINDY_2006))
    if not compared:
        raise click.UsageError(
            f"{stored.sweep.id} has nothing to set beside 2006: it needs a server of one of its families "
            "(./ab-runner list) at 1, 10, 100, 500 or 1000"
        )
    tables, as_csv = lambda: report_then_and_now(analysis, compared), lambda: then_and_now_csv.render(compared)
    show(tables, as_csv, stored.damage, form)
