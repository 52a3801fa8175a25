"""One server's turn in a sweep: its starts, and for each the probe, the warm-up and the trials of its cells."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path

import msgspec

from ab_runner.host.cooldown import settle
from ab_runner.host.machine import local_ports, sysctls
from ab_runner.load import ab
from ab_runner.load.latency import parse_milliseconds
from ab_runner.load.parallel import added, merged, outputs, shares, together
from ab_runner.load.validity import cold, judge
from ab_runner.model.load import Load, LoadFailure, LoadReport, Verdict
from ab_runner.model.protocol import Protocol
from ab_runner.model.records import (
    AFTER,
    BEFORE,
    Cell,
    CellRecord,
    ColdTrial,
    NotMeasured,
    StartRecord,
    Trial,
    WarmUpRecord,
    cell_of,
)
from ab_runner.model.server import Server
from ab_runner.model.workload import Workload, WorkloadName, workload_named
from ab_runner.monitor.sampler import ResourceSampler
from ab_runner.runtime.base import Completed, RunningServer, Runtime, StartError
from ab_runner.store.writer import Store
from ab_runner.sweep import probe
from ab_runner.sweep.events import CellFinished, Event, PhaseStarted
from ab_runner.sweep.protocol import ServerRun, lead_in, time_limit, trial_load
from ab_runner.sweep.samples import SpotChecks
from ab_runner.sweep.warm_up import WarmUpTurn, Window, is_warm, jit_shares, run_windows, turns_measured, turns_of

READY_SECONDS = 60.0
NOTICED_SECONDS = 1.0
"""How long after its connections the end of a server or generator may be seen."""


class SweepContext(msgspec.Struct, frozen=True):
    """What a sweep works with."""

    servers: Mapping[str, Server]
    protocol: Protocol
    runtime: Runtime
    store: Store
    fixtures: Path
    emit: Callable[[Event], None]
    generators: int = 1


class Turn:
    """One server's turn in one block. It is started afresh when it stops answering, so that one cell's failure is not
    charged to the next."""

    def __init__(self, part: ServerRun, bench: SweepContext, starts: int) -> None:
        self.starts = starts
        """How often a server was started in this sweep so far."""
        self._block = part.block
        self._server = bench.servers[part.server]
        self._open = list(part.cells)
        """Cells that have no record yet."""
        self._bench = bench
        self._protocol = bench.protocol
        self._store = bench.store
        self._emit = bench.emit
        self._running: RunningServer | None = None
        self._rates: dict[WarmUpTurn, float] = {}
        """Requests per second at the end of the warm-up."""

    def run(self) -> None:
        """Measures all cells, with as many starts as that takes: each of them leaves fewer cells without a record."""
        try:
            while self._open:
                running = self._start()
                if not (self._probe(running) and self._warm_up(running) and self._measure(running)):
                    self.stop()
        except StartError as error:
            self._give_up(list(self._open), str(error), error.detail)

    def stop(self) -> None:
        if self._running is not None:
            self._emit(PhaseStarted("stop", self._server.id))
            running, self._running = self._running, None  # not tried again: what this leaves, the runtime's close ends
            running.stop()

    def _workloads(self) -> list[WorkloadName]:
        """Those of the cells that are still to be measured."""
        return list(dict.fromkeys(cell.workload for cell in self._open))

    def _start(self) -> RunningServer:
        """StartError if the server cannot be started, or does not get ready."""
        self._emit(PhaseStarted("start", self._server.id))
        self.starts += 1
        at, began = _now(), time.monotonic()
        running: RunningServer | None = None
        failure: StartError | None = None
        try:
            running = self._running = self._bench.runtime.start(self._server, self._name())
            workload = workload_named(self._open[0].workload)
            probe.wait_until_ready(running.address, workload, READY_SECONDS, running.ended)
        except StartError as error:
            failure = error
        except probe.ProbeError as error:
            failure = StartError("does not get ready", str(error))
            self.stop()
        self._store.append(
            StartRecord(
                block=self._block,
                server=self._server.id,
                start=self.starts,
                at=at,
                seconds=round(time.monotonic() - began, 3),
                environment=running.environment if running else {},
                error=f"{failure}: {failure.detail}" if failure else None,
            )
        )
        if failure is not None:
            raise failure
        assert running is not None, "a start either fails or gives a server"
        return running

    def _probe(self, running: RunningServer) -> bool:
        """Gives up the cells of the workloads that the server does not answer as it should. Returns whether it still
        answers."""
        for name in self._workloads():
            self._emit(PhaseStarted("probe", self._server.id, name))
            try:
                probe.check(running.address, running.host, workload_named(name), self._bench.fixtures)
            except (OSError, probe.ProbeError) as error:
                self._give_up([cell for cell in self._open if cell.workload == name], str(error))
                if not probe.is_alive(running.address, workload_named(name)):
                    return False
        return True

    def _warm_up(self, running: RunningServer) -> bool:
        """Returns whether the server survives; if not, one cell is given up. A workload that fails is left out, and
        the others are warmed up without it."""
        self._rates = {}
        plan = self._protocol.warm_up
        names = self._workloads()
        while names and (plan.load.seconds or plan.load.requests):
            self._emit(PhaseStarted("warm-up", self._server.id))
            failed = self._warm_up_with(running, names)
            if failed.error is None:
                break
            if not probe.is_alive(running.address, workload_named(failed.turn.workload)):
                cell = next(cell for cell in self._open if cell.workload == failed.turn.workload)
                self._give_up([cell], "stopped in warm-up", failed.error)
                return False
            names.remove(failed.turn.workload)
        return True

    def _warm_up_with(self, running: RunningServer, names: Sequence[WorkloadName]) -> Window:
        """Returns the last window."""
        plan, compiles = self._protocol.warm_up, self._server.kind == "jvm"
        turns = turns_of(plan, names, [cell.concurrency for cell in self._open], compiles)
        at = _now()
        with self._widened(running) if compiles else nullcontext():
            windows = list(run_windows(plan, turns, compiles, partial(self._window, running)))
        self._store.append(
            WarmUpRecord(
                block=self._block,
                server=self._server.id,
                start=self.starts,
                at=at,
                turns=turns_measured(turns, windows),
                jit_shares=jit_shares(windows, len(turns)) if compiles else (),
                steady=is_warm(windows, turns) if compiles and plan.steady else None,
                error=windows[-1].error,
                wall_seconds=round(sum(window.seconds for window in windows), 3),
            )
        )
        self._store.keep_raw(f"{self._name()}-warm-up.txt", "\n".join(window.text for window in windows))
        self._rates |= {window.turn: window.rate for window in windows if window.rate}
        return windows[-1]

    @contextmanager
    def _widened(self, running: RunningServer) -> Iterator[None]:
        """Lets the server use the generator's CPUs as well: its compiler is done sooner, and nothing is counted."""
        runtime = self._bench.runtime
        if runtime.server_cpus:
            running.use_cpus((*runtime.server_cpus, *runtime.generator_cpus))
        try:
            yield
        finally:
            if runtime.server_cpus:
                running.use_cpus(runtime.server_cpus)

    def _window(self, running: RunningServer, turn: WarmUpTurn) -> Window:
        """A window has all that a trial has: a request of another kind in a trial would take a path that the JIT has
        not seen, for which it throws compiled code away and compiles it anew."""
        workload = workload_named(turn.workload)
        plan = self._protocol.warm_up_of(workload.name)
        load = Load(seconds=1) if plan.load.seconds else plan.load
        command = self._command(running, workload, turn.concurrency, load)
        with self._samples(running, workload), ResourceSampler(running) as meter:
            done, seconds = _timed(running, command, time_limit(load, self._protocol.idle_timeout, rate=None))
        with suppress(OSError, probe.ProbeError):  # which the trial would have again
            probe.check(running.address, running.host, workload, self._bench.fixtures)
        outcome = ab.parse(done.stdout, done.stderr, done.exit_code)
        return Window(
            turn=turn,
            rate=outcome.requests_per_second if isinstance(outcome, LoadReport) else None,
            seconds=seconds,
            server_cpu_seconds=meter.usage.server_cpu_seconds if meter.usage else None,
            jit_cpu_seconds=meter.usage.jit_cpu_seconds if meter.usage else None,
            error=outcome.reason if isinstance(outcome, LoadFailure) else None,
            text=_raw_text(command, done),
        )

    def _measure(self, running: RunningServer) -> bool:
        """Measures the cells until server or generator have to be started afresh: then it returns False."""
        return all(self._cell(running, cell) for cell in list(self._open))

    def _cell(self, running: RunningServer, cell: Cell) -> bool:
        """Measures one cell, and returns False when server or generator have to be started afresh. A timed trial that
        was cold is made once more; one by requests is as the protocol has it."""
        workload = workload_named(cell.workload)
        self._emit(PhaseStarted("trial", self._server.id, workload.name, cell.concurrency))
        load = trial_load(self._protocol.trial_of(workload.name), cell.concurrency, self._rate(cell))
        name = f"{self._name()}-{workload.name}-c{cell.concurrency}"
        lead_in_seconds = self._lead_in(running, workload, cell, load)
        trial, alive = self._trial(running, workload, cell, load, name)
        trial = msgspec.structs.replace(trial, lead_in_seconds=lead_in_seconds)
        if trial.verdict.valid and cold(trial.usage) and load.seconds:
            self._store.append(ColdTrial(trial=trial))
            trial, alive = self._trial(running, workload, cell, load, f"{name}-again")
        if trial.verdict.valid and (reason := cold(trial.usage)):
            trial = msgspec.structs.replace(trial, verdict=Verdict(False, reason))
        self._record(trial)
        return alive

    def _rate(self, cell: Cell) -> float | None:
        """What the warm-up showed at the level next to the cell's, None if it was left out."""
        levels = {turn.concurrency: rate for turn, rate in self._rates.items() if turn.workload == cell.workload}
        below = [level for level in levels if level <= cell.concurrency]
        return levels[max(below, default=min(levels))] if levels else None

    def _lead_in(self, running: RunningServer, workload: Workload, cell: Cell, load: Load) -> float | None:
        """A moment of the cell's own load, which is not counted: queues and pools get used to it. Returns the seconds
        that it took, None if there is none."""
        short = lead_in(load, cell.concurrency, self._rate(cell))
        if short is None:
            return None
        command = self._command(running, workload, cell.concurrency, short)
        _, seconds = _timed(running, command, time_limit(short, self._protocol.idle_timeout, rate=None))
        return round(seconds, 3)

    def _trial(
        self, running: RunningServer, workload: Workload, cell: Cell, load: Load, name: str
    ) -> tuple[Trial, bool]:
        """Returns what came of it, and False when server or generator have to be started afresh."""
        names = _names(name, shares(cell.concurrency, self._bench.generators))
        commands = [
            self._command(running, workload, connections, load, f"{self._bench.runtime.raw_folder}/{each}.csv")
            for each, connections in names.items()
        ]
        ground = settle(_a_process(running), local_ports(sysctls() | running.environment))
        at = _now()
        with (
            self._samples(running, workload) as samples,
            ResourceSampler(running, len(names)) as meter,
        ):
            limit = time_limit(load, self._protocol.idle_timeout, self._rate(cell))
            done, seconds = _timed(running, self._recording(names, commands), limit)
        self._store.keep_raw(f"{name}.txt", _raw_text(commands[0], done))
        outcome, milliseconds = self._outcome(done, list(names))
        verdict = judge(
            outcome, workload, expected_length=samples.length, requests=load.requests, concurrency=cell.concurrency
        )
        if verdict.valid:
            verdict = self._checked(running, workload, verdict, samples)
        alive = True
        if not verdict.valid:
            alive = probe.is_alive(running.address, workload)
            if end := _end_of(running, patient=not alive or isinstance(outcome, LoadFailure)):
                verdict, alive = Verdict(False, end), False
        trial = Trial(
            block=self._block,
            server=cell.server,
            workload=cell.workload,
            concurrency=cell.concurrency,
            start=self.starts,
            at=at,
            command=tuple(commands[0]),
            exit_code=done.exit_code,
            report=outcome if isinstance(outcome, LoadReport) else None,
            error=outcome if isinstance(outcome, LoadFailure) else None,
            verdict=verdict,
            raw=f"{name}.txt",
            milliseconds=milliseconds,
            wall_seconds=round(seconds, 3),
            jdk=self._bench.runtime.jdk if self._server.kind == "jvm" else None,
            usage=meter.usage,
            limit=meter.limit,
            jvm=meter.jvm,
            ground=ground,
            samples=samples.answered,
        )
        return trial, alive

    def _samples(self, running: RunningServer, workload: Workload) -> SpotChecks:
        head, expected = probe.question(running.host, workload, self._bench.fixtures)
        return SpotChecks(running.address, head, expected, workload.keep_alive)

    def _checked(self, running: RunningServer, workload: Workload, verdict: Verdict, samples: SpotChecks) -> Verdict:
        """ab looks at no body: what was sampled during the trial and what the server answers after it must be right."""
        if samples.wrong is not None:
            return Verdict(False, f"wrong answer during the trial: {samples.wrong}")
        try:
            probe.check(running.address, running.host, workload, self._bench.fixtures)
        except probe.NoAnswer as error:
            return Verdict(False, f"no answer after the trial: {error}")
        except (OSError, probe.ProbeError) as error:
            return Verdict(False, f"wrong answer after the trial: {error}")
        return verdict

    def _recording(self, names: Iterable[str], commands: Sequence[Sequence[str]]) -> list[str]:
        """The one command that runs all generators and leaves their latencies in its folder."""
        runtime = self._bench.runtime
        recording = [
            ab.recording_latencies(command, f"{runtime.raw_folder}/{name}.latencies")
            for name, command in zip(names, commands, strict=True)
        ]
        return recording[0] if len(recording) == 1 else together(recording, runtime.generator_cpus)

    def _outcome(self, done: Completed, names: Sequence[str]) -> tuple[LoadReport | LoadFailure, dict[int, int]]:
        """The figures of all generators together, and their requests by whole milliseconds."""
        runs = (outputs(done.stdout) if len(names) > 1 else []) or [done]
        milliseconds = [parse_milliseconds(self._store.take(self._name(), f"{name}.latencies") or "") for name in names]
        outcomes = [
            ab.parse(each.stdout, each.stderr, each.exit_code, self._store.take(self._name(), f"{name}.csv"))
            for name, each in zip(names, runs, strict=False)
        ]
        return (outcomes[0] if len(names) == 1 else merged(outcomes, milliseconds)), added(milliseconds)

    def _command(
        self, running: RunningServer, workload: Workload, concurrency: int, load: Load, percentiles: str | None = None
    ) -> list[str]:
        return ab.command(
            url=f"http://{running.host}{workload.path}",
            concurrency=concurrency,
            requests=load.requests,
            seconds=load.seconds,
            keep_alive=workload.keep_alive,
            idle_timeout=self._protocol.idle_timeout,
            percentiles=percentiles,
        )

    def _give_up(self, cells: Sequence[Cell], reason: str, detail: str = "") -> None:
        for cell in cells:
            self._record(
                NotMeasured(
                    block=self._block,
                    server=cell.server,
                    workload=cell.workload,
                    concurrency=cell.concurrency,
                    reason=reason,
                    detail=detail,
                )
            )

    def _record(self, record: CellRecord) -> None:
        self._store.append(record)
        self._open.remove(cell_of(record))
        self._emit(CellFinished(record))

    def _name(self) -> str:
        """Names the files of the current start of the server."""
        block = {BEFORE: "before", AFTER: "after"}.get(self._block, str(self._block))
        return f"{block}-{self._server.id}-{self.starts}"


def _end_of(running: RunningServer, patient: bool) -> str | None:
    """Why server or generator ended, if one did; where something broke, a runtime may notice it a moment later."""
    deadline = time.monotonic() + (NOTICED_SECONDS if patient else 0)
    while (end := running.ended()) is None and time.monotonic() < deadline:
        time.sleep(0.1)
    return end


def _a_process(running: RunningServer) -> int | None:
    """One of the server's, where they can be seen from here."""
    with suppress(OSError):
        if running.accounts is not None:
            return next(iter(running.accounts.server.processes()), None)
    return None


def _names(name: str, connections: Sequence[int]) -> dict[str, int]:
    """The files of each generator in raw/ are named after the trial, and where there are several after its number."""
    if len(connections) == 1:
        return {name: connections[0]}
    return {f"{name}.{number}": share for number, share in enumerate(connections, 1)}


def _raw_text(command: Sequence[str], done: Completed) -> str:
    return f"$ {' '.join(command)}\n{done.stdout}\n--- stderr\n{done.stderr}\n--- exit code {done.exit_code}\n"


def _timed(running: RunningServer, command: Sequence[str], limit: float) -> tuple[Completed, float]:
    """How the generator's run ended, and how many seconds it took."""
    began = time.monotonic()
    done = running.generate(command, limit)
    return done, time.monotonic() - began


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
