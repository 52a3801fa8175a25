"""Text that a server may have chosen, made harmless."""

from __future__ import annotations


def shown(line: str, at_most: int) -> str:
    """Return a line as a report may show it: cut after `at_most` characters, control characters escaped."""
    short = line if len(line) <= at_most else f"{line[:at_most]}…"
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in short)
