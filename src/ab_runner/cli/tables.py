"""The tables of sweeps, shown. Apart from `console`, because statistics take their time to load."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.cli.console import console_for, put, say_err
from ab_runner.report import csv, markdown, terminal, then_and_now_csv
from ab_runner.report.document import Report
from ab_runner.report.published import compared_with_2006
from ab_runner.report.tables import report_of
from ab_runner.report.then_and_now_tables import report_then_and_now


def show_report(analysis: SweepAnalysis, form: str, everything: bool) -> None:
    """Show the tables of a sweep: those of the rates, and with `everything` the others too."""
    show_tables(lambda: report_of(analysis, everything), lambda: csv.render(analysis), analysis.stored.damage, form)


def show_then_and_now(analysis: SweepAnalysis, form: str) -> None:
    """Show the figures of 2006 beside those of a sweep. UserError if they have nothing in common."""
    compared = compared_with_2006(analysis)
    tables, as_csv = lambda: report_then_and_now(analysis, compared), lambda: then_and_now_csv.render(compared)
    show_tables(tables, as_csv, analysis.stored.damage, form)


def show_tables(report: Callable[[], Report], as_csv: Callable[[], str], damage: Iterable[str], form: str) -> None:
    """Make one of the two and show it. CSV has no place for damaged lines: there they are named on stderr."""
    if form == "terminal":
        put(*terminal.render(report(), console_for(sys.stdout).width))
    elif form == "markdown":
        sys.stdout.write(markdown.render(report()))
    else:
        sys.stdout.write(as_csv())
        for line in damage:
            say_err(f"! {line}")
