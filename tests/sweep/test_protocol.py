from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import server

from ab_runner.model.load import Load
from ab_runner.model.records import AFTER, BEFORE, Cell
from ab_runner.sweep.protocol import PROTOCOLS, lead_in, plan, time_limit, trial_load

SERVERS = [server("a-1"), server("b-1", workloads=("echo",)), server("c-1", workloads=("small",))]


def test_every_block_has_every_cell_once_and_a_server_its_own_workloads_only() -> None:
    runs = plan(SERVERS, ["echo", "small", "large"], [1, 10], blocks=3, seed=7)
    assert [run.block for run in runs] == [1] * 3 + [2] * 3 + [3] * 3
    cells = Counter(cell for run in runs for cell in run.cells)
    assert set(cells.values()) == {3}
    assert set(cells) == {
        Cell(name, workload, level)
        for name, workload in [("a-1", "small"), ("a-1", "large"), ("b-1", "echo"), ("c-1", "small")]
        for level in (1, 10)
    }


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


def test_a_timed_trial_lasts_until_every_connection_can_have_made_ten_requests() -> None:
    second = Load(seconds=1)
    assert trial_load(second, concurrency=100, rate=2_000) == second
    assert trial_load(second, concurrency=500, rate=2_000) == Load(seconds=3)


def test_a_slow_server_stretches_a_trial_to_five_times_its_length_at_the_most() -> None:
    assert trial_load(Load(seconds=1), concurrency=1000, rate=1) == Load(seconds=5)


def test_a_trial_by_requests_is_never_stretched() -> None:
    assert trial_load(Load(requests=1000), concurrency=1000, rate=1) == Load(requests=1000)


@given(st.integers(1, 60), st.integers(1, 20_000), st.one_of(st.none(), st.floats(0, 1e6)))
def test_a_trial_is_never_shorter_than_asked_nor_longer_than_five_times(
    seconds: int, level: int, rate: float | None
) -> None:
    stretched = trial_load(Load(seconds=seconds), level, rate).seconds
    assert stretched is not None
    assert seconds <= stretched <= 5 * seconds


def test_each_block_begins_with_the_next_level_so_that_age_and_concurrency_are_not_confounded() -> None:
    runs = plan(SERVERS[:1], ["small", "large"], [1, 10, 100], blocks=4, seed=1)
    orders = [[cell.concurrency for cell in run.cells if cell.workload == "large"] for run in runs]
    assert orders == [[1, 10, 100], [10, 100, 1], [100, 1, 10], [1, 10, 100]]


def test_the_order_of_levels_is_the_same_for_all_servers_of_a_block() -> None:
    runs = plan([server("a-1"), server("b-1")], ["small"], [1, 10, 100], blocks=3, seed=1)
    for block in (1, 2, 3):
        orders = {tuple(cell.concurrency for cell in run.cells) for run in runs if run.block == block}
        assert len(orders) == 1


def test_a_lead_in_is_an_eighth_of_its_trial_and_no_longer_than_a_second() -> None:
    assert lead_in(Load(seconds=2), concurrency=10, rate=20_000) == Load(requests=5_000, seconds=1)


def test_a_lead_in_uses_every_connection() -> None:
    assert lead_in(Load(seconds=2), concurrency=1000, rate=40) == Load(requests=1000, seconds=1)


@pytest.mark.parametrize(("load", "rate"), [(Load(requests=400), 100.0), (Load(seconds=1), None)])
def test_there_is_no_lead_in_where_the_protocol_counts_requests_or_no_rate_is_known(
    load: Load, rate: float | None
) -> None:
    assert lead_in(load, 10, rate) is None


def test_ab_is_given_more_time_than_its_own_limits_need() -> None:
    assert time_limit(Load(seconds=5), idle_timeout=30, rate=None) > 35
    assert time_limit(Load(requests=1000), idle_timeout=30, rate=10) > 100 + 30


def test_the_protocol_of_2006_is_the_published_one() -> None:
    protocol = PROTOCOLS["2006"]
    assert protocol.warm_up_of("small").load == Load(requests=100_000)
    assert protocol.warm_up_of("large").load == Load(requests=2_000)
    assert protocol.trial_of("echo") == Load(requests=200_000)
    assert protocol.trial_of("large") == Load(requests=10_000)
    assert protocol.blocks == 1


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
