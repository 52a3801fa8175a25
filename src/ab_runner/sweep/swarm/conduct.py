"""Measures a sweep on the nodes of a swarm: gives blocks to nodes, and puts what their jobs tell into the one store."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from typing import Protocol

import msgspec
from msgspec.structs import replace

from ab_runner import paths
from ab_runner.catalog import artifacts
from ab_runner.errors import UserError
from ab_runner.model.records import FINISHED, NodeRecord, Record
from ab_runner.model.trial import NotMeasured, Trial
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.docker_commands import engine_of
from ab_runner.runtime.swarm import Node, Service, Swarm
from ab_runner.store.nodes import block_of
from ab_runner.store.plan import ServerRun, plan_of
from ab_runner.store.reader import read_sweep
from ab_runner.store.writer import point_latest_to
from ab_runner.sweep.events import CellFinished, CellsAgain, CellsLeftOut, Event, NodeSaid, OnNode
from ab_runner.sweep.measure import ReadySweep, SweepStopped
from ab_runner.sweep.run import recorded_end
from ab_runner.sweep.swarm.job import Job
from ab_runner.sweep.swarm.job_log import JobLog, Lines, LogLine
from ab_runner.sweep.swarm.placing import Placing
from ab_runner.sweep.swarm.progress import Progress
from ab_runner.sweep.swarm.told import EndTold, FileTold, Hearing, PhaseTold, RecordTold

LOOK_SECONDS = 5.0
"""How often the swarm is asked for its nodes and jobs."""
_GRACE_SECONDS = 15.0
"""How long the last lines of a job's log may take after its end."""
_WAIT_SECONDS = 120.0
"""How long a sweep waits for a node where it has none, and for an answer of the manager."""
_STOP_SECONDS = 5.0
"""How long logs may take to end after their jobs were removed."""
_LINES_AT_MOST = 2_000
"""Lines of logs that wait in memory."""


class Cluster(Protocol):
    """What is needed of a swarm: `runtime.swarm.Swarm`."""

    def begin(self) -> None: ...
    def nodes(self) -> list[Node]: ...
    def prepare(self, node: Node) -> None: ...
    def images_from(self, node: Node) -> Mapping[str, str]: ...
    def start(self, node: Node, number: int, block: int, told: bytes) -> Service: ...
    def follow(self, service: Service) -> Lines: ...
    def ended(self, services: Iterable[Service]) -> dict[str, str]: ...
    def left(self) -> list[Service]: ...
    def remove(self, services: Iterable[Service]) -> None: ...
    def close(self) -> None: ...


def measure_on_nodes(ready: ReadySweep, show: Callable[[Event], None]) -> None:
    """Measure everything that is left, and close the store. SweepStopped if the disk or the swarm fails."""
    try:
        assert isinstance(ready.runtime, DockerRuntime), "a swarm has containers"
        everyone = ready.sweep.everyone
        swarm = Swarm(
            engine_of(""),
            ready.sweep.id,
            ready.runtime.images_of(everyone),
            [artifacts.path_of(each) for each in artifacts.artifacts_of(everyone)],
            ready.sweep.request.registry,
        )
        conduct(ready, show, swarm, ready.runtime.unbuilt)
    except (OSError, subprocess.SubprocessError, UserError) as error:
        raise SweepStopped(str(error)) from error
    finally:
        ready.store.close()


def conduct(
    ready: ReadySweep, show: Callable[[Event], None], cluster: Cluster, unbuilt: Mapping[str, str] | None = None
) -> None:
    """Measure everything that is left on the nodes of a cluster. However it ends, no job is left, and the log's last
    record says how it ended."""
    if ready.store.folder.parent == paths.RESULTS:
        point_latest_to(ready.store.folder)
    conductor = _Conductor(ready, show, cluster, dict(unbuilt or {}))
    with recorded_end(ready.store, conductor.stop):
        conductor.run()


class _AtWork:
    """A job that a node has."""

    def __init__(self, service: Service, log: JobLog, stored: int = 0) -> None:
        """`stored` is how many of its records are stored already."""
        self.service = service
        self.log = log
        self.stored = stored
        self.hearing = Hearing()
        self.ended_at: float | None = None
        """When the swarm was first seen to say that it has ended."""


class _Prepared(msgspec.Struct, frozen=True):
    """A node has all images, or why it has not."""

    node: str
    error: str | None


class _Conductor:
    def __init__(
        self, ready: ReadySweep, show: Callable[[Event], None], cluster: Cluster, unbuilt: dict[str, str]
    ) -> None:
        self._store, self._show, self._cluster, self._unbuilt = ready.store, show, cluster, unbuilt
        # As it was planned: what this machine has now could make another plan.
        planned_sweep = read_sweep(ready.store.folder)
        self._sweep = replace(ready.sweep, request=planned_sweep.request)
        here = {server.id for server in self._sweep.everyone}
        planned: dict[int, list[ServerRun]] = {}
        for run in plan_of(planned_sweep):
            if run.server in here:
                planned.setdefault(run.block, []).append(run)
        self._progress = Progress(planned, ready.before)
        self._placing = Placing(dict.fromkeys(run.block for run in ready.runs), self._progress.homes)
        self._events: Queue[LogLine | _Prepared] = Queue(_LINES_AT_MOST)
        self._nodes: dict[str, Node] = {}
        self._preparing: set[str] = set()
        self._refused: dict[str, str] = {}
        """Nodes that get no blocks, with the reason."""
        self._at_work: dict[str, _AtWork] = {}
        """By nodes."""
        self._number = 0
        """Of the last job."""
        self._shortened: set[int] = set()
        """Blocks of which it was said that cells are left out."""
        self._next_look = 0.0
        self._without_nodes_since: float | None = None
        self._unanswered_since: float | None = None
        self._is_stopping = False

    def run(self) -> None:
        """Return when every block has been measured."""
        self._cluster.begin()
        self._adopt()
        while not self._placing.is_done:
            if time.monotonic() >= self._next_look:
                self._look_or_wait()
                self._next_look = time.monotonic() + LOOK_SECONDS
            self._place()
            if self._placing.is_done:
                break
            with suppress(Empty):
                self._handle(self._events.get(timeout=max(0.0, self._next_look - time.monotonic())))

    def stop(self) -> None:
        """Remove all jobs, and store what they have told until then."""
        self._is_stopping = True
        at_work = list(self._at_work.values())
        self._cluster.remove(each.service for each in at_work)
        deadline = time.monotonic() + (_STOP_SECONDS if at_work else 0.0)
        while self._at_work and (left := deadline - time.monotonic()) > 0:
            try:
                event = self._events.get(timeout=left)
            except Empty:
                break
            if isinstance(event, LogLine) and (found := self._job_of(event.service)):
                if event.text is None:
                    del self._at_work[found[0]]
                else:
                    with suppress(OSError, ValueError):  # a full disk is said by the record of the end
                        self._hear(*found, event.text)
        for each in at_work:
            each.log.close()
        self._cluster.close()

    # --- the swarm ---------------------------------------------------------------------------------------------------

    def _adopt(self) -> None:
        """Go on with the jobs that a killed runner left, whose blocks are to be measured, and remove the others."""
        self._number = max(self._progress.jobs.values(), default=0)
        for service in self._cluster.left():
            self._number = max(self._number, service.number)
            last = self._progress.jobs.get(service.block, 0)
            is_free = service.block in self._placing.waiting and service.node not in self._at_work
            if not is_free or service.number < last:
                self._cluster.remove([service])
                continue
            self._placing.adopt(service.node, service.block)
            stored = self._progress.of_last_job[service.block] if service.number == last else 0
            self._work(service, stored)
            self._show(NodeSaid(service.node, f"block {service.block} goes on"))

    def _look_or_wait(self) -> None:
        """See what is there. A manager that does not answer is asked again for some time."""
        try:
            self._look()
            self._unanswered_since = None
        except subprocess.SubprocessError:
            since = self._unanswered_since = self._unanswered_since or time.monotonic()
            if time.monotonic() - since >= _WAIT_SECONDS:
                raise

    def _look(self) -> None:
        """See which nodes are there, and which jobs have ended without a word."""
        now = {node.name: node for node in self._cluster.nodes()}
        self._handle_all()  # what a node that is gone has told
        for name in {*self._nodes, *self._at_work}:
            if (name not in now or not now[name].is_ready) and (name in self._at_work or self._nodes[name].is_ready):
                self._lose(name)
        for name, node in now.items():
            if node.is_ready and not (name in self._nodes and self._nodes[name].is_ready):
                self._refused.pop(name, None)
                self._prepare(node)
        self._nodes = now
        ended = self._cluster.ended(each.service for each in self._at_work.values())
        for name, job in list(self._at_work.items()):
            if (reason := ended.get(job.service.name)) is None:
                job.ended_at = None
            elif job.ended_at is None:
                job.ended_at = time.monotonic()
            elif time.monotonic() - job.ended_at >= _GRACE_SECONDS:
                self._fail(name, job, job.hearing.said or reason)
        self._check_nodes()

    def _check_nodes(self) -> None:
        """RuntimeUnusable where no node is left, and none has come back for some time."""
        if self._placing.has_nodes or self._preparing:
            self._without_nodes_since = None
            return
        since = self._without_nodes_since = self._without_nodes_since or time.monotonic()
        if set(self._nodes) <= set(self._refused) or time.monotonic() - since >= _WAIT_SECONDS:
            reasons = {name: self._refused.get(name, "is not ready") for name in self._nodes}
            said = "; ".join(f"{name}: {why}" for name, why in reasons.items()) or "none has the label"
            raise RuntimeUnusable(f"no node of the swarm is left: {said}")

    def _prepare(self, node: Node) -> None:
        """Have all images on a node, while others are at work."""
        self._preparing.add(node.name)
        self._nodes[node.name] = node

        def prepare() -> None:
            error = None
            try:
                self._cluster.prepare(node)
            except (OSError, subprocess.SubprocessError, UserError) as found:
                error = str(found)
            self._events.put(_Prepared(node.name, error))

        Thread(target=prepare, daemon=True).start()

    def _lose(self, name: str) -> None:
        block = self._placing.lose(name)
        if (job := self._at_work.pop(name, None)) is not None:
            self._end(job)
        self._show(NodeSaid(name, "is gone" + (f": block {block} goes to another node" if block else "")))

    def _end(self, job: _AtWork) -> None:
        job.log.close()
        self._cluster.remove([job.service])

    # --- jobs --------------------------------------------------------------------------------------------------------

    def _place(self) -> None:
        for name, block in self._placing.next():
            runs, left_out = self._progress.runs(name, block, self._sweep.request.failures_to_give_up)
            if left_out and block not in self._shortened:
                self._shortened.add(block)
                self._show(CellsLeftOut(left_out))
            if not runs:
                self._placing.done(name)
                continue
            self._number += 1
            node = self._nodes[name]
            unbuilt = {id: why for id, why in self._unbuilt.items() if any(run.server == id for run in runs)}
            job = Job(
                number=self._number, block=block, node=name, sweep=self._sweep, runs=runs,
                images=dict(self._cluster.images_from(node)), unbuilt=unbuilt,
            )  # fmt: skip
            try:
                service = self._cluster.start(node, job.number, block, msgspec.json.encode(job))
            except subprocess.SubprocessError as error:
                self._set_back(name, str(error))
            else:
                self._work(service)
                self._show(NodeSaid(name, f"block {block}"))

    def _work(self, service: Service, stored: int = 0) -> None:
        log = JobLog(service.name, lambda: self._cluster.follow(service), self._events.put)
        self._at_work[service.node] = _AtWork(service, log, stored)

    def _job_of(self, service: str) -> tuple[str, _AtWork] | None:
        return next((each for each in self._at_work.items() if each[1].service.name == service), None)

    def _handle(self, event: LogLine | _Prepared) -> None:
        if isinstance(event, _Prepared):
            self._preparing.discard(event.node)
            if event.error is not None:
                self._refuse(event.node, event.error)
            elif event.node in self._nodes and self._nodes[event.node].is_ready:
                self._placing.add(event.node)
        elif (found := self._job_of(event.service)) is not None:
            name, job = found
            if event.text is None:
                job.log.read_again()  # the connection to it broke; what was heard is not heard twice
                return
            try:
                self._hear(name, job, event.text)
            except ValueError as error:
                self._fail(name, job, str(error))

    def _handle_all(self) -> None:
        """Handle what is there by now."""
        with suppress(Empty):
            while True:
                self._handle(self._events.get_nowait())

    def _hear(self, name: str, job: _AtWork, line: str) -> None:
        """Take a line of a job's log. ValueError if it is wrong."""
        match job.hearing.hear(line):
            case RecordTold(record=record):
                self._take(name, job, record)
            case FileTold(name=file, content=content):
                if not file or "/" in file or file.startswith("."):
                    raise ValueError(f"a job names a file {file[:60]!r}")
                self._store.keep(file, content)
            case PhaseTold(phase=phase):
                self._show(OnNode(name, phase))
            case EndTold(reason=reason):
                if reason != FINISHED and not self._is_stopping:
                    self._fail(name, job, reason)
                    return
                del self._at_work[name]
                self._end(job)
                self._placing.done(name, is_ready=name not in self._preparing)

    def _take(self, name: str, job: _AtWork, record: Record) -> None:
        if job.stored:
            job.stored -= 1
            return
        if block_of(record) != job.service.block:
            raise ValueError(f"a job for block {job.service.block} tells of another")
        self._store.append(record)
        if again := self._progress.add(record):
            self._show(CellsAgain(again))
        if isinstance(record, NodeRecord):
            self._placing.begun(name, record.block)
        elif isinstance(record, Trial | NotMeasured):
            self._show(OnNode(name, CellFinished(record)))

    def _fail(self, name: str, job: _AtWork, reason: str) -> None:
        """A node could not measure its block."""
        self._at_work.pop(name, None)
        self._end(job)
        self._set_back(name, reason)

    def _set_back(self, name: str, reason: str) -> None:
        if self._placing.failed(name):
            self._refuse(name, reason)
            return
        self._show(NodeSaid(name, f"its block waits for a node again: {reason}"))
        if name in self._nodes and self._nodes[name].is_ready:
            self._prepare(self._nodes[name])

    def _refuse(self, name: str, reason: str) -> None:
        self._refused[name] = reason
        self._placing.lose(name)
        self._show(NodeSaid(name, f"gets no blocks: {reason}"))
