"""Sweeps beside each other, as a person or a continuous build sees them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from ab_runner.analysis.comparison import SweepComparison, compare_sweeps, why_not_comparable
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.cli.files import write_named
from ab_runner.cli.reports import show
from ab_runner.cli.show import console_for, say
from ab_runner.report import compare_csv
from ab_runner.report.compare_tables import LETTERS, report_comparison, too_slow
from ab_runner.store.reader import read


def show_comparison(
    results: Sequence[Path], form: str, page: Path | None, *, slower: float | None, anyway: bool
) -> int:
    """Shows it, or writes it into the file `page`. The exit code is 1 if something is slower by more than `slower`."""
    if page is not None and form != "terminal":
        raise click.UsageError("--html writes a page; --format is of what is shown without it")
    named = [(str(folder), analyse(read(folder))) for folder in results]
    compared = compare_all(named, slower=slower, anyway=anyway)
    sweeps = [each for _, each in named]
    if page is None:
        damage = [line for each in sweeps for line in each.stored.damage]
        show(lambda: report_comparison(sweeps, compared), lambda: compare_csv.render(compared), damage, form)
    else:
        _write(sweeps, compared, page)
    complaints = [line for each in compared for line in too_slow(each, slower)] if slower else []
    for line in complaints:
        say(console_for(sys.stderr), f"! {line}")
    return 1 if complaints else 0


def _write(sweeps: Sequence[SweepAnalysis], compared: Sequence[SweepComparison], page: Path) -> None:
    from ab_runner.report.html import comparison

    write_named("--html", page, comparison.render(sweeps, compared).encode())
    click.echo(page)


def compare_all(
    named: Sequence[tuple[str, SweepAnalysis]], *, slower: float | None, anyway: bool
) -> list[SweepComparison]:
    """Returns each of the others with the first; the names are what a complaint calls them. click.UsageError for sweeps
    that cannot be compared, unless it shall be done `anyway`: then the tables say why they should not be."""
    if not 2 <= len(named) <= len(LETTERS):
        raise click.UsageError(f"compare needs 2 to {len(LETTERS)} sweeps, and was given {len(named)}")
    (first_name, first), *others = named
    for name, other in others:
        found = list(why_not_comparable(first.sweep, other.sweep))
        if found and not anyway:
            raise click.UsageError(
                f"{name} cannot be compared with {first_name}: {'; '.join(found)} (--anyway does it, and says so)"
            )
    compared = [compare_sweeps(first, other, slower) for _, other in others]
    for (name, _), each in zip(others, compared, strict=True):
        if not any(cell.before and cell.after for cell in each.cells):
            raise click.UsageError(f"{name} has no cell that {first_name} has")
        if slower is not None and not each.can_tell:
            raise click.UsageError(
                f"--fail-if-slower: {name} and {first_name} have no cell with two blocks in both, so nothing can be "
                "told from noise; make them with --blocks 6"
            )
    return compared
