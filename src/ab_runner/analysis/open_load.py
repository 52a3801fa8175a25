"""What is known of the cells of an open load besides their figures. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import msgspec

from ab_runner.analysis.disturbed import counted
from ab_runner.analysis.spreads import Spread
from ab_runner.analysis.trial_figures import TrialFigures
from ab_runner.model.records import is_valid
from ab_runner.model.trial import Cell, Trial, cell_of
from ab_runner.stats.estimate import median_of_known


class OpenCell(msgspec.Struct, frozen=True, kw_only=True):
    """Medians over the valid trials of a cell that its figure is of; None where that is not known or does not apply.

    `rate` is the planned one in requests per second and `peak` that of the closed load before it. `lag` is p99 of the
    generator's lag in milliseconds, and `lag_p50` its median; None in older sweeps.
    `memory_by_block` has the server's highest memory in bytes.
    """

    rate: float | None
    peak: float | None
    lag: float | None
    lag_p50: float | None
    memory_by_block: Mapping[int, int]


def open_cells(trials: Iterable[TrialFigures]) -> dict[Cell, OpenCell]:
    """Return the cells of the sweep's own blocks that have a valid trial."""
    found: dict[Cell, list[TrialFigures]] = {}
    for figures in trials:
        record = figures.record
        if is_valid(record) and not record.is_reference_check:
            found.setdefault(cell_of(record), []).append(figures)
    return {cell: _open_cell(each) for cell, each in found.items()}


def _open_cell(figures: Sequence[TrialFigures]) -> OpenCell:
    trials = counted([each.record for each in figures if is_valid(each.record)])
    return OpenCell(
        rate=median_of_known(map(_rate, trials)),
        peak=median_of_known(trial.peak for trial in trials),
        lag=median_of_known(map(_lag, trials)),
        lag_p50=median_of_known(each.lag_p50 for each in figures),
        memory_by_block={
            trial.block: trial.usage.peak_memory_bytes
            for trial in trials
            if trial.usage and trial.usage.peak_memory_bytes is not None
        },
    )


def _rate(trial: Trial) -> float | None:
    return trial.outcome.arrivals.rate if trial.outcome and trial.outcome.arrivals else None


def _lag(trial: Trial) -> float | None:
    return trial.outcome.arrivals.lag_p99 if trial.outcome and trial.outcome.arrivals else None


def memory_per_connection(cells: Mapping[Cell, OpenCell], cell: Cell) -> Spread | None:
    """Return the bytes of the server's memory that each idle connection of a cell takes, as the spread over blocks: in
    each the difference to its cell without any, divided by how many there are. None where that is not known, or its
    median is not above zero."""
    here, base = cells.get(cell), cells.get(msgspec.structs.replace(cell, level=0))
    if here is None or base is None or not cell.level:
        return None
    blocks = here.memory_by_block.keys() & base.memory_by_block.keys()
    more = [(here.memory_by_block[block] - base.memory_by_block[block]) / cell.level for block in blocks]
    return Spread(min(more), median(more), max(more)) if more and median(more) > 0 else None
