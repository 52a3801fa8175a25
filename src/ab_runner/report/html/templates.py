"""Pages from their templates. Whatever is put into one is escaped, except Markup: what `ours` reads and Vega draws."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_HERE = Path(__file__).parent


def fill(name: str, **values: Any) -> str:
    """Return a template with these values in it; `name` is its own, without its suffixes."""
    return _environment().get_template(f"{name}.html.jinja").render(style=ours("page.css"), **values)


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
    return Environment(
        autoescape=True,
        loader=FileSystemLoader(_HERE),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
