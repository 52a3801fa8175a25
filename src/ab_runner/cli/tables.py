"""The tables of sweeps, shown. Apart from `console`, because statistics take their time to load."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from ab_runner.analysis.sessions import analysis_of
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.cli.console import console_for, put, say_err
from ab_runner.report.document import Report
from ab_runner.report.formats import markdown, terminal
from ab_runner.store.reader import read


def analysed(folder: Path) -> SweepAnalysis:
    """Return the analysis of the sweep in a folder. StoreError if there is none."""
    return analysis_of(read(folder))


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
