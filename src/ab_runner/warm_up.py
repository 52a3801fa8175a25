"""The warm-up of one start of a server: windows of load in turns over all workloads, until its JIT compiler is quiet.

A JIT compiles what it sees used. One workload after the other warms up each anew, and the compiler shares the CPU with
the load that it compiles for. Turns of a second over all workloads let it see everything within a few seconds, and it
gets the generator's CPUs as well while nothing is counted. docs/method.md has the measurements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from math import exp, log
from statistics import fmean

import msgspec

from ab_runner.model import WARM_UP_CONCURRENCY, WarmUp, WarmUpTurns, WorkloadName

HIGH_CONCURRENCY = 100
"""The second level of a warm-up: what waits and queues is other code than what is idle between two requests."""
QUIET = 0.025
"""The JIT compiler's share of the server's CPU time below which it has nothing left to do that matters."""
RISING = 0.05
"""A rise of the rates from one cycle to the next by more than this shows that the server is not warm."""


class WarmUpTurn(msgspec.Struct, frozen=True):
    """One of the loads that a warm-up alternates between."""

    workload: WorkloadName
    concurrency: int


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the generator: its rate in requests per second, and the CPU seconds that it cost the server. None:
    not known. `error` says why there is no rate."""

    turn: WarmUpTurn
    rate: float | None
    seconds: float
    server_cpu_seconds: float | None = None
    jit_cpu_seconds: float | None = None
    error: str | None = None
    text: str = ""
    """What the generator printed."""


def turns_of(plan: WarmUp, workloads: Sequence[WorkloadName], concurrency: Sequence[int]) -> list[WarmUpTurn]:
    """Return the turns of a cycle: all workloads at 10 connections, then at 100 where the sweep goes so far. A warm-up
    by requests has the first half alone, as in 2006."""
    levels = [WARM_UP_CONCURRENCY]
    if plan.load.requests is None and max(concurrency) >= HIGH_CONCURRENCY:
        levels.append(HIGH_CONCURRENCY)
    return [WarmUpTurn(workload, level) for level in levels for workload in workloads]


def run_windows(
    plan: WarmUp, turns: Sequence[WarmUpTurn], compiles: bool, run: Callable[[WarmUpTurn], Window]
) -> Iterator[Window]:
    """Yield the windows as they are run, until the warm-up is over or one of them fails."""
    windows: list[Window] = []
    for turn in cycle(turns):
        windows.append(run(turn))
        yield windows[-1]
        if windows[-1].error is not None or is_over(plan, windows, len(turns), compiles):
            return


def is_over(plan: WarmUp, windows: Sequence[Window], size: int, compiles: bool) -> bool:
    """Return whether the warm-up has done its work, or has used up its time. A cycle has `size` windows.

    A program that does not compile while it runs needs one cycle, in which its caches and pools fill.
    """
    if len(windows) < size:
        return False
    if plan.load.seconds is None or (plan.steady and not compiles):
        return True
    if len(windows) < plan.load.seconds:  # of a second each
        return False
    return not plan.steady or len(windows) >= (plan.at_most or 0) or is_warm(windows, size)


def is_warm(windows: Sequence[Window], size: int) -> bool:
    """Return whether the compiler was quiet during the last cycle and the rates rose no more against the one before."""
    last, before = windows[-size:], windows[-2 * size : -size]
    share = jit_share(last)
    return len(before) == size and (share is None or share < QUIET) and _rise(before, last) < RISING


def jit_share(windows: Sequence[Window]) -> float | None:
    """Return the compiler's CPU time as a share of the server's, None where it is not known."""
    server = sum(window.server_cpu_seconds or 0.0 for window in windows)
    known = [window.jit_cpu_seconds for window in windows if window.jit_cpu_seconds is not None]
    return sum(known) / server if known and server else None


def _rise(before: Sequence[Window], after: Sequence[Window]) -> float:
    """Return by what share the rates rose, as the geometric mean over the turns; 0.1 for 10 %."""
    rates = {window.turn: window.rate for window in before}
    pairs = [(rates.get(window.turn), window.rate) for window in after]
    logs = [log(new / old) for old, new in pairs if old and new]
    return exp(fmean(logs)) - 1 if logs else 0.0


def turns_measured(turns: Sequence[WarmUpTurn], windows: Sequence[Window]) -> tuple[WarmUpTurns, ...]:
    """Return the rates of each turn, for the record."""
    return tuple(
        WarmUpTurns(
            turn.workload,
            turn.concurrency,
            tuple(window.rate for window in windows if window.turn == turn and window.rate is not None),
        )
        for turn in turns
    )


def jit_shares(windows: Sequence[Window], size: int) -> tuple[float | None, ...]:
    """Return the compiler's share in each cycle, the last of which may have been cut short."""
    cycles = (windows[begin : begin + size] for begin in range(0, len(windows), size))
    return tuple(None if share is None else round(share, 4) for share in map(jit_share, cycles))
