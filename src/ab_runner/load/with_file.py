"""A generator's command that needs a file of ours, which is written beside the generator. Pure."""

from __future__ import annotations

from collections.abc import Sequence

_CODE = 'printf %s "$1" > "$0" && shift && exec "$@"'
"""For sh: writes its first argument into the file of its name, and becomes the command that follows."""


def with_file(path: str, text: str, command: Sequence[str]) -> list[str]:
    """Return the command with the writing of that file before it."""
    return ["sh", "-c", _CODE, path, text, *command]
