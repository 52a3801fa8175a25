"""A stored sweep, analysed once: the data of all reports, comparisons and conclusions. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec

from ab_runner.analysis.cells import CellSummary, cells_and_trials, share_of_ceiling
from ab_runner.analysis.compared import Compared, compared_by
from ab_runner.analysis.courses import TrialCourse, courses_of
from ab_runner.analysis.drift import Drift, drifts, shifts
from ab_runner.analysis.latencies import COMPARED
from ab_runner.analysis.measure import Measure, lower_is_better, measure_on, rate_of
from ab_runner.analysis.measurements import has_noise, latencies_of, measurements_of, over_levels
from ab_runner.analysis.open_load import OpenCell, open_cells
from ab_runner.analysis.rankings import Rankings, cpu_efficiency_rankings, ranks_of
from ab_runner.analysis.spreads import ModelSpread, WorkloadSpread, model_spreads, workload_spread
from ab_runner.analysis.summary import Summary, summary_of
from ab_runner.analysis.trial_figures import TrialFigures
from ab_runner.analysis.verified import judged_by_verification
from ab_runner.analysis.warnings import SweepWarning, warnings_of
from ab_runner.model.axis import Axis
from ab_runner.model.records import ResumeRecord, is_valid
from ab_runner.model.server import Server
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import Cell, Trial, cell_of
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import Rank
from ab_runner.store.reader import Stored


class SweepAnalysis(msgspec.Struct, frozen=True, kw_only=True):
    """What is computed from a sweep.

    `cells` are those of the sweep's own blocks, and `open_cells` what is known of those of an open load besides.
    `trials` has every record of a cell in the order of the log, those of the reference before and after the sweep too;
    of these come `drifts`. `shares` are the cells' rates and capacities as shares of the ceiling's. `compared` has what
    servers are compared by: their figures, of latencies the medians and then p95 and p99. `cpu_efficiency` has the
    rankings by requests per CPU-second. `ranks` are those of the figures by cell. `spreads` and `io_models` are by
    workload, for those that were measured. `courses` are what happened in each second of trials that are long enough.
    `sessions` are the sweeps that a result of several is made of, in the order of time.
    """

    stored: Stored
    cells: Mapping[Cell, CellSummary]
    open_cells: Mapping[Cell, OpenCell]
    trials: tuple[TrialFigures, ...]
    shares: Mapping[Cell, float]
    compared: tuple[Compared, ...]
    cpu_efficiency: Rankings
    ranks: Mapping[Cell, Rank]
    spreads: Mapping[WorkloadName, WorkloadSpread]
    io_models: Mapping[WorkloadName, tuple[ModelSpread, ...]]
    drifts: tuple[Drift, ...]
    warnings: tuple[SweepWarning, ...]
    summary: Summary
    courses: tuple[TrialCourse, ...]
    sessions: tuple[Sweep, ...] = ()

    @property
    def sweep(self) -> Sweep:
        """The sweep as it was stored when it began."""
        return self.stored.sweep

    @property
    def shown_servers(self) -> tuple[Server, ...]:
        """The servers that tables and charts show. Of an open load the reference is among them, whose latencies are
        those of the machine and of the generator."""
        return self.sweep.servers if self.is_closed else self.sweep.everyone

    @property
    def levels(self) -> tuple[int, ...]:
        """The levels of the sweep, which count what its axis says."""
        return self.sweep.request.levels

    @property
    def axis(self) -> Axis:
        """What the levels count."""
        return self.sweep.request.axis

    @property
    def is_closed(self) -> bool:
        """Whether the load is closed: its connections wait for answers."""
        return self.sweep.request.open is None

    @property
    def measure(self) -> Measure:
        """What the figures of its cells are."""
        return measure_on(self.axis)

    @property
    def measurements(self) -> Mapping[Cell, Measurement]:
        """The figures of the cells as they are compared."""
        return self.compared[0].measurements

    @property
    def rankings(self) -> Rankings:
        """The rankings by the figures, by workload and level."""
        return self.compared[0].rankings

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

    def servers_of(self, workload: WorkloadName) -> list[Server]:
        """Return the shown servers that have a workload."""
        return [server for server in self.shown_servers if workload in server.workloads]

    def cells_of(self, server: str, workload: WorkloadName) -> list[CellSummary]:
        """Return a server's cells in a workload, level by level, without those that have no record."""
        found = (self.cell(server, workload, level) for level in self.levels)
        return [cell for cell in found if cell is not None]

    def capacity_of(self, trial: Trial) -> float | None:
        """Return the rate that half of the trials of this one's start meet; None where its cell has no capacity."""
        return self.cells[cell].by_batch.get(trial.measured_with) if (cell := cell_of(trial)) in self.cells else None

    def share_of(self, figures: TrialFigures) -> float | None:
        """Return the rate or the capacity of a single valid trial as a share of the ceiling's figure in its cell."""
        record = figures.record
        if not isinstance(record, Trial) or not is_valid(record):
            return None
        rate = rate_of(record) if record.search is None else self.capacity_of(record)
        return None if rate is None else share_of_ceiling(rate, cell_of(record), self.cells)


def analyse(stored: Stored) -> SweepAnalysis:
    """Return the analysis of a sweep, whether or not it is complete."""
    stored = msgspec.structs.replace(stored, records=judged_by_verification(stored.records))
    sweep = stored.sweep
    levels = sweep.request.levels
    cells, trials = cells_and_trials(stored.records)
    found = drifts(stored.records)
    warnings = tuple(warnings_of(stored, found, shifts(stored.records)))
    measured = {cell.workload for cell in cells}
    workloads = [workload for workload in sweep.request.workloads if workload in measured]
    compared = tuple(_compared(cells, workloads, levels, measure_on(sweep.request.axis)))
    shares = {
        cell: share_of_ceiling(each.figure, cell, cells)
        for cell, each in cells.items()
        if each.figure is not None and not lower_is_better(each.measure)
    }
    return SweepAnalysis(
        stored=stored,
        cells=cells,
        open_cells=open_cells(trials) if sweep.request.open else {},
        trials=trials,
        shares={cell: share for cell, share in shares.items() if share is not None},
        compared=compared,
        cpu_efficiency=cpu_efficiency_rankings(cells),
        ranks=ranks_of(compared[0].rankings),
        spreads={each: workload_spread(each, sweep.servers, levels, cells) for each in workloads},
        io_models={each: model_spreads(each, sweep.servers, levels, cells) for each in workloads},
        drifts=tuple(found),
        warnings=warnings,
        summary=summary_of(cells, compared, levels, found, len(warnings), _sessions(stored)),
        courses=courses_of(stored.records),
    )


def _compared(
    cells: Mapping[Cell, CellSummary], workloads: Sequence[WorkloadName], levels: Sequence[int], measure: Measure
) -> Iterator[Compared]:
    """Yield what servers are compared by: their figures, of latencies at each percentile of `COMPARED`."""
    if not lower_is_better(measure):
        yield compared_by(measurements_of(cells))
        return
    for percentile in COMPARED:
        figures_of = partial(latencies_of, percentile=percentile)
        together = {each: over_levels(cells, each, figures_of) for each in workloads if len(levels) > 1}
        yield compared_by(measurements_of(cells, figures_of), percentile, together)


def _sessions(stored: Stored) -> int:
    return 1 + sum(isinstance(record, ResumeRecord) for record in stored.records)
