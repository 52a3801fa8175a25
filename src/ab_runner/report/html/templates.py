"""Pages from their templates. Whatever is put into one is escaped, except Markup: what `ours` reads and Vega draws."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ab_runner.report.say.messages import whole_text

_HERE = Path(__file__).parent
_NOTHING = "'none'"


def fill(name: str, scripts: Iterable[Markup] = (), **values: Any) -> str:
    """Return a template with these values in it; `name` is its own, without its suffixes. `scripts` run at the end, and
    a browser runs no others."""
    style, scripts = ours("page.css"), tuple(scripts)
    page = _environment().get_template(f"{name}.html.jinja")
    return page.render(style=style, scripts=scripts, policy=_policy(style, scripts), **values)


def _policy(style: str, scripts: Iterable[str]) -> str:
    """Return a Content-Security-Policy that allows these and nothing from elsewhere, wherever the page is opened.
    The styles of single elements, which charts and tables have, cannot be listed."""
    return (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts)) or _NOTHING}; style-src 'unsafe-inline'; "
        f"style-src-elem {_hash(style)}; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def ours(name: str) -> Markup:
    """Return a file that is part of the toolkit, as it is."""
    return Markup((_HERE / name).read_text(encoding="utf-8"))


def joined_scripts(folder: str) -> Markup:
    """Return the scripts of a folder as one script with a scope of its own; main.js, which uses the others, is last."""
    files = sorted((_HERE / folder).glob("*.js"), key=lambda file: (file.name == "main.js", file.name))
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return Markup(f'"use strict";\n(() => {{\n{text}}})();\n')


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        loader=FileSystemLoader(_HERE),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["whole_text"] = whole_text
    environment.globals["zip"] = zip
    return environment
