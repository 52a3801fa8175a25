"""The tables, as a person reads them: concurrency down, servers across, as in 2006. Pure; `terminal`, `markdown` and
`csv` write them down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from ab_runner.analysis.cells import (
    CellSummary,
    estimate_figure,
    latency_figure,
    rate_figure,
    share_figure,
    share_of_ceiling,
    summarise,
)
from ab_runner.analysis.drift import WORTH_A_WARNING, Drift, drifts, shifts
from ab_runner.analysis.rankings import BY_CPU_TIME, compares_cpu_time, ranked
from ab_runner.analysis.summary import summary
from ab_runner.host.preflight import Finding, findings, network_findings
from ab_runner.model.load import Limit
from ab_runner.model.records import Cell, Record, ResumeRecord, StartRecord, Sweep, WarmUpRecord
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.workload import Workload, workload_named
from ab_runner.stats.ranking import Ranking
from ab_runner.store.reader import Stored

NO_RECORD = "not run"
UNTESTABLE = "-"
ABOVE_THE_CEILING = "more than 100: ab was the limit of both, or something disturbed the ceiling's trial"
CUT_OFF = "≥ before the longest: about as long as the trial, whose end cut it off"
OF_THE_SERVED = "*: of the connections served alone; the others waited, most of them without an answer"
CPU_EFFICIENCY = "requests per CPU-second of the server"
_JVM_BUILD = re.compile(r"Runtime .*\(build ([^)]+)\)")


Grid = Sequence[tuple[int, Sequence[CellSummary | None]]]
"""Concurrency, and for each server its cell if there is one."""


class Column(msgspec.Struct, frozen=True):
    server: str
    family: str


class Table(msgspec.Struct, frozen=True):
    """`rows` has a concurrency and a text for each of `columns`; `notes` explain what the texts only hint at. `best`:
    row and column of those who may be first, where somebody is told not to be. `curves`: the figures of each column
    over concurrency, where these are a curve worth drawing."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    notes: tuple[str, ...] = ()
    best: frozenset[tuple[int, int]] = frozenset()
    curves: tuple[tuple[float | None, ...], ...] = ()


class Listing(msgspec.Struct, frozen=True):
    """A table of another shape: a text for each of `headings` in each row. The first `names` are no figures, and those
    at the positions of `prose` are sentences, which may be broken into lines."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    names: int = 1
    prose: tuple[int, ...] = ()


class Report(msgspec.Struct, frozen=True):
    """A whole sweep in tables: a line or two of what was run, the tables, what must not be overlooked, and all of it in
    short."""

    heading: str
    facts: tuple[str, ...]
    tables: tuple[Table | Listing, ...]
    warnings: tuple[str, ...]
    summary: tuple[str, ...] = ()


def report_of(stored: Stored) -> Report:
    request = stored.sweep.request
    cells = summarise(stored.records)
    tables: list[Table] = []
    for name in request.workloads:
        if any(cell.workload == name for cell in cells):
            tables += _tables_of(workload_named(name), stored, cells)
    frame = frame_of(stored)
    short = summary(cells, request.concurrency, drifts(stored.records), len(frame.warnings))
    return msgspec.structs.replace(frame, tables=tuple(tables), summary=short)


def frame_of(stored: Stored) -> Report:
    """What stands above the tables."""
    return Report(_heading(stored), tuple(_facts(stored)), (), tuple(warnings_of(stored)))


def _tables_of(workload: Workload, stored: Stored, cells: dict[Cell, CellSummary]) -> Iterable[Table]:
    concurrency = stored.sweep.request.concurrency
    untestable = [server for server in stored.sweep.servers if workload.name in server.untestable]
    servers = [server for server in stored.sweep.servers if workload.name in server.workloads]
    columns = tuple(Column(server.id, server.family) for server in servers)
    grid = [(level, [cells.get(Cell(server.id, workload.name, level)) for server in servers]) for level in concurrency]
    ranks = [ranked(filter(None, row)) for _, row in grid]
    best = _best(columns, ranks)
    curves = [[cell.rate if cell else None for cell in at] for at in zip(*(row for _, row in grid), strict=True)]
    rates = tuple((level, (*map(_rate_text, row), *(UNTESTABLE for _ in untestable))) for level, row in grid)
    yield Table(
        f"{workload.name}: requests per second ({workload.summary})",
        (*columns, *(Column(server.id, server.family) for server in untestable)),
        rates,
        tuple(notes_of(workload, stored, grid)),
        best=best,
        curves=(*map(tuple, curves), *(() for _ in untestable)) if len(concurrency) > 1 else (),
    )
    latencies = tuple((level, tuple(map(latency_text, row))) for level, row in grid)
    title = f"{workload.name}: time per request in ms, median / p90 / p99 / p99.9 / longest"
    yield Table(title, columns, latencies, tuple(latency_notes_of(grid)))
    yield from _costs(workload, columns, grid, _best_by_cpu_time(columns, ranks, best))
    yield from _ranks(workload, columns, grid, ranks, best)
    yield from _shares(workload, [server for server in servers if server.id != REFERENCE], concurrency, cells)


LIMITS: dict[Limit, str] = {
    "generator": "≥ … g: ab was the limit, for its core was full and the server's were not; the server may be faster",
    "server": "s: the server's cores were full",
    "machine": "m: server and ab shared full cores",
}


def _rate_text(cell: CellSummary | None) -> str:
    """With a letter for who was the limit."""
    if cell is None:
        return NO_RECORD
    return f"{cell.rate_text} {cell.limit[0]}" if cell.limit else cell.rate_text


def _limit_notes(grid: Grid) -> Iterable[str]:
    found = {cell.limit for _, row in grid for cell in row if cell}
    yield from (text for limit, text in LIMITS.items() if limit in found)


def _best(columns: Sequence[Column], ranks: Sequence[Ranking]) -> frozenset[tuple[int, int]]:
    """Who may be first in each row where somebody is told not to be."""
    return frozenset(
        (at, position)
        for at, row in enumerate(ranks)
        if any(rank.best > 1 for rank in row.ranks.values())
        for position, column in enumerate(columns)
        if column.server in row.ranks and row.ranks[column.server].best == 1
    )


def _best_by_cpu_time(
    columns: Sequence[Column], ranks: Sequence[Ranking], best: frozenset[tuple[int, int]]
) -> frozenset[tuple[int, int]]:
    """Those of the best whom the CPU time puts before somebody."""
    ahead = [{better for better, _ in row.by_cpu_time} for row in ranks]
    return frozenset((at, position) for at, position in best if columns[position].server in ahead[at])


def _costs(
    workload: Workload, columns: tuple[Column, ...], grid: Grid, best: frozenset[tuple[int, int]]
) -> Iterable[Table]:
    """Where the servers' CPU time is known."""
    if any(cell and cell.per_cpu_second for _, row in grid for cell in row):
        rows = tuple((level, tuple(map(cost_text, row))) for level, row in grid)
        yield Table(f"{workload.name}: {CPU_EFFICIENCY}", columns, rows, best=best)


def cost_text(cell: CellSummary | None) -> str:
    return estimate_figure(cell.per_cpu_second) if cell and cell.per_cpu_second else "-"


def _ranks(
    workload: Workload,
    columns: tuple[Column, ...],
    grid: Grid,
    ranks: Sequence[Ranking],
    best: frozenset[tuple[int, int]],
) -> Iterable[Table]:
    """Where there are blocks enough to compare servers."""
    if any(len(row.ranks) > 1 for row in ranks):
        rows = tuple(
            (level, tuple(str(row.ranks.get(column.server, "-")) for column in columns))
            for (level, _), row in zip(grid, ranks, strict=True)
        )
        notes = ["servers that cannot be told apart share a rank: 2–4 is the second, third or fourth place"]  # noqa: RUF001
        notes += [BY_CPU_TIME] if any(compares_cpu_time(filter(None, row)) for _, row in grid) else []
        yield Table(f"{workload.name}: ranks", columns, rows, tuple(notes), best=best)


def _shares(
    workload: Workload, servers: Sequence[Server], concurrency: Sequence[int], cells: dict[Cell, CellSummary]
) -> Iterable[Table]:
    """Where the ceiling has a figure to be a share of."""
    grid = [
        (level, [_share(Cell(server.id, workload.name, level), cells) for server in servers]) for level in concurrency
    ]
    shares = [share for _, row in grid for share in row if share is not None]
    if shares:
        columns = tuple(Column(server.id, server.family) for server in servers)
        rows = tuple((level, tuple(map(share_figure, row))) for level, row in grid)
        notes = (ABOVE_THE_CEILING,) if max(shares) > 1 else ()
        yield Table(f"{workload.name}: requests per second as a share of the ceiling's, %", columns, rows, notes)


def _share(cell: Cell, cells: dict[Cell, CellSummary]) -> float | None:
    found = cells.get(cell)
    return None if found is None or found.rate is None else share_of_ceiling(found.rate, cell, cells)


def latency_text(cell: CellSummary | None) -> str:
    if cell is None or (cell.rate is None and not cell.starved):
        return "-"
    *body, longest = map(latency_figure, cell.latency)
    cut_off = "≥ " if cell.longest_is_cut_off else ""
    return " / ".join((*body, f"{cut_off}{longest}{'*' if cell.starved else ''}"))


def latency_notes_of(grid: Grid) -> Iterable[str]:
    """What the table of latencies only hints at."""
    shown = [cell for _, row in grid for cell in row if cell and latency_text(cell) != "-"]
    if any(cell.longest_is_cut_off for cell in shown):
        yield CUT_OFF
    if any(cell.starved for cell in shown):
        yield OF_THE_SERVED


def notes_of(workload: Workload, stored: Stored, grid: Grid) -> Iterable[str]:
    """What the table of rates only hints at; the grid is that of the servers that have the workload."""
    servers = [server for server in stored.sweep.servers if workload.name in server.workloads]
    yield from _limit_notes(grid)
    yield from _notes(servers, grid)
    yield from (
        f"{server.id}: {server.untestable[workload.name]}"
        for server in stored.sweep.servers
        if workload.name in server.untestable
    )


def _notes(servers: Sequence[Server], grid: Grid) -> Iterable[str]:
    """A line for each server that there is something to say of: remarks, and the concurrencies that they hold for."""
    for column, server in enumerate(servers):
        levels: dict[str, list[int]] = {}
        for level, row in grid:
            cell = row[column]
            for remark in cell.remarks if cell else ():
                levels.setdefault(remark, []).append(level)
        if levels:
            said = (f"{' '.join(remark.split())} at {', '.join(map(str, at))}" for remark, at in levels.items())
            yield f"{server.id}: {'; '.join(said)}"


def _warm_up_warnings(records: Iterable[Record]) -> Iterable[str]:
    """The servers that were still changing when a warm-up was over, where that was looked at."""
    steady: dict[str, list[bool]] = {}
    for record in records:
        if isinstance(record, WarmUpRecord) and record.steady is not None:
            steady.setdefault(record.server, []).append(record.steady)
    found = [f"{server} ({of.count(False)} of {len(of)})" for server, of in steady.items() if not all(of)]
    if found:
        yield f"warm-ups that ended before the server was steady: {', '.join(found)}"


def _heading(stored: Stored) -> str:
    request = stored.sweep.request
    return f"{stored.sweep.id}: protocol {request.protocol.name}, runtime {request.runtime}, network {request.network}"


def _facts(stored: Stored) -> Iterable[str]:
    sweep = stored.sweep
    machine = sweep.machine
    yield (
        f"{machine.cpu_model}, {machine.cpus} CPUs, {machine.memory_bytes / 2**30:.0f} GiB; {machine.system}, "
        f"kernel {machine.kernel}; ab of {sweep.environment.get('ab package') or sweep.environment.get('ab')}"
    )
    if sweep.server_cpus:
        yield f"servers on CPU {_numbers(sweep.server_cpus)}, ab on CPU {_numbers(sweep.generator_cpus)}"
    else:
        yield "servers and ab share the CPUs: the figures are not those of a server alone"
    if sweep.request.jdk is not None and any(server.kind == "jvm" for server in sweep.servers):
        yield f"JVM servers on JDK {sweep.request.jdk}{_builds(stored)}"
    if found := drifts(stored.records):
        yield _drift_fact(found)


def _builds(stored: Stored) -> str:
    """` (build 25.0.3+9-2)`, as the JVMs that were started said it themselves."""
    said = [record.environment.get("version", "") for record in stored.records if isinstance(record, StartRecord)]
    builds = dict.fromkeys(found[1] for text in said if (found := _JVM_BUILD.search(text)))
    return f" (build {', '.join(builds)})" if builds else ""


def _drift_fact(found: Sequence[Drift]) -> str:
    changes = (f"{each.workload} {rate_figure(each.before)} and {rate_figure(each.after)}" for each in found)
    return f"ceiling before and after: {', '.join(changes)}"


def findings_of(sweep: Sweep) -> Iterable[Finding]:
    """What spoils the figures of this sweep, and what was looked at and found well."""
    if sweep.conditions is not None:
        yield from findings(sweep.conditions)
    if sweep.request.runtime == "process":
        yield from network_findings(sweep.machine.sysctls)


def _drift_warnings(stored: Stored, found: Sequence[Drift]) -> Iterable[str]:
    large = [each for each in found if abs(each.change) > WORTH_A_WARNING]
    if large:
        changes = ", ".join(f"{each.workload} {each.change:+.1%}" for each in large)
        yield f"the machine drifted: the ceiling after the sweep against before: {changes}"
    for each in shifts(stored.records):
        if abs(each.change) > WORTH_A_WARNING:
            word = "slower" if each.change < 0 else "faster"
            yield (
                f"block {each.block} was not like the others: {each.servers} servers together were "
                f"{100 * abs(each.change):.1f} % {word} in it"
            )
    if stored.sweep.reference is None:
        yield "whether the machine drifted is not known: the ceiling was not measured before and after"


def _numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def warnings_of(stored: Stored) -> Iterable[str]:
    if stored.ending is None:
        yield "this sweep is still running, or was ended without a chance to say so"
    elif stored.ending != "finished":
        yield f"this sweep is not complete: {stored.ending}"
    for record in stored.records:
        if isinstance(record, ResumeRecord):
            yield from (f"went on at {record.at:%Y-%m-%d %H:%M} although {each}" for each in record.differences)
    yield from (finding.text for finding in findings_of(stored.sweep) if not finding.good)
    yield from _drift_warnings(stored, drifts(stored.records))
    yield from _warm_up_warnings(stored.records)
    yield from stored.damage
    for server, reason in stored.sweep.skipped.items():
        yield f"left out: {server}: {' '.join(reason.split())}"
