"""Sweeps compared with the first of them as a page, which needs no script."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ab_runner.analysis.comparison import SweepComparison
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.report.charts import vega
from ab_runner.report.charts.comparison import ratios
from ab_runner.report.charts.data import Row, change_rows
from ab_runner.report.html.templates import fill
from ab_runner.report.tables.comparison import report_comparison, tables_of


def render(sweeps: Sequence[SweepAnalysis], compared: Sequence[SweepComparison]) -> str:
    """Return the page of sweeps compared with the first of them; `compared` has the comparison of each of the
    others."""
    sections = [(table, _picture(change_rows(changes))) for table, changes in tables_of(compared)]
    return fill("comparison", report=report_comparison(sweeps, compared), sections=sections)


def _picture(rows: Sequence[Row]) -> Markup | None:
    """Return a chart in the page's colours, which it has by these names; None without rows. Vega escapes what it is
    given."""
    if not rows:
        return None
    levels = sorted({row["c"] for row in rows})
    servers = list(dict.fromkeys(row["server"] for row in rows))
    spec = vega.with_rows(ratios(servers, levels), rows, ink="var(--muted)", faint="var(--rule)")
    return Markup(vega.svg(spec))
