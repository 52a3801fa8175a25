"""The figures that comparisons within a sweep use. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp, log
from statistics import fmean

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measure import lower_is_better
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.comparable import comparable
from ab_runner.stats.estimate import FEWEST_STARTS
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ratio import LogMean

Figures = Mapping[int, float]
"""By batch; a higher one is better."""


def has_noise(cells: Mapping[Cell, CellSummary]) -> bool:
    """Return whether any server was started often enough to tell differences from noise. With fewer starts a noise of
    two levels gives too many wrong orders (docs/statistics.md)."""
    starts = (len(summary.by_batch) for cell, summary in cells.items() if cell.server != REFERENCE)
    return max(starts, default=0) >= FEWEST_STARTS


def measurements_of(
    cells: Mapping[Cell, CellSummary], figures_of: Callable[[CellSummary], Figures] | None = None
) -> dict[Cell, Measurement]:
    """Return what is compared of each cell that has figures: its own, or those that `figures_of` takes from it, which
    are no lower bounds. Without enough starts none has a known noise.

    The cells of a row (a workload at one level) are made comparable together, the ceiling with them."""
    rows: dict[tuple[WorkloadName, int], dict[str, Figures]] = {}
    for cell, summary in cells.items():
        if figures := (figures_of or speeds_of)(summary):
            rows.setdefault((cell.workload, cell.level), {})[cell.server] = figures
    is_known = has_noise(cells)
    return {
        (cell := Cell(server, workload, level)): Measurement(
            mean if is_known else LogMean(mean.value), figures_of is None and cells[cell].is_lower_bound
        )
        for (workload, level), row in rows.items()
        for server, mean in comparable(row).items()
    }


def speeds_of(cell: CellSummary) -> Figures:
    """Return the figures by batch, of which a higher one is better: the reciprocals where lower ones are."""
    return _reciprocals(cell.by_batch) if lower_is_better(cell.measure) else cell.by_batch


def cpu_efficiencies_of(cell: CellSummary) -> Figures:
    """Return the requests per CPU-second by batch, of a closed load."""
    return cell.cpu_efficiency_by_batch if cell.measure == "rate" else {}


def latencies_of(cell: CellSummary, percentile: int) -> Figures:
    """Return the reciprocals of a percentile of an open load's latencies by batch; none where the cell has no
    figure."""
    if cell.figure is None or cell.open_latencies is None:
        return {}
    return _reciprocals(cell.open_latencies.by_batch[percentile])


def over_levels(
    cells: Mapping[Cell, CellSummary], workload: WorkloadName, figures_of: Callable[[CellSummary], Figures]
) -> dict[str, Measurement]:
    """Return what is compared of each server over all levels of a workload: in each batch the geometric mean of its
    figures there, of batches that have them all. Without enough starts none has a known noise."""
    levels = {cell.level for cell in cells if cell.workload == workload}
    servers: dict[str, list[Figures]] = {}
    for cell, summary in cells.items():
        if cell.workload == workload and (figures := figures_of(summary)):
            servers.setdefault(cell.server, []).append(figures)
    means = {
        server: {
            batch: exp(fmean(log(figures[batch]) for figures in found))
            for batch in set.intersection(*(set(figures) for figures in found))
        }
        for server, found in servers.items()
        if len(found) == len(levels)
    }
    is_known = has_noise(cells)
    compared = comparable({server: figures for server, figures in means.items() if figures})
    return {server: Measurement(mean if is_known else LogMean(mean.value)) for server, mean in compared.items()}


def _reciprocals(figures: Figures) -> Figures:
    return {batch: 1 / figure for batch, figure in figures.items()}
