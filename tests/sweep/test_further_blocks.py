from __future__ import annotations

import msgspec
from support import builders
from support.builders import report

from ab_runner.model.records import AFTER, BEFORE, Cell, CellRecord
from ab_runner.store.plan import ServerRun
from ab_runner.sweep.events import CellsAdded, Event
from ab_runner.sweep.further_blocks import with_further_blocks

SWEEP = builders.sweep(builders.server("a-1"))
RUNS = [
    ServerRun(BEFORE, "ceiling", (Cell("ceiling", "small", 10),)),
    ServerRun(1, "a-1", (Cell("a-1", "small", 10),)),
    ServerRun(AFTER, "ceiling", (Cell("ceiling", "small", 10),)),
]
NOISY: list[CellRecord] = [
    builders.trial("a-1", "small", 10, block=block, report=report(requests_per_second=rate))
    for block, rate in enumerate((1000.0, 1200.0, 800.0, 1100.0, 900.0, 1300.0), 1)
]


def test_a_sweep_without_a_wanted_precision_is_what_was_planned() -> None:
    shown: list[Event] = []
    assert list(with_further_blocks(RUNS, SWEEP, NOISY, shown.append)) == [[run] for run in RUNS]
    assert shown == []


def test_blocks_are_added_before_the_last_trials_of_the_reference_until_the_budget_is_spent() -> None:
    request = msgspec.structs.replace(SWEEP.request, precision=0.03, budget=10)
    sweep = msgspec.structs.replace(SWEEP, request=request)
    times = iter([100.0, 100.0, 110.0, 110.1])
    shown: list[Event] = []
    runs = with_further_blocks(RUNS, sweep, NOISY, shown.append, clock=lambda: next(times))
    assert [run.block for (run,) in runs] == [BEFORE, 1, 7, 7, AFTER]
    assert shown == [CellsAdded(1), CellsAdded(1)]


def test_further_blocks_come_in_batches_with_the_reference_when_the_last_planned_one_has_been_run() -> None:
    reference = builders.server("ceiling", workloads=("small",))
    request = msgspec.structs.replace(
        SWEEP.request, precision=0.03, workloads=("small",), concurrency=(10,),
        protocol=msgspec.structs.replace(SWEEP.request.protocol, together=2),
    )  # fmt: skip
    sweep = msgspec.structs.replace(SWEEP, request=request, reference=reference)
    planned = [ServerRun(6, "a-1", (Cell("a-1", "small", 10),), 6)]
    records = [msgspec.structs.replace(record, batch=record.block) for record in NOISY[:5]]
    batches = with_further_blocks(planned, sweep, records, lambda event: None)
    assert next(batches) == planned
    records.append(msgspec.structs.replace(NOISY[5], batch=6))
    further = next(batches)
    assert [(run.block, run.batch, run.server) for run in further] == [(7, 7, "a-1"), (7, 7, "ceiling")]
