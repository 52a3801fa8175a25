"""A sweep beside the figures of 2006, as a person sees it."""

from __future__ import annotations

import click

from ab_runner import paths
from ab_runner.cli.reports import show
from ab_runner.history.published import CINDY_2006, read
from ab_runner.history.then_and_now import compare
from ab_runner.report import then_and_now_csv
from ab_runner.report.then_and_now_tables import report_then_and_now
from ab_runner.store.reader import Stored


def show_then_and_now(stored: Stored, form: str) -> None:
    """Refuses a sweep that has nothing in common with 2006."""
    compared = compare(stored, read(paths.PUBLISHED / CINDY_2006))
    if not compared:
        raise click.UsageError(
            f"{stored.sweep.id} has nothing to set beside 2006: it needs a server of one of its families "
            "(./ab-runner list) at 1, 10, 100, 500 or 1000"
        )
    show(lambda: report_then_and_now(stored, compared), lambda: then_and_now_csv.render(compared), stored.damage, form)
