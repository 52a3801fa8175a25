from __future__ import annotations

from collections import Counter

import msgspec
from support import builders
from support.builders import NOON, server

from ab_runner.model.records import Record, StartRecord
from ab_runner.model.server import Server
from ab_runner.model.trial import AFTER, BEFORE, Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.store.plan import ServerRun, batches_of, left_of, plan, remaining, starts_so_far
from ab_runner.store.reader import Stored

SERVERS = [server("a-1"), server("b-1", workloads=("echo",)), server("c-1", workloads=("small",))]


def test_every_block_has_every_cell_once_and_a_server_its_own_workloads_only() -> None:
    runs = plan(SERVERS, ["echo", "small", "large"], [1, 10], blocks=3, seed=7)
    assert [run.block for run in runs] == [1] * 3 + [2] * 3 + [3] * 3
    cells = Counter(cell for run in runs for cell in run.cells)
    assert set(cells.values()) == {3}
    served: list[tuple[str, WorkloadName]] = [("a-1", "small"), ("a-1", "large"), ("b-1", "echo"), ("c-1", "small")]
    assert set(cells) == {Cell(name, workload, level) for name, workload in served for level in (1, 10)}


def test_a_server_without_any_of_the_workloads_is_not_started() -> None:
    assert [run.server for run in plan(SERVERS, ["echo"], [1], blocks=1, seed=1)] == ["b-1"]


def test_one_block_keeps_the_order_and_several_draw_it_from_the_seed() -> None:
    many = [server(f"s-{number}") for number in range(20)]

    def order(blocks: int, seed: int) -> list[str]:
        return [run.server for run in plan(many, ["small"], [1], blocks, seed)]

    assert order(1, 5) == [each.id for each in many]
    assert order(3, 5) == order(3, 5)
    assert order(3, 5) != order(3, 6)
    assert order(3, 5)[:20] != order(3, 5)[20:40]


def test_each_block_begins_with_the_next_level_so_that_age_and_concurrency_are_not_confounded() -> None:
    runs = plan(SERVERS[:1], ["small", "large"], [1, 10, 100], blocks=4, seed=1)
    orders = [[cell.level for cell in run.cells if cell.workload == "large"] for run in runs]
    assert orders == [[1, 10, 100], [10, 100, 1], [100, 1, 10], [1, 10, 100]]


def test_on_nodes_each_block_has_the_reference_of_its_own_machine() -> None:
    reference = server("ceiling", workloads=("small", "large"))

    def blocks(servers: list[Server], together: int = 1) -> list[list[str]]:
        runs = plan(
            servers, ["small"], [1], 2, seed=1, reference=reference, together=together, reference_in_blocks=True
        )
        return [[run.server for run in runs if run.block == block] for block in (1, 2)]

    first, second = blocks(SERVERS)
    assert first[0] == second[0] == "ceiling"
    assert sorted(first) == sorted(second) == ["a-1", "c-1", "ceiling"]
    assert [block.count("ceiling") for block in blocks([*SERVERS, reference])] == [1, 1]
    assert [block[-1] for block in blocks(SERVERS, together=12)] == ["ceiling", "ceiling"]


def test_where_levels_do_not_rotate_each_has_all_workloads_before_the_next() -> None:
    runs = plan(SERVERS[:1], ["small", "large"], [0, 100], blocks=2, seed=1, rotates=False)
    for run in runs:
        assert [(cell.level, cell.workload) for cell in run.cells] == [
            (0, "small"), (0, "large"), (100, "small"), (100, "large"),
        ]  # fmt: skip


def test_the_order_of_levels_is_the_same_for_all_servers_of_a_block() -> None:
    runs = plan([server("a-1"), server("b-1")], ["small"], [1, 10, 100], blocks=3, seed=1)
    for block in (1, 2, 3):
        orders = {tuple(cell.level for cell in run.cells) for run in runs if run.block == block}
        assert len(orders) == 1


def test_the_reference_comes_before_and_after_all_blocks_with_the_workloads_of_the_sweep() -> None:
    reference = server("ceiling", workloads=("echo", "small", "small-keepalive", "large"))
    runs = plan([server("a-1", workloads=("small",))], ["echo", "small"], [1, 10, 100], 2, 1, reference)
    assert [(run.block, run.server) for run in runs] == [
        (BEFORE, "ceiling"),
        (1, "a-1"),
        (2, "a-1"),
        (AFTER, "ceiling"),
    ]
    assert runs[0].cells == runs[-1].cells == (Cell("ceiling", "small", 10),)


def test_the_servers_of_a_block_are_split_into_batches_of_almost_equal_size_each_with_the_reference() -> None:
    reference = server("ceiling", workloads=("small",))
    many = [server(f"s-{number}") for number in range(7)]
    runs = plan(many, ["small"], [1, 10, 100], 2, 1, reference, together=3)
    batches = list(batches_of(runs))
    assert [len(batch) for batch in batches] == [4, 3, 3] * 2
    assert [{run.batch for run in batch} for batch in batches] == [{number} for number in range(1, 7)]
    assert all(batch[-1].cells == (Cell("ceiling", "small", 10),) for batch in batches)
    for block in (1, 2):
        assert sorted(run.server for run in runs if run.block == block and run.server != "ceiling") == [
            each.id for each in many
        ]
    together = [{run.server for run in batch} for batch in batches]
    assert together[:3] != together[3:]


def test_latencies_of_the_reference_are_measured_at_all_levels_where_the_sweep_says_so() -> None:
    reference = server("ceiling", workloads=("small",))
    every = {}
    for at_all in (False, True):
        runs = plan([server("a-1")], ["small"], [10, 20, 50], 1, 1, reference, 2, reference_at_all_levels=at_all)
        every[at_all] = [cell.level for run in runs if run.server == reference.id for cell in run.cells]
    assert every == {False: [20], True: [10, 20, 50]}


def test_a_reference_that_takes_part_is_not_in_its_batch_twice() -> None:
    reference = server("ceiling", workloads=("small",))
    runs = plan([reference, server("a-1"), server("b-1")], ["small"], [1, 10], 1, 1, reference, together=2)
    batches = [sorted(run.server for run in batch) for batch in batches_of(runs)]
    assert sorted(map(len, batches)) == [2, 2]
    assert all(batch.count("ceiling") == 1 for batch in batches)


def test_one_by_one_each_run_is_a_batch_of_its_own() -> None:
    runs = plan(SERVERS, ["echo", "small"], [1], blocks=2, seed=1)
    assert list(batches_of(runs)) == [[run] for run in runs]


# --- what is left ----------------------------------------------------------------------------------------------

PLAN = plan([server("a-1"), server("b-1")], ("small",), (1, 10), blocks=2, seed=7)


def done(block: int, server: str, concurrency: int) -> Record:
    return builders.trial(server, "small", concurrency, block=block)


def test_nothing_is_left_of_a_sweep_whose_cells_all_have_a_record() -> None:
    records = [done(run.block, run.server, cell.level) for run in PLAN for cell in run.cells]
    assert remaining(PLAN, records) == []
    assert remaining(PLAN, []) == PLAN


def test_what_is_left_keeps_its_block_and_its_order() -> None:
    first, second, *others = PLAN
    records = [
        *(done(1, first.server, level) for level in (1, 10)),
        builders.not_measured(second.server, "small", 1, "no keep-alive"),
    ]
    assert remaining(PLAN, records) == [ServerRun(1, second.server, (Cell(second.server, "small", 10),)), *others]


def test_cells_that_failed_in_half_of_the_blocks_are_not_left_to_be_measured() -> None:
    stored = builders.sweep(server("a-1", workloads=("small",)))
    protocol = msgspec.structs.replace(stored.request.protocol, blocks=4)
    request = msgspec.structs.replace(stored.request, protocol=protocol, workloads=("small",), levels=(1, 10))
    failed = [builders.failed_trial("a-1", "small", 1, "timeout", block=block) for block in (1, 2)]
    measured = [builders.trial("a-1", "small", 10, block=block) for block in (1, 2)]
    left = left_of(Stored(msgspec.structs.replace(stored, request=request), (*failed, *measured)))
    assert [(run.block, [cell.level for cell in run.cells]) for run in left] == [(3, [10]), (4, [10])]


def test_each_batch_has_a_check_of_the_reference_of_its_own() -> None:
    reference = server("ceiling", workloads=("small",))
    runs = plan([server("a-1"), server("b-1")], ["small"], [10], 1, 1, reference, together=1)
    assert [run.batch for run in runs] == [None] * 4
    runs = plan([server(f"s-{number}") for number in range(4)], ["small"], [10], 1, 1, reference, together=2)
    first = [builders.trial(run.server, "small", 10, block=1, batch=1) for run in runs if run.batch == 1]
    assert remaining(runs, first) == [run for run in runs if run.batch == 2]


def test_files_of_new_starts_do_not_overwrite_those_of_earlier_ones() -> None:
    started = StartRecord(block=1, server="a-1", start=4, at=NOON, seconds=1.0)
    assert starts_so_far([started, builders.trial("a-1", "small", 1, start=3)]) == 4
    assert starts_so_far([]) == 0
