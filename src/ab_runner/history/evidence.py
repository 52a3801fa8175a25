"""The evidence for or against a conclusion: published figures and those of a sweep, in one form. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.analysis.trial_figures import TrialFigures
from ab_runner.catalog.studies import Study
from ab_runner.catalog.study_conclusions import Quantity
from ab_runner.catalog.study_figures import Figure
from ab_runner.history.quantities import Quantities, of_figure, of_trial, trials_by_cell
from ab_runner.history.then_and_now import match_of
from ab_runner.model.message import Code
from ab_runner.model.protocol import DEFAULT_GENERATOR
from ab_runner.model.server import Server
from ab_runner.model.trial import Cell, Trial, cell_of
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.estimate import FEWEST_STARTS
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ratio import LogMean, log_mean

OTHERS: tuple[Quantity, ...] = ("answered", "mean", "longest", "beside")
"""The quantities besides the rate that claims are about."""
KNOWN_OF_ALL: tuple[Quantity, ...] = ("answered", "beside")
"""Those that trials tell whether or not they are valid."""
SHORTEST_MS = 0.001
"""What a latency has beyond the wait at least: figures are rounded."""
FEWEST_ANSWERED = 1
"""What a start answers at least where numbers are compared as ratios: no request at all has none."""


class NotThere(Enum):
    """Why there is no cell."""

    SERVER = "server"
    """Neither the server nor a stand-in for it was measured."""
    LEVEL = "level"
    """No server was measured at this level."""
    WORKLOAD = "workload"
    """No server was measured with this workload."""


class Absence(msgspec.Struct, frozen=True):
    """A server has no figure: there is no cell, the cell has no rate, or a published row says why."""

    server: str
    why: NotThere | CellSummary | Figure


class FailedRequests(msgspec.Struct, frozen=True):
    """Requests that failed in one block, of how many; `of` is None where only equal numbers are known to have been
    sent. Not `counted`: the generator gave up, and more may have failed."""

    failed: int
    of: int | None
    counted: bool = True


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A cell of a published server. `measurement` is what comparisons use, None if there is no valid result: `absence`
    says why. `cell` is the one that was measured. `values` are by block, or rates of a result of several sessions by
    session. `misses_a_start`: a start has no value, so those of the others may be a selection. `at_most`: requests
    failed, and the rate that includes them is an upper bound of the rate without failures. `at_least`: the generator or
    the network was the limit, so the server may be faster. `is_published`: it is an author's own figure, whose noise is
    not known."""

    server: str
    absence: Absence
    cell: Cell | None = None
    measurement: Measurement | None = None
    values: Mapping[int, float] = {}
    misses_a_start: bool = False
    at_most: bool = False
    at_least: bool = False
    is_published: bool = False
    failures: Mapping[int, FailedRequests] = {}

    @property
    def has_noise(self) -> bool:
        """Whether there were enough starts to test it."""
        return self.measurement is not None and self.measurement.mean.has_noise


class Evidence(msgspec.Struct, frozen=True):
    """Figures under the names of a study's servers: `cells` has rates, `others` the other quantities that claims are
    about, each so that more is better; `year` is that of published ones, of which it is not known how
    many `cpus` each server had. `generator` made the load. `is_of_sessions`: of several, whose figures are compared
    by session and not by block."""

    name: str
    cells: Mapping[Cell, Measured]
    year: int | None = None
    cpus: int | None = None
    generator: str = DEFAULT_GENERATOR
    is_of_sessions: bool = False
    others: Mapping[Quantity, Mapping[Cell, Measured]] = {}

    def on(self, quantity: Quantity) -> Evidence:
        """Return the evidence with this quantity in its cells."""
        return self if quantity == "rate" else msgspec.structs.replace(self, cells=self.others.get(quantity, {}))

    @property
    def is_published(self) -> bool:
        """Whether its figures are an author's own: one for each cell, with unknown noise."""
        return self.year is not None

    def of(self, server: str, workload: WorkloadName, concurrency: int) -> Measured:
        """Return the cell of a published server, whether or not it was measured."""
        found = self.cells.get(Cell(server, workload, concurrency))
        return found or Measured(server=server, absence=Absence(server, self._why_not(workload, concurrency)))

    def _why_not(self, workload: WorkloadName, concurrency: int) -> NotThere:
        levels = {cell.level for cell in self.cells if cell.workload == workload}
        if not levels:
            return NotThere.WORKLOAD
        return NotThere.SERVER if concurrency in levels else NotThere.LEVEL

    @property
    def has_noise(self) -> bool:
        """Whether any of its cells had enough starts to be tested."""
        return any(cell.has_noise for cells in (self.cells, *self.others.values()) for cell in cells.values())


def of_study(study: Study) -> Evidence:
    """Return the figures of a study as evidence."""
    figures = {Cell(each.server, each.workload, each.level): each for each in study.figures}
    others = {
        quantity: {cell: _published_other(figure, quantity) for cell, figure in figures.items()}
        for quantity in (OTHERS if study.is_open else ())
    }
    cells = {cell: _published(figure) for cell, figure in figures.items()}
    return Evidence(study.name, cells, study.year, others=others)


def _published_other(figure: Figure, quantity: Quantity) -> Measured:
    value = _published_value(figure, quantity)
    found = _of_blocks(Absence(figure.server, figure), {} if value is None else {1: value})
    return msgspec.structs.replace(found, is_published=True)


def _published_value(figure: Figure, quantity: Quantity) -> float | None:
    if quantity == "beside":
        return {"ok": 1.0, "failed": 0.0}.get(figure.outcome)
    counts = figure.reason is None or (quantity == "answered" and figure.outcome == "ok")
    return _value(of_figure(figure), quantity, figure.wait_ms) if counts else None


def _value(found: Quantities, quantity: Quantity, wait_ms: int) -> float | None:
    """Return a quantity so that more is better: of a latency the inverse, per second, of what is beyond the wait."""
    match quantity:
        case "answered":
            return None if found.answered is None else max(found.answered, FEWEST_ANSWERED)
        case "mean" | "longest":
            milliseconds = found.latency_mean if quantity == "mean" else found.latency_longest
            return 1000 / max(milliseconds - wait_ms, SHORTEST_MS) if milliseconds is not None else None
        case "beside":
            return found.beside_answered
    return found.rate


def _of_blocks(
    absence: Absence, values: Mapping[int, float], cell: Cell | None = None, starts: int = 1, is_tested: bool = False
) -> Measured:
    """Return a cell with these values by block, of so many starts. A share may be 0, and has no logarithm."""
    measurement = None
    if values and min(values.values()) > 0:
        mean = log_mean(list(values.values()))
        measurement = Measurement(mean if is_tested and len(values) == starts else LogMean(mean.value))
    return Measured(
        server=absence.server,
        absence=absence,
        cell=cell,
        values=values,
        misses_a_start=len(values) < starts,
        measurement=measurement,
    )


def _published(figure: Figure) -> Measured:
    """Return a published figure. One with too many failed requests is used as an upper bound."""
    absence = Absence(figure.server, figure)
    if figure.requests_per_second is None:
        return Measured(server=figure.server, absence=absence)
    return Measured(
        server=figure.server,
        absence=absence,
        measurement=Measurement(log_mean([figure.requests_per_second])),
        values={1: figure.requests_per_second},
        at_most=figure.reason is not None,
        is_published=True,
        failures={1: FailedRequests(figure.failed_requests or 0, None)},
    )


def of_sweep(analysis: SweepAnalysis, study: Study) -> Evidence:
    """Return the cells of the stand-in for each server of a study. Those of an open load have no rates: a server has
    the rate that it is given."""
    failures = _failures(analysis.trials)
    trials = trials_by_cell(analysis.trials)
    blocks = {} if analysis.sessions else {each.record.measured_with: each.record.block for each in analysis.trials}
    opened_before = analysis.sweep.request.opened_before
    found: dict[Cell, Measured] = {}
    others: dict[Quantity, dict[Cell, Measured]] = {}
    for (name, workload), server in _stand_ins(analysis.sweep.servers, study):
        for level in analysis.levels:
            cell = analysis.cell(server.id, workload, level)
            if cell is None:
                continue
            place = Cell(name, workload, level)
            if analysis.is_closed:
                found[place] = _measured(
                    cell, analysis.measurements.get(cell.cell), failures.get(cell.cell, {}), blocks
                )
                continue
            wait_ms = analysis.sweep.workload(workload).not_before_ms
            is_tested = cell.trials >= FEWEST_STARTS and not analysis.sessions
            measured_here = trials.get(cell.cell, ())
            for quantity, measured in _others(cell, measured_here, wait_ms, opened_before, is_tested).items():
                others.setdefault(quantity, {})[place] = measured
    sweep = analysis.sweep
    return Evidence(
        sweep.id,
        found,
        cpus=sweep.cpus_of_a_server,
        generator=sweep.request.load_by,
        is_of_sessions=bool(analysis.sessions),
        others=others,
    )


def _others(
    cell: CellSummary, trials: Sequence[TrialFigures], wait_ms: int, opened_before: int, is_tested: bool
) -> dict[Quantity, Measured]:
    """Return what the trials of a cell measured, by block. Latencies are those of trials in which every request was
    answered, if late, over the connections that were asked for. How many were answered is known of all."""
    found = []
    for trial in trials:
        assert isinstance(trial.record, Trial), "what has no trial has no outcome"
        found.append((trial.record.block, _tells_latency(trial.record, opened_before), of_trial(trial)))
    absence = Absence(cell.cell.server, cell)
    return {
        quantity: _of_blocks(
            absence,
            {
                block: value
                for block, tells_latency, each in found
                if (tells_latency or quantity in KNOWN_OF_ALL)
                and (value := _value(each, quantity, wait_ms)) is not None
            },
            cell.cell,
            cell.trials,
            is_tested,
        )
        for quantity in OTHERS
    }


def _tells_latency(trial: Trial, opened_before: int) -> bool:
    """Return whether every request had its right answer, if late, over the connections that were asked for. The
    latencies of some requests would be those of a selection. Older verdicts do not tell of connections."""
    reason, outcome = trial.verdict.reason, trial.outcome
    if outcome is None or outcome.arrivals is None or outcome.arrivals.lacks_connections(opened_before):
        return False
    is_late = reason is not None and reason.code == Code.OVERLOADED
    return reason is None or (is_late and outcome.completed == outcome.arrivals.planned)


def _stand_ins(servers: Sequence[Server], study: Study) -> Iterable[tuple[tuple[str, WorkloadName], Server]]:
    for server, workload in dict.fromkeys((figure.server, figure.workload) for figure in study.figures):
        able = [each for each in servers if workload in each.workloads]
        if stand_in := match_of(server, able, study).stand_in:
            yield (server, workload), stand_in


def _measured(
    cell: CellSummary,
    measurement: Measurement | None,
    failures: Mapping[int, FailedRequests],
    blocks: Mapping[int, int],
) -> Measured:
    return Measured(
        server=cell.cell.server,
        absence=Absence(cell.cell.server, cell),
        cell=cell.cell,
        measurement=measurement,
        values={blocks.get(batch, batch): rate for batch, rate in cell.by_batch.items()},
        at_least=measurement is not None and measurement.is_lower_bound,
        failures=failures,
    )


def _failures(trials: Iterable[TrialFigures]) -> dict[Cell, dict[int, FailedRequests]]:
    found: dict[Cell, dict[int, FailedRequests]] = {}
    for record in (figures.record for figures in trials):
        if isinstance(record, Trial) and not record.is_reference_check:
            blocks = found.setdefault(cell_of(record), {})
            blocks[record.block] = _sum(blocks.get(record.block), _failures_of(record))
    return found


def _failures_of(trial: Trial) -> FailedRequests:
    outcome = trial.outcome
    if outcome is None:
        return FailedRequests(0, 0, counted=False)
    return FailedRequests(outcome.failed_at_least, outcome.requests)


def _sum(one: FailedRequests | None, other: FailedRequests) -> FailedRequests:
    if one is None:
        return other
    return FailedRequests(one.failed + other.failed, (one.of or 0) + (other.of or 0), one.counted and other.counted)
