"""The Jinja templates in docker/, which make YAML for Compose."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from ab_runner import paths

if TYPE_CHECKING:
    from jinja2 import Environment


def fill(name: str, **values: Any) -> str:
    """Return the YAML of docker/NAME.jinja. A template writes values by a filter: `yaml`, or `literal`, in which
    Compose finds no variable."""
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
    environment.filters["yaml"] = _yaml
    environment.filters["literal"] = _literal
    return environment


def _yaml(value: object) -> str:
    """Return JSON, which is YAML too but for what is not ASCII: YAML has no surrogate pairs, and no raw control
    characters."""
    text = json.dumps(value, ensure_ascii=False)
    return re.sub(r"[^ -~]", lambda found: f"\\U{ord(found[0]):08x}", text)


def _literal(value: object) -> str:
    return _yaml(value).replace("$", "$$")
