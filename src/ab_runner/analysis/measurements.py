"""The figures that comparisons within a sweep use. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measure import lower_is_better
from ab_runner.model.records import Cell
from ab_runner.model.server import REFERENCE
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.comparable import comparable
from ab_runner.stats.estimate import FEWEST_STARTS
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ratio import LogMean


def has_noise(cells: Mapping[Cell, CellSummary]) -> bool:
    """Return whether any server was started often enough to tell differences from noise. With fewer starts a noise of
    two levels gives too many wrong orders (docs/statistics.md)."""
    starts = (len(summary.by_batch) for cell, summary in cells.items() if cell.server != REFERENCE)
    return max(starts, default=0) >= FEWEST_STARTS


def measurements_of(cells: Mapping[Cell, CellSummary]) -> dict[Cell, Measurement]:
    """Return what is compared of each cell that has a rate. Without enough starts none has a known noise.

    The cells of a row (a workload at one level) are made comparable together, the ceiling with them. All levels of a
    workload have one prior of their variances."""
    rates = _log_means({cell: speeds_of(each) for cell, each in cells.items() if each.by_batch})
    efficiency = _log_means(
        {cell: each.cpu_efficiency_by_batch for cell, each in cells.items() if decides_by_cpu_time(each)}
    )
    if not has_noise(cells):
        rates, efficiency = _without_noise(rates), _without_noise(efficiency)
    return {cell: Measurement(rate, efficiency.get(cell), cells[cell].is_lower_bound) for cell, rate in rates.items()}


def speeds_of(cell: CellSummary) -> dict[int, float]:
    """Return the figures by batch, of which a higher one is better: the reciprocals where lower ones are."""
    if lower_is_better(cell.measure):
        return {batch: 1 / figure for batch, figure in cell.by_batch.items()}
    return cell.by_batch


def decides_by_cpu_time(cell: CellSummary) -> bool:
    """Return whether the CPU time per request can stand for a rate that the generator limited."""
    return cell.measure == "rate" and bool(cell.cpu_efficiency_by_batch)


def _without_noise(means: Mapping[Cell, LogMean]) -> dict[Cell, LogMean]:
    return {cell: LogMean(mean.value) for cell, mean in means.items()}


def _log_means(figures: Mapping[Cell, Mapping[int, float]]) -> dict[Cell, LogMean]:
    workloads: dict[WorkloadName, dict[int, dict[str, Mapping[int, float]]]] = {}
    for cell, by_batch in figures.items():
        rows = workloads.setdefault(cell.workload, {})
        rows.setdefault(cell.level, {})[cell.server] = by_batch
    return {
        Cell(server, workload, level): mean
        for workload, rows in workloads.items()
        for level, servers in comparable(rows).items()
        for server, mean in servers.items()
    }
