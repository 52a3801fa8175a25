"""What a sweep tells whoever shows it while it runs."""

from __future__ import annotations

import msgspec

from ab_runner.model import CellRecord, WorkloadName


class Doing(msgspec.Struct, frozen=True):
    """Event: what goes on from now. `what` is `start`, `probe`, `warm-up`, `trial` or `stop`."""

    what: str
    server: str
    workload: WorkloadName | None = None
    concurrency: int | None = None


class Done(msgspec.Struct, frozen=True):
    """Event: a cell has its record."""

    record: CellRecord


class Planned(msgspec.Struct, frozen=True):
    """Event: so many cells more are to be measured."""

    cells: int


Event = Doing | Done | Planned
