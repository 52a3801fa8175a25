"""Which cells need no further block, and which need blocks beyond those of the protocol because their intervals are
still too wide. Pure, except for the clock that the caller passes in."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from math import ceil

from ab_runner.analysis.disturbed import is_disturbed
from ab_runner.analysis.trial_figures import figure_of, figures_of
from ab_runner.model.records import Cell, CellRecord, cell_of, is_valid
from ab_runner.model.server import REFERENCE
from ab_runner.stats.estimate import blocks_wanted, median_over_blocks
from ab_runner.store.plan import ServerRun

LOOKS = 1.5
"""After so many times as many blocks it is looked again which cells need more."""


def wide_cells(records: Iterable[CellRecord], precision: float) -> set[Cell]:
    """Return the cells whose interval is wider than ± `precision` (0.03 for 3 %) or not yet known. A cell that has no
    figure of undisturbed trials, or got none in its last block, is not among them: another block would hardly help."""
    rates: dict[Cell, dict[int, list[float]]] = {}
    last: dict[Cell, CellRecord] = {}
    for record in records:
        if record.server != REFERENCE:
            last[cell_of(record)] = record
            if is_valid(record) and not is_disturbed(record) and (figure := figure_of(figures_of(record)[0])):
                blocks = rates.setdefault(cell_of(record), {})
                blocks.setdefault(record.block, []).append(figure)
    return {
        cell
        for cell, blocks in rates.items()
        if is_valid(last[cell]) and blocks_wanted(median_over_blocks(list(blocks.values())), len(blocks), precision) > 0
    }


def further_blocks(
    records: Iterable[CellRecord], precision: float, seed: int, is_spent: Callable[[], bool]
) -> Iterator[list[ServerRun]]:
    """Yield one block after the other, each with the servers and cells that need it, until none does or the budget
    `is_spent`. `records` is read anew for each block, so it may grow between them.

    Which cells need more is looked at once in a while: after six blocks, nine, 14, 21. A test after every block would
    stop at whatever makes an interval narrow by chance (docs/statistics.md)."""
    wide: set[Cell] = set()
    next_look = 0
    while not is_spent():
        seen = list(records)
        blocks = max((record.block for record in seen), default=0)
        if blocks >= next_look:
            wide = wide_cells(seen, precision)
            next_look = ceil(LOOKS * blocks)
        if not wide:
            return
        block = blocks + 1
        in_order = [cell_of(record) for record in seen if record.block == 1]
        servers = sorted({cell.server for cell in wide})
        cells = {server: [cell for cell in in_order if cell.server == server and cell in wide] for server in servers}
        random.Random(f"{seed} {block}").shuffle(servers)
        yield [ServerRun(block, server, tuple(cells[server])) for server in servers]
