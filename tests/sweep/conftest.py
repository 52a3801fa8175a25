"""What the tests of sweeps share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_wait_for_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial waits until nothing else runs on this machine, for a second at most."""
    monkeypatch.setattr("ab_runner.host.cooldown.WAIT_SECONDS", 0)
