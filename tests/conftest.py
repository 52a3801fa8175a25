"""Settings for all tests: property tests always try the same examples, and none has a deadline. Signals are heard."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import settings

# A job in the background and nohup have these ignored, and so would the sweeps have that tests interrupt.
for _number, _action in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _action)

settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")

E2E = Path(__file__).parent / "e2e"


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """What starts servers runs on one worker, one after the other: two sweeps at once refuse each other."""
    for item in items:
        if item.path.is_relative_to(E2E) and item.path.name != "test_browser.py":
            item.add_marker(pytest.mark.xdist_group("servers"))
