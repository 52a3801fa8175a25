"""The Jinja templates in docker/, which make YAML for Compose."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from ab_runner import paths

if TYPE_CHECKING:
    from jinja2 import Environment


def fill(name: str, **values: Any) -> str:
    """Return the YAML of docker/NAME.jinja. A template writes values by a filter: `json`, which is YAML too, or
    `literal`, in which Compose finds no variable."""
    return _environment().get_template(f"{name}.jinja").render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # here, for `list` does not need it

    environment = Environment(
        autoescape=False,  # it is for HTML
        loader=FileSystemLoader(paths.DOCKER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["json"] = json.dumps
    environment.filters["literal"] = _literal
    return environment


def _literal(value: object) -> str:
    return json.dumps(value).replace("$", "$$")
