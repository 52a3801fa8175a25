"""TOML files that people write, and error messages on their mistakes: file, key and reason."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from ab_runner.errors import UserError
from ab_runner.host import safe_files
from ab_runner.model.text import shown

FORMAT = 1
"""Of the files that people write. It changes when an old toolkit would misread a new file."""
_REASON_AT_MOST = 300
_AT_MOST = 1 << 20
"""Bytes of such a file."""


class DocumentError(UserError):
    """A mistake in a file that a person wrote."""


def read_toml(path: Path) -> dict[str, Any]:
    """Return the keys of a file, `format` among them. DocumentError if it cannot be read, is not TOML or has another
    format."""
    try:
        data = tomllib.loads(safe_files.read(path, _AT_MOST).decode())
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, not UTF-8, or a number of 5,000 digits
        raise DocumentError(f"{path}: not TOML: {shown(str(error), _REASON_AT_MOST)}") from error
    if data.get("format") != FORMAT:
        raise DocumentError(f"{path}: format: must be {FORMAT}, the one that this toolkit reads")
    return data


def key_and_reason(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return "format" and "expected `int`, got `str`" of msgspec's "Expected `int`, got `str` - at `$.format`"."""
    reason, _, place = str(error).partition(" - at ")  # `$.format`, or `key` in `$.untestable`
    return place.rpartition("`$")[2].rstrip("`").lstrip("."), reason[0].lower() + reason[1:]


def explained(error: msgspec.ValidationError) -> str:
    """Return msgspec's complaint as "format: expected `int`, got `str`"."""
    key, reason = key_and_reason(error)
    return shown(f"{key}: {reason}" if key else reason, _REASON_AT_MOST)
