"""Whether the parts of a request fit each other, before it is known what this machine has. Pure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ab_runner.errors import UserError
from ab_runner.load.generator import Generator
from ab_runner.load.generator_registry import generator_of
from ab_runner.model.load import Load
from ab_runner.model.protocol import LOAD_HOSTS_AT_MOST, WARM_UP_CONCURRENCY, Protocol, SweepRequest, WarmUp


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a sweep is made: further folders of servers, the port of processes, and its own folder, where one is
    named."""

    servers_from: tuple[Path, ...] = ()
    port: int
    out: Path | None = None


def check(request: SweepRequest) -> None:
    """Raise UserError where one part of the request contradicts another."""
    if request.share_cpus and request.server_cpus is not None:
        raise UserError("--share-cpus and --server-cpus exclude each other: with the first nothing is pinned")
    _check_hosts(request)
    if request.open:
        _check_times(request.protocol, "an open load")
        if request.generators > 1:
            raise UserError("--generator-processes is for closed loads: an open load has one process")
        return
    generator = generator_of(request)
    if not generator.counts_requests:
        _check_times(request.protocol, f"a load by {generator.name}")
    _check_requests(request)
    _check_processes(request, generator)


def _check_hosts(request: SweepRequest) -> None:
    """Raise UserError for what hosts exclude. Which of them there are, the docker command knows."""
    hosts = request.load_hosts
    if request.swarm and (hosts or request.server_host is not None or request.runtime == "process"):
        raise UserError("--swarm excludes --server-host, --load-hosts and --runtime process: nodes run whole blocks")
    if request.registry is not None and not request.swarm:
        raise UserError("--registry is for the nodes of a swarm: add --swarm")
    if request.needs_docker and request.runtime == "process":
        raise UserError("--server-host and --load-hosts need Docker engines: leave out --runtime process")
    if not hosts:
        if request.server_address is not None:
            raise UserError("--server-address is for load hosts: name these with --load-hosts")
        return
    if request.network == "bridge" or request.share_cpus:
        other = "--share-cpus" if request.share_cpus else "--network bridge"
        raise UserError(f"{other} is for load from beside the server: leave it out, or --load-hosts")
    if len(hosts) > LOAD_HOSTS_AT_MOST or len({*hosts, request.server_host}) <= len(hosts):
        raise UserError(
            f"--load-hosts: up to {LOAD_HOSTS_AT_MOST} hosts, each named once, and none of them --server-host"
        )
    if len(hosts) > 1:
        _check_several(request)


def _check_several(request: SweepRequest) -> None:
    """Raise UserError where what several load hosts find does not add up."""
    if request.open and request.open.is_exact:
        raise UserError("an open load exactly as a study says comes from one host: name one with --load-hosts")
    if any(load.requests is not None for load in request.protocol.trials):
        raise UserError("several load hosts need timed trials: give --duration, or a protocol other than 2006")
    if not request.open and request.generator == "wrk":
        raise UserError("wrk tells percentiles, which cannot be merged: name one load host, or use ab or open-load")


def with_changes(protocol: Protocol, *, trial: Load | None, warm_up: WarmUp | None, blocks: int | None) -> Protocol:
    """Return the protocol with these values in place of its own; None keeps the protocol's value."""
    changes: dict[str, Any] = {}
    if trial is not None:
        changes["trial"] = trial
    if warm_up is not None:
        changes["warm_up"] = warm_up
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


def _check_requests(request: SweepRequest) -> None:
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


def _check_processes(request: SweepRequest, generator: Generator) -> None:
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
