"""The tables of a sweep for a reader: a row for each server, a column for each concurrency. Pure;
`report.formats.terminal` and `report.formats.markdown` write them down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ab_runner.analysis.bounds import bound_of_ratio
from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.compared import Base, Compared
from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.rankings import Rankings, best_cells, best_of, pairs_of, ranks_of
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import Axis, level_text
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.trial import Cell
from ab_runner.model.workload import Workload, WorkloadName
from ab_runner.report.document import Emphasis, Report, Table, TableCell, emphasised
from ab_runner.report.say.facts import facts_of, heading_of, session_lines
from ab_runner.report.say.figures import (
    AT_LEAST,
    NO_RECORD,
    NOTHING,
    cpu_efficiency_cell,
    figure_cell,
    latency_cell,
    rank_cell,
)
from ab_runner.report.say.notes import grouped_notes, latency_notes, rate_notes, untestable_notes
from ab_runner.report.say.numbers import differences_text, ratio_figure, share_figure
from ab_runner.report.say.summary import summary_lines
from ab_runner.report.say.warnings import warning_lines
from ab_runner.report.say.words import Words, words_of
from ab_runner.report.tables.fastest import TOGETHER, fastest_table
from ab_runner.report.tables.grid import headings_of, rows_of, table_of
from ab_runner.report.tables.open_load import latency_tables, open_load_tables
from ab_runner.stats.ranking import Ranking

ABOVE_THE_CEILING = "more than 100: the ceiling is a reference, not an upper bound"
SHARED_RANKS = (
    "a rank is a range of places, 2–4 the second to the fourth: servers that were not told apart, or not compared, "  # noqa: RUF001
    "share places"
)
RELATIVE = (
    "in brackets the 95 % interval, from {} sessions: its noise is that of trials, and what a session does to a server "
    "and not to others"
)
BASE = "1 is the geometric mean, in each session, of the servers that every session has: {}"
LIMITED_BASE = "at {} the generator limited some of these, so that mean is a lower bound too"
CPU_EFFICIENCY = "requests per CPU-second of the server"
NO_REFERENCE = "no reference"
_MOST_WARNINGS = 5
"""The most lines of warnings in a short report."""


def report_of(analysis: SweepAnalysis, everything: bool = False) -> Report:
    """Return the report of a sweep: who is fastest, the tables of rates, and short warnings. With `everything`, also
    the tables of ranks, latencies, CPU efficiency and shares, and all notes and warnings."""
    workloads = [analysis.sweep.workload(name) for name in analysis.workloads]
    if everything:
        return Report(
            heading=heading_of(analysis.sweep),
            facts=(*session_lines(analysis), *facts_of(analysis)),
            tables=(
                *(_rates(each, analysis, tuple(rate_notes(each.name, analysis))) for each in workloads),
                *(table for each in workloads for table in relative_tables(each, analysis)),
                *(table for each in workloads for table in latency_tables(each, analysis)),
                *(table for each in workloads for table in _details(each, analysis)),
            ),
            warnings=warning_lines(analysis.warnings, everything=True),
            answer=fastest_table(analysis),
            summary=summary_lines(analysis.summary),
        )
    machine, *others = facts_of(analysis)
    untestable = (note for workload in workloads for note in untestable_notes(workload.name, analysis))
    return Report(
        heading=heading_of(analysis.sweep),
        facts=(*session_lines(analysis), machine, "; ".join(others)),
        tables=(
            *(_rates(workload, analysis) for workload in workloads),
            *(table for each in workloads for table in relative_tables(each, analysis)),
            *(table for each in workloads for table in latency_tables(each, analysis)),
        ),
        warnings=_at_most(_MOST_WARNINGS, warning_lines(analysis.warnings)),
        notes=(*grouped_notes(analysis), *_joined(untestable)),
        answer=fastest_table(analysis),
        summary=summary_lines(analysis.summary, everything=False),
    )


def _at_most(most: int, lines: Sequence[str]) -> tuple[str, ...]:
    if len(lines) <= most:
        return tuple(lines)
    return (*lines[: most - 1], f"{len(lines) - most + 1} more warnings: ./ab-runner report --all")


def _joined(lines: Iterator[str]) -> Iterator[str]:
    """Yield all notes as one line, if there are any."""
    if text := "; ".join(dict.fromkeys(lines)):
        yield text


def _details(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    yield from ranks_tables(workload, analysis)
    if not lower_is_better(analysis.measure):
        yield _latencies(workload, analysis)
    yield from _cpu_efficiency(workload, analysis)
    yield from _shares(workload, analysis)
    yield from open_load_tables(workload, analysis)


def _rates(workload: Workload, analysis: SweepAnalysis, notes: tuple[str, ...] = ()) -> Table:
    servers = analysis.servers_of(workload.name)
    best = best_cells(analysis.rankings)
    rows = rows_of(workload.name, servers, analysis, lambda cell: _figure(cell, analysis, cell in best))
    untestable = [server for server in analysis.sweep.servers if workload.name in server.untestable]
    quantity = words_of(analysis.sweep.request).quantity
    curves = tuple(_curve(workload.name, server, analysis) for server in servers)
    return Table(
        title=f"{workload.name}: {quantity}{over_sessions(analysis)}{workload.in_brackets}",
        headings=headings_of(analysis),
        rows=(*rows, *rows_of(workload.name, untestable, analysis, lambda cell: NOTHING)),
        notes=notes,
        splits=True,
        curves=(*curves, *(() for _ in untestable)) if len(analysis.levels) > 1 else (),
    )


def over_sessions(analysis: SweepAnalysis) -> str:
    """Return `, range over 3 sessions` for a title; nothing for one sweep."""
    return f", range over {len(analysis.sessions)} sessions" if analysis.sessions else ""


def relative_tables(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield the figures relative to the mean of the servers, of several sessions: of latencies a table for each
    percentile that is compared."""
    quantity = words_of(analysis.sweep.request).quantity
    for compared in analysis.compared:
        places = ((level, (workload.name, level)) for level in analysis.levels)
        bases = {level: compared.bases[place] for level, place in places if place in compared.bases}
        if bases:
            of = quantity if compared.percentile is None else f"p{compared.percentile} latency"
            yield table_of(
                f"{workload.name}: {of}, relative to the mean of the servers",
                workload.name,
                analysis,
                partial(_relative, compared=compared),
                (RELATIVE.format(len(analysis.sessions)), *_base_notes(bases, analysis.axis)),
            )


def _relative(cell: Cell, compared: Compared) -> TableCell:
    found = compared.relative.get(cell)
    if found is None:
        return NOTHING
    bound = bound_of_ratio(
        compared.measurements[cell].is_lower_bound, compared.bases[cell.workload, cell.level].is_bound
    )
    return TableCell(ratio_figure(found, by_cpu_time=False, bound=bound), value=found.value)


def _base_notes(bases: Mapping[int, Base], axis: Axis) -> Iterator[str]:
    """Yield of how many servers the mean is, at all levels or at each, and where it is a lower bound."""
    sizes = {level: base.servers for level, base in bases.items()}
    every = set(sizes.values())
    if len(every) == 1:
        yield BASE.format(*every)
    else:
        yield BASE.format(", ".join(f"{size} at {level_text(axis, level)}" for level, size in sizes.items()))
    if limited := [level_text(axis, level) for level, base in bases.items() if base.is_bound]:
        yield LIMITED_BASE.format(", ".join(limited))
        yield AT_LEAST


def _figure(cell: Cell, analysis: SweepAnalysis, is_best: bool) -> TableCell:
    found = analysis.cells.get(cell)
    return figure_cell(found, is_best) if found else TableCell(no_record(cell.server, analysis), Emphasis.REASON)


def no_record(server: str, analysis: SweepAnalysis) -> str:
    """Return the text of a cell without a record: older sweeps measured the reference at one level only."""
    return NO_REFERENCE if server == REFERENCE and not analysis.is_closed else NO_RECORD


def _latencies(workload: Workload, analysis: SweepAnalysis) -> Table:
    return table_of(
        f"{workload.name}: time per request in ms, median / p90 / p99 / p99.9 / longest",
        workload.name,
        analysis,
        lambda cell: latency_cell(analysis.cells.get(cell)),
        tuple(latency_notes(workload.name, analysis)),
    )


def _cpu_efficiency(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield the table where the servers' CPU time is known, and the ranks by it."""
    if not any(cell.cpu_efficiency for cell in _cells(workload.name, analysis)):
        return
    best = best_cells(analysis.cpu_efficiency)
    yield table_of(
        f"{workload.name}: {CPU_EFFICIENCY}",
        workload.name,
        analysis,
        lambda cell: emphasised(cpu_efficiency_cell(analysis.cells.get(cell)), cell in best),
    )
    yield from _ranks(f"{workload.name}: ranks by {CPU_EFFICIENCY}", workload.name, analysis, analysis.cpu_efficiency)


def ranks_tables(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield the tables of ranks where there are blocks enough to compare servers: by the figures, and of latencies by
    each percentile that is compared."""
    for compared in analysis.compared:
        by = "" if compared.percentile is None else f" by p{compared.percentile}"
        over = compared.over_levels.get(workload.name)
        together = over[1] if over and over[1].ranks else None
        yield from _ranks(f"{workload.name}: ranks{by}", workload.name, analysis, compared.rankings, together)


def _ranks(
    title: str, workload: WorkloadName, analysis: SweepAnalysis, rankings: Rankings, together: Ranking | None = None
) -> Iterator[Table]:
    here = {level: ranking for (name, level), ranking in rankings.items() if name == workload}
    if not any(len(ranking.ranks) > 1 for ranking in here.values()):
        return
    ranks = ranks_of(rankings)
    best = best_cells(rankings)
    servers = [each for each in analysis.servers_of(workload) if analysis.is_closed or each.id != REFERENCE]
    rows = rows_of(
        workload,
        servers,
        analysis,
        lambda cell: emphasised(rank_cell(ranks.get(cell), analysis.cells.get(cell)), cell in best),
    )
    headings = headings_of(analysis)
    if together is not None:
        first = best_of(together)
        headings += (TOGETHER,)
        rows = tuple(
            (*row, emphasised(rank_cell(together.ranks.get(server.id), None), server.id in first))
            for server, row in zip(servers, rows, strict=True)
        )
    every = [*here.values(), *([together] if together is not None else [])]
    yield Table(
        title=title,
        headings=headings,
        rows=rows,
        notes=(SHARED_RANKS, pairs_text(every, words_of(analysis.sweep.request))),
        splits=True,
    )


def pairs_text(rankings: Sequence[Ranking], words: Words) -> str:
    """Return how many of the pairs of servers are in an order, tied, and not compared."""
    pairs = pairs_of(rankings)
    parts = [f"{pairs.in_order:,} in an order"]
    if pairs.detectable is not None:
        parts.append(f"{pairs.tied:,} tied ({differences_text([pairs.detectable])} would have shown in half of them)")
    if pairs.not_compared:
        parts.append(f"{pairs.not_compared:,} not compared, because {words.limit} was the limit")
    return f"pairs of servers: {'; '.join(parts)}"


def _shares(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield the table where the ceiling has a figure to be a share of."""
    servers = [server for server in analysis.servers_of(workload.name) if server.id != REFERENCE]
    places = [Cell(server.id, workload.name, level) for server in servers for level in analysis.levels]
    shares = [analysis.shares[cell] for cell in places if cell in analysis.shares]
    if shares:
        yield Table(
            title=f"{workload.name}: requests per second as a share of the ceiling's, %",
            headings=headings_of(analysis),
            rows=rows_of(
                workload.name, servers, analysis, lambda cell: TableCell(share_figure(analysis.shares.get(cell)))
            ),
            notes=(ABOVE_THE_CEILING,) if max(shares) > 1 else (),
            splits=True,
        )


# --- rows --------------------------------------------------------------------------------------------------------


def _cells(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[CellSummary]:
    """Yield the cells of the servers that have this workload."""
    for server in analysis.servers_of(workload):
        yield from analysis.cells_of(server.id, workload)


def _curve(workload: WorkloadName, server: Server, analysis: SweepAnalysis) -> tuple[float | None, ...]:
    found = (analysis.cell(server.id, workload, level) for level in analysis.levels)
    return tuple(cell.figure if cell else None for cell in found)
