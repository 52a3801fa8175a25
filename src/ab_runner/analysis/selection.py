"""A part of a sweep: some of its servers, workloads and levels. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TypeVar

import msgspec

from ab_runner.analysis.spreads import model_spreads, workload_spread
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.errors import UserError
from ab_runner.model.server import Server, current_id
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName

Named = TypeVar("Named", int, WorkloadName)


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """What is selected; empty: all. A server is selected by one of the patterns, or by being one of `members`, which
    are those of sets and need not be in every sweep."""

    servers: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    workloads: tuple[WorkloadName, ...] = ()
    levels: tuple[int, ...] = ()


def narrowed(analysis: SweepAnalysis, selection: Selection) -> SweepAnalysis:
    """Return the analysis with what is selected alone. Ranks, the summary and warnings are still those of the sweep;
    of the summary, the lines of other workloads are left out. UserError if the sweep has nothing of a selection."""
    sweep = analysis.sweep
    servers = _servers(sweep.servers, selection)
    workloads = _some("--workloads", sweep.request.workloads, selection.workloads)
    levels = _some("--concurrency", sweep.request.levels, selection.levels)
    ids = {server.id for server in servers}
    if sweep.reference and not analysis.is_closed:
        ids.add(sweep.reference.id)

    def is_selected(cell: Cell) -> bool:
        return cell.server in ids and cell.workload in workloads and cell.level in levels

    cells = {cell: summary for cell, summary in analysis.cells.items() if is_selected(cell)}
    measured = [name for name in analysis.workloads if name in workloads]
    request = msgspec.structs.replace(sweep.request, workloads=workloads, levels=levels)
    sweep = msgspec.structs.replace(sweep, servers=servers, request=request)
    summary = analysis.summary
    return msgspec.structs.replace(
        analysis,
        stored=msgspec.structs.replace(analysis.stored, sweep=sweep),
        cells=cells,
        spreads={each: workload_spread(each, servers, levels, cells) for each in measured},
        courses=tuple(each for each in analysis.courses if is_selected(each.cell)),
        io_models={each: model_spreads(each, servers, levels, cells) for each in measured},
        summary=msgspec.structs.replace(
            summary,
            workloads=tuple(each for each in summary.workloads if each.workload in workloads),
            starved=tuple(each for each in summary.starved if each.cell.workload in workloads),
        ),
    )


def _some(option: str, there: Sequence[Named], wanted: Sequence[Named]) -> tuple[Named, ...]:
    for each in wanted:
        if each not in there:
            raise UserError(f"{option}: the sweep has no {each}; it has {', '.join(map(str, there))}")
    return tuple(each for each in there if not wanted or each in wanted)


def _servers(there: Sequence[Server], selection: Selection) -> tuple[Server, ...]:
    if not selection.servers and not selection.members:
        return tuple(there)
    ids = {server.id for server in there}
    patterns = [current_id(pattern, there) for pattern in selection.servers]
    for pattern in patterns:
        if not any(fnmatchcase(id, pattern) for id in ids):
            raise UserError(f"--servers: the sweep has no server {pattern!r}; it has {', '.join(sorted(ids))}")
    members = {current_id(member, there) for member in selection.members}
    found = [each for each in there if each.id in members or any(fnmatchcase(each.id, one) for one in patterns)]
    if not found:
        raise UserError(f"--servers: the sweep has no server of the set; it has {', '.join(sorted(ids))}")
    return tuple(found)
