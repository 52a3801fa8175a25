from __future__ import annotations

import msgspec
import pytest
from support.builders import arrivals, open_outcome, open_trial, rejected, said, sweep, usage, with_lag
from support.builders import server as made

from ab_runner.analysis.cells import summarise_cell
from ab_runner.analysis.open_load import memory_per_connection
from ab_runner.analysis.spreads import Spread
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.analysis.trial_figures import cpu_efficiency
from ab_runner.model.axis import OpenLoad
from ab_runner.model.message import Code, Message, Verdict
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell, Search, Step, Trial
from ab_runner.report.say.figures import figure_cell
from ab_runner.store.reader import Stored

SPREAD = (0.99, 1.0, 1.01, 0.98, 1.02, 1.0)


def latencies(name: str, p99: float, level: int = 1_000) -> list[Trial]:
    """Trials of six blocks, whose p99 spread by two per cent."""
    return [open_trial(name, level, p99 * by, block=block) for block, by in enumerate(SPREAD, 1)]


def steps(kept: int) -> tuple[Step, ...]:
    """Each rate twice: the higher one misses the SLO."""
    return tuple(
        Step(rate=rate, latency=5.0, answers_per_second=rate, reason=None if rate == kept else said("p99 31 ms"))
        for rate in (kept, round(1.25 * kept))
        for _ in range(2)
    )


def capacities(name: str, kept: int, level: int = 10) -> list[Trial]:
    return [
        open_trial(
            name, level, 5.0, block=block,
            search=Search(met=round(kept * by), missed=round(1.25 * kept * by), steps=steps(round(kept * by))),
        )
        for block, by in enumerate(SPREAD, 1)
    ]  # fmt: skip


def analysed(load: OpenLoad, levels: tuple[int, ...], *records: Trial) -> SweepAnalysis:
    names = dict.fromkeys(record.server for record in records)
    stored = sweep(*(made(name, workloads=("small",)) for name in names))
    protocol = msgspec.structs.replace(stored.request.protocol, blocks=6)
    request = msgspec.structs.replace(stored.request, open=load, levels=levels, workloads=("small",), protocol=protocol)
    return analyse(Stored(msgspec.structs.replace(stored, request=request), records, ()))


def test_the_figure_of_a_rate_is_the_median_of_its_latencies() -> None:
    (trial,) = latencies("a-1", 12.5)[1:2]
    found = summarise_cell(Cell("a-1", "small", 1_000), [trial])
    assert (found.measure, found.figure) == ("latency", 1.25)
    assert found.served is None, "Little's law is of a closed load"


def test_percentiles_are_those_of_all_starts_added_up() -> None:
    """Of a start with many requests and five with few: the median over starts would be 2 ms."""
    trials = [
        open_trial("a-1", 1_000, 1.0, block=block, latency={1_000: 1_000} if block == 1 else {2_000: 100})
        for block in range(1, 7)
    ]
    found = summarise_cell(Cell("a-1", "small", 1_000), trials)
    assert found.open_latencies is not None
    told = {percentile: estimate.value for percentile, estimate in found.open_latencies.percentiles.items()}
    assert told == {50: 1.0, 95: 2.0, 99: 2.0, 100: 2.0}, "and too few requests tell p99.9"
    median = found.open_latencies.percentiles[50]
    assert median.interval is not None
    assert (median.interval.low, median.interval.high) == (1.0, 2.0), "without the first start it is that of the others"
    assert found.open_latencies.percentiles[100].interval is None


def test_of_servers_that_are_tied_the_one_with_the_lowest_percentile_shown_is_named() -> None:
    """One start of a was slow. It is a sixth of all requests, so it decides their p95, but not the mean of starts."""
    slow = [open_trial("a-1", 1_000, 1.0, block=block, latency=_even(10_000 if block == 1 else 1_000, block))
            for block in range(1, 7)]  # fmt: skip
    even = [open_trial("b-1", 1_000, 1.0, block=block, latency=_even(2_000, block)) for block in range(1, 7)]
    analysis = analysed(OpenLoad(axis="rate"), (1_000,), *slow, *even)
    shown = {
        cell.server: summary.open_latencies.percentiles[95].value
        for cell, summary in analysis.cells.items()
        if summary.open_latencies
    }
    assert shown["a-1"] > 4 * shown["b-1"]
    means = {cell.server: each.mean.value for cell, each in analysis.compared[1].measurements.items()}
    assert means["a-1"] > means["b-1"], "of reciprocals"
    p50, p95 = (workload.orders[0] for workload in analysis.summary.workloads[:2])
    assert p95.behind == 0
    assert (p50.leader, p95.leader) == ("a-1", "b-1")


def _even(microseconds: int, block: int) -> dict[int, int]:
    return {round(microseconds * SPREAD[block - 1]): 1_000}


def test_latencies_are_compared_by_p50_and_p95_and_over_all_rates_together() -> None:
    """b has the lower median, and a the lower p95."""

    def made(name: str, level: int, median: int, p95: int) -> list[Trial]:
        return [
            open_trial(
                name, level, 1.0, block=block, latency={round(median * by): 900, round(p95 * by): 100}
            )
            for block, by in enumerate(SPREAD, 1)
        ]  # fmt: skip

    levels = (1_000, 2_000)
    trials = [each for at in levels for each in (*made("a-1", at, 200, 400), *made("b-1", at, 100, 800))]
    by_median, by_p95, _ = analysed(OpenLoad(axis="rate"), levels, *trials).compared
    assert (by_median.percentile, by_p95.percentile) == (50, 95)
    for compared, order in ((by_median, ("b-1", "a-1")), (by_p95, ("a-1", "b-1"))):
        assert [set(ranking.faster) for ranking in compared.rankings.values()] == [{order}, {order}]
        _, together = compared.over_levels["small"]
        assert set(together.faster) == {order}


@pytest.mark.parametrize(
    ("noise", "orders"), [(SPREAD, {("fast-1", "slow-1")}), ((0.4, 1.0, 2.0, 0.5, 1.5, 1.0), set())]
)
def test_p99_has_ranks_where_the_reference_shows_that_a_fifth_can_be_told(
    noise: tuple[float, ...], orders: set[tuple[str, str]]
) -> None:
    levels = (1_000, 2_000)
    trials = [each for at in levels for each in (*latencies("slow-1", 20.0, at), *latencies("fast-1", 10.0, at))]
    for at in levels:
        trials += [open_trial(REFERENCE, at, 4.0 * by, block=block) for block, by in enumerate(noise, 1)]
    by_median, _, by_p99 = (found := analysed(OpenLoad(axis="rate"), levels, *trials)).compared
    assert by_p99.percentile == 99
    assert by_median.rankings.keys() == {("small", at) for at in levels}
    assert by_p99.rankings.keys() == (by_median.rankings.keys() if orders else set())
    assert all(ranking.faster == orders for ranking in by_p99.rankings.values())
    _, together = by_p99.over_levels["small"]
    assert together.faster == orders
    said_of = next(each for each in found.summary.workloads if each.percentile == 99)
    assert len(said_of.orders) == (3 if orders else 0), "each rate, and all together"


def test_a_cell_without_a_figure_has_no_latencies_that_are_compared() -> None:
    """Most of its trials were disturbed, so the others are a selection."""
    verdict = Verdict(False, Message(Code.FEW_CLEAN_SECONDS))
    kept, *rest = latencies("a-1", 5.0)
    disturbed = [msgspec.structs.replace(each, verdict=verdict) for each in rest]
    found = analysed(OpenLoad(axis="rate"), (1_000,), kept, *disturbed, *latencies("b-1", 5.0))
    assert [{cell.server for cell in compared.measurements} for compared in found.compared] == [{"b-1"}] * 3


def test_the_lowest_latency_is_first() -> None:
    analysis = analysed(OpenLoad(axis="rate"), (1_000,), *latencies("slow-1", 20.0), *latencies("fast-1", 5.0))
    ranks = {cell.server: str(rank) for cell, rank in analysis.ranks.items()}
    assert ranks == {"fast-1": "1", "slow-1": "2"}
    workload, *_ = analysis.summary.workloads
    assert workload.orders[0].leader == "fast-1"
    assert workload.orders[0].lead is not None
    assert round(workload.orders[0].lead.factor, 2) == 4
    assert analysis.shares == {}, "a share of the ceiling's latency would say nothing"


@pytest.mark.parametrize(("lag", "limit"), [(150, None), (250, "generator"), (None, None)])
def test_a_cell_says_where_the_generators_median_lag_is_a_large_part_of_the_median(
    lag: int | None, limit: str | None
) -> None:
    """Of 2 ms. Whatever p99 of the lag is, a latency is no bound of another one."""
    lags = {} if lag is None else {lag: 990, 5_000: 10}
    late = [with_lag(trial, lags, limit="generator") for trial in latencies("late-1", 20.0)]
    analysis = analysed(OpenLoad(axis="rate"), (1_000,), *late, *latencies("fast-1", 5.0))
    found = analysis.cells[Cell("late-1", "small", 1_000)]
    assert (found.limit, found.is_lower_bound) == (limit, False)
    assert {cell.server: str(rank) for cell, rank in analysis.ranks.items()} == {"fast-1": "1", "late-1": "2"}


def test_a_capacity_of_which_some_starts_were_limited_is_a_lower_bound_and_says_how_many() -> None:
    trials = [
        msgspec.structs.replace(each, limit="generator" if each.block < 3 else "server")
        for each in capacities("a-1", 10_000)
    ]
    analysis = analysed(OpenLoad(axis="slo"), (10,), *trials, *capacities("b-1", 20_000))
    found = analysis.cells[Cell("a-1", "small", 10)]
    assert (found.limited, found.counted, found.is_lower_bound) == (2, 6, True)
    assert figure_cell(found).text == "≥ 11,179 −8.1/+8.8 % g 2/6"  # noqa: RUF001
    assert {str(rank) for rank in analysis.ranks.values()} == {"1–2"}, "a-1 may be as fast"  # noqa: RUF001
    assert analysis.rankings["small", 10].not_compared == {("a-1", "b-1")}


def test_the_highest_capacity_is_first() -> None:
    analysis = analysed(OpenLoad(axis="slo"), (10,), *capacities("a-1", 10_000), *capacities("b-1", 20_000))
    assert {cell.server: str(rank) for cell, rank in analysis.ranks.items()} == {"b-1": "1", "a-1": "2"}
    found = analysis.cells[Cell("b-1", "small", 10)]
    assert found.measure == "capacity"
    assert found.figure == pytest.approx(20_000 * 1.25**0.5, rel=0.001)


def test_the_rates_that_half_and_ninety_per_cent_meet_are_of_the_steps_of_all_starts() -> None:
    analysis = analysed(OpenLoad(axis="slo"), (10,), *capacities("a-1", 10_000))
    found = analysis.cells[Cell("a-1", "small", 10)]
    assert found.capacity is not None
    assert found.estimate == found.capacity.half
    assert found.capacity.ninety.value < found.capacity.half.value
    assert found.by_batch == {
        block: pytest.approx(10_000 * by * 1.25**0.5, rel=0.001) for block, by in enumerate(SPREAD, 1)
    }


def test_a_rate_that_a_server_does_not_keep_up_with_has_no_figure() -> None:
    reason = "overloaded: 812 answers/s"
    trial = open_trial("a-1", 1_000, 900.0, verdict=rejected(reason))
    found = summarise_cell(Cell("a-1", "small", 1_000), [trial])
    assert found.failure_kind is not None
    assert (found.figure, found.rejected, found.failure_kind.value) == (None, None, "overloaded")


def test_the_cpu_time_of_the_lead_in_is_not_that_of_the_requests() -> None:
    outcome = open_outcome(1_000, seconds=5.0)
    trial = open_trial("a-1", 1_000, 1.0, outcome=outcome, lead_in_seconds=1.0, usage=usage(server_cpu_seconds=1.2))
    assert cpu_efficiency(trial) == 5_000


@pytest.mark.parametrize("kind", ["idle_opened", "opened_before"])
def test_the_cpu_time_of_opening_connections_is_not_that_of_the_requests(kind: str) -> None:
    outcome = open_outcome(1_000, arrivals=arrivals(1_000, **{kind: 500}))
    assert cpu_efficiency(open_trial("a-1", 500, 1.0, outcome=outcome, usage=usage())) is None


def test_what_is_known_besides_the_figures() -> None:
    rich = open_trial(
        "a-1", 500, 1.0, peak=20_000.0, usage=usage(peak_memory_bytes=60_000_000),
        outcome=open_outcome(1_000, arrivals=arrivals(1_000, lag_p99=0.25)),
    )  # fmt: skip
    base = open_trial("a-1", 0, 1.0, usage=usage(peak_memory_bytes=50_000_000))
    analysis = analysed(OpenLoad(axis="idle", rate=1_000), (0, 500), base, rich)
    cells = analysis.open_cells
    found = cells[Cell("a-1", "small", 500)]
    assert (found.rate, found.peak, found.lag, found.memory_by_block) == (1_000, 20_000, 0.25, {1: 60_000_000})
    assert memory_per_connection(cells, Cell("a-1", "small", 500)) == Spread(20_000, 20_000, 20_000)
    assert memory_per_connection(cells, Cell("a-1", "small", 0)) is None


def lacking(clean: float, block: int, latency: dict[int, int]) -> Trial:
    """A trial with so many of its five clean seconds."""
    found = arrivals(1_000, clean_seconds=clean, clean_seconds_asked=5.0, due_seconds=20.0)
    whole = open_trial("a-1", 1_000, 5.0, block=block, outcome=open_outcome(1_000, arrivals=found))
    assert whole.outcome is not None
    return msgspec.structs.replace(whole, outcome=msgspec.structs.replace(whole.outcome, latency=latency))


def test_a_cell_whose_trials_lack_clean_seconds_is_disturbed_even_without_any_latency() -> None:
    some = {500: 4_000, 5_000: 10}
    partly = analysed(OpenLoad(axis="rate"), (1_000,), *(lacking(3.0, block, some) for block in range(1, 7)))
    (cell,) = partly.cells.values()
    assert (cell.disturbed, cell.figure, cell.is_disturbed) == (6, None, True)
    assert cell.rejected is not None
    none = analysed(OpenLoad(axis="rate"), (1_000,), *(lacking(0.0, block, {}) for block in range(1, 7)))
    (cell,) = none.cells.values()
    assert (cell.disturbed, cell.figure, cell.is_disturbed, cell.rejected) == (6, None, True, None)


def test_undisturbed_trials_alone_make_the_figure() -> None:
    good = [lacking(5.0, block, {700: 5_000}) for block in range(1, 5)]
    found = analysed(OpenLoad(axis="rate"), (1_000,), *good, *(lacking(0.0, block, {}) for block in (5, 6)))
    (cell,) = found.cells.values()
    assert (cell.disturbed, cell.figure) == (2, 0.7)
