"""What a sweep works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from ab_runner import paths
from ab_runner.catalog.workloads import load_workloads
from ab_runner.load.generator import Generator
from ab_runner.load.generator_registry import DEFAULT
from ab_runner.model.axis import OpenLoad
from ab_runner.model.protocol import Protocol
from ab_runner.model.server import Server
from ab_runner.model.sweep import LoadHost
from ab_runner.model.workload import Workload, WorkloadName
from ab_runner.runtime.base import Runtime
from ab_runner.store.writer import Store
from ab_runner.sweep.events import Event
from ab_runner.sweep.repeats import RepeatBudget


class SweepContext(msgspec.Struct, frozen=True):
    """What all starts and trials of a sweep share."""

    servers: Mapping[str, Server]
    protocol: Protocol
    runtime: Runtime
    store: Store
    fixtures: Path
    emit: Callable[[Event], None]
    generators: int = 1
    """Processes of the generator that share each trial's connections."""
    generator: Generator = DEFAULT
    open: OpenLoad | None = None
    """None: the load is closed."""
    seed: int = 0
    """The sweep's own, so that no two sweeps have the same arrivals."""
    workloads: Mapping[WorkloadName, Workload] = msgspec.field(default_factory=lambda: load_workloads(paths.WORKLOADS))
    load_hosts: Mapping[str, LoadHost] = {}
    """What is known of the hosts that load comes from, by their names; none where it comes from beside the server."""
    links_together: float | None = None
    """Bytes per second from the server's host to all of these at once."""
    repeats: RepeatBudget = msgspec.field(default_factory=RepeatBudget)
    """What is left for repeats of disturbed trials."""
    answered: set[tuple[str, WorkloadName]] = msgspec.field(default_factory=set)
    """Servers and workloads that the sweep has an answer's head of."""
