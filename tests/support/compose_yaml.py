"""Reads what Compose reads."""

from __future__ import annotations

from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    """YAML with Compose's own tag `!reset`, which becomes the text `reset`."""


_Loader.add_constructor("!reset", lambda loader, node: "reset")


def parse(text: str) -> dict[str, Any]:
    return yaml.load(text, _Loader)
