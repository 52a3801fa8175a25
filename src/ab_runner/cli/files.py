"""The reports of a sweep that are files: the page and its charts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ab_runner import regular, store
from ab_runner.cli import places
from ab_runner.published import CINDY_2006, Figure, read
from ab_runner.store import Stored, StoreError

if TYPE_CHECKING:
    from ab_runner.report.html import Served

PAGE = "report.html"
CHARTS = "charts"


def write_files(stored: Stored, folder: Path, *, html: bool, svg: bool, png: bool) -> None:
    """Writes what is wanted and says where it is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if html:
            click.echo(write_page(stored, folder))
        if svg or png:
            click.echo(_write_charts(stored, folder / CHARTS, svg=svg, png=png))
    except OSError as error:
        raise StoreError(f"cannot write to {error.filename or folder}: {error.strerror}") from error


def write_named(option: str, path: Path, content: bytes) -> None:
    """A file that an option names, whole or not at all. click.UsageError where it cannot be written."""
    try:
        regular.write_whole(path, content)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise click.UsageError(f"{option} {path}: cannot be written: {reason}") from error


def write_page(stored: Stored, folder: Path) -> Path:
    store.write_report(folder / PAGE, page_text(stored))
    return folder / PAGE


def page_text(stored: Stored, served: Served | None = None) -> str:
    from ab_runner.cli.conclusions import conclusions_of
    from ab_runner.report import html

    return html.render(stored, _published(), conclusions_of(stored), served)


def _write_charts(stored: Stored, folder: Path, *, svg: bool, png: bool) -> Path:
    from ab_runner.report import drawing
    from ab_runner.report.gallery import gallery
    from ab_runner.report.html.page import page_of

    regular.real_folder(folder).mkdir(exist_ok=True)
    for name, spec in gallery(page_of(stored, _published())).items():
        if svg:
            regular.write_whole(folder / f"{name}.svg", drawing.svg(spec).encode())
        if png:
            regular.write_whole(folder / f"{name}.png", drawing.png(spec))
    return folder


def _published() -> Sequence[Figure]:
    return read(places.PUBLISHED / CINDY_2006)
