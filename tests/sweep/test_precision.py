from __future__ import annotations

from itertools import pairwise

from support import builders
from support.builders import outcome

from ab_runner.model.records import Cell, CellRecord
from ab_runner.sweep.precision import further_blocks, wide_cells

STEADY = (1000.0, 1001.0, 999.0, 1000.0, 1002.0, 998.0)
NOISY = (1000.0, 1200.0, 800.0, 1100.0, 900.0, 1300.0)


def trials(server: str, rates: tuple[float, ...], concurrency: int = 10) -> list[CellRecord]:
    return [
        builders.trial(server, "small", concurrency, block=block, outcome=outcome(requests_per_second=rate))
        for block, rate in enumerate(rates, 1)
    ]


def test_only_the_cells_whose_interval_is_too_wide_want_more() -> None:
    records = [*trials("a-1", STEADY), *trials("a-1", NOISY, 100), *trials("b-1", STEADY)]
    assert wide_cells(records, 0.03) == {Cell("a-1", "small", 100)}
    assert wide_cells(records, 0.5) == set()


def test_a_cell_with_too_few_blocks_for_an_interval_wants_more() -> None:
    assert wide_cells(trials("a-1", STEADY[:3]), 0.03) == {Cell("a-1", "small", 10)}


def test_a_cell_that_fails_is_not_tried_for_ever() -> None:
    failed = builders.failed_trial("a-1", "small", 10, "timeout", block=7)
    assert wide_cells([*trials("a-1", NOISY), failed], 0.03) == set()
    assert wide_cells([builders.not_measured("b-1", "small", 10, "no keep-alive")], 0.03) == set()


def test_the_reference_wants_no_blocks() -> None:
    assert wide_cells([builders.trial("ceiling", "small", 10, block=0)], 0.03) == set()


def test_blocks_follow_each_other_until_all_intervals_are_narrow() -> None:
    records = [*trials("a-1", NOISY), *trials("b-1", STEADY), *trials("c-1", NOISY)]
    blocks = []
    for block in further_blocks(records, 0.1, seed=1, is_spent=lambda: False):
        blocks.append(block)
        records += [
            builders.trial(
                run.server, cell.workload, cell.level, block=run.block, outcome=outcome(requests_per_second=1000.0)
            )
            for run in block
            for cell in run.cells
        ]
    assert 1 < len(blocks) < 100
    assert all({run.server for run in block} == {"a-1", "c-1"} for block in blocks)
    numbers = [block[0].block for block in blocks]
    assert numbers[0] == 7
    assert all(after == before + 1 for before, after in pairwise(numbers))
    assert {tuple(run.server for run in block) for block in blocks} == {("a-1", "c-1"), ("c-1", "a-1")}


def test_intervals_are_looked_at_after_half_as_many_blocks_again_and_not_in_between() -> None:
    """What is narrow after seven blocks may be so by chance, and is measured on until block nine."""
    records = trials("a-1", NOISY)
    made = []
    for block in further_blocks(records, 0.1, seed=1, is_spent=lambda: False):
        made.append(block[0].block)
        steady = outcome(requests_per_second=1000.0)
        records += [builders.trial("a-1", "small", 10, block=made[-1], outcome=steady)]
    assert made == list(range(7, made[-1] + 1))
    assert made[-1] in (9, 14, 21)
