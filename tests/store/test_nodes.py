"""Of a block that moved to another node, what the last one measured counts."""

from __future__ import annotations

import msgspec
from support.builders import not_measured, server, sweep, trial
from support.swarm import node_record

from ab_runner.model.records import Record
from ab_runner.model.trial import MOVED, NotMeasured, RepeatedTrial
from ab_runner.store.nodes import counted_once, on_nodes

FIRST, SECOND = (trial("a-1", "small", 1, block=block) for block in (1, 2))
AGAIN = trial("a-1", "small", 1, block=1, start=2)
GIVEN_UP: NotMeasured = not_measured("b-1", "small", 1, "does not start")
N1, N2 = node_record("n1", 1), node_record("n2", 2)
MOVES = node_record("n2", 1, job=3)


def test_a_sweep_on_one_machine_is_as_it_is() -> None:
    assert counted_once([FIRST, SECOND]) == (FIRST, SECOND)
    assert on_nodes(sweep(server("a-1")), [FIRST]) == []


def test_what_the_former_node_measured_is_kept_and_counts_no_more() -> None:
    log: list[Record] = [N1, N2, FIRST, GIVEN_UP, SECOND, MOVES, AGAIN]
    moved = RepeatedTrial(trial=FIRST, reason=MOVED)
    assert counted_once(log) == (N1, N2, moved, SECOND, MOVES, AGAIN)


def test_a_block_that_comes_back_to_its_node_has_what_was_measured_there() -> None:
    log: list[Record] = [N1, FIRST, MOVES, AGAIN, node_record("n1", 1, job=4)]
    assert counted_once(log) == (*log[:3], RepeatedTrial(trial=AGAIN, reason=MOVED), log[4])


def test_each_node_has_its_own_machine_and_records() -> None:
    other = msgspec.structs.replace(N2.machine, cpu_model="Opteron")
    made = sweep(server("a-1"))
    log: list[Record] = [N1, msgspec.structs.replace(N2, machine=other), FIRST, SECOND]
    found = on_nodes(made, log)
    assert [(name, each.machine.cpu_model, records[1:]) for name, each, records in found] == [
        ("n1", "Xeon 3.0 GHz", (FIRST,)), ("n2", "Opteron", (SECOND,)),
    ]  # fmt: skip
    assert found[0][1].environment == made.environment | N1.environment
    assert found[0][1].id == f"{made.id} on n1"
