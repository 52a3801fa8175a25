"""One start of a server: from its process to its first answer, and the load that is made against it."""

from __future__ import annotations

import datetime
import time
from contextlib import AbstractContextManager, nullcontext

import msgspec

from ab_runner.load.generator import Asked, Generator, GeneratorError, Run, Target
from ab_runner.model.load import Limit, Load
from ab_runner.model.message import Code, Message
from ab_runner.model.records import AnswerRecord, StartRecord, VerificationRecord
from ab_runner.model.resources import Usage
from ab_runner.model.server import Server
from ab_runner.model.trial import AFTER, BEFORE
from ab_runner.model.workload import WorkloadName
from ab_runner.monitor import hsperfdata
from ab_runner.monitor.course import has_course
from ab_runner.monitor.sampler import ResourceSampler, interval_of
from ab_runner.runtime.base import RunningServer, StartError, with_printed
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.events import PhaseStarted
from ab_runner.sweep.server import answers, probe
from ab_runner.sweep.server.executor import KeepingExecutor
from ab_runner.sweep.server.from_hosts import FromHosts, LoadFromHosts
from ab_runner.sweep.server.spot_checks import SpotChecks
from ab_runner.sweep.server.trial_length import time_limit
from ab_runner.sweep.server.verification import verify

READY_SECONDS = 60.0
_TEXT_AT_MOST = 2_000
"""Characters; a JVM says its version in less than 200."""


class WatchedLoad(msgspec.Struct, frozen=True):
    """One run of the generator, and what was observed during it."""

    run: Run
    spot_checks: SpotChecks | None
    """None where the generator compares all answers itself."""
    sampler: ResourceSampler
    """Of the server's host."""
    from_hosts: FromHosts | None = None
    """None where the load came from beside the server."""

    @property
    def usage(self) -> Usage | None:
        """What it took."""
        return self.from_hosts.usage(self.sampler.usage) if self.from_hosts else self.sampler.usage

    def limit(self, generator: Generator) -> Limit | None:
        """Return what was the limit: what was full, and what the generator says of it. It was asked for each load host
        too, because all of them together need not show that it was too slow on one."""
        full = self.from_hosts.limit(self.sampler.limit) if self.from_hosts else self.sampler.limit
        if self.run.outcome is None:
            return full
        limit = generator.limit(self.run.outcome, full)
        return full if limit is None and self.from_hosts else limit


class Start:
    """One start of a server in a sweep."""

    def __init__(
        self, context: SweepContext, server: Server, block: int, number: int, batch: int | None = None
    ) -> None:
        """`number` counts the starts of a sweep."""
        self.context = context
        self.server = server
        self.block = block
        self.number = number
        self.batch = batch
        block_name = {BEFORE: "before", AFTER: "after"}.get(block, str(block))
        self.name = f"{block_name}-{server.id}-{number}"
        """The beginning of the names of this start's files."""
        self._running: RunningServer | None = None
        self._questions: dict[WorkloadName, probe.Question] = {}
        self._answers: dict[WorkloadName, answers.Answer] = {}
        """The last right ones, without their bodies."""
        self._lengths: dict[WorkloadName, int] = {}

    def begin(self, first: WorkloadName) -> None:
        """Start the server, wait until it answers in this workload, and record that. StartError if it cannot be started
        or does not get ready."""
        self.context.emit(PhaseStarted("start", self.server.id))
        at, began = datetime.datetime.now(datetime.UTC), time.monotonic()
        workload, environment = self.context.workloads[first], dict[str, str]()
        failure: StartError | None = None
        try:
            running = self._running = self.context.runtime.start(self.server, self.name)
            # A server can have a word in what is said of it.
            environment = {name: text[:_TEXT_AT_MOST] for name, text in running.environment.items()}
            environment |= {f"variable {name}": value for name, value in self.server.variables.items()}
            if wrong := probe.wait_until_ready(running.connect, workload, READY_SECONDS, running.ended):
                wrong = with_printed(wrong, running.printed())
                failure = StartError(msgspec.structs.replace(wrong, stage="readiness"))
                self.stop()
            elif flags := hsperfdata.flags(running.perf_data()):
                environment["jvm flags"] = flags
        except StartError as error:
            failure = error
        self.context.store.append(
            StartRecord(
                block=self.block,
                server=self.server.id,
                start=self.number,
                at=at,
                seconds=round(time.monotonic() - began, 3),
                environment=environment,
                error=failure.message if failure else None,
            )
        )
        if failure is not None:
            raise failure

    def stop(self) -> None:
        """End the server and the generator beside it; may be called twice."""
        if self._running is not None:
            self.context.emit(PhaseStarted("stop", self.server.id))
            running, self._running = self._running, None  # not tried again: what this leaves, the runtime's close ends
            running.stop()

    @property
    def running(self) -> RunningServer:
        """Return the server, which must have begun and not been stopped."""
        assert self._running is not None, "it runs"
        return self._running

    @property
    def has_lost_hosts(self) -> bool:
        """Whether a host that load comes from went away, so that there can be no further trial."""
        return not all(host.is_connected for host in self.running.load_hosts)

    @property
    def _executor(self) -> KeepingExecutor:
        return KeepingExecutor(self.running, self.context.store, self.context.runtime.generator_cpus)

    def question(self, name: WorkloadName) -> probe.Question:
        """Return the request of a workload and its expected answer. The generator is asked for the request, and the
        fixture read, once for each start. ProbeError if the generator does not tell."""
        if name not in self._questions:
            workload = self.context.workloads[name]
            generator, host = self.context.generator, self.running.host
            try:
                head = generator.request_head(self._executor, host, workload)
            except GeneratorError as error:
                raise answers.ProbeError(Message(Code.NO_REQUEST, detail=str(error))) from error
            asked = probe.question(head, workload, self.context.fixtures)
            if workload.probed_bytes is not None:
                asked = probe.learned(self.running.connect, asked)
            self._questions[name] = asked
        return self._questions[name]

    def check(self, name: WorkloadName) -> answers.Answer:
        """Return the answer to the generator's request. ProbeError unless the server answers in this workload as it
        must."""
        try:
            answer = probe.check(self.running.connect, self.question(name))
        except OSError as error:
            raise answers.ProbeError(Message(Code.UNSAID, detail=str(error))) from error
        self._answers[name] = msgspec.structs.replace(answer, body=b"")
        self._lengths.setdefault(name, len(answer.body))
        return answer

    def asked(self, name: WorkloadName, load: Load, connections: int) -> Asked:
        """Return what a run of the generator in this workload is judged by. The length of the right answer's body is
        that of the first right answer, for nobody knows beforehand how far a server compresses."""
        question, answer = self.question(name), self._answers.get(name)
        body_length = self._lengths.get(name, len(question.expected))
        return Asked(
            load=load,
            connections=connections,
            keep_alive=question.workload.keep_alive,
            body_length=body_length,
            failures_at_most=self.context.protocol.failures_at_most,
            answer_length=len(answer.head) + answer.body_on_wire if answer else None,
            stays_open=answer is not None and answers.stays_open(question.head, answer),
            wait_ms=question.workload.not_before_ms,
        )

    def record_head(self, name: WorkloadName, answer: answers.Answer) -> None:
        """Record the head of an answer, unless the sweep has one of this server and workload."""
        if (self.server.id, name) in self.context.answered:
            return
        self.context.store.append(
            AnswerRecord(
                block=self.block,
                server=self.server.id,
                start=self.number,
                workload=name,
                head=answer.head,
                head_bytes=len(answer.head),
                body_bytes=len(answer.body),
            )
        )
        self.context.answered.add((self.server.id, name))

    def verify(self, name: WorkloadName) -> None:
        """Compare many answers byte for byte, and record how many were wrong. Does nothing where the generator compares
        all answers itself."""
        if self._generator_compares(name):
            return
        self.context.emit(PhaseStarted("verify", self.server.id, name))
        began = time.monotonic()
        found = verify(self.running.connect, self.question(name))
        self.context.store.append(
            VerificationRecord(
                block=self.block,
                server=self.server.id,
                start=self.number,
                workload=name,
                seconds=round(time.monotonic() - began, 3),
                compared=found.compared,
                wrong=found.wrong,
                first_wrong=found.first_wrong,
            )
        )

    def _generator_compares(self, name: WorkloadName) -> bool:
        return self.context.generator.compares_answers and self.context.workloads[name].is_comparable

    def is_alive(self, name: WorkloadName) -> bool:
        """Return whether the server still answers a single request."""
        return probe.is_alive(self.running.connect, self.context.workloads[name])

    def load(
        self, name: WorkloadName, concurrency: int, load: Load, idle_timeout: int, rate: float | None = None
    ) -> Run:
        """Make load and return what came of it. The generator has one process, records no latencies, and gives up after
        so many seconds without progress. `rate` is how many requests per second can be expected."""
        target = msgspec.structs.replace(self._target(name, load, rate), idle_timeout=idle_timeout)
        if hosts := self._load_hosts():
            return hosts.make(self.context.generator, target, load, concurrency)
        return self.context.generator.run(target, load, concurrency)

    def watched_load(
        self,
        name: WorkloadName,
        concurrency: int,
        load: Load,
        rate: float | None = None,
        record_as: str | None = None,
    ) -> WatchedLoad:
        """Make load, compare answers and sample resources meanwhile, and return all of it. `record_as` is for a trial:
        it names the trial's files, latencies are recorded, and the generator has all its processes. `rate` is how many
        requests per second can be expected."""
        question = self.question(name)
        target = self._target(name, load, rate)
        hosts = self._load_hosts()
        if record_as is not None:
            processes = self.context.generators
            if load.rate is None and not hosts:  # each host has as many for its share of the connections
                processes = self.context.generator.processes(concurrency, processes)
            target = msgspec.structs.replace(target, processes=processes, record_as=record_as)
        made: FromHosts | None = None
        checks: AbstractContextManager[SpotChecks | None] = nullcontext()
        if not self._generator_compares(name):
            checks = SpotChecks(self.running.connect, question)
        with (
            checks as spot_checks,
            ResourceSampler(self.running, target.processes, interval_of(load), has_course(load)) as sampler,
        ):
            if hosts:
                made = hosts.make_watched(self.context.generator, target, load, concurrency, interval_of(load))
            run = made.run if made else self.context.generator.run(target, load, concurrency)
        return WatchedLoad(run, spot_checks, sampler, made)

    def _load_hosts(self) -> LoadFromHosts | None:
        """Return what makes its load from load hosts; None where that comes from beside the server."""
        context, generators = self.context, self.running.load_hosts
        if not generators:
            return None
        return LoadFromHosts(generators, context.load_hosts, context.links_together, context.store)

    def _target(self, name: WorkloadName, load: Load, rate: float | None) -> Target:
        workload = self.context.workloads[name]
        beside = self.context.workloads[load.beside.workload] if load.beside else None
        idle_timeout = self.context.protocol.idle_timeout
        accounts = self.running.accounts
        server_cpus = set(accounts.server_cpus if accounts else ())
        generator_cpus = set(accounts.generator_cpus if accounts else ())
        return Target(
            url=f"http://{self.running.host}{workload.path}",
            keep_alive=workload.keep_alive,
            headers=workload.headers,
            host_only=workload.host_only,
            fixture=workload.fixture,
            constant=workload.constant,
            beside=beside,
            echo=workload.echo,
            idle_timeout=idle_timeout,
            time_limit=time_limit(load, idle_timeout, rate),
            executor=self._executor,
            rate=rate,
            cpus=tuple(sorted(server_cpus | generator_cpus)),
            has_own_cpus=not server_cpus & generator_cpus and len(generator_cpus) >= self.context.generators,
        )
