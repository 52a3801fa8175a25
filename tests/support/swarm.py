"""A swarm without machines: its jobs tell at once what they were made to tell."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from support.builders import NOON, load_host, server, sweep, trial

from ab_runner.model.protocol import PROTOCOLS
from ab_runner.model.records import FINISHED, NodeRecord, Record
from ab_runner.model.server import Server
from ab_runner.model.sweep import Sweep
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.runtime.swarm import Node, Service
from ab_runner.store.plan import ServerRun, plan_of
from ab_runner.store.writer import Store
from ab_runner.sweep.events import PhaseStarted
from ab_runner.sweep.measure import ReadySweep
from ab_runner.sweep.swarm.job import STARTS, Job
from ab_runner.sweep.swarm.told import EndTold, FileTold, PhaseTold, RecordTold, Told, lines_of

SERVERS = (server("a-1", workloads=("small",)), server("b-1", workloads=("small",)))
CEILING = server("ceiling", workloads=("small",), kind="c")


def swarm_sweep(blocks: int = 4, servers: Iterable[Server] = SERVERS) -> Sweep:
    made = sweep(*servers, reference=CEILING)
    protocol = msgspec.structs.replace(PROTOCOLS["quick"], blocks=blocks)
    request = msgspec.structs.replace(made.request, swarm=True, protocol=protocol, workloads=("small",))
    return msgspec.structs.replace(made, request=request)


def ready_sweep(folder: Path, made: Sweep, store: Store | None = None, before: tuple[Record, ...] = ()) -> ReadySweep:
    runs: tuple[ServerRun, ...] = tuple(plan_of(made))
    runtime: Any = None
    return ReadySweep(
        sweep=made, runs=runs, runtime=runtime, fixtures=folder, store=store or Store.make(folder, made), before=before
    )


def node_record(node: str, block: int, job: int = 1, **changes: object) -> NodeRecord:
    facts = load_host(node)
    fields: dict[str, object] = {
        "machine": facts.machine, "conditions": facts.conditions, "server_cpus": (1,), "generator_cpus": (0,),
        "environment": {"docker engine": "26.1.5"},
    }  # fmt: skip
    return NodeRecord(block=block, node=node, job=job, at=NOON, **fields | changes)  # type: ignore[arg-type]


def told_by(job: Job) -> list[Told]:
    """What a job tells that measures everything."""
    said: list[Told] = [RecordTold(node_record(job.node, job.block, job.number))]
    for run in job.runs:
        said.append(PhaseTold(PhaseStarted("start", run.server)))
        for cell in run.cells:
            start = job.number * STARTS + 1
            raw = f"{run.block}-{run.server}-{start}-c{cell.level}.txt"
            made = trial(run.server, cell.workload, cell.level, block=run.block, batch=run.batch, start=start, raw=raw)
            said += (FileTold(raw, b"$ ab"), RecordTold(made))
    return [*said, EndTold(FINISHED)]


class FakeLog:
    """Lines that are there, and then nothing until it is closed."""

    def __init__(self, lines: list[str], then: Callable[[], object]) -> None:
        self._lines = lines
        self._then = then
        self._closed = threading.Event()

    def __iter__(self) -> Iterator[str]:
        yield from self._lines
        self._then()
        self._closed.wait(60)

    def close(self) -> None:
        self._closed.set()


class FakeSwarm:
    """Its nodes are ready at once. `tells` has what a job tells in place of `told_by`: an exception is one that the
    swarm has when it is to start it, and a `dies` at the end kills its node."""

    def __init__(self, *names: str, tells: Callable[[Job], list[Told | str]] | None = None) -> None:
        self.ready = dict.fromkeys(names, True)
        self.jobs: list[Job] = []
        self.removed: list[str] = []
        self.here: list[Service] = []
        self.logs: dict[str, list[str]] = {}
        self.broken: dict[str, str] = {}
        self.dying: set[str] = set()
        self._tells = tells or told_by

    def begin(self) -> None: ...

    def nodes(self) -> list[Node]:
        return [Node(f"id-{name}", name, is_ready, 2**33) for name, is_ready in self.ready.items()]

    def prepare(self, node: Node) -> None:
        if node.name in self.broken:
            raise RuntimeUnusable(self.broken[node.name])

    def images_from(self, node: Node) -> Mapping[str, str]:
        return {}

    def start(self, node: Node, number: int, block: int, told: bytes) -> Service:
        job = msgspec.json.decode(told, type=Job)
        assert (job.number, job.block, job.node) == (number, block, node.name)
        service = Service(f"job-{number}", number, block, node.name)
        self.jobs.append(job)
        self.tell(service, self._tells(job))
        return service

    def tell(self, service: Service, tells: Iterable[Told | str]) -> None:
        """Make this the log of a job."""
        messages = [each for each in tells if not isinstance(each, str)]
        self.logs[service.name] = [line for at, told in enumerate(messages, 1) for line in lines_of(at, told)]
        if "dies" in tells:
            self.dying.add(service.name)

    def follow(self, service: Service) -> FakeLog:
        def then() -> None:
            if service.name in self.dying:
                self.ready[service.node] = False

        return FakeLog(self.logs[service.name], then)

    def ended(self, services: Iterable[Service]) -> dict[str, str]:
        return {}

    def left(self) -> list[Service]:
        return self.here

    def remove(self, services: Iterable[Service]) -> None:
        self.removed += [each.name for each in services]

    def close(self) -> None: ...
