"""The reports of a sweep that are files: the page and its charts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.history.published import CINDY_2006, Figure, read
from ab_runner.host import safe_files
from ab_runner.store.layout import StoreError
from ab_runner.store.reader import Stored
from ab_runner.store.writer import write_report

if TYPE_CHECKING:
    from ab_runner.report.html import Served

PAGE = "report.html"
CHARTS = "charts"


def write_files(stored: Stored, folder: Path, *, html: bool, svg: bool, png: bool) -> None:
    """Writes what is wanted and says where it is."""
    analysis = analyse(stored)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if html:
            click.echo(write_page(analysis, folder))
        if svg or png:
            click.echo(_write_charts(analysis, folder / CHARTS, svg=svg, png=png))
    except OSError as error:
        raise StoreError(f"cannot write to {error.filename or folder}: {error.strerror}") from error


def write_named(option: str, path: Path, content: bytes) -> None:
    """A file that an option names, whole or not at all. click.UsageError where it cannot be written."""
    try:
        safe_files.write_whole(path, content)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.UsageError(f"{option} {path}: cannot be written: {reason}") from error


def write_page(analysis: SweepAnalysis, folder: Path) -> Path:
    write_report(folder / PAGE, page_text(analysis))
    return folder / PAGE


def page_text(analysis: SweepAnalysis, served: Served | None = None) -> str:
    from ab_runner.cli.conclusions import conclusions_of
    from ab_runner.report import html

    return html.render(analysis, _published(), conclusions_of(analysis), served)


def _write_charts(analysis: SweepAnalysis, folder: Path, *, svg: bool, png: bool) -> Path:
    from ab_runner.report.charts import vega
    from ab_runner.report.charts.files import gallery
    from ab_runner.report.html.page import page_of

    safe_files.real_folder(folder).mkdir(exist_ok=True)
    for name, spec in gallery(page_of(analysis, _published())).items():
        if svg:
            safe_files.write_whole(folder / f"{name}.svg", vega.svg(spec).encode())
        if png:
            safe_files.write_whole(folder / f"{name}.png", vega.png(spec))
    return folder


def _published() -> Sequence[Figure]:
    return read(paths.PUBLISHED / CINDY_2006)
