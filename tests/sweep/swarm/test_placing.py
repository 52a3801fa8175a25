"""Which node has which block, with nodes that take simulated time."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterable
from math import ceil

import pytest

from ab_runner.sweep.swarm.placing import FAILURES_AT_MOST, Placing

BLOCK = 600.0
TRANSFER = 200.0


def seconds_taken(blocks: int, nodes: int, dies_at: float | None = None) -> float:
    """How long a sweep takes on nodes that need `TRANSFER` to get ready, and about `BLOCK` for a block. The first one
    may die at some time."""
    draw = random.Random(blocks * 100 + nodes)
    placing = Placing(range(1, blocks + 1))
    events = [(TRANSFER * draw.uniform(0.5, 1.0), "ready", f"n{each}") for each in range(nodes)]
    if dies_at is not None:
        events.append((dies_at, "dies", "n0"))
    heapq.heapify(events)
    dead: set[str] = set()
    now = 0.0
    while not placing.is_done:
        now, what, node = heapq.heappop(events)
        if what == "dies":
            dead.add(node)
            placing.lose(node)
        elif node not in dead and what == "ready":
            placing.add(node)
        elif node not in dead:
            placing.done(node)
        for placed, _ in placing.next():
            heapq.heappush(events, (now + BLOCK * draw.uniform(0.96, 1.04), "done", placed))
    return now


@pytest.mark.parametrize("nodes", range(1, 17))
@pytest.mark.parametrize("blocks", [1, 2, 6, 12, 37])
def test_no_node_waits_while_a_block_does(nodes: int, blocks: int) -> None:
    assert seconds_taken(blocks, nodes) <= 1.1 * ceil(blocks / nodes) * BLOCK + TRANSFER


@pytest.mark.parametrize("nodes", [2, 3, 8, 16])
def test_a_node_that_dies_costs_its_block_and_its_share_of_the_others(nodes: int) -> None:
    taken = seconds_taken(24, nodes, dies_at=TRANSFER + 0.9 * BLOCK)
    assert taken <= 1.1 * (ceil(24 / (nodes - 1)) + 1) * BLOCK + TRANSFER


def placed_on(nodes: Iterable[str], placing: Placing) -> dict[str, int]:
    for node in nodes:
        placing.add(node)
    return dict(placing.next())


def test_a_block_that_was_begun_goes_on_where_it_was_begun() -> None:
    placing = Placing([1, 2, 3, 4], homes={2: "b", 3: "gone"})
    assert placed_on("ab", placing) == {"a": 1, "b": 2}
    placing.done("a")
    placing.done("b")
    assert dict(placing.next()) == {"a": 4, "b": 3}, "one of a node that is gone comes last"


def test_the_block_of_a_node_that_is_gone_is_the_next_one() -> None:
    placing = Placing([1, 2, 3])
    assert placed_on("ab", placing) == {"a": 1, "b": 2}
    assert placing.lose("a") == 1
    placing.done("b")
    assert placing.next() == [("b", 1)]
    assert placing.lose("c") is None
    assert placing.waiting == (3,)


def test_a_node_on_which_blocks_fail_in_a_row_gets_no_more() -> None:
    placing = Placing([1, 2])
    for attempt in range(1, FAILURES_AT_MOST + 1):
        assert placed_on("a", placing) == {"a": 1}
        assert placing.failed("a") == (attempt == FAILURES_AT_MOST)
    assert not placing.has_nodes
    assert not placing.is_done


def test_a_block_that_was_measured_makes_up_for_one_that_failed() -> None:
    placing = Placing([1, 2, 3])
    for block in (1, 2):
        placed_on("a", placing)
        assert not placing.failed("a")
        assert placed_on("a", placing) == {"a": block}
        placing.done("a")


def test_a_job_that_is_at_work_already_is_not_placed_again() -> None:
    placing = Placing([1, 2])
    placing.adopt("a", 2)
    assert placed_on("ab", placing) == {"b": 1}
    placing.done("a")
    placing.done("b")
    assert placing.is_done
