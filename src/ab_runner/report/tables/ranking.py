"""The servers at one workload and concurrency, the fastest first: the small tables of a page. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.rankings import best_of
from ab_runner.analysis.selection import Selection, narrowed
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.errors import UserError
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.trial import Cell
from ab_runner.model.workload import Workload
from ab_runner.report.document import Report, Table, TableCell
from ab_runner.report.say.figures import NOTHING, figure_cell, rank_cell
from ab_runner.report.say.notes import rate_notes
from ab_runner.report.say.words import words_of
from ab_runner.report.tables.of_sweep import SHARED_RANKS, over_sessions, pairs_text
from ab_runner.report.tables.open_load import Detail, detail_of


def report_ranking(analysis: SweepAnalysis) -> Report:
    """Return a table for each workload and level: server, I/O model, figure, rank, and what cells of an open load have
    besides. UserError if nothing was measured."""
    workloads = map(analysis.sweep.workload, analysis.workloads)
    detail = detail_of(analysis)
    tables = [_table(workload, level, analysis, detail) for workload in workloads for level in analysis.levels]
    found = tuple(table for table in tables if table.rows)
    if not found:
        raise UserError(f"{analysis.sweep.id} has no results to rank")
    return Report(tables=found)


def _table(workload: Workload, level: int, analysis: SweepAnalysis, detail: Detail | None) -> Table:
    servers = sorted(_able(workload, analysis), key=lambda server: _order(server, workload, level, analysis))
    part = Selection(members=tuple(each.id for each in servers), workloads=(workload.name,), levels=(level,))
    ranking = analysis.rankings.get((workload.name, level))
    best = best_of(ranking) if ranking else frozenset()
    notes = list(_notes(workload, narrowed(analysis, part))) if servers else []
    words = words_of(analysis.sweep.request)
    if ranking and ranking.pairs and servers:
        notes.append(pairs_text([ranking], words))
    if ranking and len(ranking.ranks) > len(servers):
        notes.append(f"ranks are among all {len(ranking.ranks)} servers of the sweep that have one")
    headings: tuple[str, ...] = ("server", "I/O model", words.unit, "rank")
    places = [(server, Cell(server.id, workload.name, level)) for server in servers]
    rows: list[tuple[TableCell, ...]] = [
        (
            TableCell(server.id),
            TableCell(server.io_model),
            figure_cell(analysis.cells.get(cell), server.id in best),
            rank_cell(analysis.ranks.get(cell), None),
        )
        for server, cell in places
    ]
    details = [detail.of(cell) for _, cell in places] if detail else []
    if detail and any(details):
        headings += (detail.title,)
        rows = [(*row, each or NOTHING) for row, each in zip(rows, details, strict=True)]
        notes += detail.notes
    return Table(
        title=f"{workload.name}: {words.quantity_at(level)}{over_sessions(analysis)}{workload.in_brackets}",
        headings=headings,
        rows=tuple(rows),
        notes=tuple(notes),
        names=2,
    )


def _notes(workload: Workload, shown: SweepAnalysis) -> Iterator[str]:
    """Yield the notes of a table that shows this part of a sweep."""
    yield from rate_notes(workload.name, shown)
    ranks = [shown.ranks[cell] for cell in shown.cells if cell in shown.ranks]
    if any(rank.best != rank.worst for rank in ranks):
        yield SHARED_RANKS


def _able(workload: Workload, analysis: SweepAnalysis) -> list[Server]:
    """Return the servers that can have a rank. The ceiling, which is no competitor, has none: it is there among
    capacities alone, where its own is that of machine and generator."""
    servers = analysis.servers_of(workload.name)
    return [each for each in servers if analysis.measure == "capacity" or each.id != REFERENCE]


def _order(server: Server, workload: Workload, level: int, analysis: SweepAnalysis) -> tuple[float, float]:
    """Return what servers are sorted by: the best rank that they may have, then the figure. Those without come last."""
    cell = Cell(server.id, workload.name, level)
    rank, summary = analysis.ranks.get(cell), analysis.cells.get(cell)
    figure = summary.figure if summary else None
    if figure is None:
        return rank.best if rank else float("inf"), float("inf")
    return rank.best if rank else float("inf"), figure if lower_is_better(analysis.measure) else -figure
