"""Reports written to files: a sweep's tables, its page and its charts, and files that an option names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ab_runner.analysis.comparison import SweepComparison
from ab_runner.analysis.sessions import analysis_of
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.errors import UserError
from ab_runner.history.then_and_now import then_and_now
from ab_runner.host import safe_files
from ab_runner.report.formats import csv, markdown
from ab_runner.report.formats.core import core_ids
from ab_runner.report.formats.export import FORMS
from ab_runner.report.say.facts import subtitle_of
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.report.tables.studies import conclusions_of, study_of
from ab_runner.store.layout import StoreError
from ab_runner.store.reader import Stored
from ab_runner.store.writer import write_report

if TYPE_CHECKING:
    from ab_runner.report.charts.parts import Spec
    from ab_runner.report.html import Served

TABLES = "tables.md"
TRIALS = "trials.csv"
PAGE = "report.html"
CHARTS = "charts"


def write_reports(analysis: SweepAnalysis, folder: Path) -> Path:
    """Write all reports of a sweep into its folder when it ends, and return the path of its page."""
    write_report(folder / TABLES, markdown.render(report_of(analysis, everything=True)))
    write_report(folder / TRIALS, csv.render(analysis))
    return _write_page(analysis, folder)


def write_files(analysis: SweepAnalysis, folder: Path, *, html: bool, svg: bool) -> list[Path]:
    """Write the requested files and return where they are. StoreError if it cannot be written."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if html:
            written.append(_write_page(analysis, folder))
        if svg:
            written.append(_write_charts(analysis, folder / CHARTS))
    except OSError as error:
        raise StoreError(f"cannot write to {error.filename or folder}: {error.strerror}") from error
    return written


def page_text(analysis: SweepAnalysis, served: Served | None = None) -> str:
    """Return the page of a sweep; `served` if a web server serves it."""
    from ab_runner.report import html  # templates take time, here and below

    study = study_of(analysis)
    return html.render(analysis, study, conclusions_of(analysis, study), served, core_ids())


def write_named(option: str, path: Path, content: bytes) -> None:
    """Write a file that an option names, whole or not at all. UserError where it cannot be written."""
    try:
        safe_files.write_whole(path, content)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"{option} {path}: cannot be written: {reason}") from error


def write_comparison(sweeps: Sequence[SweepAnalysis], compared: Sequence[SweepComparison], path: Path) -> None:
    """Write a comparison as a page. UserError where it cannot be written."""
    from ab_runner.report.html import comparison

    write_named("--html", path, comparison.render(sweeps, compared).encode())


def write_export(sweeps: Sequence[tuple[Path, Stored]], form: str, out: Path) -> None:
    """Write the trials of these sweeps into one file. UserError for a sweep that is named twice."""
    folders: dict[str, Path] = {}
    for folder, stored in sweeps:
        if stored.sweep.id in folders:
            raise UserError(f"{folder} and {folders[stored.sweep.id]} are the same sweep, {stored.sweep.id}")
        folders[stored.sweep.id] = folder
    write_named("--out", out, FORMS[form]([analysis_of(stored) for _, stored in sweeps]))


def _write_page(analysis: SweepAnalysis, folder: Path) -> Path:
    write_report(folder / PAGE, page_text(analysis))
    return folder / PAGE


def charts_of(analysis: SweepAnalysis) -> dict[str, Spec]:
    """Return the charts of a sweep by file name, without its suffix."""
    from ab_runner.report.charts.gallery import gallery
    from ab_runner.report.charts.of_sweep import chart_data

    study = study_of(analysis)
    compared = then_and_now(analysis, study) if study else ()
    return gallery(chart_data(analysis, compared, core_ids()), subtitle_of(analysis.sweep))


def _write_charts(analysis: SweepAnalysis, folder: Path) -> Path:
    from ab_runner.report.charts import vega

    safe_files.real_folder(folder).mkdir(exist_ok=True)
    for name, spec in charts_of(analysis).items():
        safe_files.write_whole(folder / f"{name}.svg", vega.svg(spec).encode())
    return folder
