"""Reads what Compose reads."""

from __future__ import annotations

from typing import Any

import yaml


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # yaml has no types
    """YAML with Compose's own tag `!reset`, which becomes the text `reset`."""


_Loader.add_constructor("!reset", lambda loader, node: "reset")


def parse(text: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(text, _Loader)
    return content
