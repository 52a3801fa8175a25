"""The warm-up of one start of a server: windows of load in turns over all workloads, until its JIT compiler is quiet.
Pure; `warm_up_run` makes the load.

A JIT compiles what it sees used. One workload after the other warms up each anew, and the compiler shares the CPU with
the load that it compiles for. Short turns over all workloads let it see everything within seconds, and it gets the
generator's CPUs as well while nothing is counted. docs/measurement.md has the criterion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from ab_runner.load.cold import COLD
from ab_runner.model.load import Load
from ab_runner.model.message import Message
from ab_runner.model.protocol import WARM_UP_CONCURRENCY, WarmUp
from ab_runner.model.records import WarmUpTurns
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName

HIGH_CONCURRENCY = 100
"""The second level of a warm-up: a server whose requests queue runs other code than one that is idle between
requests."""
QUIET = 0.025
"""The JIT compiler's share of the server's CPU time, over all loads, below which it has nothing left to do that
matters."""
LATER_WINDOW = 0.5
"""The seconds that a window takes after the first of its workload."""


class WarmUpLoad(msgspec.Struct, frozen=True):
    """One of the loads that a warm-up alternates between."""

    workload: WorkloadName
    concurrency: int


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the generator: its rate in requests per second, and the CPU seconds that it cost the server. None:
    not known. `error` says why there is no rate."""

    load: WarmUpLoad
    rate: float | None
    seconds: float
    server_cpu_seconds: float | None = None
    jit_cpu_seconds: float | None = None
    error: Message | None = None
    text: str = ""
    """What the generator printed."""


def turns_of(
    plan: WarmUp, workloads: Sequence[WorkloadName], concurrency: Sequence[int], compiles: bool | None
) -> list[WarmUpLoad]:
    """Return the loads of a cycle, in turns: all workloads at 10 connections, then at 100 where the sweep has such
    levels, or at those of the plan. A server that does not compile has the higher level alone, which fills its caches
    and pools for the lower one too. A warm-up by requests has the lower one alone, as in 2006."""
    levels = [plan.connections or WARM_UP_CONCURRENCY]
    if plan.connections is None and plan.load.requests is None and max(concurrency) >= HIGH_CONCURRENCY:
        levels = [HIGH_CONCURRENCY] if compiles is False else [WARM_UP_CONCURRENCY, HIGH_CONCURRENCY]
    return [WarmUpLoad(workload, level) for level in levels for workload in workloads]


def window_load(plan: WarmUp, rate: float | None) -> Load:
    """Return the load of a window of a warm-up. By requests, and where a study says what it is, it is all of it. Else
    it is a second, and half of that where the workload's rate in a window before is known: the JIT sees all loads twice
    as often."""
    if plan.load.seconds is None or plan.connections is not None:
        return plan.load
    return Load(seconds=LATER_WINDOW if rate else 1)


def run_windows(
    plan: WarmUp, loads: Sequence[WarmUpLoad], compiles: bool | None, run: Callable[[WarmUpLoad, float | None], Window]
) -> Iterator[Window]:
    """Yield the windows as they are run, until the warm-up is over or one of them fails. After the planned time, only
    the loads for which the compiler is still at work get more windows. `run` is given a load and the rate in the last
    window of its workload, None for the first."""
    windows: list[Window] = []
    rates: dict[WorkloadName, float | None] = {}
    while True:
        for load in _next_loads(plan, windows, loads):
            window = run(load, rates.get(load.workload))
            rates[load.workload] = window.rate
            windows.append(window)
            yield window
            if window.error is not None or is_over(plan, windows, loads, compiles):
                return


def _next_loads(plan: WarmUp, windows: Sequence[Window], loads: Sequence[WarmUpLoad]) -> Sequence[WarmUpLoad]:
    if not plan.steady or _seconds(windows) < (plan.load.seconds or 0):
        return loads
    return [load for load in loads if any(map(_compiles, _last_of(load, windows)))] or loads


def is_over(plan: WarmUp, windows: Sequence[Window], loads: Sequence[WarmUpLoad], compiles: bool | None) -> bool:
    """Return whether the server is warm, or the warm-up has used up its time.

    A program that does not compile while it runs needs one cycle, in which its caches and pools fill. So does a load
    that a study says. A program of which it is not known, and in which no JVM's compiler is seen, has the planned time.
    """
    if len(windows) < len(loads):
        return False
    if plan.load.seconds is None or plan.connections is not None or (plan.steady and compiles is False):
        return True
    if _seconds(windows) < plan.load.seconds:
        return False
    if not plan.steady or _seconds(windows) >= (plan.at_most or 0):
        return True
    return is_warm(windows, loads) or (compiles is None and jit_share(windows) is None)


def is_warm(windows: Sequence[Window], loads: Sequence[WarmUpLoad]) -> bool:
    """Return whether the compiler was quiet in the last window of each load. A large file takes little CPU time, so
    that each load is looked at by itself as well."""
    last = [window for load in loads for window in _last_of(load, windows)]
    if len(last) < len(loads) or any(map(_compiles, last)):
        return False
    share = jit_share(last)
    return share is not None and share < QUIET


def jit_share(windows: Iterable[Window]) -> float | None:
    """Return the compiler's CPU time as a share of the server's, None where it is not known."""
    windows = list(windows)
    server = sum(window.server_cpu_seconds or 0.0 for window in windows)
    known = [window.jit_cpu_seconds for window in windows if window.jit_cpu_seconds is not None]
    return sum(known) / server if known and server else None


def _compiles(window: Window) -> bool:
    """Return whether a trial like it would be cold."""
    return (jit_share([window]) or 0.0) > COLD


def _last_of(load: WarmUpLoad, windows: Sequence[Window]) -> list[Window]:
    return [window for window in windows if window.load == load][-1:]


def planned_seconds(workloads: Sequence[WorkloadName]) -> float:
    """Return how long windows are meant to take together; `workloads` has that of each."""
    first = len(set(workloads))
    return first + LATER_WINDOW * (len(workloads) - first)


def _seconds(windows: Sequence[Window]) -> float:
    return planned_seconds([window.load.workload for window in windows])


def turns_measured(loads: Sequence[WarmUpLoad], windows: Sequence[Window]) -> tuple[WarmUpTurns, ...]:
    """Return the rates of each load, for the record."""
    return tuple(
        WarmUpTurns(
            load.workload,
            load.concurrency,
            tuple(window.rate for window in windows if window.load == load and window.rate is not None),
        )
        for load in loads
    )


def jit_shares(windows: Sequence[Window], size: int) -> tuple[float | None, ...]:
    """Return the compiler's share in each cycle, the last of which may have been cut short."""
    cycles = (windows[begin : begin + size] for begin in range(0, len(windows), size))
    return tuple(None if share is None else round(share, 4) for share in map(jit_share, cycles))


def rate_expected(rates: Mapping[WarmUpLoad, float], cell: Cell) -> float | None:
    """Return the rate that the warm-up showed at the highest level up to the cell's. Below all levels, each connection
    is expected to have its share of the lowest level's rate. None if the workload was skipped."""
    levels = {load.concurrency: rate for load, rate in rates.items() if load.workload == cell.workload}
    if not levels:
        return None
    level = max((level for level in levels if level <= cell.level), default=min(levels))
    return levels[level] * min(1.0, cell.level / level)
