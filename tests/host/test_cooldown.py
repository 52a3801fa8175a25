from __future__ import annotations

import os

import pytest

from ab_runner.host.cooldown import Settled, longest_wait, settle, settle_by

PORTS = 28_000


def settled(*looks: tuple[int | None, int | None], longest: float = 1.0) -> Settled:
    """With a clock that only sleeping moves; the last look stays as it is."""
    clock = [0.0]
    left = iter(looks)
    last = [looks[0]]

    def look() -> tuple[int | None, int | None]:
        last[0] = next(left, last[0])
        return last[0]

    def sleep(seconds: float) -> None:
        clock[0] += seconds

    return settle_by(look, PORTS, longest, lambda: clock[0], sleep)


def test_a_clean_machine_is_not_waited_for() -> None:
    assert settled((100, 1)) == Settled(time_wait=100, runnable=1, waited=0.0)
    assert settled((None, None)) == Settled(time_wait=None, runnable=None, waited=0.0)


@pytest.mark.parametrize("busy", [(100, 5), (60_000, 1)], ids=["threads that still run", "more closed than ports"])
def test_what_goes_is_waited_for(busy: tuple[int, int]) -> None:
    cooldown = settled(busy, busy, (100, 1))
    assert (cooldown.time_wait, cooldown.runnable) == (100, 1)
    assert cooldown.waited == pytest.approx(0.04)


def test_what_stays_is_written_down_after_a_second() -> None:
    cooldown = settled((60_000, 9))
    assert (cooldown.time_wait, cooldown.runnable) == (60_000, 9)
    assert cooldown.waited == pytest.approx(1.0)


def test_a_busy_server_is_waited_for_longer_and_ports_are_not() -> None:
    busy, crowded = (100, 5), (60_000, 1)
    assert settled(*[busy] * 200, (100, 1), longest=26.0).waited == pytest.approx(4.0)
    assert settled(busy, longest=26.0).waited == pytest.approx(26.0, abs=0.03)
    assert settled(crowded, longest=26.0).waited == pytest.approx(1.0)
    assert longest_wait(5_000) == 26.0


def test_on_linux_the_counts_are_those_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ab_runner.host.cooldown.WAIT_SECONDS", 0)  # other programs may run
    cooldown = settle(os.getpid(), PORTS, connections=1)
    assert cooldown.time_wait is not None
    assert cooldown.runnable is not None
    assert cooldown.runnable >= 1
    assert settle(None, PORTS, connections=1).time_wait is None
