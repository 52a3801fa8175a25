"""How long a sweep takes: what its plan says, and what the published sweeps took besides. Pure.

The constants are fitted to those sweeps. `benchmarks/sweep_times.py` prints the means behind them, and how far the
result is from the time that each sweep took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ab_runner.model.protocol import Protocol, SweepRequest
from ab_runner.model.server import Server
from ab_runner.model.trial import BEFORE, Cell
from ab_runner.model.workload import Workload, WorkloadName
from ab_runner.store.plan import ServerRun, batches_of, plan_for
from ab_runner.sweep.server.trial_length import LEAD_IN_SHARE
from ab_runner.sweep.server.warm_up import HIGH_CONCURRENCY, LATER_WINDOW, WarmUpLoad, planned_seconds, turns_of
from ab_runner.sweep.trial.capacity import USUAL_STEPS
from ab_runner.sweep.trial.open import LEAD_IN_SECONDS, PEAK_SECONDS

START = 1.5
"""Seconds until a server answers. In a batch in Docker only the first one's count: the others start while one is warmed
up."""
START_OF_STUDY = 7.4
"""Seconds that it takes longer where the server is one of a study's folder: those are whole applications."""
SERVER = 0.9
"""Seconds of a server besides its start, warm-up and trials: probes, pauses, its stop."""
WARM = 0.5
"""Seconds that the warm-up of a JVM takes longer than the protocol's least time."""
WARM_LATE = 2.0
"""Seconds that it takes besides where echo or the large file is among its workloads."""
WARM_OF_STUDY = 7.7
"""Seconds that it takes besides where the server is one of a study's folder."""
VERIFICATION = 0.5
"""Seconds in which the answers of a workload are compared after the trials of a start."""
TRIAL = 0.14
"""Seconds of a trial besides its load and lead-in: the start of the generator, checks."""
OLD_YEAR = 2009
"""Servers that were released before this year stall and fail more often than later ones. A trial that fails takes up
to 25 s, with the restart of its server."""
OLD = 0.3
"""Seconds that a trial of an old server takes longer."""
CROWDED_FROM = 500
CROWDED = 1.4
"""The same from so many connections on; also of the large file, whose trials are stretched then."""
CLOSING_FROM = 1_000
CLOSING = 0.5e-3
"""Seconds that a trial takes longer for each connection beyond so many: the server closes those of the load before."""
PROBES = 2
"""Requests one after the other before the trials of a workload, and after each load."""
COLD = 0.1
"""The share of the trials of JVM servers under an open load that are repeated because they are cold. Repeats under a
closed load are in the seconds of its trials."""
COLD_BESIDE_IDLE = 1.2
"""The same beside idle connections: opening them makes the JIT compile again."""
SEARCH = 5.0
"""Seconds of a search besides its steps: above their capacity servers answer late, and one that does not survive is
started again and searched anew."""
OVERLOAD_FROM = 75
"""Per cent of a server's peak. From there on half of the cells fail so often that they are given up after half of the
blocks."""


class _Waits(msgspec.Struct, frozen=True):
    """What is waited for answers that do not come at once: the seconds of each by workload, and the requests of a
    probe."""

    seconds: Mapping[WorkloadName, float]
    probes: int

    def of_answer(self, workload: WorkloadName) -> float:
        return self.seconds.get(workload, 0.0)

    def of_probe(self, workload: WorkloadName) -> float:
        return self.probes * self.of_answer(workload)

    def of_load(self, workload: WorkloadName) -> float:
        """Return the seconds of the generator at its end, and of the probe after it."""
        return self.of_answer(workload) + self.of_probe(workload)


class ExpectedTime(msgspec.Struct, frozen=True):
    """The seconds that a sweep is expected to take, without builds. `first_block` is when the first block is complete;
    None if there is only one, or if it has been measured already."""

    seconds: float
    first_block: float | None


def expected_time(
    request: SweepRequest,
    runs: Sequence[ServerRun],
    servers: Mapping[str, Server],
    verifies: bool = True,
    workloads: Iterable[Workload] = (),
    probes: int = PROBES,
) -> ExpectedTime | None:
    """Return the expected time of these runs; None where some load is a number of requests, whose time is not known.
    `servers` has those of the runs by id, and `workloads` those whose answers may not come at once. `verifies` and
    `probes` are for sweeps of older versions, which compared no answers after the trials of a start, and whose probes
    had three requests."""
    waits = _Waits({each.name: each.not_before_ms / 1000 for each in workloads}, probes)
    blocks: dict[int, float] = {}
    for batch in batches_of(runs):
        seconds = _batch(request, batch, servers, waits)
        if seconds is None:
            return None
        if verifies and request.open is None:
            seconds += VERIFICATION * sum(len({cell.workload for cell in run.cells}) for run in batch)
        blocks[batch[0].block] = blocks.get(batch[0].block, 0.0) + seconds
    own = [block for block in blocks if block > BEFORE]
    first = blocks[1] + blocks.get(BEFORE, 0.0) if 1 in own and len(own) > 1 else None
    return ExpectedTime(sum(blocks.values()), first)


def expected_time_of(
    request: SweepRequest, servers: Sequence[Server], reference: Server | None, workloads: Iterable[Workload] = ()
) -> ExpectedTime | None:
    """Return the expected time of a whole sweep of these servers; None where it is not known."""
    everyone = {server.id: server for server in ([*servers, reference] if reference else servers)}
    return expected_time(request, plan_for(request, servers, reference), everyone, workloads=workloads)


def _batch(
    request: SweepRequest, batch: Sequence[ServerRun], servers: Mapping[str, Server], waits: _Waits
) -> float | None:
    begun = batch[:1] if request.runtime == "docker" else batch
    first = request.protocol.warm_up.workload
    starts = [_start(servers[run.server]) + waits.of_answer(first or run.cells[0].workload) for run in begun]
    return _sum([*starts, *(_run(request, run, servers[run.server], waits) for run in batch)])


def _start(server: Server) -> float:
    return START + (START_OF_STUDY if server.study else 0.0)


def _run(request: SweepRequest, run: ServerRun, server: Server, waits: _Waits) -> float | None:
    """Return the seconds of a server's run without its start."""
    connections = [HIGH_CONCURRENCY] if request.open else [cell.level for cell in run.cells]
    workloads = list(dict.fromkeys(cell.workload for cell in run.cells))
    plan = request.protocol.warm_up
    turns = turns_of(plan, [plan.workload] if plan.workload else workloads, connections, server.compiles)
    parts = [SERVER, _warm_up(request.protocol, turns, server, waits)]
    parts += (waits.of_probe(workload) for workload in workloads)
    if request.axis in ("peak", "slo"):
        parts += (PEAK_SECONDS + TRIAL + waits.of_load(workload) for workload in workloads)
    parts += (_cell(request, run.block, cell, server, waits) for cell in run.cells)
    return _sum(parts)


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None


def _warm_up(protocol: Protocol, turns: Sequence[WarmUpLoad], server: Server, waits: _Waits) -> float | None:
    """Return the seconds of a warm-up with these loads. Where a study says its connections, each is made once for all
    of the time; otherwise they alternate, in at least one cycle."""
    plan = protocol.warm_up
    if plan.load.seconds is None:
        return 0.0 if all(protocol.warm_up_of(turn.workload).load.requests == 0 for turn in turns) else None
    waiting = sum(waits.of_load(turn.workload) for turn in turns)
    if plan.connections is not None:
        return len(turns) * plan.load.seconds + waiting
    cycle = planned_seconds([turn.workload for turn in turns])
    if plan.steady and server.compiles is False:
        return cycle + waiting
    seconds = max(cycle, plan.load.seconds)
    cycles = 1 + (seconds - cycle) / (LATER_WINDOW * len(turns))
    if not plan.steady:
        return seconds + cycles * waiting
    late = any(turn.workload in ("echo", "large") for turn in turns)
    longer = WARM + (WARM_LATE if late else 0.0) + (WARM_OF_STUDY if server.study else 0.0)
    return seconds + cycles * waiting + longer


def _cell(request: SweepRequest, block: int, cell: Cell, server: Server, waits: _Waits) -> float | None:
    """Return the seconds of a cell's trial, or of all trials of its search."""
    seconds = request.protocol.trial_of(cell.workload).seconds
    if seconds is None:
        return None
    if request.open is None and not request.protocol.warm_up.is_none:
        seconds *= 1 + LEAD_IN_SHARE
    seconds += TRIAL + waits.of_load(cell.workload)
    if request.open is None:
        return seconds + _stalls(cell, server)
    if request.open.is_exact:
        return seconds
    cold = COLD_BESIDE_IDLE if request.axis == "idle" and cell.level else COLD
    if server.compiles is False:
        cold = 0.0
    if request.axis == "slo":
        return SEARCH + USUAL_STEPS * (1 + cold) * (seconds + LEAD_IN_SECONDS)
    trials = 1.0
    if request.axis == "peak" and cell.level >= OVERLOAD_FROM and 2 * block > request.protocol.blocks > 1:
        trials = 0.5
    return trials * (1 + cold) * (seconds + LEAD_IN_SECONDS)


def _stalls(cell: Cell, server: Server) -> float:
    """Return what a trial of a closed load takes on average because of stalls, failures, stretching and closing."""
    is_old = server.release_year < OLD_YEAR
    if cell.level >= CROWDED_FROM:
        closing = CLOSING * max(0, cell.level - CLOSING_FROM)
        return closing + (CROWDED if is_old or cell.workload == "large" else 0.0)
    return OLD if is_old else 0.0


def time_text(exact: float) -> str:
    """Return `40 s`, `5 min` or `3 h 10 min`: of hours to five minutes, because more is not known."""
    if exact < 89.5:
        return f"{exact:.0f} s"
    minutes = round(exact / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(5 * round(exact / 300), 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
