"""Small texts: what a server or someone else's file may have chosen, made harmless, and counts."""

from __future__ import annotations

import re

_NOT_SHOWN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line end: ESC begins commands to a terminal
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # direction, or invisible
    "\ud800-\udfff]"  # bytes that are no text
)


def visible(text: str) -> str:
    """Return a text with what is no part of one escaped: control characters, and what is invisible or turns the
    direction of the text. Tabs and line ends stay."""
    return _NOT_SHOWN.sub(lambda found: _escaped(found[0]), text)


def counted(number: int, what: str) -> str:
    """Return `1 cell` or `2 cells`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def shown(line: str, at_most: int) -> str:
    """Return a line as a report may show it: cut after `at_most` characters, and all escaped that is not printable."""
    short = line if len(line) <= at_most else f"{line[:at_most]}…"
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in short)


def _escaped(letter: str) -> str:
    return ascii(letter)[1:-1]
