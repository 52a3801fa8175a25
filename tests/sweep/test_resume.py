from __future__ import annotations

import msgspec
from support import builders
from support.builders import NOON

from ab_runner.model.records import Cell, Record, StartRecord
from ab_runner.sweep.protocol import ServerRun, plan
from ab_runner.sweep.resume import differences, remaining, starts_so_far

SERVERS = [builders.server("a-1"), builders.server("b-1")]
PLAN = plan(SERVERS, ("small",), (1, 10), blocks=2, seed=7)


def done(block: int, server: str, concurrency: int) -> Record:
    return builders.trial(server, "small", concurrency, block=block)


def test_nothing_is_left_of_a_sweep_whose_cells_all_have_a_record() -> None:
    records = [done(run.block, run.server, cell.concurrency) for run in PLAN for cell in run.cells]
    assert remaining(PLAN, records) == []
    assert remaining(PLAN, []) == PLAN


def test_what_is_left_keeps_its_block_and_its_order() -> None:
    first, second, *others = PLAN
    records = [
        *(done(1, first.server, level) for level in (1, 10)),
        builders.not_measured(second.server, "small", 1, "no keep-alive"),
    ]
    assert remaining(PLAN, records) == [ServerRun(1, second.server, (Cell(second.server, "small", 10),)), *others]


def test_files_of_new_starts_do_not_overwrite_those_of_earlier_ones() -> None:
    started = StartRecord(block=1, server="a-1", start=4, at=NOON, seconds=1.0)
    assert starts_so_far([started, builders.trial("a-1", "small", 1, start=3)]) == 4
    assert starts_so_far([]) == 0


def test_the_same_sweep_on_the_same_machine_does_not_differ() -> None:
    assert list(differences(builders.sweep(*SERVERS), builders.sweep(*SERVERS))) == []


def test_whatever_is_not_as_it_was_is_named_with_both_values() -> None:
    then = builders.sweep(*SERVERS, server_cpus=(1, 2))
    machine = msgspec.structs.replace(then.machine, kernel="6.12.0", sysctls={"net.core.somaxconn": "128"})
    changed = msgspec.structs.replace(SERVERS[0], caveats=("It has changed.",))
    now = builders.sweep(
        changed, machine=machine, server_cpus=(1,), environment={"ab": "This is ApacheBench, Version 2.3"},
        fixtures={"small.html": "11"}, skipped={"b-1": "cc is not installed"},
    )  # fmt: skip
    assert list(differences(then, now)) == [
        "kernel is 6.12.0 and was 6.1.0",
        "server CPUs is 1 and was 1, 2",
        "net.core.somaxconn is 128 and was 4096",
        "ab package is None and was apache2-utils 2.4.62-1",
        "small.html is 11 and was 00",
        "a-1 has another server.toml",
        "b-1 cannot run: cc is not installed",
    ]
