"""The reports of a result of two sessions."""

from __future__ import annotations

import csv

import pytest
from msgspec.structs import replace
from support.golden import golden
from support.sessions import FIRST, SECOND

from ab_runner.analysis.selection import Selection, narrowed
from ab_runner.analysis.sessions import together
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.catalog.studies import read_study
from ab_runner.catalog.study_figures import Figure
from ab_runner.history.then_and_now import then_and_now
from ab_runner.model.protocol import DEFAULT_STUDY
from ab_runner.report import html
from ab_runner.report.charts.of_sweep import chart_data
from ab_runner.report.formats import markdown, sessions_csv, then_and_now_csv
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.report.tables.ranking import report_ranking
from ab_runner.report.tables.studies import judged
from ab_runner.report.tables.then_and_now import report_then_and_now

STUDY = replace(
    read_study(DEFAULT_STUDY, {}),
    figures=(
        Figure("small", "tomcat-5.5.15", 1, 4_000.0, 0, "ok"),
        Figure("small", "jetty-5.1.10", 1, 2_500.0, 0, "ok"),
        Figure("small", "resin-3.0.18", 1, 3_900.0, 0, "ok"),
    ),
)
RESULT = together([("first", analyse(FIRST)), ("second", analyse(SECOND))])
COMPARED = then_and_now(RESULT, STUDY)
FILES = {
    "sessions.md": markdown.render(report_of(RESULT, everything=True)),
    "sessions-short.md": markdown.render(report_of(RESULT)),
    "sessions-ranking.md": markdown.render(report_ranking(RESULT)),
    "sessions-then-and-now.md": markdown.render(report_then_and_now(RESULT, COMPARED)),
    "sessions.csv": sessions_csv.render(RESULT),
}


@pytest.mark.parametrize(("name", "text"), FILES.items(), ids=list(FILES))
def test_the_reports_are_as_their_golden_files(name: str, text: str) -> None:
    assert text == golden(name, text)


def test_the_page_says_of_which_sessions_it_is_and_calls_ranges_no_intervals() -> None:
    shown = html.render(RESULT, STUDY).partition('<script type="application/json"')[0]
    assert "session-1, begun 2026-11-20 19:00 UTC; Xeon 3.0 GHz, 2 CPUs" in shown
    assert "session-2, begun 2026-11-21 02:00 UTC; EPYC, 2 CPUs" in shown
    assert "bands are ranges over sessions" in shown
    assert "12,000 to 18,800" in shown
    assert "relative to the mean of the servers" in shown
    assert "The median of 6 blocks" not in shown


def test_charts_show_the_range_over_sessions() -> None:
    rows = chart_data(RESULT, COMPARED).cells["small"]
    (row,) = [row for row in rows if (row["server"], row["c"]) == ("tomcat-11", 1)]
    assert (row["low"], row["high"], row["interval"]) == (12_000, 18_800, "12,000 to 18,800")


def test_the_csv_of_2006_has_the_range_of_factors_of_several_sessions_alone() -> None:
    rows = list(csv.DictReader(then_and_now_csv.render(COMPARED).splitlines()))
    (tomcat,) = [row for row in rows if (row["published"], row["beside"]) == ("tomcat-5.5.15", "stand-in")]
    assert (float(tomcat["factor_low"]), float(tomcat["factor_high"])) == (8_400 / 4_000, 12_500 / 4_000)
    assert "factor_low" not in then_and_now_csv.render(then_and_now(analyse(FIRST), STUDY))


def test_a_part_of_the_result_has_the_same_relative_figures() -> None:
    part = narrowed(RESULT, Selection(servers=("tomcat*",), levels=(1,)))
    (whole,), (found,) = (
        [table for table in report_of(each).tables if "relative" in table.title] for each in (RESULT, part)
    )
    assert [row[:2] for row in found.rows] == [row[:2] for row in whole.rows if row[0].text.startswith("tomcat")]


def test_conclusions_are_judged_by_all_sessions_together() -> None:
    ((_, (_, now)),) = judged([("now", RESULT)])
    assert now.evidence.is_of_sessions
    assert now.evidence.has_noise
    assert now.evidence.of("tomcat-5.5.15", "small", 1).values == pytest.approx({1: 8_400, 2: 12_500})
