"""One result of sweeps of the same servers, made at other hours or on other machines. Pure.

A session is the hours and the machine of one sweep. Absolute figures are ranges over sessions; servers are compared
by the layout of `stats.sessions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import geometric_mean
from typing import Any

from msgspec.structs import replace

from ab_runner.analysis.cells import CellSummary, summarise_cell
from ab_runner.analysis.compared import Base, Compared, compared_by
from ab_runner.analysis.comparison import work_differences
from ab_runner.analysis.courses import courses_of
from ab_runner.analysis.latencies import OpenLatencies
from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.measurements import cpu_efficiencies_of, measurements_of
from ab_runner.analysis.nodes import differences_of_nodes
from ab_runner.analysis.open_load import open_cells
from ab_runner.analysis.rankings import rankings_of, ranks_of
from ab_runner.analysis.renames import renames, with_ids
from ab_runner.analysis.spreads import model_spreads, workload_spread
from ab_runner.analysis.summary import Summary, summary_of
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.analysis.warnings import BlocksShifted, HostConditions, SweepWarning, warnings_of
from ab_runner.errors import UserError
from ab_runner.model.records import FINISHED, EndRecord, Record, ResumeRecord
from ab_runner.model.server import REFERENCE
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import BEFORE, Cell, CellRecord, RepeatedTrial, SupportingTrial, cell_of
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.estimate import FEWEST_STARTS, Estimate, Interval, median_of_known
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ratio import LogMean
from ab_runner.stats.sessions import layout, over_sessions
from ab_runner.store.differences import difference, revisions
from ab_runner.store.nodes import on_nodes
from ab_runner.store.reader import Stored

Row = Mapping[str, Measurement]
"""The measurements of one session by server, of a workload at one level or over all."""


def together(named: Sequence[tuple[str, SweepAnalysis]]) -> SweepAnalysis:
    """Return the result of several sweeps; that of one is its analysis. UserError, in which they have the given names,
    for sweeps that ask different things, and for one that is given twice."""
    (first_name, first), *others = named
    names = {first.sweep.id: first_name}
    for name, each in named if others else ():
        if each.sessions:
            raise UserError(f"{name} is on several nodes, which are sessions already: name it alone")
    for name, other in others:
        if other.sweep.id in names:
            raise UserError(f"{name} and {names[other.sweep.id]} are the same sweep, {other.sweep.id}")
        names[other.sweep.id] = name
        if found := list(_why_not(first.sweep, other.sweep)):
            raise UserError(f"{name} is no other session of {first_name}: {'; '.join(found)}")
    if not others:
        return first
    sessions = sorted((each for _, each in named), key=lambda each: (each.sweep.started, each.sweep.id))
    newest = sessions[-1].sweep
    sessions = [_as_in(newest, each) for each in sessions]
    records = _records(sessions)
    return _result(sessions, records, _stored(sessions, records), all(each.has_noise for each in sessions))


def analysis_of(stored: Stored) -> SweepAnalysis:
    """Return the analysis of a sweep. Of one over several nodes of a swarm it is one result, of which each node is a
    session; intervals need six starts over all nodes."""
    nodes = on_nodes(stored.sweep, stored.records)
    if len(nodes) < 2:
        return as_one(stored)
    sessions = [_of_node(name, Stored(sweep, records)) for name, sweep, records in nodes]
    records = [list(each.stored.records) for each in sessions]
    of_all = [each for each in stored.records if isinstance(each, EndRecord | ResumeRecord)]
    sweep = replace(sessions[0].sweep, id=stored.sweep.id)
    together = Stored(sweep, (*(record for own in records for record in own), *of_all), stored.damage)
    differ = differences_of_nodes({name: each for (name, _, _), each in zip(nodes, sessions, strict=True)})
    return _result(sessions, records, together, _have_noise_together(sessions), tuple(differ))


def as_one(stored: Stored) -> SweepAnalysis:
    """Return the analysis of a sweep as one of one machine: where it was on nodes of a swarm, the first of them."""
    nodes = on_nodes(stored.sweep, stored.records)
    return analyse(replace(stored, sweep=replace(nodes[0][1], id=stored.sweep.id)) if nodes else stored)


def _of_node(name: str, stored: Stored) -> SweepAnalysis:
    """Return the analysis of a node's part of a sweep. What disturbs measurements there has its name."""
    analysis = analyse(stored)
    warnings = (
        HostConditions(tuple(f"node {name}: {text}" for text in each.texts))
        if isinstance(each, HostConditions)
        else each
        for each in analysis.warnings
    )
    return replace(analysis, warnings=tuple(warnings))


def _have_noise_together(sessions: Iterable[SweepAnalysis]) -> bool:
    """Return whether any server was started often enough in all sessions together."""
    starts: Counter[Cell] = Counter()
    for session in sessions:
        starts.update({cell: len(each.by_batch) for cell, each in session.cells.items() if cell.server != REFERENCE})
    return max(starts.values(), default=0) >= FEWEST_STARTS


def _why_not(first: Sweep, other: Sweep) -> Iterator[str]:
    """Yield why two sweeps do not make one result: they may have other hours, machines and servers, but no other
    work."""
    for name, of in (
        ("study", lambda sweep: sweep.request.study),
        ("workloads", lambda sweep: tuple(sorted(sweep.request.workloads))),
        ("levels", lambda sweep: sweep.request.levels),
        ("protocol", lambda sweep: sweep.request.protocol.name),
        ("blocks", lambda sweep: sweep.request.protocol.blocks),
        ("JDK", lambda sweep: sweep.request.jdk),
        ("CPUs of a server", lambda sweep: sweep.cpus_of_a_server),
    ):
        yield from difference(name, of(first), of(other))
    yield from work_differences(first, other)


def _as_in(newest: Sweep, analysis: SweepAnalysis) -> SweepAnalysis:
    """Return the analysis of a session with the ids of the newest one, without the servers that have another revision
    there: those are other servers."""
    names = renames(analysis.sweep, newest)
    sweep = with_ids(analysis.sweep, names)
    others = revisions(sweep, newest)
    if not names and not others:
        return analysis
    kept = tuple(server for server in sweep.servers if server.id not in others)
    renamed = [
        _changed(record, lambda one: {"server": names.get(one.server, one.server)})
        for record in analysis.stored.records
    ]
    records = tuple(each for each in renamed if getattr(each, "server", None) not in others)
    return analyse(Stored(replace(sweep, servers=kept), records, analysis.stored.damage))


def _changed(record: Any, changes: Callable[[Any], Mapping[str, object]]) -> Any:
    """Return a record of a server with these changes, and so the trial in a record; any other record as it is."""
    if isinstance(record, RepeatedTrial | SupportingTrial):
        return replace(record, trial=_changed(record.trial, changes))
    return replace(record, **changes(record)) if hasattr(record, "server") else record


# --- the result --------------------------------------------------------------------------------------------------


def _result(
    sessions: Sequence[SweepAnalysis],
    records: Sequence[list[Record]],
    stored: Stored,
    is_known: bool,
    differ: tuple[SweepWarning, ...] = (),
) -> SweepAnalysis:
    """Return the result of sessions with these records, which `stored` has in the same order. `is_known` tells whether
    there are enough starts to know the noise, and `differ` in what sessions of one sweep are unlike."""
    sweep, levels = stored.sweep, stored.sweep.request.levels
    measured = [record for record in stored.records if isinstance(record, CellRecord)]
    figures = (each for session in sessions for each in session.trials)
    trials = tuple(replace(each, record=record) for each, record in zip(figures, measured, strict=True))
    cells = _cells(sessions, records)
    workloads = [name for name in sweep.request.workloads if any(cell.workload == name for cell in cells)]
    compared = tuple(_compared(at, sessions, is_known) for at in range(len(sessions[0].compared)))
    efficiencies = _rows([measurements_of(each.cells, cpu_efficiencies_of) for each in sessions])
    drifts = tuple(drift for each in sessions for drift in each.drifts)
    warnings = (*_warnings(stored, sessions), *differ)
    shares = {cell: [each.shares[cell] for each in sessions if cell in each.shares] for cell in cells}
    return SweepAnalysis(
        stored=stored,
        cells=cells,
        open_cells=open_cells(trials) if sweep.request.open else {},
        trials=trials,
        shares={cell: geometric_mean(found) for cell, found in shares.items() if found},
        compared=compared,
        cpu_efficiency=rankings_of(_by_cell(efficiencies, is_known)),
        ranks=ranks_of(compared[0].rankings),
        spreads={each: workload_spread(each, sweep.servers, levels, cells) for each in workloads},
        io_models={each: model_spreads(each, sweep.servers, levels, cells) for each in workloads},
        drifts=drifts,
        warnings=warnings,
        summary=_with_confidence(summary_of(cells, compared, levels, drifts, len(warnings)), compared[0], sessions),
        courses=courses_of(stored.records),
        sessions=tuple(each.sweep for each in sessions),
    )


def _with_confidence(summary: Summary, compared: Compared, sessions: Sequence[SweepAnalysis]) -> Summary:
    """Return the summary with the confidence of a result of several sessions."""
    if summary.confidence is None:
        return summary
    wide = median_of_known(each.relative_half_width for each in compared.relative.values())
    starts = [each.summary.confidence.starts for each in sessions if each.summary.confidence]
    return replace(summary, confidence=replace(summary.confidence, starts=min(starts), wide=wide, sweeps=len(sessions)))


def _warnings(stored: Stored, sessions: Sequence[SweepAnalysis]) -> tuple[SweepWarning, ...]:
    """Return the warnings of all sessions, one of each kind."""
    every = [each for session in sessions for each in session.warnings]
    drifts = [drift for each in sessions for drift in each.drifts]
    shifts = [shift for each in every if isinstance(each, BlocksShifted) for shift in each.shifts]
    texts = dict.fromkeys(text for each in every if isinstance(each, HostConditions) for text in each.texts)
    found = [each for each in warnings_of(stored, drifts, shifts) if not isinstance(each, HostConditions)]
    return (*found, *((HostConditions(tuple(texts)),) if texts else ()))


# --- its records -------------------------------------------------------------------------------------------------

_NUMBERS = ("block", "batch", "start")
"""What counts the records of a sweep."""


def _records(sessions: Iterable[SweepAnalysis]) -> list[list[Record]]:
    """Return the records of each session, with its blocks, batches and starts numbered on from those before it. The
    checks of the reference are of no block and keep their own."""
    found: list[list[Record]] = []
    offsets = dict.fromkeys(_NUMBERS, 0)
    for session in sessions:
        own = [each for each in session.stored.records if not isinstance(each, EndRecord)]
        add = partial(_numbers, by=offsets)
        found.append([_changed(record, add) for record in own])
        used = [add(getattr(record, "trial", record)) for record in own]
        offsets = {name: max([offsets[name], *(each.get(name, 0) for each in used)]) for name in _NUMBERS}
    return found


def _numbers(record: object, by: Mapping[str, int]) -> dict[str, int]:
    """Return the numbers that a record has, with these added."""
    known = {name: getattr(record, name, None) or BEFORE for name in by}
    return {name: number + by[name] for name, number in known.items() if number > BEFORE}


def _stored(sessions: Sequence[SweepAnalysis], records: Iterable[Iterable[Record]]) -> Stored:
    """Return the sessions as one sweep. It is finished if all of them are."""
    first, newest = sessions[0].sweep, sessions[-1].sweep
    servers = {server.id: server for each in sessions for server in each.sweep.servers}
    skipped = {id: skip for each in sessions for id, skip in each.sweep.skipped.items() if id not in servers}
    ending = next((end for each in sessions if (end := each.stored.ending) != FINISHED), FINISHED)
    ends = [] if ending is None else [EndRecord(at=newest.started, reason=ending)]
    return Stored(
        replace(
            newest,
            id=f"{len(sessions)} sessions, {first.id} to {newest.id}",
            started=first.started,
            servers=tuple(servers.values()),
            outside={id: each for session in sessions for id, each in session.sweep.outside.items()},
            skipped=skipped,
        ),
        (*(record for own in records for record in own), *ends),
        tuple(line for each in sessions for line in each.stored.damage),
    )


# --- its cells ---------------------------------------------------------------------------------------------------


def _cells(sessions: Sequence[SweepAnalysis], records: Iterable[Iterable[Record]]) -> dict[Cell, CellSummary]:
    places: list[dict[Cell, list[CellRecord]]] = []
    for own in records:
        places.append({})
        for record in own:
            if isinstance(record, CellRecord) and not record.is_reference_check:
                places[-1].setdefault(cell_of(record), []).append(record)
    every = dict.fromkeys(cell for session in sessions for cell in session.cells)
    return {cell: _cell(cell, [each.cells.get(cell) for each in sessions], places) for cell in every}


def _cell(
    cell: Cell, sessions: Sequence[CellSummary | None], records: Sequence[Mapping[Cell, Sequence[CellRecord]]]
) -> CellSummary:
    """Return the summary of the trials of those sessions in which the cell has a figure, of all if it has none. Its
    estimates are ranges over these sessions."""
    told = {number: each for number, each in enumerate(sessions, 1) if each is not None and each.figure is not None}
    of = told or {number: each for number, each in enumerate(sessions, 1) if each is not None}
    summary = summarise_cell(cell, [record for number in of for record in records[number - 1][cell]])
    summary = replace(summary, sessions=(len(told), len(sessions)))
    if not told:
        return summary
    figures = {number: each.figure for number, each in told.items() if each.figure is not None}
    efficient = {number: each.cpu_efficiency.value for number, each in told.items() if each.cpu_efficiency}
    latencies = [each.open_latencies for each in told.values() if each.open_latencies]
    failed = [each for number, each in enumerate(sessions, 1) if each is not None and number not in told]
    return replace(
        summary,
        estimate=over_sessions(figures.values()),
        rejected=None,
        by_batch=figures,
        cpu_efficiency=over_sessions(efficient.values()) if efficient else None,
        cpu_efficiency_by_batch=efficient,
        served=median_of_known(each.served for each in told.values()),
        open_latencies=_latencies(summary.open_latencies, latencies) if summary.open_latencies else None,
        remarks=(*summary.remarks, *(remark for each in failed for remark in each.remarks)),
    )


_WITH_RANGES = (50, 95, 99)
"""The percentiles that every cell has and that tables show with their spread. Longer ones are of all trials."""


def _latencies(pooled: OpenLatencies, sessions: Sequence[OpenLatencies]) -> OpenLatencies:
    ranges = {each: over_sessions([session.percentiles[each].value for session in sessions]) for each in _WITH_RANGES}
    return replace(pooled, percentiles={**pooled.percentiles, **ranges})


# --- what servers are compared by --------------------------------------------------------------------------------


def _compared(at: int, sessions: Sequence[SweepAnalysis], is_known: bool) -> Compared:
    """Return what the sessions have in that place of `SweepAnalysis.compared`, as that of one result."""
    parts = [each.compared[at] for each in sessions]
    is_latency = lower_is_better(sessions[0].measure)
    rows = _rows([each.measurements for each in parts])
    measurements = _by_cell(rows, is_known)
    relative: dict[Cell, Estimate] = {}
    bases = {}
    for (workload, level), row in rows.items():
        found = layout(_logs(row))
        for server in found.common:
            cell, estimate = Cell(server, workload, level), found.relative(server)
            estimate = estimate if is_known else Estimate(estimate.value)
            relative[cell] = _inverse(estimate) if is_latency else estimate
        if found.common:
            is_bound = any(measurements[Cell(server, workload, level)].is_lower_bound for server in found.common)
            bases[workload, level] = Base(len(found.common), is_bound)
    together = {
        name: [each.over_levels[name][0] for each in parts if name in each.over_levels] for name in _names(parts)
    }
    over = {name: _measured(row, is_known) for name, row in together.items() if len(row) == len(sessions)}
    return compared_by(measurements, parts[0].percentile, over, relative, bases)


def _names(parts: Iterable[Compared]) -> list[WorkloadName]:
    return list(dict.fromkeys(name for each in parts for name in each.over_levels))


def _rows(
    sessions: Sequence[Mapping[Cell, Measurement]],
) -> dict[tuple[WorkloadName, int], list[dict[str, Measurement]]]:
    """Return the row of each session, by workload and level. The ceiling, which is no competitor, is in none."""
    rows: dict[tuple[WorkloadName, int], list[dict[str, Measurement]]] = {}
    for at, measurements in enumerate(sessions):
        for cell, each in measurements.items():
            row = rows.setdefault((cell.workload, cell.level), [{} for _ in sessions])
            if cell.server != REFERENCE:
                row[at][cell.server] = each
    return rows


def _by_cell(rows: Mapping[tuple[WorkloadName, int], Sequence[Row]], is_known: bool) -> dict[Cell, Measurement]:
    return {
        Cell(server, workload, level): found
        for (workload, level), row in rows.items()
        for server, found in _measured(row, is_known).items()
    }


def _logs(sessions: Iterable[Row]) -> list[dict[str, float]]:
    return [{server: each.mean.value for server, each in row.items()} for row in sessions]


def _measured(sessions: Sequence[Row], is_known: bool) -> dict[str, Measurement]:
    """Return what is compared of each server of a row. A server that is not in every session is in no comparison: its
    noise is taken as not known. A lower bound in any session is one."""
    found = layout(_logs(sessions))
    bounds = {server for row in sessions for server, each in row.items() if each.is_lower_bound}
    return {
        server: Measurement(found.mean(server) if is_known else LogMean(found.mean(server).value), server in bounds)
        for server in dict.fromkeys(server for row in sessions for server in row)
    }


def _inverse(estimate: Estimate) -> Estimate:
    """Return the same of the reciprocals: latencies are compared as speeds."""
    interval = estimate.interval
    return Estimate(1 / estimate.value, Interval(1 / interval.high, 1 / interval.low) if interval else None)
