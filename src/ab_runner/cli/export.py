"""Trials for other programs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.cli.files import write_named
from ab_runner.cli.show import console_for, say
from ab_runner.report.export import FORMS
from ab_runner.store.reader import read


def export_trials(results: Sequence[Path], form: str, out: Path) -> None:
    """Writes the file whole or not at all, over one that is there. click.UsageError for a sweep that is given twice."""
    sweeps = [read(folder) for folder in results]
    folders: dict[str, Path] = {}
    for folder, stored in zip(results, sweeps, strict=True):
        if stored.sweep.id in folders:
            raise click.UsageError(f"{folder} and {folders[stored.sweep.id]} are the same sweep, {stored.sweep.id}")
        folders[stored.sweep.id] = folder
    write_named("--out", out, FORMS[form](map(analyse, sweeps)))
    for stored in sweeps:
        for line in stored.damage:
            say(console_for(sys.stderr), f"! {line}")
