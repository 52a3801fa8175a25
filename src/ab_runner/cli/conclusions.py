"""What was concluded, and what of it holds, as a person sees it."""

from __future__ import annotations

from pathlib import Path

from ab_runner import paths
from ab_runner.cli.reports import show
from ab_runner.history.conclusions import judge
from ab_runner.history.evidence import of_sweep, published
from ab_runner.history.papers import Paper, read_all
from ab_runner.history.published import Figure
from ab_runner.report import conclusions_csv
from ab_runner.report.conclusions_tables import Column, report_conclusions
from ab_runner.report.tables import Report
from ab_runner.store.reader import Stored, read


def show_conclusions(results: Path | None, form: str) -> None:
    """By the published figures, and by a sweep if there is one."""
    stored = read(results) if results else None
    judged = _judged(stored)
    damage = stored.damage if stored else ()
    show(lambda: report_conclusions(judged, damage), lambda: conclusions_csv.render(judged), damage, form)


def conclusions_of(stored: Stored) -> Report:
    return report_conclusions(_judged(stored))


def _judged(stored: Stored | None) -> list[tuple[Paper, list[Column]]]:
    return [(paper, columns_of(paper, figures, stored)) for paper, figures in read_all(paths.PUBLISHED)]


def columns_of(paper: Paper, figures: tuple[Figure, ...], stored: Stored | None) -> list[Column]:
    evidence = [published(paper.source, paper.year, figures)]
    if stored is not None:
        evidence.append(of_sweep(stored, figures))
    return [Column(each, judge(paper, each)) for each in evidence]
