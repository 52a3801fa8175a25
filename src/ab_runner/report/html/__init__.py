"""report.html: a whole sweep in one self-contained file. Imported when it is needed: templates take time."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Collection

import msgspec
from markupsafe import Markup

from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.catalog.studies import Study
from ab_runner.report.charts import vega
from ab_runner.report.charts.courses import extents_of
from ab_runner.report.charts.of_sweep import charts_of_page
from ab_runner.report.document import Report
from ab_runner.report.html.page import page_of
from ab_runner.report.html.templates import fill, joined_scripts
from ab_runner.report.say.figures import limit_texts


class Served(msgspec.Struct, frozen=True):
    """A page that a web server serves: its tag, and whether the sweep is running."""

    tag: str
    is_running: bool


def render(
    analysis: SweepAnalysis,
    study: Study | None,
    conclusions: Report | None = None,
    served: Served | None = None,
    core: Collection[str] = (),
) -> str:
    """Return the page of a sweep, beside what its study published. `conclusions`: those of the study and the verdicts
    on them. A page that is `served` checks for newer results. `core`: the servers to be in colour among many.

    Whatever comes from servers and files is escaped, also within the page's data (`tojson`).
    """
    page = page_of(analysis, study, core)
    charts = page.charts
    return fill(
        "page",
        page=page,
        conclusions=conclusions,
        data={
            "charts": {name: vega.vega(spec) for name, spec in charts_of_page(charts).items()},
            "cells": charts.cells,
            "pairs": charts.pairs,
            "models": charts.models,
            "courses": charts.courses,
            "versions": charts.versions,
            "extents": {name: extents_of(series) for name, series in charts.courses.items()},
        },
        details=_packed({"trials": page.trials, "warmUps": page.warm_ups}),
        served=served,
        scripts=[Markup(vega.vega_script()), joined_scripts("js")],
        limits=limit_texts(analysis.measure, page.words.generator),
    )


def _packed(what: object) -> str:
    """Return it as gzip in base64: trials are most of a page and are seldom looked at, and this is a tenth as long."""
    return b64encode(gzip.compress(msgspec.json.encode(what), compresslevel=6, mtime=0)).decode("ascii")
