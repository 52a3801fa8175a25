from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np
import pytest
from support.builders import failed_trial, outcome, served, server, sweep, trial, usage
from support.golden import golden

from ab_runner.analysis.comparison import SweepComparison, compare_sweeps, to_know_of, why_not_comparable
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.load import Limit, Load
from ab_runner.model.protocol import NO_WARM_UP, PROTOCOLS, WarmUp
from ab_runner.model.records import Record
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import Trial
from ab_runner.report.formats import comparison_csv, markdown
from ab_runner.report.tables.comparison import report_comparison
from ab_runner.store.reader import Stored

TOMCAT, TOMCAT_11, JETTY, RESIN = map(server, ("tomcat-5.5.15", "tomcat-11", "jetty-5.1.10", "resin-3.0.9"))
CEILING = server(REFERENCE)
SPREAD = (0.99, 1.0, 1.01, 0.98, 1.02, 1.0)


def blocks(
    of: Server, rate: float, concurrency: int = 1, limit: Limit | None = None, per_cpu_second: float | None = None,
    spread: Iterable[float] = SPREAD,
) -> list[Trial]:  # fmt: skip
    return [
        trial(
            of.id, "small", concurrency, block=block, limit=limit,
            outcome=outcome(requests_per_second=rate * by, complete=round(rate * by)),
            usage=usage(server_cpu_seconds=rate / per_cpu_second) if per_cpu_second else None,
        )
        for block, by in enumerate(spread, 1)
    ]  # fmt: skip


def stored(*records: Record, id: str = "before", **changes: object) -> Stored:
    return Stored(sweep(TOMCAT, TOMCAT_11, JETTY, RESIN, id=id, **changes), records)


def test_a_cell_that_the_hypervisor_disturbed_is_not_compared_and_is_not_lost() -> None:
    stolen = usage(server_stolen_share=0.2)
    disturbed = [msgspec.structs.replace(each, usage=stolen) for each in blocks(TOMCAT, 5_000)]
    good = stored(*blocks(TOMCAT, 10_000))
    for before, after in ((good, stored(*disturbed)), (stored(*disturbed), good)):
        assert changes(compare(before, after)) == {("tomcat-5.5.15", 1): "-"}


def compare(before: Stored, after: Stored, slower: float | None = None) -> SweepComparison:
    return compare_sweeps(analyse(before), analyse(after), slower)


def changes(compared: SweepComparison) -> dict[tuple[str, int], str]:
    return {(each.cell.server, each.cell.level): each.change for each in compared.cells}


@pytest.mark.parametrize(
    ("rate", "change"), [(11_000, "faster"), (9_000, "slower"), (10_100, "cannot be told"), (9_700, "cannot be told")]
)
def test_a_cell_is_faster_or_slower_only_if_that_can_be_told(rate: float, change: str) -> None:
    found = compare(stored(*blocks(TOMCAT, 10_000)), stored(*blocks(TOMCAT, rate)))
    assert changes(found) == {("tomcat-5.5.15", 1): change}
    assert found.cells[0].ratio is not None
    assert found.cells[0].ratio.value == pytest.approx(rate / 10_000)


def test_one_block_has_a_ratio_and_tells_nothing() -> None:
    found = compare(stored(*blocks(TOMCAT, 10_000, spread=[1])), stored(*blocks(TOMCAT, 5_000)), slower=0.05)
    assert changes(found) == {("tomcat-5.5.15", 1): "too few starts"}
    assert not found.can_tell
    assert not found.cells[0].too_slow


@pytest.mark.parametrize(
    ("rate", "spread", "too_slow"), [(9_000, SPREAD, True), (9_600, SPREAD, False), (9_000, (0.8, 1.2, 1, 1), False)]
)
def test_too_slow_is_what_can_be_told_to_be_slower_by_more_than_allowed(
    rate: float, spread: tuple[float, ...], too_slow: bool
) -> None:
    found = compare(stored(*blocks(TOMCAT, 10_000)), stored(*blocks(TOMCAT, rate, spread=spread)), slower=0.05)
    assert found.cells[0].too_slow is too_slow


def test_sweeps_of_the_same_servers_hardly_ever_fail_a_build() -> None:
    """Slower by 5 % in truth, and 5 % allowed: the worst case of what must pass."""
    random = np.random.default_rng(11)
    failed = 0
    for _ in range(100):

        def made(rate: float) -> Stored:
            noise = [np.exp(random.normal(0, 0.02, 6)) for _ in range(4)]
            servers = zip((TOMCAT, TOMCAT_11, JETTY, RESIN), noise, strict=True)
            return stored(*(each for of, spread in servers for each in blocks(of, rate, spread=spread)))

        found = compare(made(10_000), made(9_500), slower=0.05)
        failed += any(cell.too_slow for cell in found.cells) or any(family.too_slow for family in found.families)
    assert failed <= 10


def test_where_ab_was_the_limit_in_both_sweeps_cpu_times_are_compared() -> None:
    before = blocks(TOMCAT, 18_000, limit="generator", per_cpu_second=40_000)
    after = blocks(TOMCAT, 18_000, limit="generator", per_cpu_second=30_000)
    found = compare(stored(*before), stored(*after))
    assert changes(found) == {("tomcat-5.5.15", 1): "slower"}
    assert found.cells[0].by_cpu_time
    assert changes(compare(stored(*before), stored(*blocks(TOMCAT, 18_000, limit="generator")))) == {
        ("tomcat-5.5.15", 1): "generator was the limit"
    }


@pytest.mark.parametrize(("limit", "figure"), [(None, "rate"), ("generator", "CPU time")])
def test_a_machine_that_is_slower_as_a_whole_is_no_change(limit: Limit | None, figure: str) -> None:
    """Where every batch has the reference, its own figures of the same kind are what a server's are divided by."""

    def made(speed: float, reference: float) -> Stored:
        batches = msgspec.structs.replace(sweep().request, protocol=PROTOCOLS["standard"])
        mine = blocks(TOMCAT, 18_000 * speed, limit=limit, per_cpu_second=20_000 * speed)
        others = blocks(CEILING, 20_000 * reference, limit="generator", per_cpu_second=90_000 * speed)
        return stored(*mine, *others, request=batches)

    found = compare(made(1, 1), made(0.8, 0.5 if limit else 0.8))
    assert found.by_reference
    assert changes(found) == {("tomcat-5.5.15", 1): "cannot be told"}
    assert found.cells[0].by_cpu_time is (figure == "CPU time")
    assert found.cells[0].ratio is not None
    assert found.cells[0].ratio.value == pytest.approx(1)


@pytest.mark.parametrize(
    ("limited", "rate", "change", "bound"),
    [
        ("before", 15_000, "slower", "≤"),
        ("before", 22_000, "cannot be told", "≤"),
        ("after", 22_000, "faster", "≥"),
        ("after", 15_000, "cannot be told", "≥"),
    ],
)
def test_where_ab_was_the_limit_in_one_sweep_that_one_cannot_be_told_to_be_slower(
    limited: str, rate: float, change: str, bound: str
) -> None:
    """Whatever the CPU time says; nor does it fail a build."""
    limits: list[Limit | None] = ["generator" if side == limited else None for side in ("before", "after")]
    found = compare(
        stored(*blocks(TOMCAT, 18_000, limit=limits[0], per_cpu_second=40_000)),
        stored(*blocks(TOMCAT, rate, limit=limits[1], per_cpu_second=30_000)),
        slower=0.05,
    )
    (cell,), (family,) = found.cells, found.families
    assert (cell.change, cell.by_cpu_time, cell.bound) == (change, False, bound)
    assert (family.change, family.bound) == (change, bound)
    assert cell.too_slow is family.too_slow is (change == "slower")


def test_a_starved_cell_has_no_figure_to_compare() -> None:
    starved = [msgspec.structs.replace(each, outcome=served(20_000, 100, 0.2)) for each in blocks(TOMCAT, 20_000, 100)]
    fair = blocks(TOMCAT, 10_000, 100)
    assert changes(compare(stored(*fair), stored(*starved))) == {("tomcat-5.5.15", 100): "lost"}
    assert changes(compare(stored(*starved), stored(*fair))) == {("tomcat-5.5.15", 100): "gained"}
    assert changes(compare(stored(*starved), stored(*starved))) == {("tomcat-5.5.15", 100): "-"}


def test_a_figure_that_is_no_more_is_lost_and_a_cell_that_was_not_run_is_not() -> None:
    timeout = failed_trial("tomcat-5.5.15", "small", 1, "timeout")
    before, after = stored(*blocks(TOMCAT, 10_000), *blocks(JETTY, 10_000)), stored(timeout)
    assert changes(compare(before, after)) == {("tomcat-5.5.15", 1): "lost", ("jetty-5.1.10", 1): "-"}
    assert changes(compare(after, before))["tomcat-5.5.15", 1] == "gained"


def test_a_family_is_the_geometric_mean_of_its_servers_over_the_cells_of_every_block() -> None:
    """Tomcat 5.5 is twice and tomcat-11 half as fast; jetty lacks a block at 100, which therefore does not count."""
    before = [each for of in (TOMCAT, TOMCAT_11, JETTY) for level in (1, 100) for each in blocks(of, 10_000, level)]
    after = [*blocks(TOMCAT, 20_000), *blocks(TOMCAT, 20_000, 100), *blocks(TOMCAT_11, 5_000), *blocks(JETTY, 11_000)]
    after += [*blocks(TOMCAT_11, 5_000, 100), *blocks(JETTY, 30_000, 100)[1:]]
    tomcat, jetty = compare(stored(*before), stored(*after)).families
    assert (tomcat.family, tomcat.servers, tomcat.cells, tomcat.change) == ("tomcat", 2, 4, "cannot be told")
    assert tomcat.ratio.value == pytest.approx(1)
    assert (jetty.servers, jetty.cells, jetty.change) == (1, 1, "faster")
    assert jetty.ratio.value == pytest.approx(1.1)


def test_the_ceiling_takes_no_part() -> None:
    ceiling = server("ceiling", kind="c")
    both = Stored(sweep(ceiling), tuple(blocks(ceiling, 18_000)))
    assert compare(both, both).cells == ()


def test_other_work_or_another_machine_is_no_comparison_and_named_with_both_values() -> None:
    before = with_protocol(trial=Load(seconds=1))
    machine = msgspec.structs.replace(before.machine, cpus=4, kernel="6.12.0")
    after = msgspec.structs.replace(
        with_protocol(trial=Load(seconds=5)), machine=machine, fixtures={"small.html": "11"}
    )
    assert list(why_not_comparable(before, before)) == []
    assert list(why_not_comparable(before, after)) == [
        "cpus is 4 and was 2",
        "small.html is 11 and was 00",
        "trial is 5 s and was 1 s",
    ]
    assert list(to_know_of(before, after)) == ["kernel is 6.12.0 and was 6.1.0"]


def with_protocol(**changes: object) -> Sweep:
    made = sweep(TOMCAT)
    protocol = msgspec.structs.replace(made.request.protocol, **changes)
    return msgspec.structs.replace(made, request=msgspec.structs.replace(made.request, protocol=protocol))


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ({}, {"idle_timeout": 30}, "time-out is 30 s and was 10 s"),
        (
            {"warm_up": WarmUp(Load(seconds=20), connections=20)},
            {"warm_up": WarmUp(Load(seconds=20), connections=1_000)},
            "warm-up is 20 s, over 1,000 connections and was 20 s, over 20 connections",
        ),
        (
            {"warm_up": WarmUp(Load(seconds=20), connections=20, workload="small")},
            {"warm_up": WarmUp(Load(seconds=20), connections=20)},
            "warm-up is 20 s, over 20 connections and was 20 s, by small, over 20 connections",
        ),
        (
            {},
            {"warm_up": msgspec.structs.replace(PROTOCOLS["quick"].warm_up, workload="small")},
            "warm-up is 7 s to 30 s, until warm, by small and was 7 s to 30 s, until warm",
        ),
        ({"warm_up": WarmUp(Load(requests=0))}, {"warm_up": NO_WARM_UP}, "warm-up is none and was 0 requests"),
    ],
)
def test_another_time_out_or_warm_up_is_other_work(
    before: dict[str, object], after: dict[str, object], difference: str
) -> None:
    assert list(why_not_comparable(with_protocol(**before), with_protocol(**after))) == [difference]


def test_what_a_comparison_is_often_about_is_told_and_does_not_forbid_it() -> None:
    """Versions, the JDK, a server's settings; but nothing of servers that only one of the sweeps has."""
    before = sweep(TOMCAT, JETTY)
    changed = msgspec.structs.replace(TOMCAT, environment={"THREADS": "8"})
    after = sweep(changed, RESIN, environment={"toolkit": "v2"})
    after = msgspec.structs.replace(after, request=msgspec.structs.replace(after.request, jdk=17))
    assert list(why_not_comparable(before, after)) == []
    assert list(to_know_of(before, after)) == [
        "JDK is 17 and was 25",
        "ab is None and was This is ApacheBench, Version 2.3",
        "ab package is None and was apache2-utils 2.4.62-1",
        "toolkit is v2 and was None",
        "server.toml of tomcat-5.5.15 changed",
    ]


# --- servers that are not the same, or have another name ----------------------------------------------------------

RAW = server("tomcat-11", revision=2)
"""TOMCAT_11 after a change of its behaviour."""
NEXT = server("jetty-5.1.11", former_ids=("jetty-5.1.9", "jetty-5.1.10"))
"""JETTY under another id."""


def test_a_server_of_another_revision_is_shown_and_neither_tested_nor_part_of_its_family() -> None:
    both = blocks(TOMCAT, 10_000)
    before = Stored(sweep(TOMCAT, TOMCAT_11), (*both, *blocks(TOMCAT_11, 10_000)))
    after = Stored(sweep(TOMCAT, RAW), (*both, *blocks(RAW, 5_000)))
    found = compare(before, after, slower=0.05)
    assert changes(found) == {("tomcat-5.5.15", 1): "cannot be told", ("tomcat-11", 1): "revised"}
    revised = found.cells[1]
    assert revised.ratio is not None
    assert revised.ratio.value == pytest.approx(0.5)
    assert revised.ratio.interval is not None
    assert not revised.too_slow
    (family,) = found.families
    assert family.servers == 1
    assert family.ratio.value == pytest.approx(1)
    assert found.revised == {"tomcat-11": (1, 2)}
    assert compare(after, before).revised == {"tomcat-11": (2, 1)}
    assert compare(after, after).revised == {}


def test_servers_on_another_number_of_cpus_are_shown_and_not_tested() -> None:
    before = Stored(sweep(TOMCAT, JETTY, id="one"), (*blocks(TOMCAT, 10_000), *blocks(JETTY, 10_000)))
    four = sweep(TOMCAT, JETTY, id="four", server_cpus=(1, 2, 3, 4))
    after = Stored(four, (*blocks(TOMCAT, 30_000), *blocks(JETTY, 5_000)))
    found = compare(before, after, slower=0.05)
    assert set(changes(found).values()) == {"other CPUs"}
    assert [round(each.ratio.value, 1) for each in found.cells if each.ratio] == [3.0, 0.5]
    assert not any(each.too_slow for each in found.cells)
    assert (found.can_tell, found.families) == (False, ())
    made = report_comparison([analyse(before), analyse(after)], [found])
    assert "B is not comparable with A: server CPUs is 1, 2, 3, 4 and was 1" in made.warnings
    (table,) = made.tables
    assert [row[-1].text for row in table.rows] == ["other CPUs", "other CPUs"]
    assert table.notes == (
        "other CPUs: servers had 1 CPU in A and 4 CPUs in B, so the ratio is not of the software alone and is not "
        "tested",
    )


def test_figures_of_two_generators_are_shown_and_not_tested() -> None:
    before = Stored(sweep(TOMCAT, id="one"), tuple(blocks(TOMCAT, 10_000)))
    made = sweep(TOMCAT, id="other")
    made = msgspec.structs.replace(made, request=msgspec.structs.replace(made.request, generator="wrk"))
    after = Stored(made, tuple(blocks(TOMCAT, 30_000)))
    found = compare(before, after, slower=0.05)
    assert set(changes(found).values()) == {"other generator"}
    assert (found.can_tell, found.families) == (False, ())
    report = report_comparison([analyse(before), analyse(after)], [found])
    assert "B is not comparable with A: generator is wrk and was ab" in report.warnings
    (table,) = report.tables
    assert table.notes == (
        "other generator: ab made the load in A and wrk in B, so the ratio is not of the software alone and is not "
        "tested",
    )
    with_both = Stored(msgspec.structs.replace(made, server_cpus=(1, 2)), after.records)
    assert set(changes(compare(before, with_both)).values()) == {"other generator"}


def test_servers_that_were_not_pinned_had_all_cpus_of_their_machine() -> None:
    pinned, free = sweep(TOMCAT, server_cpus=(1,)), sweep(TOMCAT, server_cpus=(), generator_cpus=())
    assert (pinned.cpus_of_a_server, free.cpus_of_a_server) == (1, free.machine.cpus)
    one = Stored(pinned, tuple(blocks(TOMCAT, 10_000)))
    assert changes(compare(one, Stored(free, one.records))) == {("tomcat-5.5.15", 1): "other CPUs"}
    moved = Stored(sweep(TOMCAT, server_cpus=(0,)), one.records)
    assert changes(compare(one, moved)) == {("tomcat-5.5.15", 1): "cannot be told"}, "another CPU, but as many"


def test_where_every_server_has_another_revision_nothing_can_be_told() -> None:
    before, after = Stored(sweep(TOMCAT_11), tuple(blocks(TOMCAT_11, 9_000))), Stored(sweep(RAW), tuple(blocks(RAW, 9)))
    found = compare(before, after)
    assert (found.can_tell, found.families) == (False, ())


def test_a_figure_that_another_revision_lost_is_lost() -> None:
    before = Stored(sweep(TOMCAT_11), tuple(blocks(TOMCAT_11, 9_000)))
    after = Stored(sweep(RAW), (failed_trial(RAW.id, "small", 1, "timeout"),))
    assert changes(compare(before, after)) == {("tomcat-11", 1): "lost"}


def test_another_revision_is_one_line_for_all_its_servers() -> None:
    revised = [server(id, revision=2) for id in ("tomcat-11", "jetty-5.1.10")]
    before = Stored(sweep(TOMCAT, TOMCAT_11, JETTY, id="one"), (*blocks(TOMCAT_11, 9_000), *blocks(JETTY, 9_000)))
    after = Stored(sweep(TOMCAT, *revised, id="two"), (*blocks(TOMCAT_11, 10_000), *blocks(JETTY, 10_000)))
    made = report_comparison([analyse(before), analyse(after)], [compare(before, after)])
    assert "B: revision 1 → 2: the server's behaviour changed (tomcat-11, jetty-5.1.10)" in made.warnings
    assert not any("server.toml" in line for line in made.warnings)
    (table,) = made.tables
    assert [row[-1].text for row in table.rows] == ["revised", "revised"]
    assert table.notes == (
        "revised: revision 1 → 2 (tomcat-11, jetty-5.1.10): the server's behaviour was changed here, so the ratio is "
        "not of the software alone and is not tested",
    )


def test_a_server_that_was_renamed_is_the_same_server_under_its_new_id() -> None:
    old = Stored(sweep(JETTY, id="old"), (*blocks(JETTY, 10_000), *blocks(JETTY, 10_000, 100)))
    new = Stored(sweep(NEXT, id="new"), (*blocks(NEXT, 11_000), *blocks(NEXT, 11_000, 100)))
    for before, after, change in ((old, new, "faster"), (new, old, "slower")):
        found = compare(before, after)
        assert changes(found) == {("jetty-5.1.11", 1): change, ("jetty-5.1.11", 100): change}
        assert [cell.cell for cell in found.cells] == [cell.before.cell for cell in found.cells if cell.before]
        assert [(family.family, family.change) for family in found.families] == [("jetty", change)]
        assert list(to_know_of(before.sweep, after.sweep)) == [
            "jetty-5.1.11 had the id jetty-5.1.10",
            "server.toml of jetty-5.1.11 changed",
        ]
        assert "jetty,jetty-5.1.11,small,1," in comparison_csv.render([found])


def test_of_two_servers_that_would_become_one_neither_is_renamed() -> None:
    older = server("jetty-5.1.9")
    both = Stored(sweep(JETTY, older), (*blocks(JETTY, 10_000), *blocks(older, 9_000)))
    after = Stored(sweep(NEXT), tuple(blocks(NEXT, 11_000)))
    assert changes(compare(both, after)) == dict.fromkeys(
        [("jetty-5.1.10", 1), ("jetty-5.1.9", 1), ("jetty-5.1.11", 1)], "-"
    )
    mixed = Stored(sweep(JETTY, NEXT), (*blocks(JETTY, 10_000), *blocks(NEXT, 10_000)))
    assert changes(compare(mixed, after)) == {("jetty-5.1.10", 1): "-", ("jetty-5.1.11", 1): "faster"}


BEFORE = stored(
    *blocks(TOMCAT, 10_000), *blocks(TOMCAT, 18_000, 100, "generator", 40_000), *blocks(JETTY, 10_000),
    *blocks(TOMCAT_11, 12_000), *blocks(RESIN, 9_000),
)  # fmt: skip
AFTER = stored(
    *blocks(TOMCAT, 9_000), *blocks(TOMCAT, 18_000, 100, "generator", 50_000), *blocks(JETTY, 10_100, spread=[1]),
    *blocks(TOMCAT_11, 12_100), failed_trial("resin-3.0.9", "small", 1, "timeout"), id="after",
)  # fmt: skip


@pytest.mark.parametrize("form", ["md", "csv"])
def test_a_comparison_is_as_its_golden_file(form: str) -> None:
    compared = [compare(BEFORE, AFTER, slower=0.05)]
    text = (
        markdown.render(report_comparison([analyse(BEFORE), analyse(AFTER)], compared))
        if form == "md"
        else comparison_csv.render(compared)
    )
    assert text == golden(f"compare.{form}", text)
