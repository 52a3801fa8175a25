"""What report.html says, before it is HTML: from a stored sweep to plain data. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any
from urllib.parse import quote

import msgspec

from ab_runner.model import (
    BEFORE,
    REFERENCE,
    Cell,
    CellRecord,
    Load,
    NotMeasured,
    Protocol,
    Server,
    StartRecord,
    Trial,
    Workload,
    WorkloadName,
    workload,
)
from ab_runner.published import Figure
from ab_runner.report import charts
from ab_runner.report.cells import (
    PERCENTILES,
    CellSummary,
    latency_figure,
    rate_figure,
    share_figure,
    share_of_ceiling,
    summarise,
)
from ab_runner.report.palette import Look, looks
from ab_runner.report.points import Row, cell_rows, pair_rows, ranks_of, warm_up_rows
from ab_runner.report.reproduce import command
from ab_runner.report.tables import NO_RECORD, Listing, notes_of, report_of
from ab_runner.report.then_and_now import compare
from ab_runner.report.then_and_now_tables import report_then_and_now
from ab_runner.stats.ranking import Rank
from ab_runner.store import RAW_FOLDER, Stored


class Figures(msgspec.Struct, frozen=True):
    """A place in the table of rates: `main` stands out, all else is small below it. `bar` is per cent of the table's
    highest figure."""

    main: str
    beyond: str = ""
    """Half the width of the interval, and trials that failed beside those that count."""
    rank: str = ""
    share: str = ""
    """Of the ceiling."""
    bar: int | None = None
    failed: bool = False


class Part(msgspec.Struct, frozen=True):
    """One workload. `rates` and `latencies` have a row for each of `servers` and a place for each concurrency."""

    asked: Workload
    servers: tuple[Server, ...]
    rates: tuple[tuple[Figures, ...], ...]
    latencies: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    summary: str

    @property
    def rows(self) -> Iterator[tuple[Server, tuple[Figures, ...]]]:
        return zip(self.servers, self.rates, strict=True)

    @property
    def latency_rows(self) -> Iterator[tuple[Server, tuple[str, ...]]]:
        return zip(self.servers, self.latencies, strict=True)

    @property
    def has_rank(self) -> bool:
        return any(place.rank for row in self.rates for place in row)

    @property
    def has_share(self) -> bool:
        return any(place.share for row in self.rates for place in row)


class Models(msgspec.Struct, frozen=True):
    """The I/O models of one workload: `rows` has a model, its servers, and a text for each concurrency."""

    asked: Workload
    rows: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]


class Page(msgspec.Struct, frozen=True):
    title: str
    started: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
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
    """For the page's script: rows of charts, trials, warm-ups."""

    @staticmethod
    def has_curve(windows: Sequence[Row]) -> bool:
        return any(row["window"] > 1 for row in windows)

    @staticmethod
    def warm_up_text(windows: Sequence[Row]) -> str:
        """How often, and what was reached."""
        last = {row["start"]: row["rate"] for row in windows}
        times = "once" if len(last) == 1 else f"{len(last)} times"
        reached = sorted({rate_figure(min(last.values())), rate_figure(max(last.values()))})
        return f"{times}, in the end {' to '.join(reached)} requests per second"


def page_of(stored: Stored, published: Sequence[Figure]) -> Page:
    sweep, asked = stored.sweep, stored.sweep.asked
    cells = summarise(stored.records)
    ranks = ranks_of(cells)
    report = report_of(stored)
    compared = compare(stored, published)
    beside = report_then_and_now(stored, compared)
    everyone = [*sweep.servers]
    if sweep.reference is not None and all(server.id != REFERENCE for server in everyone):
        everyone.append(sweep.reference)
    measured = [workload(name) for name in asked.workloads if any(cell.workload == name for cell in cells)]
    parts = [_part(each, sweep.servers, asked.concurrency, cells, ranks) for each in measured]
    models = tuple(_models(each, sweep.servers, asked.concurrency, cells) for each in measured)
    return Page(
        title=sweep.id,
        started=f"{sweep.started:%Y-%m-%d %H:%M} UTC",
        facts=tuple(_facts(stored, report.facts)),
        warnings=report.warnings,
        blocks=asked.protocol.blocks,
        concurrency=asked.concurrency,
        families=tuple(_families(sweep.servers)),
        looks=looks(sweep.servers),
        parts=tuple(parts),
        models=models,
        then_and_now=tuple(table for table in beside.tables if isinstance(table, Listing)) if compared else (),
        then_and_now_facts=beside.facts[len(report.facts) :],
        compared=tuple(each.workload for each in compared),
        compared_levels=tuple(level for level in asked.concurrency
                              if any(found.concurrency == level for each in compared for found in each.levels)),
        servers=tuple(everyone),
        starts={server.id: tuple(_starts(stored, server.id)) for server in everyone},
        command=command(asked),
        example=next((shlex.join(record.command) for record in stored.records if isinstance(record, Trial)), ""),
        toolkit=sweep.environment.get("toolkit", ""),
        seed=asked.seed,
        versions=tuple(sorted(sweep.environment.items())),
        data={
            "cells": {each.name: cell_rows(each.name, sweep.servers, asked.concurrency, cells, ranks) for each in measured},
            "pairs": {each.workload: pair_rows(each) for each in compared},
            "models": {each.asked.name: {model: ids for model, ids, _ in each.rows} for each in models},
            "windows": {server.id: warm_up_rows(stored, server.id) for server in everyone},
            "trials": {server.id: list(_trials(stored, server.id)) for server in everyone},
        },
    )  # fmt: skip


def _facts(stored: Stored, facts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What was run, and on what."""
    asked = stored.sweep.asked
    yield "Servers", f"{len(stored.sweep.servers)}"
    yield "Workloads", ", ".join(asked.workloads)
    yield "Concurrency", ", ".join(f"{level:,}" for level in asked.concurrency)
    yield "Protocol", _protocol(asked.protocol)
    yield "Runtime", f"{asked.runtime}, network {asked.network}"
    yield "Machine", "; ".join(facts)


def _protocol(protocol: Protocol) -> str:
    blocks = "one block" if protocol.blocks == 1 else f"{protocol.blocks} blocks"
    return f"{protocol.name}: {blocks}, trials of {_load(protocol.trial)}"


def _load(load: Load) -> str:
    return f"{load.seconds} s" if load.seconds is not None else f"{load.requests:,} requests"


def _families(servers: Iterable[Server]) -> Iterator[tuple[str, tuple[Server, ...]]]:
    members: dict[str, list[Server]] = {}
    for server in servers:
        members.setdefault(server.family, []).append(server)
    yield from ((family, tuple(members[family])) for family in sorted(members))


def _part(
    asked: Workload,
    servers: Sequence[Server],
    concurrency: Sequence[int],
    cells: Mapping[Cell, CellSummary],
    ranks: Mapping[Cell, Rank],
) -> Part:
    able = [server for server in servers if asked.name in server.workloads]
    grid = [[cells.get(Cell(server.id, asked.name, level)) for level in concurrency] for server in able]
    highest = max((cell.rate for row in grid for cell in row if cell and cell.rate is not None), default=1.0)
    return Part(
        asked,
        tuple(able),
        rates=tuple(tuple(_rate_place(cell, highest, cells, ranks) for cell in row) for row in grid),
        latencies=tuple(tuple(_latency_text(cell) for cell in row) for row in grid),
        notes=(
            *notes_of(able, list(zip(concurrency, zip(*grid, strict=True), strict=True))),
            *(f"{server.id}: {server.untestable[asked.name]}" for server in servers if asked.name in server.untestable),
        ),
        summary=_summary(able, grid),
    )


def _rate_place(
    cell: CellSummary | None, highest: float, cells: Mapping[Cell, CellSummary], ranks: Mapping[Cell, Rank]
) -> Figures:
    if cell is None:
        return Figures(NO_RECORD, failed=True)
    if cell.rate is None:
        return Figures(cell.rate_text, failed=True)
    figure = rate_figure(cell.rate)
    beyond = cell.rate_text.removeprefix(figure)
    share = share_of_ceiling(cell.rate, cell.cell, cells) if cell.cell.server != REFERENCE else None
    return Figures(
        figure + ("*" if cell.remarks else ""),
        beyond.strip(" *"),
        rank=str(ranks[cell.cell]) if cell.cell in ranks else "",
        share="" if share is None else f"{share_figure(share)} %",
        bar=round(100 * cell.rate / highest),
    )


def _latency_text(cell: CellSummary | None) -> str:
    return "-" if cell is None or cell.rate is None else " / ".join(map(latency_figure, cell.latency))


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
    asked: Workload, servers: Iterable[Server], concurrency: Sequence[int], cells: Mapping[Cell, CellSummary]
) -> Models:
    members: dict[str, list[str]] = {}
    for server in servers:
        if asked.name in server.workloads and server.id != REFERENCE:
            members.setdefault(server.io_model, []).append(server.id)
    return Models(
        asked,
        tuple(
            (model, tuple(ids), tuple(_spread(ids, asked.name, level, cells) for level in concurrency))
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


TRIAL_HEADINGS = (
    "workload", "c", "block", "requests/s", *(f"p{percentile} ms" for percentile in PERCENTILES), "requests", "seconds",
    "remarks",
)  # fmt: skip
"""The places of a row of trials; after them comes the address of ab's own output."""


def _trials(stored: Stored, server: str) -> Iterator[list[str | int]]:
    for record in stored.records:
        if isinstance(record, Trial | NotMeasured) and record.server == server:
            yield [record.workload, record.concurrency, _block(record.block), *_trial_places(record)]


def _block(number: int) -> str:
    return f"{number}" if number > BEFORE else "before" if number == BEFORE else "after"


def _trial_places(record: CellRecord) -> list[str]:
    empty = [""] * (len(PERCENTILES) + 2)
    if isinstance(record, NotMeasured):
        return ["none", *empty, ": ".join(filter(None, (record.reason, record.detail))), ""]
    remarks = "; ".join(filter(None, (record.verdict.reason, *record.verdict.notes)))
    address = quote(f"{RAW_FOLDER}/{record.raw}")
    if record.report is None:
        detail = record.error.detail if record.error else ""
        return ["none", *empty, "; ".join(dict.fromkeys(filter(None, (remarks, detail)))), address]
    report = record.report
    figures = [latency_figure(report.percentiles.get(percentile)) for percentile in PERCENTILES]
    return [
        rate_figure(report.requests_per_second), *figures, f"{report.complete:,}", f"{report.seconds:.2f}", remarks,
        address,
    ]  # fmt: skip


def specs_of(page: Page) -> dict[str, charts.Spec]:
    """The charts of a page, by the name that its places for charts give."""
    shown = page.looks
    compared = [row["then"] for rows in page.data["pairs"].values() for row in rows]
    found = {
        "rates": charts.rates(shown, page.concurrency),
        "latencies": charts.latencies(shown, page.concurrency),
        "model": charts.model_panel(shown, page.concurrency),
        "warm-up": charts.warm_up(),
    }
    if compared:
        found["then-and-now"] = charts.then_and_now(list(dict.fromkeys(compared)), page.compared_levels)
    return found
