"""The list of a folder's sweeps as a page that keeps itself in step, where it is served."""

from __future__ import annotations

from collections.abc import Sequence

from ab_runner.analysis.overview import Entry
from ab_runner.report.html.templates import fill, ours


def render(folder: str, sweeps: Sequence[Entry], trouble: Sequence[str]) -> str:
    """`trouble`: a line for each folder that cannot be read."""
    return fill("overview", folder=folder, sweeps=sweeps, trouble=trouble, script=ours("overview.js"))
