"""The request for a sweep, before it is known what this machine has. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ab_runner.errors import UserError
from ab_runner.load.generator import Generator
from ab_runner.load.generator_registry import DEFAULT, GENERATORS
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Load
from ab_runner.model.protocol import WARM_UP_CONCURRENCY, Protocol, SweepRequest, WarmUp
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName


class RuntimeWish(msgspec.Struct, frozen=True, kw_only=True):
    """Where servers and generators are to run. `kind` is `docker`, `process`, or `auto` for Docker where it is
    available and processes elsewhere; `port` is for processes only."""

    kind: str
    network: str
    jdk: int | None
    port: int


class RunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The request for a sweep. `servers` are ids, patterns and sets; `out` is its folder, where one is named."""

    servers: tuple[str, ...]
    servers_from: tuple[Path, ...] = ()
    """Folders with servers from outside the repository."""
    workloads: tuple[WorkloadName, ...]
    levels: tuple[int, ...]
    protocol: Protocol
    runtime: RuntimeWish
    open: OpenLoad | None = None
    generator: str = DEFAULT.name
    """Of a closed load."""
    generators: int = 1
    server_cpus: int | None = None
    out: Path | None = None

    def check(self) -> None:
        """Raise UserError where one part of the request contradicts another."""
        if self.open:
            _check_times(self.protocol, "an open load")
            if self.generators > 1:
                raise UserError("--generator-processes is for closed loads: an open load has one process")
            return
        generator = GENERATORS[self.generator]
        if not generator.counts_requests:
            _check_times(self.protocol, f"a load by {generator.name}")
        _check_requests(self)
        _check_processes(self, generator)

    def as_stored(self, servers: Iterable[Server], seed: int) -> SweepRequest:
        """Return what the sweep stores: its servers by their ids."""
        return SweepRequest(
            protocol=self.protocol,
            servers=tuple(server.id for server in servers),
            workloads=self.workloads,
            levels=self.levels,
            open=self.open,
            runtime=self.runtime.kind,
            network=self.runtime.network,
            seed=seed,
            jdk=self.runtime.jdk,
            generator=self.generator,
            generators=self.generators,
            server_cpus=self.server_cpus,
        )


def with_changes(protocol: Protocol, *, trial: Load | None, warm_up: Load | None, blocks: int | None) -> Protocol:
    """Return the protocol with these values in place of its own; None keeps the protocol's value."""
    changes: dict[str, Any] = {}
    if trial is not None:
        changes["trial"] = trial
    if warm_up is not None:
        changes["warm_up"] = WarmUp(warm_up)
    by_workload = {name: replace(each, **changes) for name, each in protocol.by_workload.items()}
    if blocks is not None:
        changes["blocks"] = blocks
    return replace(protocol, by_workload=by_workload, **changes)


def _check_times(protocol: Protocol, who: str) -> None:
    for load in (*protocol.trials, *(warm_up.load for warm_up in protocol.warm_ups)):
        if load.requests:
            raise UserError(
                f"{who} takes a time, not a number of requests: give --duration or --warmup with a unit (5s), "
                "and a protocol other than 2006"
            )


def _check_requests(request: RunRequest) -> None:
    """Each connection makes one request or more: ab refuses fewer."""
    highest = max(request.levels)
    for load in {request.protocol.trial_of(workload) for workload in request.workloads}:
        if load.requests is not None and load.requests < highest:
            raise UserError(
                f"{load.requests:,} requests are fewer than the concurrency {highest:,}: "
                "give at least as many, or a time with --duration"
            )
    warm_up = request.protocol.warm_up.load.requests
    if warm_up is not None and 0 < warm_up < WARM_UP_CONCURRENCY:
        least = (
            f"warm-up runs at concurrency {WARM_UP_CONCURRENCY}, so it needs at least {WARM_UP_CONCURRENCY} requests"
        )
        raise UserError(f"--warmup {warm_up}: {least} (or 0)")


def _check_processes(request: RunRequest, generator: Generator) -> None:
    """Runs of a number of requests end at different times, and then their rates do not add up. Fewer processes than are
    asked for would leave cores idle that no server gets."""
    if request.generators > 1 and any(load.requests is not None for load in request.protocol.trials):
        raise UserError("--generator-processes needs timed trials: give --duration, or a protocol other than 2006")
    for level in request.levels:
        if generator.processes(level, request.generators) < min(level, request.generators):
            raise UserError(
                f"--generator-processes {request.generators}: {generator.name} divides connections evenly, and "
                f"{level:,} cannot be divided so: give other levels with --concurrency"
            )
