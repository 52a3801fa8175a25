"""What was concluded, and what of it holds, as a person sees it."""

from __future__ import annotations

from pathlib import Path

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.cli.reports import show
from ab_runner.history.conclusions import judgements
from ab_runner.history.papers import Paper, read_all
from ab_runner.history.verdicts import Judgement
from ab_runner.report import conclusions_csv
from ab_runner.report.conclusions_tables import report_conclusions
from ab_runner.report.document import Report
from ab_runner.store.reader import read


def show_conclusions(results: Path | None, form: str) -> None:
    """By the published figures, and by a sweep if there is one."""
    stored = read(results) if results else None
    judged = _judged(analyse(stored) if stored else None)
    damage = stored.damage if stored else ()
    show(lambda: report_conclusions(judged, damage), lambda: conclusions_csv.render(judged), damage, form)


def conclusions_of(analysis: SweepAnalysis) -> Report:
    """Return the report of what the papers concluded, and what of it holds by this sweep."""
    return report_conclusions(_judged(analysis))


def _judged(analysis: SweepAnalysis | None) -> list[tuple[Paper, tuple[Judgement, ...]]]:
    return [(paper, judgements(paper, figures, analysis)) for paper, figures in read_all(paths.PUBLISHED)]
