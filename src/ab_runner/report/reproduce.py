"""The command that repeats a sweep. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from ab_runner.model.load import Load
from ab_runner.model.protocol import PROTOCOLS, Protocol, SweepRequest


def command(request: SweepRequest) -> str:
    """Return the command as typed in the repository, without options that equal the protocol's defaults."""
    return shlex.join(["./ab-runner", *_options(request)])


def _options(request: SweepRequest) -> Iterator[str]:
    yield from ("--protocol", request.protocol.name)
    yield from _changes(request.protocol, PROTOCOLS[request.protocol.name])
    if request.precision is not None:
        yield from ("--until-precision", f"{100 * request.precision:g}%", "--budget", f"{request.budget}s")
    yield from ("--concurrency", ",".join(map(str, request.concurrency)))
    yield from ("--workloads", ",".join(request.workloads))
    yield from ("--runtime", request.runtime)
    if request.runtime == "docker":
        yield from ("--network", request.network)
    if request.generators != 1:
        yield from ("--generators", str(request.generators))
    if request.jdk is not None:
        yield from ("--jdk", str(request.jdk))
    yield from ("--servers", ",".join(request.servers))


def _changes(protocol: Protocol, usual: Protocol) -> Iterator[str]:
    if protocol.trial != usual.trial:
        load = protocol.trial
        yield from ("--requests", str(load.requests)) if load.seconds is None else ("--duration", f"{load.seconds}s")
    if protocol.blocks != usual.blocks:
        yield from ("--blocks", str(protocol.blocks))
    if protocol.warm_up != usual.warm_up:
        yield from ("--warmup", _amount(protocol.warm_up.load))


def _amount(load: Load) -> str:
    return f"{load.requests}" if load.seconds is None else f"{load.seconds}s"
