"""The spread of the rates of several servers: of all that have a workload, and of those of an I/O model. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName


class Spread(msgspec.Struct, frozen=True):
    """The lowest, the median and the highest of several rates."""

    low: float
    middle: float
    high: float


class WorkloadSpread(msgspec.Struct, frozen=True):
    """The rates of all servers at all levels of a workload. `rates` is None where there is none; `without` of the
    `cells` have no rate."""

    servers: int
    cells: int
    without: int
    rates: Spread | None


class ModelSpread(msgspec.Struct, frozen=True):
    """The servers of an I/O model, and their rates at each level; None where none of them has a rate."""

    io_model: str
    servers: tuple[str, ...]
    levels: tuple[Spread | None, ...]


def workload_spread(
    workload: WorkloadName, servers: Iterable[Server], levels: Sequence[int], cells: Mapping[Cell, CellSummary]
) -> WorkloadSpread:
    """Return the spread over the servers that have this workload."""
    able = [server.id for server in servers if workload in server.workloads]
    places = (Cell(server, workload, level) for server in able for level in levels)
    found = [cells[cell] for cell in places if cell in cells]
    rates = [cell.figure for cell in found if cell.figure is not None]
    return WorkloadSpread(len(able), len(found), len(found) - len(rates), _spread(rates))


def model_spreads(
    workload: WorkloadName, servers: Iterable[Server], levels: Sequence[int], cells: Mapping[Cell, CellSummary]
) -> tuple[ModelSpread, ...]:
    """Return the spread of each I/O model at each level, without the ceiling."""
    members: dict[str, list[str]] = {}
    for server in servers:
        if workload in server.workloads and server.id != REFERENCE:
            members.setdefault(server.io_model, []).append(server.id)
    return tuple(
        ModelSpread(model, tuple(ids), tuple(_spread(_rates(ids, workload, level, cells)) for level in levels))
        for model, ids in sorted(members.items())
    )


def _rates(ids: Iterable[str], workload: WorkloadName, level: int, cells: Mapping[Cell, CellSummary]) -> list[float]:
    found = (cells.get(Cell(id, workload, level)) for id in ids)
    return [cell.figure for cell in found if cell and cell.figure is not None]


def _spread(rates: Sequence[float]) -> Spread | None:
    return Spread(min(rates), median(rates), max(rates)) if rates else None
