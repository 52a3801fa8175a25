from __future__ import annotations

import msgspec
from support import builders
from support.builders import outcome, rejected

from ab_runner.model.message import Verdict
from ab_runner.model.records import AFTER, BEFORE, Cell, CellRecord, Sweep
from ab_runner.store.plan import ServerRun
from ab_runner.sweep.batches_to_run import batches_to_run
from ab_runner.sweep.events import Event, PlanChanged

SWEEP = builders.sweep(builders.server("a-1"))
RUNS = [
    ServerRun(BEFORE, "ceiling", (Cell("ceiling", "small", 10),)),
    ServerRun(1, "a-1", (Cell("a-1", "small", 10),)),
    ServerRun(AFTER, "ceiling", (Cell("ceiling", "small", 10),)),
]
NOISY: list[CellRecord] = [
    builders.trial("a-1", "small", 10, block=block, outcome=outcome(requests_per_second=rate))
    for block, rate in enumerate((1000.0, 1200.0, 800.0, 1100.0, 900.0, 1300.0), 1)
]


def of_six_blocks() -> Sweep:
    protocol = msgspec.structs.replace(SWEEP.request.protocol, blocks=6)
    return msgspec.structs.replace(SWEEP, request=msgspec.structs.replace(SWEEP.request, protocol=protocol))


def test_a_sweep_without_a_wanted_precision_is_what_was_planned() -> None:
    shown: list[Event] = []
    assert list(batches_to_run(RUNS, SWEEP, NOISY, shown.append)) == [[run] for run in RUNS]
    assert shown == []


def test_a_cell_that_failed_in_half_of_the_blocks_is_not_measured_again() -> None:
    fails, works = Cell("a-1", "small", 10), Cell("a-1", "small", 100)
    alone = Cell("b-1", "small", 10)
    blocks = [
        run
        for block in range(1, 7)
        for run in (ServerRun(block, "a-1", (fails, works)), ServerRun(block, "b-1", (alone,)))
    ]
    records: list[CellRecord] = []
    shown: list[Event] = []
    made = []
    for (run,) in batches_to_run(blocks, of_six_blocks(), records, shown.append):
        made.append((run.block, run.cells))
        records += [
            builders.trial(cell.server, cell.workload, cell.level, block=run.block, verdict=Verdict(cell == works))
            for cell in run.cells
        ]
    assert [cells for _, cells in made if cells[0].server == "a-1"] == [(fails, works)] * 3 + [(works,)] * 3
    assert [block for block, cells in made if cells[0].server == "b-1"] == [1, 2, 3]
    assert shown == [PlanChanged(-1)] * 6


def test_a_reference_that_fails_is_measured_in_every_block() -> None:
    check = Cell("ceiling", "small", 10)
    runs = [ServerRun(block, "ceiling", (check,)) for block in range(1, 7)]
    records: list[CellRecord] = [
        builders.trial("ceiling", "small", 10, block=block, verdict=rejected("timeout")) for block in range(1, 7)
    ]
    assert list(batches_to_run(runs, of_six_blocks(), records, lambda event: None)) == [[run] for run in runs]


def test_blocks_are_added_before_the_last_trials_of_the_reference_until_the_budget_is_spent() -> None:
    request = msgspec.structs.replace(SWEEP.request, precision=0.03, budget=10)
    sweep = msgspec.structs.replace(SWEEP, request=request)
    times = iter([100.0, 100.0, 110.0, 110.1])
    shown: list[Event] = []
    runs = batches_to_run(RUNS, sweep, NOISY, shown.append, clock=lambda: next(times))
    assert [run.block for (run,) in runs] == [BEFORE, 1, 7, 7, AFTER]
    assert shown == [PlanChanged(1), PlanChanged(1)]


def test_further_blocks_come_in_batches_with_the_reference_when_the_last_planned_one_has_been_run() -> None:
    reference = builders.server("ceiling", workloads=("small",))
    request = msgspec.structs.replace(
        SWEEP.request, precision=0.03, workloads=("small",), levels=(10,),
        protocol=msgspec.structs.replace(SWEEP.request.protocol, together=2),
    )  # fmt: skip
    sweep = msgspec.structs.replace(SWEEP, request=request, reference=reference)
    planned = [ServerRun(6, "a-1", (Cell("a-1", "small", 10),), 6)]
    records = [msgspec.structs.replace(record, batch=record.block) for record in NOISY[:5]]
    batches = batches_to_run(planned, sweep, records, lambda event: None)
    assert next(batches) == planned
    records.append(msgspec.structs.replace(NOISY[5], batch=6))
    further = next(batches)
    assert [(run.block, run.batch, run.server) for run in further] == [(7, 7, "a-1"), (7, 7, "ceiling")]
