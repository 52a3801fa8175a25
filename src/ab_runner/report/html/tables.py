"""The content of report.html for each workload: the table of rates, and the data tables of the charts. Pure."""

from __future__ import annotations

import msgspec

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measure import Measure, lower_is_better
from ab_runner.analysis.spreads import ModelSpread, Spread, WorkloadSpread
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.load import Limit
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.trial import Cell
from ab_runner.model.workload import Workload
from ab_runner.report.document import Group, Table, TableCell
from ab_runner.report.say.figures import (
    NOTHING,
    beyond_text,
    cell_text,
    cpu_efficiency_cell,
    latency_cell,
    limit_of,
    limit_text,
    main_text,
    star_of,
)
from ab_runner.report.say.notes import key_notes, latency_notes, own_percentiles, remark_groups, untestable_notes
from ab_runner.report.say.numbers import figure_of, share_figure
from ab_runner.report.say.words import Words, words_of
from ab_runner.report.tables.of_sweep import ABOVE_THE_CEILING, no_record, ranks_tables, relative_tables
from ab_runner.report.tables.open_load import latency_tables, open_load_tables


class RatePlace(msgspec.Struct, frozen=True):
    """A cell of the table of rates: `main` is shown large, all else small below it. `bar` is per cent of the table's
    highest figure, 0 where a lower one is better; a cell without a bar that has not failed was not run."""

    main: str
    value: float | None = None
    """The rate, by which a column is sorted."""
    beyond: str = ""
    """The width of the interval, and the number of failed trials."""
    rank: str = ""
    limit: Limit | None = None
    limit_text: str = ""
    """Its letter, and how many trials it is about if not all."""
    share: str = ""
    """The share of the ceiling's rate."""
    bar: int | None = None
    failed: bool = False
    starved: bool = False
    """Failed because most connections were not served."""


class WorkloadSection(msgspec.Struct, frozen=True):
    """One workload. `rates`, `latencies` and `cpu_efficiencies` have a row for each of `servers` and a place for each
    concurrency; the last is empty where no CPU time is known.
    `notes` stand below the table, `remarks` behind it, and `ranks` are in a table of their own."""

    workload: Workload
    servers: tuple[Server, ...]
    rates: tuple[tuple[RatePlace, ...], ...]
    latencies: tuple[tuple[TableCell, ...], ...]
    cpu_efficiencies: tuple[tuple[TableCell, ...], ...]
    notes: tuple[str, ...]
    remarks: tuple[Group, ...]
    ranks: tuple[Table, ...]
    latency_notes: tuple[str, ...]
    summary: str
    open_load: tuple[Table, ...] = ()
    """What only an open load has."""
    own_latencies: str = ""
    """Whose percentiles the latencies are, where they are not of recorded requests."""

    @property
    def has_rank(self) -> bool:
        """Whether any place has a rank."""
        return any(place.rank for row in self.rates for place in row)

    @property
    def has_starved(self) -> bool:
        """Whether any place has no rate because most connections waited."""
        return any(place.starved for row in self.rates for place in row)

    @property
    def has_share(self) -> bool:
        """Whether any place has a share of the ceiling's rate."""
        return any(place.share for row in self.rates for place in row)


class ModelRow(msgspec.Struct, frozen=True):
    """An I/O model, its servers, and a cell for each concurrency."""

    io_model: str
    servers: tuple[str, ...]
    cells: tuple[TableCell, ...]


class ModelSection(msgspec.Struct, frozen=True):
    """The I/O models of one workload."""

    workload: Workload
    rows: tuple[ModelRow, ...]


def workload_section(workload: Workload, analysis: SweepAnalysis) -> WorkloadSection:
    """Return the content of the page for a workload."""
    servers = analysis.servers_of(workload.name)
    grid = [[analysis.cell(server.id, workload.name, level) for level in analysis.levels] for server in servers]
    spread = analysis.spreads[workload.name]
    highest = spread.rates.high if spread.rates else 1.0
    has_efficiency = any(cell is not None and cell.cpu_efficiency is not None for row in grid for cell in row)
    notes = [*key_notes(workload.name, analysis), *untestable_notes(workload.name, analysis)]
    if any(cell.workload == workload.name and share > 1 for cell, share in analysis.shares.items()):
        notes.append(f"share of the ceiling: {ABOVE_THE_CEILING}")
    return WorkloadSection(
        workload=workload,
        servers=tuple(servers),
        rates=tuple(
            tuple(_rate_place(cell, no_record(server.id, analysis), highest, analysis) for cell in row)
            for server, row in zip(servers, grid, strict=True)
        ),
        latencies=tuple(tuple(map(latency_cell, row)) for row in grid),
        cpu_efficiencies=tuple(tuple(map(cpu_efficiency_cell, row)) for row in grid) if has_efficiency else (),
        notes=tuple(notes),
        remarks=remark_groups(workload.name, analysis),
        ranks=(*relative_tables(workload, analysis), *ranks_tables(workload, analysis)),
        latency_notes=tuple(latency_notes(workload.name, analysis)),
        summary=_spread_text(spread, words_of(analysis.sweep.request)),
        open_load=(*latency_tables(workload, analysis), *open_load_tables(workload, analysis)),
        own_latencies="; ".join(own_percentiles(cell for row in grid for cell in row if cell)),
    )


def _rate_place(cell: CellSummary | None, absent: str, highest: float, analysis: SweepAnalysis) -> RatePlace:
    if cell is None:
        return RatePlace(absent)
    if cell.figure is None:
        return RatePlace(cell_text(cell), failed=True, starved=cell.starved)
    rank = analysis.ranks.get(cell.cell)
    return RatePlace(
        f"{main_text(cell)}{star_of(cell)}",
        cell.figure,
        beyond_text(cell),
        rank=str(rank) if rank else "",
        limit=limit_of(cell),
        limit_text=limit_text(cell),
        share=_share_text(cell.cell, analysis),
        bar=0 if lower_is_better(cell.measure) else round(100 * cell.figure / highest),
    )


def _share_text(cell: Cell, analysis: SweepAnalysis) -> str:
    if cell.server == REFERENCE or cell not in analysis.shares:
        return ""
    return f"{share_figure(analysis.shares[cell])} %"


def _spread_text(spread: WorkloadSpread, words: Words) -> str:
    """Return the range of the figures and how many cells have none, without ranking servers."""
    if spread.rates is None:
        return f"None of {spread.servers} servers has a figure."
    low, high = (figure_of(words.measure, figure) for figure in (spread.rates.low, spread.rates.high))
    of = f"from {low} to {high} requests per second" if words.measure == "rate" else f"{words.quantity} {low} to {high}"
    text = f"{spread.servers} servers, {of}"
    return f"{text}; {spread.without} of {spread.cells} cells have no figure." if spread.without else f"{text}."


def model_section(workload: Workload, analysis: SweepAnalysis) -> ModelSection:
    """Return the I/O models of a workload, with the lowest, the median and the highest figure of their servers."""
    rows = (_model_row(model, analysis.measure) for model in analysis.io_models[workload.name])
    return ModelSection(workload, tuple(rows))


def _model_row(model: ModelSpread, measure: Measure) -> ModelRow:
    return ModelRow(model.io_model, model.servers, tuple(_model_cell(level, measure) for level in model.levels))


def _model_cell(spread: Spread | None, measure: Measure) -> TableCell:
    if spread is None:
        return NOTHING
    text = " / ".join(figure_of(measure, figure) for figure in (spread.low, spread.middle, spread.high))
    return TableCell(text, value=spread.low)
