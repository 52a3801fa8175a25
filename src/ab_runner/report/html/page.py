"""What report.html says, before it is HTML: from a stored sweep to plain data. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import median
from typing import Any

import msgspec

from ab_runner.analysis.cells import CellSummary, rate_figure, share_figure, share_of_ceiling, summarise
from ab_runner.analysis.drift import drifts
from ab_runner.analysis.rankings import compares_cpu_time, ranked
from ab_runner.analysis.summary import summary
from ab_runner.history.published import Figure
from ab_runner.history.then_and_now import compare
from ab_runner.model.load import Limit
from ab_runner.model.protocol import Protocol
from ab_runner.model.records import Cell, StartRecord, Trial
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.workload import Workload, WorkloadName, workload_named
from ab_runner.report.charts.data import cell_rows, pair_rows
from ab_runner.report.charts.latencies import latencies
from ab_runner.report.charts.models import model_panel
from ab_runner.report.charts.palette import Look, looks
from ab_runner.report.charts.parts import Spec
from ab_runner.report.charts.rates import rates
from ab_runner.report.charts.then_and_now import then_and_now
from ab_runner.report.charts.warm_up import warm_up
from ab_runner.report.html.trials import Trials, WarmUps, jit_shares_of, trials_of, warm_ups_of
from ab_runner.report.reproduce import command
from ab_runner.report.tables import (
    ABOVE_THE_CEILING,
    NO_RECORD,
    Listing,
    cost_text,
    frame_of,
    latency_notes_of,
    latency_text,
    notes_of,
)
from ab_runner.report.then_and_now_tables import report_then_and_now
from ab_runner.stats.ranking import Rank, Ranking
from ab_runner.store.reader import Stored


class Figures(msgspec.Struct, frozen=True):
    """A place in the table of rates: `main` stands out, all else is small below it. `bar` is per cent of the table's
    highest figure; what has none, and has not failed, was not run."""

    main: str
    beyond: str = ""
    """Half the width of the interval, and trials that failed beside those that count."""
    rank: str = ""
    limit: Limit | None = None
    share: str = ""
    """Of the ceiling."""
    bar: int | None = None
    failed: bool = False
    starved: bool = False
    """Failed because most connections were not served."""


class Part(msgspec.Struct, frozen=True):
    """One workload. `rates` and `latencies` have a row for each of `servers` and a place for each concurrency."""

    workload: Workload
    servers: tuple[Server, ...]
    rates: tuple[tuple[Figures, ...], ...]
    latencies: tuple[tuple[str, ...], ...]
    costs: tuple[tuple[str, ...], ...]
    """Requests per CPU-second, in the same places; empty where none is known."""
    by_cpu_time: bool
    """Whether any two servers are compared by CPU time."""
    notes: tuple[str, ...]
    latency_notes: tuple[str, ...]
    summary: str

    @property
    def rows(self) -> Iterator[tuple[Server, tuple[Figures, ...]]]:
        return zip(self.servers, self.rates, strict=True)

    @property
    def latency_rows(self) -> Iterator[tuple[Server, tuple[str, ...]]]:
        return zip(self.servers, self.latencies, strict=True)

    @property
    def cost_rows(self) -> Iterator[tuple[Server, tuple[str, ...]]]:
        return zip(self.servers, self.costs, strict=True)

    @property
    def has_rank(self) -> bool:
        return any(place.rank for row in self.rates for place in row)

    @property
    def has_starved(self) -> bool:
        return any(place.starved for row in self.rates for place in row)

    @property
    def has_share(self) -> bool:
        return any(place.share for row in self.rates for place in row)


class Models(msgspec.Struct, frozen=True):
    """The I/O models of one workload: `rows` has a model, its servers, and a text for each concurrency."""

    workload: Workload
    rows: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]


class Page(msgspec.Struct, frozen=True):
    title: str
    started: str
    machine: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    summary: tuple[str, ...]
    blocks: int
    concurrency: tuple[int, ...]
    families: tuple[tuple[str, tuple[Server, ...]], ...]
    looks: Mapping[str, Look]
    parts: tuple[Part, ...]
    models: tuple[Models, ...]
    then_and_now: tuple[Listing, ...]
    then_and_now_facts: tuple[str, ...]
    compared: tuple[WorkloadName, ...]
    """Workloads that 2006 has figures of."""
    compared_levels: tuple[int, ...]
    servers: tuple[Server, ...]
    starts: Mapping[str, tuple[StartRecord, ...]]
    command: str
    example: str
    """Of ab's commands."""
    toolkit: str
    seed: int
    versions: tuple[tuple[str, str], ...]
    data: Mapping[str, Any]
    """For the charts."""
    warm_ups: Mapping[str, Mapping[str, WarmUps]]
    jit_shares: Mapping[str, str]
    """By server, what the JIT took in each cycle of its warm-ups."""
    trials: Trials

    @property
    def has_starved(self) -> bool:
        return any(part.has_starved for part in self.parts)


Rankings = Mapping[tuple[WorkloadName, int], Ranking]
"""By workload and concurrency, how its servers are ranked."""


def page_of(stored: Stored, published: Sequence[Figure]) -> Page:
    sweep, request = stored.sweep, stored.sweep.request
    cells = summarise(stored.records)
    rankings = _rankings(cells)
    ranks = _ranks(rankings)
    frame = frame_of(stored)
    compared = compare(stored, published, cells)
    beside = report_then_and_now(stored, compared)
    measured = [workload_named(name) for name in request.workloads if any(cell.workload == name for cell in cells)]
    parts = [_part(each, stored, cells, ranks) for each in measured]
    models = tuple(_models(each, sweep.servers, request.concurrency, cells) for each in measured)
    return Page(
        title=sweep.id,
        started=f"{sweep.started:%Y-%m-%d %H:%M} UTC",
        machine=f"{sweep.machine.cpu_model}, {sweep.machine.cpus} CPUs, protocol {request.protocol.name}",
        facts=tuple(_facts(stored, frame.facts)),
        warnings=frame.warnings,
        summary=summary(cells, request.concurrency, drifts(stored.records), len(frame.warnings)),
        blocks=request.protocol.blocks,
        concurrency=request.concurrency,
        families=tuple(_families(sweep.servers)),
        looks=looks(sweep.servers),
        parts=tuple(parts),
        models=models,
        then_and_now=tuple(table for table in beside.tables if isinstance(table, Listing)) if compared else (),
        then_and_now_facts=beside.facts[len(frame.facts) :],
        compared=tuple(each.workload for each in compared),
        compared_levels=tuple(level for level in request.concurrency
                              if any(found.concurrency == level for each in compared for found in each.levels)),
        servers=sweep.everyone,
        starts={server.id: tuple(_starts(stored, server.id)) for server in sweep.everyone},
        command=command(request),
        example=next((shlex.join(record.command) for record in stored.records if isinstance(record, Trial)), ""),
        toolkit=sweep.environment.get("toolkit", ""),
        seed=request.seed,
        versions=tuple(sorted(sweep.environment.items())),
        data={
            "cells": {
                each.name: cell_rows(each.name, sweep.servers, request.concurrency, cells, ranks) for each in measured
            },
            "pairs": {each.workload: pair_rows(each) for each in compared},
            "models": {each.workload.name: {model: ids for model, ids, _ in each.rows} for each in models},
        },
        warm_ups=warm_ups_of(stored.records),
        jit_shares=jit_shares_of(stored.records),
        trials=trials_of(stored.records),
    )  # fmt: skip


def _facts(stored: Stored, facts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What was run, and on what."""
    request = stored.sweep.request
    yield "Servers", f"{len(stored.sweep.servers)}"
    yield "Workloads", ", ".join(request.workloads)
    yield "Concurrency", ", ".join(f"{level:,}" for level in request.concurrency)
    yield "Protocol", _protocol(request.protocol)
    yield "Runtime", f"{request.runtime}, network {request.network}"
    yield "Machine", "; ".join(facts)


def _protocol(protocol: Protocol) -> str:
    blocks = "one block" if protocol.blocks == 1 else f"{protocol.blocks} blocks"
    return f"{protocol.name}: {blocks}, trials of {protocol.trial.text}"


def _families(servers: Iterable[Server]) -> Iterator[tuple[str, tuple[Server, ...]]]:
    members: dict[str, list[Server]] = {}
    for server in servers:
        members.setdefault(server.family, []).append(server)
    yield from ((family, tuple(members[family])) for family in sorted(members))


def _part(workload: Workload, stored: Stored, cells: Mapping[Cell, CellSummary], ranks: Mapping[Cell, Rank]) -> Part:
    concurrency = stored.sweep.request.concurrency
    able = [server for server in stored.sweep.servers if workload.name in server.workloads]
    grid = [[cells.get(Cell(server.id, workload.name, level)) for level in concurrency] for server in able]
    by_level = list(zip(concurrency, zip(*grid, strict=True), strict=True))
    shares = (share_of_ceiling(cell.rate, cell.cell, cells) for cell in chain(*grid) if cell and cell.rate is not None)
    above = any(share is not None and share > 1 for share in shares)
    highest = max((cell.rate for row in grid for cell in row if cell and cell.rate is not None), default=1.0)
    return Part(
        workload,
        tuple(able),
        rates=tuple(tuple(_rate_place(cell, highest, cells, ranks) for cell in row) for row in grid),
        latencies=tuple(tuple(map(latency_text, row)) for row in grid),
        costs=tuple(tuple(map(cost_text, row)) for row in grid) if any(map(_has_cost, chain(*grid))) else (),
        by_cpu_time=any(compares_cpu_time(filter(None, row)) for _, row in by_level),
        notes=(
            *notes_of(workload, stored, by_level),
            *((f"share of the ceiling: {ABOVE_THE_CEILING}",) if above else ()),
        ),
        latency_notes=tuple(latency_notes_of(by_level)),
        summary=_summary(able, grid),
    )


def _rate_place(
    cell: CellSummary | None, highest: float, cells: Mapping[Cell, CellSummary], ranks: Mapping[Cell, Rank]
) -> Figures:
    if cell is None:
        return Figures(NO_RECORD)
    if cell.rate is None:
        return Figures(cell.rate_text, failed=True, starved=cell.starved)
    figure = f"≥ {rate_figure(cell.rate)}" if cell.is_lower_bound else rate_figure(cell.rate)
    beyond = cell.rate_text.removeprefix(figure)
    share = share_of_ceiling(cell.rate, cell.cell, cells) if cell.cell.server != REFERENCE else None
    return Figures(
        figure + ("*" if cell.remarks else ""),
        beyond.strip(" *"),
        rank=str(ranks[cell.cell]) if cell.cell in ranks else "",
        limit=cell.limit,
        share="" if share is None else f"{share_figure(share)} %",
        bar=round(100 * cell.rate / highest),
    )


def _has_cost(cell: CellSummary | None) -> bool:
    return cell is not None and cell.per_cpu_second is not None


def _rankings(cells: Mapping[Cell, CellSummary]) -> Rankings:
    rows: dict[tuple[WorkloadName, int], list[CellSummary]] = {}
    for cell, found in cells.items():
        rows.setdefault((cell.workload, cell.concurrency), []).append(found)
    return {place: ranked(row) for place, row in rows.items()}


def _ranks(rankings: Rankings) -> dict[Cell, Rank]:
    return {
        Cell(server, name, level): rank for (name, level), row in rankings.items() for server, rank in row.ranks.items()
    }


def _summary(servers: Sequence[Server], grid: Sequence[Sequence[CellSummary | None]]) -> str:
    """The range of the figures and how many cells have none, without putting anybody first."""
    found = [cell for row in grid for cell in row if cell]
    rates = [cell.rate for cell in found if cell.rate is not None]
    without = len(found) - len(rates)
    if not rates:
        return f"None of {len(servers)} servers has a figure."
    span = f"{len(servers)} servers, from {rate_figure(min(rates))} to {rate_figure(max(rates))} requests per second"
    return f"{span}; {without} of {len(found)} cells have no figure." if without else f"{span}."


def _models(
    workload: Workload, servers: Iterable[Server], concurrency: Sequence[int], cells: Mapping[Cell, CellSummary]
) -> Models:
    members: dict[str, list[str]] = {}
    for server in servers:
        if workload.name in server.workloads and server.id != REFERENCE:
            members.setdefault(server.io_model, []).append(server.id)
    return Models(
        workload,
        tuple(
            (model, tuple(ids), tuple(_spread(ids, workload.name, level, cells) for level in concurrency))
            for model, ids in sorted(members.items())
        ),
    )


def _spread(ids: Iterable[str], name: WorkloadName, level: int, cells: Mapping[Cell, CellSummary]) -> str:
    """Lowest, median and highest figure of these servers."""
    found = (cells.get(Cell(id, name, level)) for id in ids)
    rates = [cell.rate for cell in found if cell and cell.rate is not None]
    if not rates:
        return "-"
    return " / ".join(rate_figure(rate) for rate in (min(rates), median(rates), max(rates)))


def _starts(stored: Stored, server: str) -> Iterator[StartRecord]:
    yield from (record for record in stored.records if isinstance(record, StartRecord) and record.server == server)


def specs_of(page: Page) -> dict[str, Spec]:
    """The charts of a page, by the name that its places for charts give."""
    shown = page.looks
    compared = [row["then"] for rows in page.data["pairs"].values() for row in rows]
    found = {
        "rates": rates(shown, page.concurrency),
        "latencies": latencies(shown, page.concurrency),
        "model": model_panel(shown, page.concurrency),
        "warm-up": warm_up(),
    }
    if compared:
        found["then-and-now"] = then_and_now(list(dict.fromkeys(compared)), page.compared_levels)
    return found
