"""report.html: a whole sweep in one file that needs nothing else. Imported when it is needed: templates take time."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ab_runner.published import Figure
from ab_runner.report import drawing
from ab_runner.report.html.page import page_of, specs_of
from ab_runner.report.tables import LIMITS, Report
from ab_runner.store import Stored

_HERE = Path(__file__).parent


def render(stored: Stored, published: Sequence[Figure], conclusions: Report | None = None) -> str:
    """`conclusions`: what papers concluded, and what of it holds.

    Whatever comes from servers and files is escaped, also within the page's data (`tojson`).
    """
    page = page_of(stored, published)
    environment = Environment(
        autoescape=True,
        loader=FileSystemLoader(_HERE),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja").render(
        page=page,
        conclusions=conclusions,
        data={"charts": {name: drawing.vega(spec) for name, spec in specs_of(page).items()}, **page.data},
        details=_packed({"trials": page.trials, "warmUps": page.warm_ups}),
        vega=Markup(drawing.vega_script()),
        script=_ours("page.js"),
        style=_ours("page.css"),
        limits=LIMITS,
    )


def _packed(what: object) -> str:
    """Trials are most of a page and are seldom looked at: as gzip in base64 they are a tenth as long."""
    return b64encode(gzip.compress(msgspec.json.encode(what), mtime=0)).decode("ascii")


def _ours(name: str) -> Markup:
    """A part of the page that is not escaped, because it is not from a server but from here."""
    return Markup((_HERE / name).read_text(encoding="utf-8"))
