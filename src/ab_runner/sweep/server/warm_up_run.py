"""Runs the warm-up of one start of a server, and records it."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial

from ab_runner.model.records import WarmUpRecord
from ab_runner.model.workload import WorkloadName
from ab_runner.sweep.server import answers
from ab_runner.sweep.server.start import Start
from ab_runner.sweep.server.warm_up import (
    WarmUpLoad,
    Window,
    is_warm,
    jit_share,
    jit_shares,
    run_windows,
    turns_measured,
    turns_of,
    window_load,
)


def loads_for(start: Start, workloads: Sequence[WorkloadName], concurrency: Sequence[int]) -> list[WarmUpLoad]:
    """Return the loads that warm a server up for trials of these workloads at these levels."""
    return turns_of(start.context.protocol.warm_up, workloads, concurrency, start.server.compiles)


def run_warm_up(start: Start, loads: Sequence[WarmUpLoad]) -> list[Window]:
    """Warm a server up with these loads in turns, record that, and return all windows. If one failed it is the last."""
    plan, compiles = start.context.protocol.warm_up, start.server.compiles
    at = datetime.datetime.now(datetime.UTC)
    with nullcontext() if compiles is False else _all_cpus(start):
        windows = list(run_windows(plan, loads, compiles, partial(_window, start)))
    store = start.context.store
    store.append(
        WarmUpRecord(
            block=start.block,
            server=start.server.id,
            start=start.number,
            at=at,
            turns=turns_measured(loads, windows),
            jit_shares=() if compiles is False else jit_shares(windows, len(loads)),
            steady=is_warm(windows, loads) if plan.steady and jit_share(windows) is not None else None,
            error=windows[-1].error,
            wall_seconds=round(sum(window.seconds for window in windows), 3),
        )
    )
    store.keep_raw(f"{start.name}-warm-up.txt", "\n".join(window.text for window in windows))
    return windows


@contextmanager
def _all_cpus(start: Start) -> Iterator[None]:
    """Let the server use the generator's CPUs too: its compiler finishes sooner, and nothing is counted."""
    runtime = start.context.runtime
    if runtime.server_cpus:
        start.running.use_cpus((*runtime.server_cpus, *runtime.generator_cpus))
    try:
        yield
    finally:
        if runtime.server_cpus:
            start.running.use_cpus(runtime.server_cpus)


def _window(start: Start, load: WarmUpLoad, rate: float | None) -> Window:
    """Run one window and return it; `rate` is that of the window before. It does everything that a trial does: for a
    new kind of request in a trial the JIT would discard compiled code and compile it again."""
    amount = window_load(start.context.protocol.warm_up_of(load.workload), rate)
    try:
        watched = start.watched_load(load.workload, load.concurrency, amount, rate)
    except answers.ProbeError as error:  # of a workload that has no cells, and so was not probed
        return Window(load=load, rate=None, seconds=0.0, error=error.message)
    with suppress(OSError, answers.ProbeError):  # which the trial would have again
        start.check(load.workload)
    run, usage = watched.run, watched.sampler.usage
    return Window(
        load=load,
        rate=run.outcome.rate if run.outcome else None,
        seconds=run.seconds,
        server_cpu_seconds=usage.server_cpu_seconds if usage else None,
        jit_cpu_seconds=usage.jit_cpu_seconds if usage else None,
        error=run.failure,
        text=run.output,
    )
