from __future__ import annotations

from support import builders
from support.builders import rejected

from ab_runner.model.message import Verdict
from ab_runner.model.trial import AFTER, BEFORE, Cell, CellRecord
from ab_runner.store.plan import ServerRun
from ab_runner.sweep.events import CellsLeftOut, Event
from ab_runner.sweep.schedule.batches_to_run import batches_to_run

RUNS = [
    ServerRun(BEFORE, "ceiling", (Cell("ceiling", "small", 10),)),
    ServerRun(1, "a-1", (Cell("a-1", "small", 10),)),
    ServerRun(AFTER, "ceiling", (Cell("ceiling", "small", 10),)),
]


def test_what_does_not_fail_is_measured_as_planned() -> None:
    shown: list[Event] = []
    good = [builders.trial("a-1", "small", 10, block=block) for block in range(1, 7)]
    assert list(batches_to_run(RUNS, 1, good, shown.append)) == [[run] for run in RUNS]
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
    for (run,) in batches_to_run(blocks, 3, records, shown.append):
        made.append((run.block, run.cells))
        records += [
            builders.trial(cell.server, cell.workload, cell.level, block=run.block, verdict=Verdict(cell == works))
            for cell in run.cells
        ]
    assert [cells for _, cells in made if cells[0].server == "a-1"] == [(fails, works)] * 3 + [(works,)] * 3
    assert [block for block, cells in made if cells[0].server == "b-1"] == [1, 2, 3]
    assert shown == [CellsLeftOut(1)] * 6


def test_a_reference_that_fails_is_measured_in_every_block() -> None:
    check = Cell("ceiling", "small", 10)
    runs = [ServerRun(block, "ceiling", (check,)) for block in range(1, 7)]
    records: list[CellRecord] = [
        builders.trial("ceiling", "small", 10, block=block, verdict=rejected("timeout")) for block in range(1, 7)
    ]
    assert list(batches_to_run(runs, 3, records, lambda event: None)) == [[run] for run in runs]
