"""The batches of a sweep: what was planned, without the cells that have failed too often."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ab_runner.model.trial import CellRecord
from ab_runner.store.plan import ServerRun, batches_of, without_failed_cells
from ab_runner.sweep.events import CellsLeftOut, Event


def batches_to_run(
    runs: Iterable[ServerRun], failures: int, records: Iterable[CellRecord], show: Callable[[Event], None]
) -> Iterator[list[ServerRun]]:
    """Yield the batches of these runs, without cells that failed so often. `records` is read anew for each batch, when
    all batches before it have been run."""
    for planned in batches_of(runs):
        batch = without_failed_cells(planned, records, failures)
        if left_out := _cells_in(planned) - _cells_in(batch):
            show(CellsLeftOut(left_out))
        if batch:
            yield batch


def _cells_in(runs: Iterable[ServerRun]) -> int:
    return sum(len(run.cells) for run in runs)
