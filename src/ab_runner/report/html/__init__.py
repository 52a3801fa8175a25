"""report.html: a whole sweep in one file that needs nothing else. Imported when it is needed: templates take time."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Sequence

import msgspec
from markupsafe import Markup

from ab_runner.analysis.rankings import BY_CPU_TIME
from ab_runner.history.published import Figure
from ab_runner.report.charts import vega
from ab_runner.report.html.page import page_of, specs_of
from ab_runner.report.html.templates import fill, joined_scripts
from ab_runner.report.tables import LIMITS, Report
from ab_runner.store.reader import Stored


class Served(msgspec.Struct, frozen=True):
    """How a web server has the page: under which tag, and whether the sweep goes on."""

    tag: str
    is_running: bool


def render(
    stored: Stored, published: Sequence[Figure], conclusions: Report | None = None, served: Served | None = None
) -> str:
    """`conclusions`: what papers concluded, and what of it holds. A page that is `served` looks whether there is more.

    Whatever comes from servers and files is escaped, also within the page's data (`tojson`).
    """
    page = page_of(stored, published)
    return fill(
        "page",
        page=page,
        conclusions=conclusions,
        data={"charts": {name: vega.vega(spec) for name, spec in specs_of(page).items()}, **page.data},
        details=_packed({"trials": page.trials, "warmUps": page.warm_ups}),
        served=served,
        vega=Markup(vega.vega_script()),
        script=joined_scripts("js"),
        limits=LIMITS,
        by_cpu_time=BY_CPU_TIME,
    )


def _packed(what: object) -> str:
    """Trials are most of a page and are seldom looked at: as gzip in base64 they are a tenth as long."""
    return b64encode(gzip.compress(msgspec.json.encode(what), mtime=0)).decode("ascii")
