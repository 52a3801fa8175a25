"""What a sweep would measure, and how long that takes, in lines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ab_runner.load.generator_registry import DEFAULT
from ab_runner.model.axis import levels_text
from ab_runner.model.protocol import Protocol, SweepRequest, cpus_text
from ab_runner.model.server import Server
from ab_runner.model.workload import Workload
from ab_runner.store.plan import plan_for
from ab_runner.sweep.schedule.expected_time import ExpectedTime, expected_time_of, time_text


def lines_of(
    request: SweepRequest, servers: Sequence[Server], reference: Server | None, workloads: Iterable[Workload] = ()
) -> Iterator[str]:
    """Return a line for each part of the request, with the number of trials and the time that the sweep takes."""
    protocol = request.protocol
    trials = sum(len(run.cells) for run in plan_for(request, servers, reference))
    yield f"servers ({len(servers)}): {', '.join(server.id for server in servers)}"
    yield f"workloads: {', '.join(request.workloads)}"
    yield levels_text(request.axis, request.levels, request.open)
    if request.generator != DEFAULT.name:
        yield f"load by {request.generator}"
    yield f"protocol: {protocol.name}, blocks: {protocol.blocks}, each trial: {_trial_text(protocol)}"
    if request.study_sweep is not None:
        yield f"study: {request.study}, its sweep {request.study_sweep}"
    if protocol.warm_up.is_none:
        yield "without warm-up: servers are measured as they start"
    if request.share_cpus:
        yield "servers and generator share all CPUs"
    if request.swarm:
        yield "each block on a node of the swarm, generators beside servers"
    elif request.needs_docker:
        beside = "beside them" if not request.load_hosts else f"on {', '.join(request.load_hosts)}"
        yield f"servers on {request.server_host or 'the usual engine'}, generators {beside}"
    if request.server_cpus is not None:
        yield f"each server on {cpus_text(request.server_cpus)}"
    when = "in each batch" if protocol.together > 1 else "before and after"
    yield f"trials: {trials:,}" + (f", with those of {reference.id} {when}" if reference else "")
    expected = expected_time_of(request, servers, reference, workloads)
    if expected is not None:
        yield f"time: about {time_text(expected.seconds)}{' on one node' if request.swarm else ''}, without builds"
    else:
        yield "time: not known beforehand, because trials or warm-ups are numbers of requests"
    yield tables_said(expected, "results/latest")


def tables_said(expected: ExpectedTime | None, folder: str) -> str:
    """Return how to see the tables of a running sweep in this folder, and when they have the first block."""
    line = f"./ab-runner report {folder} shows the tables so far"
    if expected is None or expected.first_block is None:
        return line
    return f"first block complete after about {time_text(expected.first_block)}; {line}"


def _trial_text(protocol: Protocol) -> str:
    loads = {name: each.trial for name, each in protocol.by_workload.items() if each.trial != protocol.trial}
    others = ", ".join(f"{name}: {load.text}" for name, load in loads.items())
    return f"{protocol.trial.text} ({others})" if others else protocol.trial.text
