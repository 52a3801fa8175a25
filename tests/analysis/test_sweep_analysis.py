"""A sweep is analysed once; the reference's own blocks stand apart."""

from __future__ import annotations

from support.table_sweeps import RECORDS, STANDARD, STORED, UNDER_A_CEILING

from ab_runner.analysis.failures import FailureKind
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.trial import Cell, CellRecord
from ab_runner.stats.ranking import Rank


def test_the_checks_of_the_reference_are_no_cells_but_drifts() -> None:
    analysis = analyse(STORED)
    assert "ceiling" not in {cell.server for cell in analysis.cells}
    assert [drift.workload for drift in analysis.drifts] == ["small", "large"]
    measured = [record for record in RECORDS if isinstance(record, CellRecord)]
    assert [figures.record for figures in analysis.trials] == measured, "every record, in the order of the log"


def test_cells_have_their_counts_and_reasons() -> None:
    cells = analyse(STORED).cells
    some = cells[Cell("tomcat-5.5.15", "small", 100)]
    assert (some.trials, some.failed, some.failure_kind, some.figure) == (3, 1, None, 12_000)
    none = cells[Cell("tomcat-5.5.15-defaults", "large", 100)]
    assert (none.trials, none.failed, none.failure_kind, none.figure) == (1, 1, FailureKind.FAILED_REQUESTS, None)
    assert none.rejected is not None
    assert none.rejected.value == 190.1


def test_shares_and_ranks_are_by_cell() -> None:
    shares = analyse(UNDER_A_CEILING).shares
    assert shares[Cell("jetty-5.1.10", "large", 1)] == 12.3456 / 2_000
    assert Cell("jetty-5.1.10", "large", 100) not in shares
    assert analyse(STANDARD).ranks[Cell("jetty-5.1.10", "small", 100)] == Rank(1, 1)


def test_the_spread_of_a_workload_and_of_its_io_models() -> None:
    analysis = analyse(UNDER_A_CEILING)
    spread = analysis.spreads["small"]
    assert (spread.servers, spread.cells, spread.without) == (5, 9, 3)
    assert spread.rates is not None
    assert (spread.rates.low, spread.rates.high) == (2308.4, 20_000)
    (model,) = analysis.io_models["small"]
    assert (model.io_model, "ceiling" in model.servers) == ("blocking thread pool", False)
