"""Sweeps on the nodes of a swarm without machines: what is stored, whatever becomes of nodes, jobs and the runner."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest
from support.swarm import SERVERS, FakeSwarm, node_record, ready_sweep, swarm_sweep, told_by

from ab_runner.errors import UserError
from ab_runner.model.message import Code, Message, Verdict
from ab_runner.model.records import NodeRecord
from ab_runner.model.trial import MOVED, RepeatedTrial, Trial
from ab_runner.runtime.docker_commands import DockerFailed
from ab_runner.runtime.swarm import Node, Service
from ab_runner.store.nodes import with_nodes
from ab_runner.store.plan import left_of
from ab_runner.store.reader import Stored, read
from ab_runner.store.writer import Store
from ab_runner.sweep.events import CellsAgain, Event, NodeSaid, OnNode
from ab_runner.sweep.swarm import conduct as room
from ab_runner.sweep.swarm.conduct import conduct
from ab_runner.sweep.swarm.job import Job
from ab_runner.sweep.swarm.told import EndTold, RecordTold, Told

CELLS = 2 * 2 + 1
"""Of a block: two servers at two levels, and the reference at one."""


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(room, "_WAIT_SECONDS", 0.2)
    monkeypatch.setattr(room, "_STOP_SECONDS", 0.1)


def trials(stored: Stored) -> list[Trial]:
    return [record for record in stored.records if isinstance(record, Trial)]


def nodes_of(stored: Stored) -> dict[int, str | None]:
    """The node of each block; all trials of a block must be of one."""
    found: dict[int, set[str | None]] = {}
    for record, node in with_nodes(stored.records):
        if isinstance(record, Trial):
            found.setdefault(record.block, set()).add(node)
    assert all(len(nodes) == 1 for nodes in found.values())
    return {block: nodes.pop() for block, nodes in found.items()}


def finished(folder: Path, swarm: FakeSwarm, blocks: int = 4) -> tuple[Stored, list[Event]]:
    """Measure a sweep, and check that every cell has its record once."""
    shown: list[Event] = []
    ready = ready_sweep(folder, swarm_sweep(blocks))
    conduct(ready, shown.append, swarm)
    ready.store.close()
    stored = read(folder)
    assert (stored.damage, stored.ending, left_of(stored)) == ((), "finished", [])
    assert len(trials(stored)) == blocks * CELLS
    assert {job.number for job in swarm.jobs} == set(range(1, len(swarm.jobs) + 1))
    assert len(swarm.removed) >= len(swarm.jobs), "no job is left"
    return stored, shown


def test_each_block_is_measured_on_one_node_and_all_is_in_one_store(tmp_path: Path) -> None:
    swarm = FakeSwarm("n1", "n2")
    stored, shown = finished(tmp_path / "sweep", swarm)
    assert set(nodes_of(stored)) == {1, 2, 3, 4}
    assert {job.node for job in swarm.jobs} == {"n1", "n2"}
    assert all((tmp_path / "sweep/raw" / each.raw).read_bytes() == b"$ ab" for each in trials(stored))
    assert len({each.start for each in trials(stored)}) == 4, "starts of different jobs have different numbers"
    assert {event.node for event in shown if isinstance(event, OnNode)} == {"n1", "n2"}


def test_the_block_of_a_node_that_dies_is_measured_anew_on_another_one(tmp_path: Path) -> None:
    def tells(job: Job) -> list[Told | str]:
        return [*told_by(job)[:7], "dies"] if job.node == "n1" else [*told_by(job)]

    swarm = FakeSwarm("n1", "n2", tells=tells)
    stored, shown = finished(tmp_path / "sweep", swarm)
    assert set(nodes_of(stored).values()) == {"n2"}
    moved = [record for record in stored.records if isinstance(record, RepeatedTrial)]
    assert [each.reason for each in moved] == [MOVED] * 2, "what it had measured is kept, and counts no more"
    assert CellsAgain(2) in shown
    assert NodeSaid("n1", "is gone: block 1 goes to another node") in shown


class Returning(FakeSwarm):
    """A node that is gone is back when the swarm is looked at again."""

    def nodes(self) -> list[Node]:
        found = super().nodes()
        self.ready = dict.fromkeys(self.ready, True)
        return found


def test_a_node_that_comes_back_gets_blocks_again(tmp_path: Path) -> None:
    def tells(job: Job) -> list[Told | str]:
        return [*told_by(job)[:7], "dies"] if job.number == 1 else [*told_by(job)]

    swarm = Returning("n1", tells=tells)
    stored, _ = finished(tmp_path / "sweep", swarm, blocks=2)
    assert set(nodes_of(stored).values()) == {"n1"}
    assert len(swarm.jobs) == 3


def test_a_block_goes_on_on_its_own_node(tmp_path: Path) -> None:
    """A job that fails in mid-block is made again there, from the first cell without a record on."""

    def tells(job: Job) -> list[Told | str]:
        said = told_by(job)
        return [*said[:7], EndTold("a disk is full")] if job.number == 1 else [*said]

    swarm = FakeSwarm("n1", tells=tells)
    stored, shown = finished(tmp_path / "sweep", swarm, blocks=1)
    assert [sum(len(run.cells) for run in job.runs) for job in swarm.jobs] == [CELLS, CELLS - 2]
    assert not [record for record in stored.records if isinstance(record, RepeatedTrial)]
    assert NodeSaid("n1", "its block waits for a node again: a disk is full") in shown


def test_a_node_on_which_jobs_fail_gets_no_more_and_the_others_do(tmp_path: Path) -> None:
    def tells(job: Job) -> list[Told | str]:
        return [EndTold("the node has no image ab-runner/a-1")] if job.node == "n1" else [*told_by(job)]

    stored, shown = finished(tmp_path / "sweep", FakeSwarm("n1", "n2", tells=tells))
    assert set(nodes_of(stored).values()) == {"n2"}
    assert [each.text for each in shown if isinstance(each, NodeSaid) and each.node == "n1"][-1].startswith(
        ("gets no blocks", "its block waits")
    )


def test_a_job_that_tells_of_another_block_is_not_believed(tmp_path: Path) -> None:
    def tells(job: Job) -> list[Told | str]:
        return [RecordTold(node_record("n1", job.block + 1))] if job.node == "n1" else [*told_by(job)]

    stored, _ = finished(tmp_path / "sweep", FakeSwarm("n1", "n2", tells=tells))
    assert {record.node for record in stored.records if isinstance(record, NodeRecord)} == {"n2"}


@pytest.mark.parametrize("why", ["cannot be prepared", "is gone"])
def test_without_a_node_the_sweep_stops_and_says_why(tmp_path: Path, why: str) -> None:
    swarm = FakeSwarm("n1")
    if why == "is gone":
        swarm.ready["n1"] = False
    else:
        swarm.broken["n1"] = "images cannot be copied"
    ready = ready_sweep(tmp_path / "sweep", swarm_sweep())
    with pytest.raises(UserError, match=r"no node of the swarm is left: n1: (images cannot be copied|is not ready)"):
        conduct(ready, lambda event: None, swarm)
    ready.store.close()
    assert (read(tmp_path / "sweep").ending or "").startswith("stopped: ")


class Slow(FakeSwarm):
    """A manager that does not answer each second question for nodes, and refuses the first job."""

    asked = 0
    refused = 0

    def nodes(self) -> list[Node]:
        self.asked += 1
        if self.asked % 2 == 0:
            raise subprocess.TimeoutExpired("docker", 120)
        return super().nodes()

    def start(self, node: Node, number: int, block: int, told: bytes) -> Service:
        if not self.refused:
            self.refused += 1
            raise DockerFailed(1, ("service", "create"), "", "the swarm has no leader")
        return super().start(node, number - self.refused, block, at(told, number - self.refused))


def at(told: bytes, number: int) -> bytes:
    """The same job with this number: one that was refused has taken one."""
    return msgspec.json.encode(msgspec.structs.replace(msgspec.json.decode(told, type=Job), number=number))


def test_a_manager_that_does_not_answer_for_once_costs_no_sweep(tmp_path: Path) -> None:
    _, shown = finished(tmp_path / "sweep", Slow("n1"), blocks=2)
    assert (
        NodeSaid("n1", "its block waits for a node again: docker service create failed: the swarm has no leader")
        in shown
    )


def test_a_manager_that_does_not_answer_any_more_ends_the_sweep(tmp_path: Path) -> None:
    swarm = FakeSwarm("n1")
    ready = ready_sweep(tmp_path / "sweep", swarm_sweep())

    def nodes() -> list[Node]:
        raise subprocess.TimeoutExpired("docker", 120)

    swarm.nodes = nodes  # type: ignore[method-assign]
    with pytest.raises(subprocess.TimeoutExpired):
        conduct(ready, lambda event: None, swarm)
    ready.store.close()
    assert (read(tmp_path / "sweep").ending or "").startswith("stopped: ")


def resumed(folder: Path, swarm: FakeSwarm) -> Stored:
    before = read(folder)
    ready = ready_sweep(folder, before.sweep, Store(folder), before.records)
    ready = msgspec.structs.replace(ready, runs=tuple(left_of(before)))
    conduct(ready, lambda event: None, swarm)
    ready.store.close()
    stored = read(folder)
    assert (stored.damage, left_of(stored)) == ((), [])
    assert len(trials(stored)) == stored.sweep.request.protocol.blocks * CELLS
    return stored


@pytest.mark.parametrize("stored_before", range(8))
def test_a_job_of_a_runner_that_was_killed_goes_on_and_nothing_is_stored_twice(
    tmp_path: Path, stored_before: int
) -> None:
    made = swarm_sweep(blocks=2)
    swarm = FakeSwarm("n1")
    folder = tmp_path / "sweep"
    store = Store.make(folder, made)
    runs = tuple(run for run in ready_sweep(tmp_path / "other", made).runs if run.block == 1)
    told = told_by(Job(number=7, block=1, node="n1", sweep=made, runs=runs))
    for each in [each for each in told if isinstance(each, RecordTold)][:stored_before]:
        store.append(each.record)
    store.close()
    service = Service("job-7", 7, 1, "n1")
    swarm.tell(service, told)
    swarm.here = [service]
    stored = resumed(folder, swarm)
    assert [job.block for job in swarm.jobs] == [2], "the first block was never placed again"
    assert swarm.jobs[0].number == 8
    assert set(nodes_of(stored)) == {1, 2}


def test_a_job_whose_block_has_been_placed_again_is_removed(tmp_path: Path) -> None:
    made = swarm_sweep(blocks=1)
    swarm = FakeSwarm("n2")
    store = Store.make(tmp_path / "sweep", made)
    store.append(node_record("n2", 1, job=3))
    store.close()
    swarm.here = [Service("job-2", 2, 1, "n1")]
    resumed(tmp_path / "sweep", swarm)
    assert "job-2" in swarm.removed
    assert [job.number for job in swarm.jobs] == [4]


def test_a_cell_that_failed_in_half_of_the_blocks_is_measured_no_more(tmp_path: Path) -> None:
    def tells(job: Job) -> list[Told | str]:
        said = told_by(job)
        failed = Verdict(False, Message(Code.TIMEOUT))
        return [
            RecordTold(msgspec.structs.replace(each.record, verdict=failed, outcome=None))
            if isinstance(each, RecordTold) and isinstance(each.record, Trial) and each.record.server == "b-1"
            else each
            for each in said
        ]

    swarm = FakeSwarm("n1", tells=tells)
    ready = ready_sweep(tmp_path / "sweep", swarm_sweep(4))
    conduct(ready, lambda event: None, swarm)
    ready.store.close()
    assert left_of(read(tmp_path / "sweep")) == []
    assert [{run.server for run in job.runs} for job in swarm.jobs] == [
        {"a-1", "b-1", "ceiling"}, {"a-1", "b-1", "ceiling"}, {"a-1", "ceiling"}, {"a-1", "ceiling"},
    ]  # fmt: skip
    assert len(SERVERS) == 2
