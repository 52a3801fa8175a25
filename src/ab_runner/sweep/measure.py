"""Measures a sweep that has been made ready."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from math import ceil
from pathlib import Path

import msgspec

from ab_runner import paths
from ab_runner.load.generator_registry import generator_of
from ab_runner.model.records import AnswerRecord, Record
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import CellRecord, NotMeasured, Trial
from ab_runner.runtime.base import Runtime, RuntimeUnusable
from ab_runner.store.plan import ServerRun, starts_so_far
from ab_runner.store.writer import Store, point_latest_to
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.events import CellFinished, Event
from ab_runner.sweep.repeats import SHARE, RepeatBudget
from ab_runner.sweep.run import run
from ab_runner.sweep.schedule.batches_to_run import batches_to_run
from ab_runner.sweep.schedule.expected_time import ExpectedTime, expected_time


class SweepStopped(Exception):
    """The sweep could not go on; the message says why. What was measured until then is stored."""


class ReadySweep(msgspec.Struct, frozen=True, kw_only=True):
    """A sweep with everything it needs. `runs` is what is to be measured, `before` what the sweep has already."""

    sweep: Sweep
    runs: tuple[ServerRun, ...]
    runtime: Runtime
    fixtures: Path
    store: Store
    before: tuple[Record, ...] = ()
    starts: int = 0
    """Numbers of starts that are taken, besides those in `before`."""
    nodes: int = 1
    """How many blocks can be measured at the same time."""

    @property
    def expected(self) -> ExpectedTime | None:
        """The time that the runs are expected to take; None where it is not known."""
        servers = {server.id: server for server in self.sweep.everyone}
        expected = expected_time(self.sweep.request, self.runs, servers, workloads=self.sweep.workloads)
        blocks = len({run.block for run in self.runs})
        if expected is None or self.nodes == 1 or not blocks:
            return expected
        return ExpectedTime(expected.seconds / blocks * ceil(blocks / self.nodes), expected.first_block)

    @property
    def cells(self) -> int:
        """The number of cells that are to be measured."""
        return sum(len(run.cells) for run in self.runs)


def measure(ready: ReadySweep, show: Callable[[Event], None]) -> None:
    """Measure everything, and close the store. SweepStopped if the disk or the runtime fails."""
    request, expected = ready.sweep.request, ready.expected
    records: list[CellRecord] = [record for record in ready.before if isinstance(record, Trial | NotMeasured)]

    def emit(event: Event) -> None:
        if isinstance(event, CellFinished):
            records.append(event.record)
        show(event)

    try:
        if ready.store.folder.parent == paths.RESULTS:
            point_latest_to(ready.store.folder)
        ready.runtime.begin(ready.sweep.id, ready.store.raw, ready.store.scratch)
        context = SweepContext(
            servers={server.id: server for server in ready.sweep.everyone},
            protocol=request.protocol,
            runtime=ready.runtime,
            store=ready.store,
            fixtures=ready.fixtures,
            emit=emit,
            generators=request.generators,
            generator=generator_of(request),
            open=request.open,
            seed=request.seed,
            workloads={workload.name: workload for workload in ready.sweep.workloads},
            load_hosts={host.name: host for host in ready.sweep.load_hosts},
            links_together=ready.sweep.links_together,
            repeats=RepeatBudget(SHARE * (expected.seconds if expected else 0.0)),
            answered={(each.server, each.workload) for each in ready.before if isinstance(each, AnswerRecord)},
        )
        batches = batches_to_run(ready.runs, request.failures_to_give_up, records, emit)
        run(batches, context, max(ready.starts, starts_so_far(ready.before)))
    except (OSError, subprocess.SubprocessError, RuntimeUnusable) as error:
        raise SweepStopped(str(error)) from error
    finally:
        ready.store.close()
