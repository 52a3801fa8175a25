"""Servers that were renamed between two sweeps, so that both have them under one id. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.model.server import current_id
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import Cell


def renames(sweep: Sweep, other: Sweep) -> dict[str, str]:
    """Return the servers of a sweep that have another id in the other sweep, with that id. Of several that became one
    server none is that server."""
    there = {server.id: current_id(server.id, other.servers) for server in sweep.servers}
    count = Counter(there.values())
    return {then: now for then, now in there.items() if then != now and count[now] == 1}


def with_ids(sweep: Sweep, names: Mapping[str, str]) -> Sweep:
    """Return the sweep with its servers under these ids."""
    renamed = (msgspec.structs.replace(server, id=names.get(server.id, server.id)) for server in sweep.servers)
    return msgspec.structs.replace(sweep, servers=tuple(renamed))


def cells_with_ids(cells: Mapping[Cell, CellSummary], names: Mapping[str, str]) -> dict[Cell, CellSummary]:
    """Return the cells with their servers under these ids."""
    found = {}
    for cell, summary in cells.items():
        there = msgspec.structs.replace(cell, server=names.get(cell.server, cell.server))
        found[there] = msgspec.structs.replace(summary, cell=there)
    return found
