"""The tables that only sweeps with an open load have. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from ab_runner.analysis.open_load import OpenCell, memory_per_connection, open_cells
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import level_text
from ab_runner.model.records import Cell
from ab_runner.model.workload import Workload
from ab_runner.report.document import Table, TableCell
from ab_runner.report.figures import NONE, latency_figure, rate_figure

LAG = "the lag, from the time at which a request was due to the one at which it was sent, is part of every latency"
MEMORY = "the server's highest memory, less that without idle connections; without the kernel's memory for sockets"


class Detail(msgspec.Struct, frozen=True):
    """What the cells of a kind of sweep have besides their figures; `text` is that of one cell."""

    title: str
    text: Callable[[Cell], str]
    notes: tuple[str, ...] = ()


def detail_of(analysis: SweepAnalysis) -> Detail | None:
    """Return the rates at shares of the peak, the brackets of capacities, or the memory per idle connection."""
    return None if analysis.axis == "connections" else _detail_of(open_cells(analysis.trials), analysis)


def _detail_of(cells: Mapping[Cell, OpenCell], analysis: SweepAnalysis) -> Detail | None:
    match analysis.axis:
        case "peak":
            return Detail("arrival rate and peak, requests/s", _text_of(analysis, cells, _of_peak))
        case "slo":
            title = "bracket of the capacity, requests/s: SLO met / missed / peak"
            return Detail(title, _text_of(analysis, cells, _bracket))
        case "idle":
            memory = _text_of(analysis, cells, lambda cell, _: _kibibytes(memory_per_connection(cells, cell)))
            return Detail("memory per idle connection, KiB", memory, (MEMORY,))
        case _:
            return None


def open_load_tables(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield what is known besides the figures, and the generator's lag."""
    if analysis.axis == "connections":
        return
    cells = open_cells(analysis.trials)
    if detail := _detail_of(cells, analysis):
        yield _table(detail, workload, analysis)
    lag = _text_of(analysis, cells, lambda _, each: latency_figure(each.lag))
    yield _table(Detail("lag of the generator, p99 in ms", lag, (LAG,)), workload, analysis)


def _table(detail: Detail, workload: Workload, analysis: SweepAnalysis) -> Table:
    servers = [server for server in analysis.sweep.servers if workload.name in server.workloads]
    return Table(
        title=f"{workload.name}: {detail.title}",
        headings=("server", *(level_text(analysis.axis, level) for level in analysis.levels)),
        rows=tuple(
            (
                TableCell(server.id),
                *(TableCell(detail.text(Cell(server.id, workload.name, level))) for level in analysis.levels),
            )
            for server in servers
        ),
        notes=detail.notes,
        splits=True,
    )


def _text_of(
    analysis: SweepAnalysis, cells: Mapping[Cell, OpenCell], text: Callable[[Cell, OpenCell], str]
) -> Callable[[Cell], str]:
    """Return what gives the text of a cell that has a figure, and a dash for the others: what the few valid trials of
    such a cell say is a lucky selection."""
    figures = {cell for cell, summary in analysis.cells.items() if summary.figure is not None}
    return lambda cell: text(cell, cells[cell]) if cell in figures else NONE


def _of_peak(_: Cell, known: OpenCell) -> str:
    return f"{_rate(known.rate)} of {_rate(known.peak)}"


def _bracket(_: Cell, known: OpenCell) -> str:
    return " / ".join(map(_rate, (known.met, known.missed, known.peak)))


def _rate(rate: float | None) -> str:
    return NONE if rate is None else rate_figure(rate)


def _kibibytes(size: float | None) -> str:
    return NONE if size is None else f"{size / 1024:.1f}"
