"""The tables that only sweeps with an open load have. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ab_runner.analysis.open_load import OpenCell, memory_per_connection, open_cells
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import level_text
from ab_runner.model.records import Cell
from ab_runner.model.workload import Workload
from ab_runner.report.document import Table, TableCell
from ab_runner.report.figures import NONE, latency_figure, rate_figure

LAG = "the lag, from the time at which a request was due to the one at which it was sent, is part of every latency"
MEMORY = "the server's highest memory, less that without idle connections; without the kernel's memory for sockets"


def open_load_tables(workload: Workload, analysis: SweepAnalysis) -> Iterator[Table]:
    """Yield what is known besides the figures: rates, brackets, memory, and the generator's lag."""
    if analysis.axis == "connections":
        return
    cells = open_cells(analysis.trials)

    def table(title: str, text: Callable[[Cell, OpenCell], str], *notes: str) -> Table:
        servers = [server for server in analysis.sweep.servers if workload.name in server.workloads]
        places = [[Cell(server.id, workload.name, level) for level in analysis.levels] for server in servers]
        return Table(
            title=f"{workload.name}: {title}",
            headings=("server", *(level_text(analysis.axis, level) for level in analysis.levels)),
            rows=tuple(
                (
                    TableCell(row[0].server),
                    *(TableCell(text(cell, cells[cell]) if cell in cells else NONE) for cell in row),
                )
                for row in places
            ),
            notes=notes,
            splits=True,
        )

    match analysis.axis:
        case "peak":
            yield table("arrival rate and peak, requests/s", lambda _, each: _of_peak(each))
        case "slo":
            yield table(
                "bracket of the capacity, requests/s: SLO met / missed / peak",
                lambda _, each: " / ".join(map(_rate, (each.met, each.missed, each.peak))),
            )
        case "idle":
            base = analysis.levels[0]
            yield table(
                "memory per idle connection, KiB",
                lambda cell, _: _kibibytes(memory_per_connection(cells, cell, base)),
                MEMORY,
            )
    yield table("lag of the generator, p99 in ms", lambda _, each: latency_figure(each.lag), LAG)


def _of_peak(cell: OpenCell) -> str:
    return f"{_rate(cell.rate)} of {_rate(cell.peak)}"


def _rate(rate: float | None) -> str:
    return NONE if rate is None else rate_figure(rate)


def _kibibytes(size: float | None) -> str:
    return NONE if size is None else f"{size / 1024:.1f}"
