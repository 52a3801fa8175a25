"""What a sweep would measure, in lines. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ab_runner.model.axis import levels_text
from ab_runner.model.load import Load
from ab_runner.model.protocol import Protocol, SweepRequest
from ab_runner.model.server import Server
from ab_runner.store.plan import ServerRun, plan_for
from ab_runner.sweep.capacity import USUAL_STEPS
from ab_runner.sweep.open_trial import LEAD_IN_SECONDS, PEAK_SECONDS
from ab_runner.sweep.warm_up import HIGH_CONCURRENCY, turns_of


def lines_of(request: SweepRequest, servers: Sequence[Server], reference: Server | None) -> Iterator[str]:
    """Return a line for each part of the request, with the number of trials and, where every load is a time, the least
    time that they take."""
    protocol = request.protocol
    runs = plan_for(request, servers, reference)
    trials = sum(len(run.cells) for run in runs)
    yield f"servers ({len(servers)}): {', '.join(server.id for server in servers)}"
    yield f"workloads: {', '.join(request.workloads)}"
    yield levels_text(request.axis, request.levels, request.open)
    yield f"protocol: {protocol.name}, blocks: {protocol.blocks}, each trial: {_trial_text(protocol)}"
    when = "in each batch" if protocol.together > 1 else "before and after"
    yield f"trials: {trials:,}" + (f", with those of {reference.id} {when}" if reference else "")
    compiling = {server.id for server in servers if server.kind == "jvm"}
    seconds = load_seconds(request, runs, compiling)
    if seconds is not None:
        sure = "about" if request.axis == "slo" else "at least"  # a search may have fewer steps than usual
        yield f"time: {sure} {_text_of(seconds)} if every trial is made: warm-up and load, without builds and starts"


def load_seconds(request: SweepRequest, runs: Sequence[ServerRun], compiling: Collection[str]) -> float | None:
    """Return the least time that all load takes, with searches for a capacity of the usual length: trials may be
    stretched, and the servers that are `compiling` while they run may need a longer warm-up. None where some load is a
    number of requests, whose time is not known beforehand."""
    loads = [load for run in runs for load in _loads(request, run, run.server in compiling)]
    seconds = [0 if load.requests == 0 else load.seconds for load in loads]
    return None if None in seconds else sum(each or 0 for each in seconds)


def _loads(request: SweepRequest, run: ServerRun, compiles: bool) -> Iterator[Load]:
    protocol = request.protocol
    plan = protocol.warm_up
    workloads = list({cell.workload for cell in run.cells})
    connections = [HIGH_CONCURRENCY] if request.open else [cell.level for cell in run.cells]
    turns = turns_of(plan, workloads, connections, compiles)
    if plan.load.seconds is None:
        yield from (protocol.warm_up_of(turn.workload).load for turn in turns)
    else:
        yield Load(seconds=len(turns)) if plan.steady and not compiles else plan.load
    if request.axis in ("peak", "slo"):
        yield from (Load(seconds=PEAK_SECONDS) for _ in workloads)
    trials = USUAL_STEPS if request.axis == "slo" else 1
    yield from (protocol.trial_of(cell.workload) for cell in run.cells for _ in range(trials))
    if request.open:
        yield from (Load(seconds=LEAD_IN_SECONDS) for _ in run.cells for _ in range(trials))


def _trial_text(protocol: Protocol) -> str:
    if protocol.trial == protocol.large_trial:
        return protocol.trial.text
    return f"{protocol.trial.text} (large: {protocol.large_trial.text})"


def _text_of(exact: float) -> str:
    seconds = round(exact)
    if seconds < 90:
        return f"{seconds} s"
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
