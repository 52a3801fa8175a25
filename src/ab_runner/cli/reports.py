"""The reports of a sweep, shown. Apart from `show`, because statistics take their time to load."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.cli.show import console_for, put, say
from ab_runner.report import csv, markdown, terminal
from ab_runner.report.document import Report
from ab_runner.report.tables import report_of
from ab_runner.store.reader import Stored


def show_report(stored: Stored, form: str) -> None:
    analysis = analyse(stored)
    show(lambda: report_of(analysis), lambda: csv.render(analysis), stored.damage, form)


def put_report(report: Report) -> None:
    put(*terminal.render(report, console_for(sys.stdout).width))


def show(report: Callable[[], Report], as_csv: Callable[[], str], damage: Iterable[str], form: str) -> None:
    """Makes one of the two and shows it. CSV has no place for damaged lines: there they are named on stderr."""
    if form == "terminal":
        put_report(report())
    elif form == "markdown":
        sys.stdout.write(markdown.render(report()))
    else:
        sys.stdout.write(as_csv())
        for line in damage:
            say(console_for(sys.stderr), f"! {line}")
