#!/usr/bin/env python3
"""Are servers warm when they are measured? The first counted trial of each workload over the rate after 20 s more of
the same load.

    PYTHONPATH=src .venv/bin/python benchmarks/warmup.py CONCURRENCY RECORDS [SERVERS]

Each server is started once, in Docker, and warmed up as `quick` and `standard` do it. Then each of its workloads has a
trial of `quick`, 20 s of the same load, and a trial of 3 s. RECORDS is a file with a line of JSON per cell. Its
servers are not measured again, so that a run can go on. `benchmarks/aims.py` computes the aims from it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import msgspec
from rows import add, rows_in
from scratch import begun

from ab_runner import paths
from ab_runner.catalog.servers import load, select
from ab_runner.host.machine import cpu_split
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.model.load import Load
from ab_runner.model.protocol import PROTOCOLS
from ab_runner.model.server import Server
from ab_runner.model.trial import Cell, CellRecord, Trial
from ab_runner.model.workload import WorkloadName
from ab_runner.report.say.messages import full_text
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.store.plan import ServerRun, cells_of
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.events import CellFinished, Event
from ab_runner.sweep.ready.fixtures import make_fixtures
from ab_runner.sweep.server.start import Start
from ab_runner.sweep.trial.closed import PlannedTrial, make_trial
from ab_runner.sweep.turn import Turn

SWEEP = "warm-up"
MORE = Load(seconds=20)
LATER = Load(seconds=3)


class WarmUpRow(msgspec.Struct, frozen=True, kw_only=True):
    """One cell: requests per second in the first counted trial and after 20 s more of its load, None where a trial was
    not valid, for the reason in `reason`."""

    server: str
    kind: str
    workload: WorkloadName
    concurrency: int
    first: float | None
    later: float | None
    reason: str | None
    first_jit_share: float | None
    warm_up_seconds: int


class LongTurn(Turn):
    """After each trial more of its load, and another trial."""

    def __init__(self, server_run: ServerRun, context: SweepContext, file: Path) -> None:
        super().__init__(server_run, msgspec.structs.replace(context, emit=self._note), count(1), is_alone=True)
        self._file = file
        self._first: CellRecord | None = None
        self._seconds = 0

    def _note(self, event: Event) -> None:
        if isinstance(event, CellFinished):
            self._first = event.record

    def _warm_up(self, start: Start) -> bool:
        began = time.monotonic()
        survives = super()._warm_up(start)
        self._seconds = round(time.monotonic() - began)
        return survives

    def _cell(self, start: Start, cell: Cell, first_share: float) -> bool:
        alive = super()._cell(start, cell, first_share)
        later: Trial | None = None
        if alive:
            start.load(cell.workload, cell.level, MORE, self._context.protocol.idle_timeout)
            result = make_trial(start, PlannedTrial(cell=cell, load=LATER, name=f"{cell.workload}-later"))
            later, alive = result.trial, result.alive
        self._keep(cell, later)
        return alive

    def _keep(self, cell: Cell, later: Trial | None) -> None:
        first = self._first
        both = [first if isinstance(first, Trial) else None, later]
        reasons = [full_text(trial.verdict.reason) for trial in both if trial is not None and trial.verdict.reason]
        row = WarmUpRow(
            server=cell.server,
            kind=self._server.kind,
            workload=cell.workload,
            concurrency=cell.level,
            first=_rate(both[0]),
            later=_rate(both[1]),
            reason="; ".join(reasons) or None,
            first_jit_share=_jit_share(both[0]),
            warm_up_seconds=self._seconds,
        )
        print(f"{row.server} {row.workload} c={row.concurrency}: {_text(row)}", flush=True)
        add(self._file, row)


def _rate(trial: Trial | None) -> float | None:
    return trial.outcome.completed_per_second if trial and trial.verdict.valid and trial.outcome else None


def _jit_share(trial: Trial | None) -> float | None:
    usage = trial.usage if trial else None
    share = usage.jit_share if usage else None
    return None if share is None else round(share, 4)


def _text(row: WarmUpRow) -> str:
    if row.first is None or row.later is None:
        return row.reason or "no figure"
    return f"{row.first:,.0f} and {row.later:,.0f}, ratio {row.first / row.later:.3f}"


def main(concurrency: int, file: Path, names: Sequence[str]) -> None:
    done = {row.server for row in rows_in(file, WarmUpRow, missing_ok=True)}
    servers = [server for server in select(load(paths.SERVERS), names) if server.id not in done]
    runtime = DockerRuntime(cpu_split(), "loopback")
    runtime.prepare_generator()
    unbuilt = runtime.prepare(servers, print)
    with sweep_lock():
        for number, server in enumerate(servers):
            if server.id not in unbuilt:
                measure(server, number, concurrency, runtime, file)


def measure(server: Server, number: int, concurrency: int, runtime: DockerRuntime, file: Path) -> None:
    """The workloads begin with another one for each server, so that each is the first one for some."""
    begin = number % len(server.workloads)
    workloads = [*server.workloads[begin:], *server.workloads[:begin]]
    cells = tuple(cells_of(server, workloads, [concurrency]))
    with begun(runtime, SWEEP) as store:
        context = SweepContext(
            {server.id: server}, PROTOCOLS["quick"], runtime, store, make_fixtures(), lambda event: None
        )
        turn = LongTurn(ServerRun(1, server.id, cells), context, file)
        try:
            for cell in cells:
                turn.measure(cell)
        finally:
            turn.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or ["*"])
