"""Reads what Compose reads."""

from __future__ import annotations

from typing import Any

import yaml


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # yaml has no types
    """YAML with Compose's own tags: `!reset` becomes the text `reset`, and `!override` what it stands before."""


_Loader.add_constructor("!reset", lambda loader, node: "reset")
_Loader.add_constructor("!override", lambda loader, node: loader.construct_sequence(node, deep=True))


def parse(text: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(text, _Loader)
    return content
