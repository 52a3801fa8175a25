from __future__ import annotations

from ab_runner.model.trial import Cell
from ab_runner.sweep.batch import in_turns


def cells(server: str, *levels: int) -> list[Cell]:
    return [Cell(server, "small", level) for level in levels]


def test_the_servers_of_a_batch_alternate_and_each_row_begins_with_the_next() -> None:
    order = [(cell.server, cell.level) for _, cell in in_turns([cells("a", 1, 10), cells("b", 1, 10)])]
    assert order == [("a", 1), ("b", 1), ("b", 10), ("a", 10)]


def test_each_cell_is_measured_once_by_its_own_server() -> None:
    of = [cells("a", 1, 10), cells("b", 10), cells("c", 10, 1, 100)]
    found = list(in_turns(of))
    assert sorted(found) == sorted((at, cell) for at, each in enumerate(of) for cell in each)


def test_a_server_alone_keeps_its_order() -> None:
    assert [cell for _, cell in in_turns([cells("a", 10, 100, 1)])] == cells("a", 10, 100, 1)
