"""The rows behind the charts: the figures of one sweep in the form that the charts take. Pure.

A row is a dictionary without what it lacks, so that thousands of them stay small in a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ab_runner.analysis.cells import (
    PERCENTILES,
    CellSummary,
    estimate_figure,
    rate_figure,
    share_figure,
    share_of_ceiling,
)
from ab_runner.analysis.comparison import CellChange
from ab_runner.history.published import Figure
from ab_runner.history.then_and_now import Compared, Pair
from ab_runner.model.records import Cell
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName
from ab_runner.report.charts.comparison import CHANGES_SHOWN
from ab_runner.report.charts.latencies import percentile_field
from ab_runner.report.then_and_now_tables import factor_figure
from ab_runner.stats.estimate import Interval
from ab_runner.stats.ranking import Rank

Row = dict[str, Any]


def cell_rows(
    name: WorkloadName,
    servers: Iterable[Server],
    concurrency: Sequence[int],
    cells: Mapping[Cell, CellSummary],
    ranks: Mapping[Cell, Rank],
) -> list[Row]:
    """One for each cell with a record, server by server. `last` marks the last one of a server with a figure, `top` is
    the highest that a chart has to show of it."""
    rows: list[Row] = []
    for server in servers:
        found = [cells[cell] for level in concurrency if (cell := Cell(server.id, name, level)) in cells]
        last = next((summary for summary in reversed(found) if summary.rate is not None), None)
        rows += [_cell_row(summary, summary is last, cells, ranks) for summary in found]
    return rows


def _cell_row(summary: CellSummary, last: bool, cells: Mapping[Cell, CellSummary], ranks: Mapping[Cell, Rank]) -> Row:
    cell = summary.cell
    row: Row = {"server": cell.server, "c": cell.concurrency, "figure": summary.rate_text}
    if summary.rate is None:
        return row | {"missing": summary.rate_text}
    share = share_of_ceiling(summary.rate, cell, cells)
    latencies = zip(PERCENTILES, summary.latency, strict=True)
    row |= {"rate": round(summary.rate, 2), "top": round(summary.rate, 2)}
    if summary.estimate and (interval := summary.estimate.interval):
        row |= {"low": round(interval.low, 2), "high": round(interval.high, 2), "top": round(interval.high, 2)}
        row["interval"] = interval_figure(interval)
    if cell in ranks:
        row["rank"] = str(ranks[cell])
    if summary.limit:
        row["limit"] = summary.limit
    if summary.per_cpu_second:
        row["cost"] = estimate_figure(summary.per_cpu_second)
    if None in summary.latency:
        row["missing"] = "not known"
    row |= {percentile_field(each): float(f"{value:.4g}") for each, value in latencies if value is not None}
    if last:
        row["last"] = True
    if share is not None:
        row["share"] = f"{share_figure(share)} %"
    return row


def change_rows(changes: Iterable[CellChange], name: WorkloadName) -> list[Row]:
    """One for each cell of that workload that has a figure on both sides."""
    rows: list[Row] = []
    for change in sorted(changes, key=lambda each: each.cell):
        if change.cell.workload == name and change.ratio is not None:
            told = change.change if change.change in CHANGES_SHOWN else CHANGES_SHOWN[-1]
            row: Row = {"server": change.cell.server, "c": change.cell.concurrency, "told": told}
            row["ratio"] = round(change.ratio.value, 4)
            if interval := change.ratio.interval:
                row |= {"low": round(interval.low, 4), "high": round(interval.high, 4)}
            rows.append(row)
    return rows


def interval_figure(interval: Interval) -> str:
    return f"{rate_figure(interval.low)} to {rate_figure(interval.high)}"


def pair_rows(compared: Compared) -> list[Row]:
    """One for each figure of 2006, and for each of today that is set beside it; the newest version where it is not the
    stand-in itself. A figure that does not count has no `rate`, and is drawn nowhere."""
    rows: list[Row] = []
    for level in compared.levels:
        for old, new in zip(level.stand_in.pairs, level.newest.pairs, strict=True):
            row = {"then": old.then.server, "c": level.concurrency}
            rows.append(row | {"kind": "2006", "server": old.then.server, **_then(old.then)})
            if old.server and old.now:
                rows.append(row | {"kind": "stand-in", "server": old.server.id, **_now(old, old.now)})
            if new.server and new.now and new.server != old.server:
                rows.append(row | {"kind": "newest", "server": new.server.id, **_now(new, new.now)})
    return rows


def _then(figure: Figure) -> Row:
    if figure.rate is None:
        return {"figure": figure.reason, "missing": f"2006: {figure.reason}"}
    return {"rate": figure.rate, "figure": rate_figure(figure.rate)}


def _now(pair: Pair, summary: CellSummary) -> Row:
    row: Row = {"figure": summary.rate_text}
    if summary.rate is not None:
        row["rate"] = summary.rate
    if pair.factor is not None:
        row["factor"] = factor_figure(pair.factor)
    return row
