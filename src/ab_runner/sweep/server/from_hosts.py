"""One load from several load hosts at the same time, and what each of them did."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ab_runner.load.generator import Generator, Run, Target
from ab_runner.load.shares import Share, merged_run, shares_of
from ab_runner.model.load import Limit, Load
from ab_runner.model.resources import HostLoad, Usage
from ab_runner.model.sweep import LoadHost
from ab_runner.monitor.usage import FULL, is_generator_full, of_all_hosts, usage_of
from ab_runner.runtime.base import RemoteGenerator
from ab_runner.store.writer import Store
from ab_runner.sweep.server.executor import KeepingExecutor

Result = TypeVar("Result")


class FromHosts(Struct, frozen=True):
    """A load that was made. `usages` are those of the generators, in the order of `hosts`; `is_link_full`: the server's
    host could hardly send more to all of them together."""

    run: Run
    hosts: tuple[HostLoad, ...] = ()
    usages: tuple[Usage | None, ...] = ()
    is_link_full: bool = False

    def usage(self, of_server: Usage | None) -> Usage | None:
        """Return what the trial took, given what was seen on the server's host."""
        return of_all_hosts(of_server, self.usages)

    def limit(self, of_server: Limit | None) -> Limit | None:
        """Return what was the limit, given what was full on the server's host. A server that is full is the limit,
        whatever else is; a generator comes before the network. Beside the server no generator works: if its CPUs were
        full, it was by the interrupts of the network."""
        if of_server in ("server", "machine"):
            return "server"
        limits = {host.limit for host in self.hosts}
        if "generator" in limits:
            return "generator"
        return "network" if "network" in limits or self.is_link_full or of_server else None


class _Part(Struct, frozen=True):
    """What one host makes of a load."""

    host: RemoteGenerator
    target: Target
    share: Share


class LoadFromHosts:
    """Makes loads from the load hosts of one start of a server."""

    def __init__(
        self,
        generators: Sequence[RemoteGenerator],
        about: Mapping[str, LoadHost],
        links_together: float | None,
        store: Store,
    ) -> None:
        """`about` says what is known of each host, by its name."""
        self._generators = generators
        self._about = about
        self._links_together = links_together
        self._store = store

    def make(self, generator: Generator, target: Target, load: Load, connections: int) -> Run:
        """Make a load that is not watched, and return what came of it as one run."""
        return merged_run(self._runs(generator, self._parts(generator, target, load, connections)))

    def make_watched(
        self, generator: Generator, target: Target, load: Load, connections: int, interval: float
    ) -> FromHosts:
        """Make a load while the accounts of all hosts are looked at every `interval` seconds."""
        parts = self._parts(generator, target, load, connections)
        watches = [part.host.accounts.watch(interval) if part.host.accounts else None for part in parts]
        runs = self._runs(generator, parts)
        usages = [usage_of(*watch.end()) if watch else None for watch in watches]
        loads = tuple(
            self._load_of(part, generator, run, usage)
            for part, run, usage in zip(parts, runs.values(), usages, strict=True)
        )
        together = sum(map(_bytes_per_second, runs.values()))
        is_full = self._links_together is not None and together >= FULL * self._links_together
        return FromHosts(merged_run(runs), loads, tuple(usages), is_full)

    def _parts(self, generator: Generator, target: Target, load: Load, connections: int) -> list[_Part]:
        """Return what each host makes. Its files have its number, and it has at most `target.processes`."""
        shares = shares_of(load, connections, len(self._generators))
        parts = []
        for number, (host, share) in enumerate(zip(self._generators, shares, strict=False), 1):
            processes = target.processes
            if share.load.rate is None:
                processes = generator.processes(share.connections, processes)
            its_target = replace(
                target,
                executor=KeepingExecutor(host, self._store),
                rate=None if target.rate is None else target.rate / len(shares),
                cpus=(),
                has_own_cpus=self._about[host.name].machine.cpus > processes,
                processes=processes,
                record_as=target.record_as and f"{target.record_as}.host{number}",
            )
            parts.append(_Part(host, its_target, share))
        return parts

    def _runs(self, generator: Generator, parts: Sequence[_Part]) -> dict[str, Run]:
        """Return the run of each host. All begin at once."""
        calls = [partial(generator.run, part.target, part.share.load, part.share.connections) for part in parts]
        return dict(zip([part.host.name for part in parts], at_once(calls), strict=True))

    def _load_of(self, part: _Part, generator: Generator, run: Run, usage: Usage | None) -> HostLoad:
        about, outcome, accounts = self._about[part.host.name], run.outcome, part.host.accounts
        is_full = is_generator_full(usage, accounts.generator_cpus if accounts else (), part.target.processes)
        limit: Limit | None = "generator" if is_full else None
        if outcome is not None:
            limit = generator.limit(outcome, limit)
        if limit is None and _bytes_per_second(run) >= FULL * about.link:
            limit = "network"
        return HostLoad(
            name=about.name,
            connections=outcome.connections if outcome else None,
            rate=round(outcome.rate, 2) if outcome else None,
            received_bytes=outcome.received_bytes if outcome else None,
            seconds=outcome.seconds if outcome else None,
            wall_seconds=round(run.seconds, 3),
            cpu_seconds=usage.generator_cpu_seconds if usage else None,
            cores_busy=usage.generator_cores_busy if usage else None,
            cpus_idle=usage.generator_cpus_idle if usage else None,
            cpus_interrupts=usage.generator_cpus_interrupts if usage else None,
            stolen_share=usage.generator_stolen_share if usage else None,
            limit=limit,
        )


def _bytes_per_second(run: Run) -> float:
    outcome = run.outcome
    return outcome.received_bytes / outcome.seconds if outcome and outcome.seconds else 0.0


def at_once(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return the results of calls that are made at the same time, each in a thread of its own. What one raises is
    raised here, and so is an interruption; the others then end with the containers that they wait for."""
    if len(calls) == 1:
        return [calls[0]()]
    done: SimpleQueue[tuple[int, Result | BaseException]] = SimpleQueue()

    def make(number: int, call: Callable[[], Result]) -> None:
        try:
            done.put((number, call()))
        except BaseException as error:
            done.put((number, error))

    for number, call in enumerate(calls):
        threading.Thread(target=make, args=(number, call), daemon=True).start()
    results: dict[int, Result] = {}
    while len(results) < len(calls):
        number, result = done.get()
        if isinstance(result, BaseException):
            raise result
        results[number] = result
    return [results[number] for number in range(len(calls))]
