"""Reports of a part of a sweep, and the small tables of a page."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import msgspec
import pytest
from support.full_sweep import LEVELS, full_sweep
from support.golden import golden
from support.table_sweeps import STANDARD, STORED, UNDER_A_CEILING, texts_of
from support.terminal import in_terminal

from ab_runner.analysis.selection import Selection, narrowed
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.errors import UserError
from ab_runner.report.document import Report, only_fastest, only_summary, only_tables
from ab_runner.report.formats import markdown
from ab_runner.report.formats.files import charts_of
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.report.tables.ranking import report_ranking

SMALL = Selection(workloads=("small",), levels=(100,))
SOME = Selection(servers=("netty*",), workloads=("small",), levels=(100,))


@cache
def full() -> SweepAnalysis:
    return analyse(full_sweep())


def at_100(analysis: SweepAnalysis) -> SweepAnalysis:
    return narrowed(analysis, SMALL)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("ranking.md", lambda: markdown.render(report_ranking(at_100(analyse(STANDARD))))),
        ("ranking-80.txt", lambda: in_terminal(report_ranking(at_100(analyse(STANDARD))), 80)),
        ("ranking-failed.md", lambda: markdown.render(report_ranking(analyse(STORED)))),
        ("ranking-full.md", lambda: markdown.render(report_ranking(narrowed(full(), SOME)))),
        ("part.md", lambda: markdown.render(only_tables(report_of(at_100(analyse(STANDARD)), everything=True)))),
        ("part.txt", lambda: in_terminal(only_tables(report_of(at_100(analyse(STANDARD)))), 80)),
        ("part-fastest.md", lambda: markdown.render(only_fastest(report_of(analyse(STANDARD))))),
        ("part-summary.md", lambda: markdown.render(only_summary(report_of(analyse(STANDARD))))),
    ],
)
def test_a_part_is_as_its_golden_file(name: str, make: Callable[[], str]) -> None:
    text = make()
    assert text == golden(name, text)


def test_without_a_figure_there_is_no_fastest_server() -> None:
    nothing = msgspec.structs.replace(report_of(analyse(STANDARD)), answer=None)
    with pytest.raises(UserError, match="no server has a figure"):
        only_fastest(nothing)


def tables_of(report: Report) -> dict[str, dict[str, tuple[str, ...]]]:
    return {table.title: texts_of(table) for table in report.tables}


@pytest.mark.parametrize("everything", [False, True])
def test_a_part_shows_the_cells_of_the_whole_report(everything: bool) -> None:
    servers = tuple(server.id for server in full().sweep.servers[3:7])
    part = narrowed(full(), Selection(servers=servers, workloads=("small", "large"), levels=(10, 500)))
    columns = [LEVELS.index(level) for level in (10, 500)]
    whole = tables_of(report_of(full(), everything))
    found = tables_of(report_of(part, everything))
    assert list(found) == [title for title in whole if title.startswith(("small:", "large:"))]
    for title, rows in found.items():
        assert list(rows) == [server for server in whole[title] if server in servers]
        for server, texts in rows.items():
            assert texts == tuple(whole[title][server][column] for column in columns), title


def test_without_a_selection_it_is_the_whole_report() -> None:
    assert report_of(narrowed(full(), Selection()), everything=True) == report_of(full(), everything=True)


def test_the_order_is_that_of_the_whole_sweep() -> None:
    lines = report_of(narrowed(full(), Selection(servers=("jetty*",), workloads=("small",)))).summary
    whole = report_of(full()).summary
    assert [line for line in lines if line.startswith("small:")] == [
        each for each in whole if each.startswith("small:")
    ]
    assert not any(line.startswith(("echo:", "large:")) for line in lines)
    assert lines[-1] == whole[-1]


def test_the_charts_of_a_part_show_the_part() -> None:
    part = narrowed(full(), Selection(servers=("jetty*",), workloads=("small",), levels=(10, 100)))
    charts = charts_of(part)
    assert set(charts) == {"small-rates", "small-latencies", "small-models", "small-versions"}
    rows = charts["small-rates"]["data"]["values"]
    assert {row["server"].partition("-")[0] for row in rows} == {"jetty"}
    assert {row["c"] for row in rows} == {10, 100}


def test_members_of_a_set_need_not_be_in_the_sweep() -> None:
    analysis = analyse(STORED)
    part = narrowed(analysis, Selection(members=("tomcat-5.5.15", "nginx-1.26")))
    assert [server.id for server in part.sweep.servers] == ["tomcat-5.5.15"]


@pytest.mark.parametrize(
    ("selection", "complaint"),
    [
        (Selection(servers=("nginx*",)), "--servers: the sweep has no server 'nginx*'; it has jetty-5.1.10, resin"),
        (Selection(servers=("tomcat*", "jety")), "--servers: the sweep has no server 'jety'"),
        (Selection(members=("nginx-1.26",)), "--servers: the sweep has no server of the set"),
        (Selection(workloads=("small", "echo")), "--workloads: the sweep has no echo; it has small, large"),
        (Selection(levels=(1, 50)), "--concurrency: the sweep has no 50; it has 1, 100"),
    ],
)
def test_what_the_sweep_has_not_is_named(selection: Selection, complaint: str) -> None:
    with pytest.raises(UserError, match="^" + complaint.replace("*", r"\*")):
        narrowed(analyse(STORED), selection)


def test_a_server_is_selected_by_a_former_id_too() -> None:
    servers = [
        msgspec.structs.replace(each, former_ids=("jetty-5",)) if each.id == "jetty-5.1.10" else each
        for each in STORED.sweep.servers
    ]
    renamed = msgspec.structs.replace(STORED, sweep=msgspec.structs.replace(STORED.sweep, servers=tuple(servers)))
    part = narrowed(analyse(renamed), Selection(servers=("jetty-5",)))
    assert [server.id for server in part.sweep.servers] == ["jetty-5.1.10"]


def test_a_ranking_has_the_best_first_and_what_has_no_figure_last() -> None:
    table = report_ranking(at_100(analyse(STANDARD))).tables[0]
    assert [row[0].text for row in table.rows] == ["jetty-5.1.10", "tomcat-5.5.15", "resin-3.0.9"]
    assert [row[3].text for row in table.rows] == ["1", "2", "-"]
    large = report_ranking(narrowed(full(), SMALL)).tables[0]
    best = [int(row[3].text.split("–")[0]) for row in large.rows if row[3].text != "-"]  # noqa: RUF001
    assert best == sorted(best)


def test_the_ceiling_has_no_place_in_a_ranking() -> None:
    for table in report_ranking(analyse(UNDER_A_CEILING)).tables:
        assert "ceiling" not in texts_of(table)


def test_ranks_of_a_part_are_those_among_all_servers() -> None:
    whole = report_ranking(narrowed(full(), SMALL)).tables[0]
    part = report_ranking(narrowed(full(), SOME)).tables[0]
    assert part.rows == tuple(row for row in whole.rows if row[0].text.startswith("netty"))
    assert part.notes[-1] == "ranks are among all 39 servers of the sweep that have one"
    assert not any("among all" in note for note in whole.notes)


def test_a_sweep_without_results_has_no_ranking() -> None:
    with pytest.raises(UserError, match="has no results to rank"):
        report_ranking(analyse(msgspec.structs.replace(STORED, records=())))
