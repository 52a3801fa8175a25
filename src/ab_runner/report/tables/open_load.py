"""The tables that only sweeps with an open load have. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from math import inf

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.compared import TELLS, Compared
from ab_runner.analysis.latencies import COMPARED, TAIL
from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.open_load import OpenCell, memory_per_connection
from ab_runner.analysis.rankings import best_cells, by_row, difference_told
from ab_runner.analysis.spreads import Spread
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import Axis, level_text
from ab_runner.model.trial import Cell
from ab_runner.model.workload import Workload, WorkloadName
from ab_runner.report.document import Table, TableCell, emphasised
from ab_runner.report.say.figures import NOTHING
from ab_runner.report.say.numbers import NONE, differences_text, estimate_figure, latency_figure, rate_figure
from ab_runner.report.tables.grid import table_of
from ab_runner.stats.estimate import Estimate

NO_P50 = "older sweeps recorded p99 of the lag only"
UNRANKED_TAIL = "of all starts together; not ranked: whether they tell servers apart depends on the hours"
UNRANKED = "no ranks by p{} at {}: of two servers as noisy as {}, {} would have shown; ranks need {:.0f} %"
NO_NOISE = "no ranks by p{} at {}: the noise of the reference is not known"
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
    """Yield the percentiles above the median, of a sweep that measures latencies."""
    if not lower_is_better(analysis.measure):
        return
    above_the_median = zip(COMPARED[1:], analysis.compared[1:], strict=True)  # the figures are the medians
    for percentile, compared in above_the_median:
        shown = partial(_percentile, analysis, percentile)
        notes = tuple(_unranked(compared, workload.name, analysis))
        detail = Detail(f"p{percentile} latency in ms", shown, notes)
        yield _table(detail, workload, analysis, best_cells(compared.rankings))
    tail = Detail("latency in ms, p99.9 / longest", lambda cell: _tail(analysis.cells.get(cell)), (UNRANKED_TAIL,))
    yield _table(tail, workload, analysis)


def _percentile(analysis: SweepAnalysis, percentile: float, cell: Cell) -> TableCell | None:
    found = _latencies(analysis.cells.get(cell)).get(percentile)
    return TableCell(estimate_figure(found, "latency"), value=found.value) if found else None


def _unranked(compared: Compared, workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[str]:
    """Yield at which levels noise is the reason that there are no ranks."""
    if not analysis.has_noise:
        return
    differences = {
        level: difference_told(row)
        for (name, level), row in by_row(compared.measurements).items()
        if name == workload and (name, level) not in compared.rankings
    }
    if noisy := {level: each for level, each in differences.items() if each < inf}:
        servers = "these over sessions" if analysis.sessions else "the reference"
        sizes = differences_text(noisy.values())
        yield UNRANKED.format(compared.percentile, _levels(noisy, analysis.axis), servers, sizes, 100 * TELLS)
    if unknown := differences.keys() - noisy:
        yield NO_NOISE.format(compared.percentile, _levels(sorted(unknown), analysis.axis))


def _levels(levels: Iterable[int], axis: Axis) -> str:
    return ", ".join(level_text(axis, level) for level in levels)


def _tail(cell: CellSummary | None) -> TableCell | None:
    found = _latencies(cell)
    if not found:
        return None
    values = (found.get(each) for each in TAIL)
    return TableCell(
        " / ".join(latency_figure(each.value if each else None) for each in values), value=found[TAIL[-1]].value
    )


def _latencies(cell: CellSummary | None) -> Mapping[float, Estimate]:
    """Return the percentiles of a cell that has a figure; none of any other."""
    return cell.open_latencies.percentiles if cell and cell.figure is not None and cell.open_latencies else {}


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
