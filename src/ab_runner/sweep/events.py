"""What a sweep tells whoever shows it while it runs."""

from __future__ import annotations

import msgspec

from ab_runner.model.records import CellRecord
from ab_runner.model.workload import WorkloadName


class PhaseStarted(msgspec.Struct, frozen=True):
    """Event: what goes on from now on. `what` is `start`, `probe`, `warm-up`, `trial` or `stop`."""

    what: str
    server: str
    workload: WorkloadName | None = None
    concurrency: int | None = None


class CellFinished(msgspec.Struct, frozen=True):
    """Event: a cell has its record."""

    record: CellRecord


class CellsAdded(msgspec.Struct, frozen=True):
    """Event: so many cells more are to be measured."""

    cells: int


Event = PhaseStarted | CellFinished | CellsAdded
