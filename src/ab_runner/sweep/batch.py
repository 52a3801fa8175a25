"""Servers that run at the same time: each is started and warmed up, then their trials alternate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import zip_longest

from ab_runner.model.trial import Cell
from ab_runner.store.plan import ServerRun
from ab_runner.sweep.context import SweepContext
from ab_runner.sweep.turn import Turn


def run_batch(runs: Sequence[ServerRun], context: SweepContext, starts: Iterator[int]) -> None:
    """Make the runs of a batch, or the only one. `starts` numbers the starts of the sweep. Each server is started while
    the one before it is warmed up, where the runtime can do that."""
    is_alone = len(runs) == 1
    turns = [Turn(run, context, starts, is_alone) for run in runs]
    with ExitStack() as stack:
        helper = stack.enter_context(ThreadPoolExecutor(1))
        for turn in turns:
            stack.callback(turn.stop)
        for turn, following in zip_longest(turns, turns[1:]):
            if following is None or not context.runtime.starts_ahead:
                turn.get_ready()
            else:
                turn.get_ready(meanwhile=partial(following.begin_ahead, helper))
        for at, cell in in_turns([run.cells for run in runs]):
            turns[at].measure(cell)


def in_turns(cells: Sequence[Sequence[Cell]]) -> Iterator[tuple[int, Cell]]:
    """Yield the cells of all servers, with the server's position: row by row (a workload at one level), so that servers
    are compared by trials within seconds of each other. Each row begins with the next server."""
    rows: dict[tuple[str, int], list[tuple[int, Cell]]] = {}
    for at, of_server in enumerate(cells):
        for cell in of_server:
            rows.setdefault((cell.workload, cell.level), []).append((at, cell))
    for number, row in enumerate(rows.values()):
        first = number % len(row)
        yield from (*row[first:], *row[:first])
