"""What the store of a sweep has of each block that the nodes of a swarm measure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from ab_runner.model.records import NodeRecord, Record, is_valid
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell, CellRecord, NotMeasured, Trial, cell_of
from ab_runner.store.nodes import block_of
from ab_runner.store.plan import ServerRun


class Progress:
    """What the store has of each block that is to be measured."""

    def __init__(self, planned: Mapping[int, list[ServerRun]], before: Iterable[Record]) -> None:
        self._planned = planned
        self.homes: dict[int, str] = {}
        """The node that each block was begun on last."""
        self.jobs: dict[int, int] = {}
        """The last job of each block."""
        self.of_last_job: Counter[int] = Counter()
        """The records of a block since its last job began."""
        self._done: dict[int, set[tuple[int | None, Cell]]] = {}
        self._failed: dict[int, set[Cell]] = {}
        for record in before:
            self.add(record)

    def add(self, record: Record) -> int:
        """A record is stored: return how many cells of its block it makes count no more."""
        block = block_of(record)
        again = 0
        if block is None:
            return 0
        if isinstance(record, NodeRecord):
            if self.homes.get(block, record.node) != record.node:
                again = len(self._done.pop(block, ()))
                self._failed.pop(block, None)
            self.homes[block], self.jobs[block] = record.node, record.job
            self.of_last_job[block] = 0
        self.of_last_job[block] += 1
        if isinstance(record, Trial | NotMeasured):
            self._add_cell(block, record)
        return again

    def _add_cell(self, block: int, record: CellRecord) -> None:
        self._done.setdefault(block, set()).add((record.batch, cell_of(record)))
        if not is_valid(record) and record.server != REFERENCE:
            self._failed.setdefault(block, set()).add(cell_of(record))

    def runs(self, node: str, block: int, failures: int) -> tuple[tuple[ServerRun, ...], int]:
        """Return what a node would have to measure of a block, and how many of its cells are left out because they
        failed in so many blocks."""
        done = self._done.get(block, set()) if self.homes.get(block) == node else set()
        failed = Counter(cell for other, cells in self._failed.items() if other != block for cell in cells)
        runs, left_out = [], 0
        for run in self._planned[block]:
            open_cells = [cell for cell in run.cells if (run.batch, cell) not in done]
            cells = tuple(cell for cell in open_cells if failed[cell] < failures)
            left_out += len(open_cells) - len(cells)
            if cells:
                runs.append(replace(run, cells=cells))
        return tuple(runs), left_out
