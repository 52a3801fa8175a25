from __future__ import annotations

from itertools import permutations
from math import exp, log
from statistics import geometric_mean
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from scipy.stats import t
from support import open_sweeps
from support.builders import NOON, blocks
from support.sessions import FIRST, RATES, SECOND, SERVERS, rates, session

from ab_runner.analysis.sessions import together
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.catalog.studies import read_study
from ab_runner.catalog.study_figures import Figure
from ab_runner.errors import UserError
from ab_runner.history.evidence import of_sweep
from ab_runner.history.means import means_of
from ab_runner.model.axis import OpenLoad
from ab_runner.model.protocol import DEFAULT_STUDY, PROTOCOLS
from ab_runner.model.records import EndRecord
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell
from ab_runner.stats.ranking import Rank
from ab_runner.store.reader import Stored

THIRD = session(3, [*rates(RATES, by=0.8), *blocks("nginx-1.26", 9_500.0, 1)])


def result(*sessions: Stored) -> SweepAnalysis:
    return together([(stored.sweep.id, analyse(stored)) for stored in sessions])


def cell(name: str, level: int = 1) -> Cell:
    return Cell(name, "small", level)


def test_one_sweep_is_its_own_result() -> None:
    analysis = analyse(FIRST)
    assert together([("first", analysis)]) is analysis


def test_a_figure_is_the_range_over_sessions() -> None:
    estimate = result(FIRST, SECOND).cells[cell("tomcat-11")].estimate
    assert estimate is not None
    assert estimate.range is not None
    assert estimate.interval is None
    assert (estimate.range.low, estimate.range.high) == (12_000, 18_800)
    assert estimate.value == pytest.approx(geometric_mean([12_000, 18_800]))


def test_relative_figures_and_ranks_are_those_of_the_layout() -> None:
    sessions = [analyse(FIRST), analyse(SECOND), analyse(THIRD)]
    names = [*RATES, "nginx-1.26"]
    logs = np.array([[each.measurements[cell(name)].mean.value for name in names] for each in sessions])
    relative = logs - logs.mean(axis=1, keepdims=True)
    mean = relative.mean(axis=0)
    freedom = (len(names) - 1) * 2
    variance = ((relative - mean) ** 2).sum() / freedom
    reach = t.ppf(0.975, freedom) * (variance / 3 * (1 - 1 / len(names))) ** 0.5
    found = together([(each.sweep.id, each) for each in sessions])
    for name, expected in zip(names, mean, strict=True):
        estimate = found.compared[0].relative[cell(name)]
        assert estimate.interval is not None
        ends = (estimate.interval.low, estimate.value, estimate.interval.high)
        assert ends == pytest.approx((exp(expected - reach), exp(expected), exp(expected + reach)))
    assert found.ranks[cell("jetty-5.1.10")] == Rank(5, 5)
    assert found.ranks[cell("tomcat-11")] == Rank(1, 2)
    assert {found.ranks[cell(name)].best for name in ("resin-3.0.9", "tomcat-5.5.15")} == {3}


def test_the_order_in_which_they_are_named_changes_nothing() -> None:
    found = [result(*each) for each in permutations((FIRST, SECOND, THIRD))]
    assert all(
        (each.cells, each.compared, each.sessions) == (found[0].cells, found[0].compared, found[0].sessions)
        for each in found
    )
    assert [each.id for each in found[0].sessions] == ["session-1", "session-2", "session-3"]


def test_a_machine_that_is_faster_changes_no_relative_figure_and_no_order() -> None:
    slow, fast = (
        result(FIRST, session(2, [*rates(RATES, by=by), *blocks("nginx-1.26", 10_000 * by)])) for by in (1, 3)
    )
    for one, other in zip(*(each.compared[0].relative.items() for each in (slow, fast)), strict=True):
        assert one[0] == other[0]
        assert one[1].value == pytest.approx(other[1].value)
    assert slow.rankings.keys() == fast.rankings.keys()
    assert all(slow.rankings[row].faster == fast.rankings[row].faster for row in slow.rankings)


def test_a_server_without_a_figure_in_one_session_is_shown_and_not_ranked() -> None:
    found = result(FIRST, SECOND)
    resin = found.cells[cell("resin-3.0.9", 100)]
    assert resin.sessions == (1, 2)
    assert resin.misses_a_session
    assert resin.figure == pytest.approx(8_800)
    assert cell("resin-3.0.9", 100) not in found.ranks
    assert cell("resin-3.0.9", 100) not in found.compared[0].relative
    assert found.compared[0].bases["small", 100].servers == 4
    assert any("timeout" in str(remark) for remark in resin.remarks), "why it has none is not lost"


def test_a_lower_bound_in_one_session_is_one() -> None:
    found = result(FIRST, SECOND)
    assert found.cells[cell("nginx-1.26", 100)].is_lower_bound
    assert found.measurements[cell("nginx-1.26", 100)].is_lower_bound
    assert found.compared[0].bases["small", 100].is_bound
    assert ("nginx-1.26", "tomcat-5.5.15") in found.rankings["small", 100].faster
    assert not found.measurements[cell("nginx-1.26")].is_lower_bound


def test_the_ceiling_is_no_competitor() -> None:
    found = result(FIRST, SECOND)
    assert found.cells[cell(REFERENCE)].sessions == (2, 2)
    assert cell(REFERENCE) not in found.measurements
    assert found.shares[cell("tomcat-11")] == pytest.approx(geometric_mean([12 / 20, 18.8 / 31]))


def test_a_server_of_another_revision_is_another_server() -> None:
    revised = tuple(replace(each, revision=each.revision + (each.id == "tomcat-11")) for each in SERVERS)
    found = result(FIRST, session(2, [*rates(RATES), *blocks("nginx-1.26", 10_000.0)], revised))
    tomcat = found.cells[cell("tomcat-11")]
    assert tomcat.sessions == (1, 2)
    assert tomcat.figure == pytest.approx(12_000)
    assert cell("tomcat-11") not in found.ranks


def test_a_server_that_was_renamed_is_the_same_one() -> None:
    new = tuple(
        replace(each, id="tomcat-eleven", former_ids=("tomcat-11",)) if each.id == "tomcat-11" else each
        for each in SERVERS
    )
    rates_now = {name if name != "tomcat-11" else "tomcat-eleven": rate for name, rate in RATES.items()}
    found = result(FIRST, session(2, [*rates(rates_now), *blocks("nginx-1.26", 10_000.0)], new))
    assert found.cells[cell("tomcat-eleven")].sessions == (2, 2)
    assert cell("tomcat-11") not in found.cells


def test_sessions_of_few_starts_rank_nobody() -> None:
    few = [Stored(each.sweep, tuple(r for r in each.records if getattr(r, "block", 1) < 6)) for each in (FIRST, SECOND)]
    found = result(*few)
    assert not found.ranks
    assert all(each.interval is None for each in found.compared[0].relative.values())


def test_the_records_of_all_sessions_are_numbered_on() -> None:
    found = result(FIRST, SECOND)
    blocks_of = [
        each.record.block for each in found.trials if each.record.server == "tomcat-11" and each.record.level == 1
    ]
    assert blocks_of == [*range(1, 13)]
    assert found.cells[cell("tomcat-11")].trials == 12
    assert found.stored.ending == "finished"


def test_a_session_that_is_not_finished_makes_the_result_unfinished() -> None:
    stopped = Stored(SECOND.sweep, (*SECOND.records[:-1], EndRecord(at=NOON, reason="interrupted")))
    assert result(FIRST, stopped).stored.ending == "interrupted"


def test_latencies_are_combined_as_rates_are_and_lower_ones_are_better() -> None:
    first = open_sweeps.rates()
    second = Stored(replace(first.sweep, id="another"), first.records)
    found = result(first, second)
    assert [each.percentile for each in found.compared] == [50, 95, 99]
    for compared in found.compared:
        fast, slow = (compared.relative[Cell(name, "small", 1_000)].value for name in ("fast-1", "slow-1"))
        assert slow / fast == pytest.approx(4, rel=0.01)
    assert ("fast-1", "slow-1") in found.compared[0].over_levels["small"][1].faster
    latencies = found.cells[Cell("slow-1", "small", 1_000)].open_latencies
    assert latencies is not None
    assert all(latencies.percentiles[each].range is not None for each in (50, 95, 99))


def test_capacities_are_combined_as_rates_are() -> None:
    first = open_sweeps.capacities()
    found = result(first, Stored(replace(first.sweep, id="another"), first.records))
    assert found.measurements[Cell("late-1", "small", 10)].is_lower_bound
    assert ("fast-1", "slow-1") in found.rankings["small", 10].faster


def asking(**changes: Any) -> Stored:
    """The second session, which asks for something else."""
    return Stored(replace(SECOND.sweep, request=replace(SECOND.sweep.request, **changes)), ())


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (FIRST, "b and a are the same sweep, session-1"),
        (asking(levels=(1, 10)), "levels is 1, 10 and was 1, 100"),
        (asking(workloads=("large",)), "workloads is large and was small"),
        (asking(jdk=8), "JDK is 8 and was 25"),
        (asking(runtime="process"), "runtime is process and was docker"),
        (asking(generator="wrk"), "generator is wrk and was ab"),
        (asking(study="other-2018"), "study is other-2018 and was cindy-2006"),
        (asking(protocol=PROTOCOLS["2006"]), "protocol is 2006 and was standard; blocks is 1 and was 6"),
        (asking(open=OpenLoad(axis="rate")), "load is open, by rate and was closed"),
        (asking(protocol=replace(PROTOCOLS["standard"], idle_timeout=30)), "time-out is 30 s and was 10 s"),
        (Stored(replace(SECOND.sweep, server_cpus=(1, 2)), ()), "CPUs of a server is 2 and was 1"),
        (Stored(replace(SECOND.sweep, fixtures={"small.html": "01"}), ()), "small.html is 01 and was 00"),
    ],
)
def test_sweeps_that_ask_different_things_are_no_sessions_of_one_result(other: Stored, why: str) -> None:
    with pytest.raises(UserError, match=why) as caught:
        together([("a", analyse(FIRST)), ("b", analyse(other))])
    assert "\n" not in str(caught.value)


def test_means_over_levels_have_the_noise_of_all_servers_that_have_these_levels() -> None:
    levels = (1, 100)
    servers = {"jetty-5.1.10": "jetty-5.1.10", "tomcat-5.5.15": "tomcat-5.5.15", "resin-3.0.18": "resin-3.0.9"}
    speeds = ((1.0, 1.1, 1.0), (1.5, 1.4, 1.6), (0.8, 0.9, 0.8))
    sessions = [
        session(number, [r for level in levels for r in rates({
            name: RATES[name] * by * (1 + level / 2_000 * by) for name, by in zip(servers.values(), each, strict=True)
        }, level)])
        for number, each in enumerate(speeds, 1)
    ]  # fmt: skip
    analysis = result(*sessions)
    figures = [Figure("small", name, level, 1.0, 0, "ok") for name in servers for level in levels]
    evidence = of_sweep(analysis, replace(read_study(DEFAULT_STUDY, {}), figures=tuple(figures)))
    sums = {
        name: [
            sum(log(evidence.of(name, "small", level).values[number]) / 2 for level in levels) for number in (1, 2, 3)
        ]
        for name in servers
    }
    table = np.array(list(sums.values()))
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    variance = (residuals**2).sum() / 4
    cells = [
        (evidence.of(name, "small", level), weight / 2)
        for name, weight in (("jetty-5.1.10", 1.0), ("tomcat-5.5.15", -0.5), ("resin-3.0.18", -0.5))
        for level in levels
    ]
    means = means_of(cells, evidence)
    assert means is not None
    ((mean, weight),) = means
    expected = np.mean(table[0]) - (np.mean(table[1]) + np.mean(table[2])) / 2
    assert (weight, mean.degrees_of_freedom) == (1.0, 4)
    assert mean.value == pytest.approx(expected)
    assert mean.variance == pytest.approx(1.5 * variance / 3)
