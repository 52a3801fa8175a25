from __future__ import annotations

import msgspec
from support.builders import arrivals, open_report, open_trial, sweep, usage
from support.builders import server as made

from ab_runner.analysis.cells import summarise_cell
from ab_runner.analysis.open_load import memory_per_connection, open_cells
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.analysis.trial_figures import cpu_efficiency
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Verdict
from ab_runner.model.records import Cell, Search, Trial
from ab_runner.store.reader import Stored

SPREAD = (0.99, 1.0, 1.01, 0.98, 1.02, 1.0)


def latencies(name: str, p99: float, level: int = 1_000) -> list[Trial]:
    """Trials of six blocks, whose p99 spread by two per cent."""
    return [open_trial(name, level, p99 * by, block=block) for block, by in enumerate(SPREAD, 1)]


def capacities(name: str, kept: int, level: int = 10) -> list[Trial]:
    return [
        open_trial(
            name, level, 5.0, block=block,
            search=Search(met=round(kept * by), missed=round(1.04 * kept * by), steps=()),
        )
        for block, by in enumerate(SPREAD, 1)
    ]  # fmt: skip


def analysed(load: OpenLoad, levels: tuple[int, ...], *records: Trial) -> SweepAnalysis:
    names = dict.fromkeys(record.server for record in records)
    stored = sweep(*(made(name, workloads=("small",)) for name in names))
    protocol = msgspec.structs.replace(stored.request.protocol, blocks=6)
    request = msgspec.structs.replace(stored.request, open=load, levels=levels, workloads=("small",), protocol=protocol)
    return analyse(Stored(msgspec.structs.replace(stored, request=request), records, ()))


def test_the_figure_of_a_rate_is_p99_of_its_latencies() -> None:
    (trial,) = latencies("a-1", 12.5)[1:2]
    found = summarise_cell(Cell("a-1", "small", 1_000), [trial])
    assert (found.measure, found.figure) == ("latency", 12.5)
    assert found.served is None, "Little's law is of a closed load"


def test_the_lowest_latency_is_first() -> None:
    analysis = analysed(OpenLoad(axis="rate"), (1_000,), *latencies("slow-1", 20.0), *latencies("fast-1", 5.0))
    ranks = {cell.server: str(rank) for cell, rank in analysis.ranks.items()}
    assert ranks == {"fast-1": "1", "slow-1": "2"}
    (workload,) = analysis.summary.workloads
    assert workload.orders[0].order.leaders == ("fast-1",)
    assert round(workload.orders[0].leads[0].factor, 2) == 4
    assert analysis.shares == {}, "a share of the ceiling's latency would say nothing"


def test_a_latency_that_the_generator_made_worse_is_an_upper_bound() -> None:
    late = [msgspec.structs.replace(trial, limit="generator") for trial in latencies("late-1", 20.0)]
    analysis = analysed(OpenLoad(axis="rate"), (1_000,), *late, *latencies("fast-1", 5.0))
    assert analysis.cells[Cell("late-1", "small", 1_000)].is_lower_bound
    assert {str(rank) for rank in analysis.ranks.values()} == {"1–2"}, "it may be as fast"  # noqa: RUF001


def test_the_highest_capacity_is_first() -> None:
    analysis = analysed(OpenLoad(axis="slo"), (10,), *capacities("a-1", 10_000), *capacities("b-1", 20_000))
    assert {cell.server: str(rank) for cell, rank in analysis.ranks.items()} == {"b-1": "1", "a-1": "2"}
    found = analysis.cells[Cell("b-1", "small", 10)]
    assert (found.measure, found.figure) == ("capacity", 20_000)


def test_a_rate_that_a_server_does_not_keep_up_with_has_no_figure() -> None:
    reason = "overloaded: 812 answers/s"
    trial = open_trial("a-1", 1_000, 900.0, verdict=Verdict(False, reason))
    found = summarise_cell(Cell("a-1", "small", 1_000), [trial])
    assert found.reason is not None
    assert (found.figure, found.rejected, found.reason.value) == (None, None, "overloaded")


def test_the_cpu_time_of_the_lead_in_is_not_that_of_the_requests() -> None:
    report = open_report(1_000, seconds=5.0)
    trial = open_trial("a-1", 1_000, 1.0, report=report, lead_in_seconds=1.0, usage=usage(server_cpu_seconds=1.2))
    assert cpu_efficiency(trial) == 5_000


def test_the_cpu_time_of_opening_idle_connections_is_not_that_of_the_requests() -> None:
    report = open_report(1_000, arrivals=arrivals(1_000, idle_opened=500))
    assert cpu_efficiency(open_trial("a-1", 500, 1.0, report=report, usage=usage())) is None


def test_what_is_known_besides_the_figures() -> None:
    rich = open_trial(
        "a-1", 500, 1.0, peak=20_000.0, usage=usage(peak_memory_bytes=60_000_000),
        report=open_report(1_000, arrivals=arrivals(1_000, lag_p99=0.25)),
    )  # fmt: skip
    base = open_trial("a-1", 0, 1.0, usage=usage(peak_memory_bytes=50_000_000))
    analysis = analysed(OpenLoad(axis="idle", rate=1_000), (0, 500), base, rich)
    cells = open_cells(analysis.trials)
    found = cells[Cell("a-1", "small", 500)]
    assert (found.rate, found.peak, found.lag, found.memory_by_block) == (1_000, 20_000, 0.25, {1: 60_000_000})
    assert memory_per_connection(cells, Cell("a-1", "small", 500)) == 20_000
    assert memory_per_connection(cells, Cell("a-1", "small", 0)) is None
