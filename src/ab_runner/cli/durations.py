"""The one grammar of durations in all options. Pure."""

from __future__ import annotations

import re

_DURATION = re.compile(r"([0-9]{1,9})([smh]?)")
_UNIT_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def parse_duration(text: str) -> int | None:
    """Return the seconds of `90s`, `2m` or `1h`, or of a plain number, which is seconds; None for any other text."""
    found = _DURATION.fullmatch(text.strip())
    return int(found[1]) * _UNIT_SECONDS[found[2]] if found else None
