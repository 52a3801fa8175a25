"""What speaks for or against a conclusion: published figures and those of a sweep, in one form. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from ab_runner.analysis.cells import CellSummary, summarise
from ab_runner.history.published import Figure
from ab_runner.history.then_and_now import match_of
from ab_runner.model.records import Cell, Trial, cell_of
from ab_runner.model.server import Server
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.pairing import Measurement
from ab_runner.store.reader import Stored

NOT_THERE = "not there"
NOBODY_THERE = "not measured at this concurrency"


class Failures(msgspec.Struct, frozen=True):
    """Requests that failed in one block, of how many; `of` is None where only equal numbers are known to have been
    sent. Not `counted`: ab gave up, and more may have failed."""

    failed: int
    of: int | None
    counted: bool = True


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A cell of a server of the paper. `rates` and `cpu_efficiency` (requests per CPU-second) are by block, empty if
    there is none that counts: then `reason` says why. `at_most`: requests failed, and what is counted with them is no
    less than what would have been without. `at_least`: ab was the limit, so the server may be faster. `is_published`:
    it is an author's own figure, of which the noise is not known."""

    server: str
    rates: Mapping[int, float] = {}
    cpu_efficiency: Mapping[int, float] = {}
    at_most: bool = False
    at_least: bool = False
    is_published: bool = False
    reason: str = NOT_THERE
    failures: Mapping[int, Failures] = {}

    @property
    def measurement(self) -> Measurement:
        """What it is compared by."""
        return Measurement(tuple(self.rates.values()), tuple(self.cpu_efficiency.values()), self.at_least)

    @property
    def why_not(self) -> str:
        return self.reason if self.reason == NOBODY_THERE else f"{self.server}: {self.reason}"


class Evidence(msgspec.Struct, frozen=True):
    """Figures under the names of the paper's servers; `year` is that of published ones."""

    name: str
    cells: Mapping[Cell, Measured]
    year: int | None = None

    @property
    def is_published(self) -> bool:
        """Whether its figures are an author's own, with one for each cell and nothing known of their noise."""
        return self.year is not None

    def of(self, server: str, workload: WorkloadName, concurrency: int) -> Measured:
        found = self.cells.get(Cell(server, workload, concurrency))
        return found or Measured(server=server, reason=self._why_not(workload, concurrency))

    def _why_not(self, workload: WorkloadName, concurrency: int) -> str:
        anybody = any((cell.workload, cell.concurrency) == (workload, concurrency) for cell in self.cells)
        return NOT_THERE if anybody else NOBODY_THERE

    @property
    def blocks(self) -> int:
        """The most that any figure has."""
        return max((len(cell.rates) for cell in self.cells.values()), default=0)


def published(name: str, year: int, figures: Iterable[Figure]) -> Evidence:
    cells = {Cell(each.server, each.workload, each.concurrency): _published(each) for each in figures}
    return Evidence(name, cells, year)


def _published(figure: Figure) -> Measured:
    """A figure with failed requests counts here as far as it goes: as the most that it can have been."""
    if figure.requests_per_second is None:
        return Measured(server=figure.server, reason=figure.outcome)
    return Measured(
        server=figure.server,
        rates={1: figure.requests_per_second},
        at_most=bool(figure.failed_requests),
        is_published=True,
        failures={1: Failures(figure.failed_requests or 0, None)},
    )


def of_sweep(stored: Stored, figures: Iterable[Figure]) -> Evidence:
    """The cells of what stands for each server of the paper."""
    cells = summarise(stored.records)
    failures = _failures(stored)
    found: dict[Cell, Measured] = {}
    for name, server in _stand_ins(stored.sweep.servers, figures):
        for level in stored.sweep.request.concurrency:
            here = Cell(server.id, name[1], level)
            if here in cells:
                found[Cell(name[0], name[1], level)] = _measured(cells[here], failures.get(here, {}))
    return Evidence(stored.sweep.id, found)


def _stand_ins(
    servers: Sequence[Server], figures: Iterable[Figure]
) -> Iterable[tuple[tuple[str, WorkloadName], Server]]:
    for server, workload in dict.fromkeys((figure.server, figure.workload) for figure in figures):
        able = [each for each in servers if workload in each.workloads]
        if stand_in := match_of(server, able).stand_in:
            yield (server, workload), stand_in


def _measured(cell: CellSummary, failures: Mapping[int, Failures]) -> Measured:
    return Measured(
        server=cell.cell.server,
        rates=cell.by_block,
        cpu_efficiency=cell.per_cpu_second_by_block,
        at_least=cell.is_lower_bound,
        reason=cell.served_text if cell.starved else cell.rate_text,
        failures=failures,
    )


def _failures(stored: Stored) -> dict[Cell, dict[int, Failures]]:
    found: dict[Cell, dict[int, Failures]] = {}
    for record in stored.records:
        if isinstance(record, Trial) and not record.is_reference_check:
            blocks = found.setdefault(cell_of(record), {})
            blocks[record.block] = _sum(blocks.get(record.block), _failures_of(record))
    return found


def _failures_of(trial: Trial) -> Failures:
    report = trial.report
    if report is None:
        return Failures(0, 0, counted=False)
    return Failures(report.failures.at_least, report.complete + report.failures.connect)


def _sum(one: Failures | None, other: Failures) -> Failures:
    if one is None:
        return other
    return Failures(one.failed + other.failed, (one.of or 0) + (other.of or 0), one.counted and other.counted)
