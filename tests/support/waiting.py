"""Waiting for what happens sooner or later, instead of for a time that is too short on a slow machine."""

from __future__ import annotations

import time
from collections.abc import Callable

AT_MOST = 120.0
"""Seconds; only what would never happen takes so long."""


def until(condition: Callable[[], object]) -> None:
    """Wait until the condition is true."""
    deadline = time.monotonic() + AT_MOST
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
