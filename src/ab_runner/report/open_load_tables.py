"""The tables that only sweeps with an open load have. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.open_load import OpenCell, memory_per_connection
from ab_runner.analysis.rankings import best_of
from ab_runner.analysis.spreads import Spread
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import level_text
from ab_runner.model.records import Cell
from ab_runner.model.workload import Workload
from ab_runner.report.document import Emphasis, Table, TableCell
from ab_runner.report.figures import NONE, estimate_figure, latency_figure, rate_figure

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
    """What the cells of a kind of sweep have besides their figures; `text` is that of one cell, None where it has
    nothing."""

    title: str
    text: Callable[[Cell], str | None]
    notes: tuple[str, ...] = ()


def detail_of(analysis: SweepAnalysis) -> Detail | None:
    """Return the rates at shares of the peak, the brackets of capacities, or the memory per idle connection."""
    cells = analysis.open_cells
    match analysis.axis:
        case "peak":
            return Detail("arrival rate and peak, requests/s", _text_of(analysis, _of_peak))
        case "slo":
            title = "bracket of the capacity, requests/s: SLO met / missed / peak"
            return Detail(title, _text_of(analysis, _bracket))
        case "idle":
            memory = _text_of(analysis, lambda cell, _: _kibibytes(memory_per_connection(cells, cell)))
            return Detail("memory per idle connection, KiB", memory, (MEMORY,))
        case _:
            return None


def open_load_tables(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield what is known besides the figures, and the generator's lag."""
    if analysis.axis == "connections":
        return
    if detail := detail_of(analysis):
        yield _table(detail, workload, analysis)
    lag = _text_of(analysis, lambda _, each: f"{latency_figure(each.lag_p50)} / {latency_figure(each.lag)}")
    notes = (LAG,) if any(each.lag_p50 is not None for each in analysis.open_cells.values()) else (LAG, NO_P50)
    yield _table(Detail("lag of the generator in ms, p50 / p99", lag, notes), workload, analysis)


def latency_tables(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield p95 and the percentiles above it, of a sweep that measures latencies."""
    if not lower_is_better(analysis.measure):
        return
    rankings = next(each.rankings for each in analysis.compared if each.percentile == 95)
    best = {Cell(server, name, level) for (name, level), ranking in rankings.items() for server in best_of(ranking)}
    p95 = Detail("p95 latency in ms", lambda cell: _percentile_text(analysis.cells.get(cell), 95))
    tail = Detail("latency in ms, p99 / p99.9 / longest", lambda cell: _tail_text(analysis.cells.get(cell)), (TAIL,))
    yield _table(p95, workload, analysis, best)
    yield _table(tail, workload, analysis)


def _percentile_text(cell: CellSummary | None, percentile: float) -> str | None:
    if cell is None or cell.figure is None or cell.open_latencies is None:
        return None
    return estimate_figure(cell.open_latencies.percentiles[percentile], "latency")


def _tail_text(cell: CellSummary | None) -> str | None:
    if cell is None or cell.figure is None or cell.open_latencies is None:
        return None
    found = cell.open_latencies.percentiles
    values = (found.get(each) for each in (99.9, 100))
    longer = " / ".join(latency_figure(each.value if each else None) for each in values)
    return f"{_percentile_text(cell, 99)} / {longer}"


def _table(detail: Detail, workload: Workload, analysis: SweepAnalysis, best: Collection[Cell] = ()) -> Table:
    servers = [server for server in analysis.shown_servers if workload.name in server.workloads]
    return Table(
        title=f"{workload.name}: {detail.title}",
        headings=("server", *(level_text(analysis.axis, level) for level in analysis.levels)),
        rows=tuple(
            (
                TableCell(server.id),
                *(
                    TableCell(detail.text(cell) or NONE, Emphasis.BEST if cell in best else Emphasis.NONE)
                    for cell in (Cell(server.id, workload.name, level) for level in analysis.levels)
                ),
            )
            for server in servers
        ),
        notes=detail.notes,
        splits=True,
    )


def _text_of(analysis: SweepAnalysis, text: Callable[[Cell, OpenCell], str | None]) -> Callable[[Cell], str | None]:
    """Return what gives the text of a cell that has a figure, and nothing for the others: what the few valid trials of
    such a cell say is a lucky selection."""
    figures = {cell for cell, summary in analysis.cells.items() if summary.figure is not None}
    return lambda cell: text(cell, analysis.open_cells[cell]) if cell in figures else None


def _of_peak(_: Cell, known: OpenCell) -> str:
    return f"{_rate(known.rate)} of {_rate(known.peak)}"


def _bracket(_: Cell, known: OpenCell) -> str:
    return " / ".join(map(_rate, (known.met, known.missed, known.peak)))


def _rate(rate: float | None) -> str:
    return NONE if rate is None else rate_figure(rate)


def _kibibytes(sizes: Spread | None) -> str | None:
    """Return `6.1 (5.8 to 6.4)`: the median and the range over the starts."""
    if sizes is None:
        return None
    low, middle, high = (f"{size / 1024:.1f}" for size in (sizes.low, sizes.middle, sizes.high))
    return f"{middle} ({low} to {high})"
