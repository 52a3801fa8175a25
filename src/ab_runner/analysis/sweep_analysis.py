"""A stored sweep, analysed once: the data of all reports, comparisons and conclusions. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ab_runner.analysis.cells import CellSummary, cells_and_trials, share_of_ceiling
from ab_runner.analysis.drift import Drift, drifts, shifts
from ab_runner.analysis.measure import Measure, lower_is_better, measure_on, throughput
from ab_runner.analysis.measurements import has_noise, measurements_of
from ab_runner.analysis.rankings import Rankings, rankings_of, ranks_of
from ab_runner.analysis.spreads import ModelSpread, WorkloadSpread, model_spreads, workload_spread
from ab_runner.analysis.summary import Summary, summary_of
from ab_runner.analysis.trial_figures import TrialFigures
from ab_runner.analysis.warnings import SweepWarning, warnings_of
from ab_runner.model.axis import Axis
from ab_runner.model.records import Cell, Sweep, Trial, cell_of, is_valid
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import Rank
from ab_runner.store.reader import Stored


class SweepAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """What is computed from a sweep.

    `cells` are those of the sweep's own blocks. `trials` has every record of a cell in the order of the log, those of
    the reference before and after the sweep too; of these come `drifts`. `shares` are the cells' rates and
    capacities as shares of the ceiling's. `measurements` are what comparisons within the sweep use. `rankings` are by
    workload and level, and `ranks` their ranks by cell. `spreads` and `io_models` are by workload, for those that were
    measured.
    """

    stored: Stored
    cells: Mapping[Cell, CellSummary]
    trials: tuple[TrialFigures, ...]
    shares: Mapping[Cell, float]
    measurements: Mapping[Cell, Measurement]
    rankings: Rankings
    ranks: Mapping[Cell, Rank]
    spreads: Mapping[WorkloadName, WorkloadSpread]
    io_models: Mapping[WorkloadName, tuple[ModelSpread, ...]]
    drifts: tuple[Drift, ...]
    warnings: tuple[SweepWarning, ...]
    summary: Summary

    @property
    def sweep(self) -> Sweep:
        """The sweep as it was stored when it began."""
        return self.stored.sweep

    @property
    def levels(self) -> tuple[int, ...]:
        """The levels of the sweep, which count what its axis says."""
        return self.sweep.request.levels

    @property
    def axis(self) -> Axis:
        """What the levels count."""
        return self.sweep.request.axis

    @property
    def measure(self) -> Measure:
        """What the figures of its cells are."""
        return measure_on(self.axis)

    @property
    def has_noise(self) -> bool:
        """Whether there are enough starts to tell differences from noise."""
        return has_noise(self.cells)

    @property
    def workloads(self) -> tuple[WorkloadName, ...]:
        """The workloads that have a cell, in the order of the sweep."""
        return tuple(self.spreads)

    def cell(self, server: str, workload: WorkloadName, level: int) -> CellSummary | None:
        """Return the summary of that cell; None where it has no record."""
        return self.cells.get(Cell(server, workload, level))

    def cells_of(self, server: str, workload: WorkloadName) -> list[CellSummary]:
        """Return a server's cells in a workload, level by level, without those that have no record."""
        found = (self.cell(server, workload, level) for level in self.levels)
        return [cell for cell in found if cell is not None]

    def share_of(self, figures: TrialFigures) -> float | None:
        """Return the rate of a single valid trial as a share of the ceiling's median in its cell."""
        record = figures.record
        rate = throughput(record) if isinstance(record, Trial) and is_valid(record) else None
        return None if rate is None else share_of_ceiling(rate, cell_of(record), self.cells)


def analyse(stored: Stored) -> SweepAnalysis:
    """Return the analysis of a sweep, whether or not it is complete."""
    sweep = stored.sweep
    levels = sweep.request.levels
    cells, trials = cells_and_trials(stored.records)
    found = drifts(stored.records)
    warnings = tuple(warnings_of(stored, found, shifts(stored.records)))
    measurements = measurements_of(cells)
    rankings = rankings_of(cells, measurements)
    measured = {cell.workload for cell in cells}
    workloads = [workload for workload in sweep.request.workloads if workload in measured]
    shares = {
        cell: share_of_ceiling(each.figure, cell, cells)
        for cell, each in cells.items()
        if each.figure is not None and not lower_is_better(each.measure)
    }
    return SweepAnalysis(
        stored=stored,
        cells=cells,
        trials=trials,
        shares={cell: share for cell, share in shares.items() if share is not None},
        measurements=measurements,
        rankings=rankings,
        ranks=ranks_of(rankings),
        spreads={each: workload_spread(each, sweep.servers, levels, cells) for each in workloads},
        io_models={each: model_spreads(each, sweep.servers, levels, cells) for each in workloads},
        drifts=tuple(found),
        warnings=warnings,
        summary=summary_of(cells, measurements, rankings, levels, found, len(warnings)),
    )
