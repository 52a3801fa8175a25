"""Sweeps beside each other, as a person or a continuous build sees them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from ab_runner.cli.reports import show
from ab_runner.cli.show import console_for, say
from ab_runner.report import compare_csv
from ab_runner.report.compare import compare, why_not_comparable
from ab_runner.report.compare_tables import LETTERS, report_comparison, too_slow
from ab_runner.store import read


def show_comparison(results: Sequence[Path], form: str, *, slower: float | None, anyway: bool) -> int:
    """The exit code: 1 if something is slower by more than `slower`. click.UsageError for sweeps that cannot be
    compared, unless it shall be done `anyway`: then the tables say why they should not be."""
    if not 2 <= len(results) <= len(LETTERS):
        raise click.UsageError(f"compare needs 2 to {len(LETTERS)} sweeps, and was given {len(results)}")
    first, *others = stored = [read(folder) for folder in results]
    for folder, other in zip(results[1:], others, strict=True):
        found = list(why_not_comparable(first.sweep, other.sweep))
        if found and not anyway:
            raise click.UsageError(
                f"{folder} cannot be compared with {results[0]}: {'; '.join(found)} (--anyway does it, and says so)"
            )
    compared = [compare(first, other, slower) for other in others]
    for folder, each in zip(results[1:], compared, strict=True):
        if not any(cell.before and cell.after for cell in each.cells):
            raise click.UsageError(f"{folder} has no cell that {results[0]} has")
        if slower is not None and not each.can_tell:
            raise click.UsageError(
                f"--fail-if-slower: {folder} and {results[0]} have no cell with two blocks in both, so nothing can be "
                "told from noise; make them with --blocks 6"
            )
    damage = [line for each in stored for line in each.damage]
    show(lambda: report_comparison(stored, compared), lambda: compare_csv.render(compared), damage, form)
    complaints = [line for each in compared for line in too_slow(each, slower)] if slower else []
    for line in complaints:
        say(console_for(sys.stderr), f"! {line}")
    return 1 if complaints else 0
