"""The command that makes a sweep again. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from ab_runner.model import Asked, Load, Protocol
from ab_runner.protocol import PROTOCOLS


def command(asked: Asked) -> str:
    """As it is typed in the repository; options that say the default of the protocol are left out."""
    return shlex.join(["./ab-runner", *_options(asked)])


def _options(asked: Asked) -> Iterator[str]:
    yield from ("--protocol", asked.protocol.name)
    yield from _changes(asked.protocol, PROTOCOLS[asked.protocol.name])
    if asked.precision is not None:
        yield from ("--until-precision", f"{100 * asked.precision:g}%", "--budget", f"{asked.budget}s")
    yield from ("--concurrency", ",".join(map(str, asked.concurrency)))
    yield from ("--workloads", ",".join(asked.workloads))
    yield from ("--runtime", asked.runtime)
    if asked.runtime == "docker":
        yield from ("--network", asked.network)
    if asked.generators != 1:
        yield from ("--generators", str(asked.generators))
    if asked.jdk is not None:
        yield from ("--jdk", str(asked.jdk))
    yield from ("--servers", ",".join(asked.servers))


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
