"""The events that a running sweep sends to its display."""

from __future__ import annotations

import msgspec

from ab_runner.model.trial import CellRecord
from ab_runner.model.workload import WorkloadName


class PhaseStarted(msgspec.Struct, frozen=True):
    """Event: a phase begins. `what` is `start`, `probe`, `warm-up`, `trial`, `repeat`, `verify` or `stop`."""

    what: str
    server: str
    workload: WorkloadName | None = None
    level: int | None = None


class CellFinished(msgspec.Struct, frozen=True):
    """Event: a cell has its record."""

    record: CellRecord


class CellsLeftOut(msgspec.Struct, frozen=True):
    """Event: so many cells of a batch are not measured, because they failed in half of the blocks."""

    cells: int


class CellsAgain(msgspec.Struct, frozen=True):
    """Event: so many cells that have a record are measured anew, because their block is on another node."""

    cells: int


class OnNode(msgspec.Struct, frozen=True):
    """Event: what happens on a node of a swarm."""

    node: str
    event: PhaseStarted | CellFinished


class NodeSaid(msgspec.Struct, frozen=True):
    """Event: what becomes of a node, in words."""

    node: str
    text: str


Event = PhaseStarted | CellFinished | CellsLeftOut | CellsAgain | OnNode | NodeSaid
