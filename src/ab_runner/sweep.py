"""The loop that ties runtime, probe, generator and store together, and reports progress as events."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import msgspec

from ab_runner import ab, probe
from ab_runner.generators import added, merged, outputs, shares, together
from ab_runner.ground import settle
from ab_runner.interrupt import Interrupted, held
from ab_runner.latency import parse_milliseconds
from ab_runner.machine import local_ports, sysctls
from ab_runner.meter import Meter
from ab_runner.model import (
    AFTER,
    BEFORE,
    WARM_UP_CONCURRENCY,
    Cell,
    CellRecord,
    EndRecord,
    Load,
    LoadError,
    LoadReport,
    NotMeasured,
    Protocol,
    Server,
    StartRecord,
    Trial,
    Verdict,
    WarmUp,
    WarmUpRecord,
    Workload,
    WorkloadName,
    cell_of,
    workload,
)
from ab_runner.protocol import ServerRun, is_over, time_limit, trial_load
from ab_runner.runtime.base import Completed, RunningServer, Runtime, StartFailed
from ab_runner.stats.steady import steady_from
from ab_runner.store import Store
from ab_runner.validity import judge

READY_SECONDS = 60.0
NOTICED_SECONDS = 1.0
"""How long after its connections the end of a server or generator may be seen."""


class Doing(msgspec.Struct, frozen=True):
    """Event: what goes on from now. `what` is `start`, `probe`, `warm-up`, `trial` or `stop`."""

    what: str
    server: str
    workload: WorkloadName | None = None
    concurrency: int | None = None


class Done(msgspec.Struct, frozen=True):
    """Event: a cell has its record."""

    record: CellRecord


class Planned(msgspec.Struct, frozen=True):
    """Event: so many cells more are to be measured."""

    cells: int


Event = Doing | Done | Planned


class Bench(msgspec.Struct, frozen=True):
    """What a sweep works with."""

    servers: Mapping[str, Server]
    protocol: Protocol
    runtime: Runtime
    store: Store
    fixtures: Path
    emit: Callable[[Event], None]
    generators: int = 1


def run(runs: Iterable[ServerRun], bench: Bench, starts: int = 0) -> None:
    """Runs everything that was planned. A server that fails leaves its reason in its cells, and the next has its turn.
    `starts` is how often servers were started before, in a sweep that goes on.

    However it ends, nothing that was started is left over and the log's last record says how it ended.
    """
    ending = "finished"
    try:
        for part in runs:
            turn = _Turn(part, bench, starts)
            try:
                turn.run()
            finally:
                turn.stop()
            starts = turn.starts
    except Interrupted:
        ending = "interrupted"
        raise
    except BaseException as error:
        ending = f"stopped: {error!r}"
        raise
    finally:
        try:
            with held():  # a sweep that ends on its own may be interrupted, its clean-up not
                bench.runtime.close()
        finally:
            bench.store.append(EndRecord(at=_now(), reason=ending))


class _Turn:
    """One server's turn in one block. It is started afresh when it stops answering, so that one cell's failure is not
    charged to the next."""

    def __init__(self, part: ServerRun, bench: Bench, starts: int) -> None:
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

    def run(self) -> None:
        try:
            for name, cells in groupby(list(self._open), key=lambda cell: cell.workload):
                self._run_workload(workload(name), list(cells))
        except StartFailed as error:
            self._give_up(list(self._open), str(error), error.detail)

    def stop(self) -> None:
        if self._running is not None:
            self._emit(Doing("stop", self._server.id))
            running, self._running = self._running, None  # not tried again: what this leaves, the runtime's close ends
            running.stop()

    def _run_workload(self, asked: Workload, cells: Sequence[Cell]) -> None:
        """StartFailed if the server cannot be started, or not again."""
        warm = False
        for position, cell in enumerate(cells):
            if not warm:
                running = self._ensure_started(asked)
                self._emit(Doing("probe", self._server.id, asked.name))
                try:
                    length = probe.check(running.address, running.host, asked, self._bench.fixtures)
                except (OSError, probe.ProbeError) as error:
                    self._give_up(cells[position:], str(error))
                    if not probe.is_alive(running.address, asked):
                        self.stop()  # so that the next workload finds a server
                    return
                rate, trouble = self._warm_up(running, asked)
                if trouble is not None and not probe.is_alive(running.address, asked):
                    self._give_up([cell], "stopped in warm-up", trouble)
                    self.stop()
                    continue
                warm = True
            if not self._trial(running, asked, cell, length, rate):
                warm = False
                self.stop()

    def _ensure_started(self, asked: Workload) -> RunningServer:
        if self._running is not None:
            return self._running
        self._emit(Doing("start", self._server.id))
        self.starts += 1
        at, began = _now(), time.monotonic()
        running: RunningServer | None = None
        failure: StartFailed | None = None
        try:
            running = self._running = self._bench.runtime.start(self._server, self._name())
            probe.wait_until_ready(running.address, asked, READY_SECONDS, running.ended)
        except StartFailed as error:
            failure = error
        except probe.ProbeError as error:
            failure = StartFailed("does not get ready", str(error))
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

    def _warm_up(self, running: RunningServer, asked: Workload) -> tuple[float | None, str | None]:
        """Returns the rate of the last window, and what went wrong if something did."""
        plan = self._protocol.warm_up_of(asked.name)
        if not (plan.load.seconds or plan.load.requests):
            return None, None
        self._emit(Doing("warm-up", self._server.id, asked.name, WARM_UP_CONCURRENCY))
        at = _now()
        rates, error, seconds = self._windows(running, asked, plan)
        self._store.append(
            WarmUpRecord(
                block=self._block,
                server=self._server.id,
                start=self.starts,
                workload=asked.name,
                at=at,
                rates=tuple(rates),
                steady=steady_from(rates) is not None if plan.steady else None,
                error=error,
                wall_seconds=round(seconds, 3),
            )
        )
        return (rates[-1] if rates else None), error

    def _windows(self, running: RunningServer, asked: Workload, plan: WarmUp) -> tuple[list[float], str | None, float]:
        """The rates of the warm-up's windows, up to the first that failed, how that one did, and what all took."""
        load = Load(seconds=1) if plan.steady else plan.load
        command = self._command(running, asked, WARM_UP_CONCURRENCY, load)
        rates: list[float] = []
        texts: list[str] = []
        error: str | None = None
        seconds = 0.0
        while error is None and not (rates and (not plan.steady or is_over(plan, rates))):
            done, took = _timed(running, command, time_limit(load, self._protocol.idle_timeout, rate=None))
            seconds += took
            texts.append(_raw_text(command, done))
            outcome = ab.parse(done.stdout, done.stderr, done.exit_code)
            if isinstance(outcome, LoadError):
                error = outcome.reason
            else:
                rates.append(outcome.requests_per_second)
        self._store.keep_raw(f"{self._name()}-{asked.name}-warm-up.txt", "\n".join(texts))
        return rates, error, seconds

    def _trial(self, running: RunningServer, asked: Workload, cell: Cell, length: int, rate: float | None) -> bool:
        """Measures one cell. Returns False when server or generator have to be started afresh."""
        self._emit(Doing("trial", self._server.id, asked.name, cell.concurrency))
        name = f"{self._name()}-{asked.name}-c{cell.concurrency}"
        load = trial_load(self._protocol.trial_of(asked.name), cell.concurrency, rate)
        names = _names(name, shares(cell.concurrency, self._bench.generators))
        commands = [
            self._command(running, asked, connections, load, f"{self._bench.runtime.raw_folder}/{each}.csv")
            for each, connections in names.items()
        ]
        ground = settle(_a_process(running), local_ports(sysctls() | running.environment))
        at = _now()
        with Meter(running, len(names)) as meter:
            limit = time_limit(load, self._protocol.idle_timeout, rate)
            done, seconds = _timed(running, self._recording(names, commands), limit)
        self._store.keep_raw(f"{name}.txt", _raw_text(commands[0], done))
        outcome, milliseconds = self._outcome(done, list(names))
        verdict = judge(outcome, asked, expected_length=length, requests=load.requests, concurrency=cell.concurrency)
        alive = True
        if not verdict.valid:
            alive = probe.is_alive(running.address, asked)
            if end := _end_of(running, patient=not alive or isinstance(outcome, LoadError)):
                verdict, alive = Verdict(False, end), False
        self._record(
            Trial(
                block=self._block,
                server=cell.server,
                workload=cell.workload,
                concurrency=cell.concurrency,
                start=self.starts,
                at=at,
                command=tuple(commands[0]),
                exit_code=done.exit_code,
                report=outcome if isinstance(outcome, LoadReport) else None,
                error=outcome if isinstance(outcome, LoadError) else None,
                verdict=verdict,
                raw=f"{name}.txt",
                milliseconds=milliseconds,
                wall_seconds=round(seconds, 3),
                jdk=self._bench.runtime.jdk if self._server.kind == "jvm" else None,
                usage=meter.usage,
                limit=meter.limit,
                jvm=meter.jvm,
                ground=ground,
            )
        )
        return alive

    def _recording(self, names: Iterable[str], commands: Sequence[Sequence[str]]) -> list[str]:
        """The one command that runs all generators and leaves their latencies in its folder."""
        runtime = self._bench.runtime
        recording = [
            ab.recording_latencies(command, f"{runtime.raw_folder}/{name}.latencies")
            for name, command in zip(names, commands, strict=True)
        ]
        return recording[0] if len(recording) == 1 else together(recording, runtime.generator_cpus)

    def _outcome(self, done: Completed, names: Sequence[str]) -> tuple[LoadReport | LoadError, dict[int, int]]:
        """The figures of all generators together, and their requests by whole milliseconds."""
        runs = (outputs(done.stdout) if len(names) > 1 else []) or [done]
        milliseconds = [parse_milliseconds(self._store.take(self._name(), f"{name}.latencies") or "") for name in names]
        outcomes = [
            ab.parse(each.stdout, each.stderr, each.exit_code, self._store.take(self._name(), f"{name}.csv"))
            for name, each in zip(names, runs, strict=False)
        ]
        return (outcomes[0] if len(names) == 1 else merged(outcomes, milliseconds)), added(milliseconds)

    def _command(
        self, running: RunningServer, asked: Workload, concurrency: int, load: Load, percentiles: str | None = None
    ) -> list[str]:
        return ab.command(
            url=f"http://{running.host}{asked.path}",
            concurrency=concurrency,
            requests=load.requests,
            seconds=load.seconds,
            keep_alive=asked.keep_alive,
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
        self._emit(Done(record))

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
