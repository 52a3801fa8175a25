"""The tables that only sweeps with an open load have. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.open_load import OpenCell, memory_per_connection
from ab_runner.analysis.rankings import best_cells
from ab_runner.analysis.spreads import Spread
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.trial import Cell
from ab_runner.model.workload import Workload
from ab_runner.report.document import Table, TableCell, emphasised
from ab_runner.report.say.figures import NOTHING
from ab_runner.report.say.numbers import NONE, estimate_figure, latency_figure, rate_figure
from ab_runner.report.tables.grid import table_of

NO_P50 = "older sweeps recorded p99 of the lag only"
TAIL = (
    "of all starts together, with the interval of p99; not ranked: whether they tell servers apart depends on the hours"
)
LAG = "the lag, from the time at which a request was due to the one at which it was sent, is part of every latency"
MEMORY = (
    "median and range over starts of the server's highest memory, less that of the trial without idle connections, "
    "which comes first: growth of a heap is in it, and the kernel's memory for sockets is not"
)


class Detail(msgspec.Struct, frozen=True):
    """What the cells of a kind of sweep have besides their figures: `of` one cell, None where it has nothing."""

    title: str
    of: Callable[[Cell], TableCell | None]
    notes: tuple[str, ...] = ()


def detail_of(analysis: SweepAnalysis) -> Detail | None:
    """Return the rates at shares of the peak, those that 90 % of the trials meet, or the memory per idle connection."""
    cells = analysis.open_cells
    match analysis.axis:
        case "peak":
            return Detail("arrival rate and peak, requests/s", _shown(analysis, _of_peak))
        case "slo":
            ninety = _shown(analysis, lambda cell, known: _of_ninety(analysis.cells[cell], known))
            return Detail("requests/s that 90 % of the trials meet, and peak", ninety)
        case "idle":
            memory = _shown(analysis, lambda cell, _: _kibibytes(memory_per_connection(cells, cell)))
            return Detail("memory per idle connection, KiB", memory, (MEMORY,))
        case _:
            return None


def open_load_tables(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield what is known besides the figures, and the generator's lag."""
    if analysis.is_closed:
        return
    if detail := detail_of(analysis):
        yield _table(detail, workload, analysis)
    notes = (LAG,) if any(each.lag_p50 is not None for each in analysis.open_cells.values()) else (LAG, NO_P50)
    detail = Detail("lag of the generator in ms, p50 / p99", _shown(analysis, _lag), notes)
    yield _table(detail, workload, analysis)


def latency_tables(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield p95 and the percentiles above it, of a sweep that measures latencies."""
    if not lower_is_better(analysis.measure):
        return
    rankings = next(each.rankings for each in analysis.compared if each.percentile == 95)
    p95 = Detail("p95 latency in ms", lambda cell: _percentile(analysis.cells.get(cell), 95))
    tail = Detail("latency in ms, p99 / p99.9 / longest", lambda cell: _tail(analysis.cells.get(cell)), (TAIL,))
    yield _table(p95, workload, analysis, best_cells(rankings))
    yield _table(tail, workload, analysis)


def _percentile(cell: CellSummary | None, percentile: float) -> TableCell | None:
    if cell is None or cell.figure is None or cell.open_latencies is None:
        return None
    found = cell.open_latencies.percentiles[percentile]
    return TableCell(estimate_figure(found, "latency"), value=found.value)


def _tail(cell: CellSummary | None) -> TableCell | None:
    if cell is None or cell.figure is None or cell.open_latencies is None:
        return None
    found = cell.open_latencies.percentiles
    values = (found.get(each) for each in (99.9, 100))
    longer = (latency_figure(each.value if each else None) for each in values)
    text = " / ".join((estimate_figure(found[99], "latency"), *longer))
    return TableCell(text, value=found[99].value)


def _table(detail: Detail, workload: Workload, analysis: SweepAnalysis, best: Collection[Cell] = ()) -> Table:
    return table_of(
        f"{workload.name}: {detail.title}",
        workload.name,
        analysis,
        lambda cell: emphasised(detail.of(cell) or NOTHING, cell in best),
        detail.notes,
    )


def _shown(
    analysis: SweepAnalysis, of: Callable[[Cell, OpenCell], TableCell | None]
) -> Callable[[Cell], TableCell | None]:
    """Return what shows a cell that has a figure, and nothing for the others: what the few valid trials of such a cell
    say is a lucky selection."""
    figures = {cell for cell, summary in analysis.cells.items() if summary.figure is not None}
    return lambda cell: of(cell, analysis.open_cells[cell]) if cell in figures else None


def _of_peak(_: Cell, known: OpenCell) -> TableCell:
    return TableCell(f"{_rate(known.rate)} of {_rate(known.peak)}", value=known.rate)


def _of_ninety(cell: CellSummary, known: OpenCell) -> TableCell | None:
    if cell.capacity is None:
        return None
    bound = "≥ " if cell.is_lower_bound else ""
    text = f"{bound}{estimate_figure(cell.capacity.ninety)} of {_rate(known.peak)}"
    return TableCell(text, value=cell.capacity.ninety.value)


def _lag(_: Cell, known: OpenCell) -> TableCell:
    text = f"{latency_figure(known.lag_p50)} / {latency_figure(known.lag)}"
    return TableCell(text, value=known.lag if known.lag_p50 is None else known.lag_p50)


def _rate(rate: float | None) -> str:
    return NONE if rate is None else rate_figure(rate)


def _kibibytes(sizes: Spread | None) -> TableCell | None:
    """Return `6.1 (5.8 to 6.4)`: the median and the range over the starts."""
    if sizes is None:
        return None
    low, middle, high = (f"{size / 1024:.1f}" for size in (sizes.low, sizes.middle, sizes.high))
    return TableCell(f"{middle} ({low} to {high})", value=sizes.middle)
