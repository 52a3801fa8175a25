"""The command that repeats a sweep. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import structs

from ab_runner.model.protocol import (
    DEFAULT_GENERATOR,
    DEFAULT_STUDY,
    PROTOCOLS,
    Protocol,
    SweepRequest,
    WarmUp,
    for_open_load,
)
from ab_runner.model.sweep import Outside


def command(request: SweepRequest, outside: Mapping[str, Outside] | None = None) -> str:
    """Return the command as typed in the repository, without options that equal the protocol's defaults. `outside` are
    the servers from outside."""
    name = () if request.study_sweep is None else (request.study_sweep,)
    study = () if request.study == DEFAULT_STUDY and not name else ("study", request.study, *name)
    return shlex.join(["./ab-runner", *study, *_options(request), *servers_from(outside or {})])


def servers_from(outside: Mapping[str, Outside]) -> list[str]:
    """Return the options that name the folders of servers from outside; DIR where a published sweep has no path."""
    folders = {str(parent) if (parent := Path(each.folder).parent) != Path() else "DIR" for each in outside.values()}
    return [word for folder in sorted(folders) for word in ("--servers-from", folder)]


def _options(request: SweepRequest) -> Iterator[str]:
    yield from ("--protocol", request.protocol.name)
    usual = PROTOCOLS.get(request.protocol.name)
    yield from _changes(request, for_open_load(usual) if usual and request.open else usual)
    yield from _load(request)
    yield from ("--workloads", ",".join(request.workloads))
    yield from ("--runtime", request.runtime)
    if request.runtime == "docker" and not request.load_hosts:
        yield from ("--network", request.network)
    if request.server_host is not None:
        yield from ("--server-host", request.server_host)
    if request.load_hosts:
        yield from ("--load-hosts", ",".join(request.load_hosts))
    if request.server_address is not None:
        yield from ("--server-address", request.server_address)
    if request.swarm:
        yield "--swarm"
    if request.registry is not None:
        yield from ("--registry", request.registry)
    if request.generators != 1:
        yield from ("--generator-processes", str(request.generators))
    if request.server_cpus is not None:
        yield from ("--server-cpus", str(request.server_cpus))
    if request.share_cpus:
        yield "--share-cpus"
    if request.jdk is not None:
        yield from ("--jdk", str(request.jdk))
    yield from ("--servers", ",".join(request.servers))


def _load(request: SweepRequest) -> Iterator[str]:
    levels = [str(level) for level in request.levels]
    if request.open is None:
        yield from ("--concurrency", ",".join(levels))
        if request.generator != DEFAULT_GENERATOR or request.study_sweep:
            yield from ("--generator", request.generator)
        return
    match request.open.axis:
        case "rate":
            yield from ("--rate", ",".join(levels))
        case "peak":
            yield from ("--rate", ",".join(f"{level}%" for level in levels))
        case "slo":
            yield from ("--slo", f"{request.open.percentile}={','.join(f'{level}ms' for level in levels)}")
        case "idle":
            yield from ("--rate", str(request.open.rate), "--idle", ",".join(levels))


def _changes(request: SweepRequest, usual: Protocol | None) -> Iterator[str]:
    protocol, load = request.protocol, request.protocol.trial
    is_exact = request.open is not None and request.open.is_exact
    of_study = request.study_sweep is not None  # which has lengths of its own
    if is_exact or usual is None or load != usual.trial or (of_study and load.seconds is not None):
        yield from ("--requests", str(load.requests)) if load.seconds is None else _time(load.seconds, request.levels)
    if of_study or usual is None or protocol.blocks != usual.blocks:
        yield from ("--blocks", str(protocol.blocks))
    warm_up = structs.replace(protocol.warm_up, connections=None, workload=None)  # of a study, which has them
    if usual is None or warm_up != usual.warm_up:
        yield from ("--warmup", _amount(warm_up))


def _time(seconds: float, levels: Sequence[int]) -> tuple[str, str]:
    """Return the option for trials that take so long. Where that is no whole number of seconds, a study has so many
    requests at its only rate."""
    if seconds == int(seconds):
        return "--duration", f"{seconds:g}s"
    return "--requests", f"{seconds * levels[0]:.0f}"


def _amount(warm_up: WarmUp) -> str:
    if warm_up.is_none:
        return "none"
    load = warm_up.load
    return f"{load.requests}" if load.seconds is None else f"{load.seconds:g}s"
