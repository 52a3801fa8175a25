"""A sweep beside what was published of 2006: the figures, and what was concluded from them."""

from __future__ import annotations

from ab_runner import paths
from ab_runner.errors import UserError
from ab_runner.history.conclusions import judge
from ab_runner.history.evidence import of_sweep, published
from ab_runner.history.papers import Paper, read_all
from ab_runner.history.published import CINDY_2006, Figure, read
from ab_runner.history.then_and_now import Compared, compare
from ab_runner.report.conclusions_tables import Column, report_conclusions
from ab_runner.report.tables import Report
from ab_runner.store.reader import Stored


def figures_of_2006() -> tuple[Figure, ...]:
    """Return the figures that the repository has. DocumentError if one is damaged."""
    return read(paths.PUBLISHED / CINDY_2006)


def compared_with_2006(stored: Stored) -> tuple[Compared, ...]:
    """Return the workloads of the sweep beside those of 2006. UserError if they have nothing in common."""
    compared = compare(stored, figures_of_2006())
    if not compared:
        raise UserError(
            f"{stored.sweep.id} has nothing to set beside 2006: it needs a server of one of its families "
            "(./ab-runner list) at 1, 10, 100, 500 or 1000"
        )
    return compared


def judged(stored: Stored | None) -> list[tuple[Paper, list[Column]]]:
    """Return every paper with its conclusions judged by its own figures, and by those of a sweep if there is one."""
    return [(paper, columns_of(paper, figures, stored)) for paper, figures in read_all(paths.PUBLISHED)]


def columns_of(paper: Paper, figures: tuple[Figure, ...], stored: Stored | None) -> list[Column]:
    """Return what each evidence says of the conclusions of one paper."""
    evidence = [published(paper.source, paper.year, figures)]
    if stored is not None:
        evidence.append(of_sweep(stored, figures))
    return [Column(each, judge(paper, each)) for each in evidence]


def conclusions_of(stored: Stored) -> Report:
    """Return the tables of all conclusions, judged by a sweep too."""
    return report_conclusions(judged(stored))
