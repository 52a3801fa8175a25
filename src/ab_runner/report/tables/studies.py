"""A sweep beside what was published in 2006: the figures, and the conclusions from them."""

from __future__ import annotations

from collections.abc import Sequence

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.catalog.paper_figures import CINDY_2006, Figure, read
from ab_runner.catalog.papers import Paper, read_all
from ab_runner.errors import UserError
from ab_runner.history.conclusions import judgements
from ab_runner.history.then_and_now import ThenAndNow, then_and_now
from ab_runner.history.verdicts import Judgement
from ab_runner.report.document import Report
from ab_runner.report.tables.conclusions import report_conclusions


def _check_closed(analysis: SweepAnalysis) -> None:
    if not analysis.is_closed:
        raise UserError(
            f"{analysis.sweep.id} has an open load; the figures and conclusions of 2006 are of closed loads"
        )


def figures_of_2006() -> tuple[Figure, ...]:
    """Return the published figures in the repository. DocumentError if one is damaged."""
    return read(paths.PAPERS / CINDY_2006)


def compared_with_2006(analysis: SweepAnalysis) -> tuple[ThenAndNow, ...]:
    """Return the workloads of the sweep beside those of 2006. UserError if they have nothing in common."""
    _check_closed(analysis)
    compared = then_and_now(analysis, figures_of_2006())
    if not compared:
        raise UserError(
            f"{analysis.sweep.id} has nothing to compare with 2006: it needs a server of one of its families "
            "(./ab-runner list) at 1, 10, 100, 500 or 1000"
        )
    return compared


NOW = "now"
"""The name of a sweep that stands alone beside what was published."""


def judged(sweeps: Sequence[tuple[str, SweepAnalysis]]) -> list[tuple[Paper, tuple[Judgement, ...]]]:
    """Return every paper with its conclusions judged by its own figures, and by those of each sweep under its name.
    UserError for a sweep with an open load."""
    for _, analysis in sweeps:
        _check_closed(analysis)
    return [(paper, judgements(paper, figures, sweeps)) for paper, figures in read_all(paths.PAPERS)]


def conclusions_of(analysis: SweepAnalysis) -> Report | None:
    """Return the tables of all conclusions, judged by a sweep too; None for one with an open load."""
    return report_conclusions(judged([(NOW, analysis)])) if analysis.is_closed else None
