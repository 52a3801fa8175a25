"""The pictures of what happened in each second of trials."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from support.builders import outcome, server, sweep, trial
from support.course_sweep import SECONDS, WARM, course, course_sweep, course_trial

from ab_runner.analysis.selection import Selection, narrowed
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.model.load import Beside, Second
from ab_runner.report.charts import vega
from ab_runner.report.charts.courses import ANSWERS, JIT, LATENCY, extents_of, quantities_of
from ab_runner.report.charts.data import course_series
from ab_runner.report.charts.gallery import gallery
from ab_runner.report.charts.of_sweep import chart_data, charts_of_page
from ab_runner.report.charts.parts import NEW, OLD, Spec
from ab_runner.report.tables.courses import course_tables
from ab_runner.store.reader import Stored

ANALYSIS = analyse(course_sweep())


def files_of(analysis: SweepAnalysis) -> dict[str, Spec]:
    return gallery(chart_data(analysis, ()), "a sweep")


def test_a_series_has_a_list_for_each_quantity() -> None:
    first, *others = course_series("small", ANALYSIS)
    assert (first["server"], first["c"], first["run"], first["first"]) == ("tomcat-11", 100, 1, True)
    assert (first["second"], first["answered"][:2]) == (list(range(1, SECONDS + 1)), [1_000, 2_000])
    assert (first["share"][:2], first["share_figure"][1], first["gcs"][0]) == ([0.8, 0.4], "40 %", 2)
    assert [each.get("first") for each in others] == [False, None, None, None]
    assert [each["fails"] for each in others] == [False, False, True, False]


def test_quantities_are_those_that_are_known() -> None:
    assert list(quantities_of(course_series("small", ANALYSIS))) == [ANSWERS, LATENCY, JIT]
    by_wrk = Stored(sweep(server("a-1")), (trial("a-1", "small", 1, outcome=outcome(), course=course()),))
    assert list(quantities_of(course_series("small", analyse(by_wrk)))) == [JIT]
    assert "JIT compiler's share" in vega.svg(files_of(analyse(by_wrk))["small-course-1"]), "it is named if it is alone"
    native = course(jit_cpu_seconds=(), gc_count=(), gc_seconds=(), allocated_bytes=(), allocated_error_bytes=0)
    no_jvm = Stored(sweep(server("a-1")), (course_trial("a-1", WARM, course=native),))
    assert list(quantities_of(course_series("small", analyse(no_jvm)))) == [ANSWERS, LATENCY]
    nothing = Stored(sweep(server("a-1")), (trial("a-1", "small", 1, outcome=outcome(), course=native),))
    assert course_series("small", analyse(nothing)) == []
    assert set(files_of(analyse(nothing))) == {"small-rates", "small-latencies", "small-models"}


def test_a_title_tells_of_failures_where_there_are_some() -> None:
    series = course_series("small", ANALYSIS)
    assert quantities_of(series)[ANSWERS] == "answers per second (dashed: failed)"
    others = [each for each in series if each["server"] == "tomcat-11"]
    assert quantities_of(others)[ANSWERS] == "answers per second"


def test_axes_end_at_the_extremes_of_all_servers() -> None:
    assert extents_of(course_series("small", ANALYSIS)) == {
        "seconds": SECONDS, "most": 12_000, "fastest": 2.0, "slowest": 20.0, "share": 0.8,
    }  # fmt: skip
    assert extents_of([{"second": [1], "answered": [0], "failed": [0], "p50": [None]}]) == {
        "seconds": 1, "most": 1, "fastest": 1, "slowest": 1, "share": 1,
    }  # fmt: skip


def test_the_panels_of_a_page_compile_and_the_last_one_has_the_seconds() -> None:
    specs = charts_of_page(chart_data(ANALYSIS, ()))
    titles = {name: specs[name]["layer"][-1]["encoding"]["x"]["axis"]["title"] for name in (ANSWERS, LATENCY, JIT)}
    assert titles == {ANSWERS: None, LATENCY: None, JIT: "seconds"}
    for name in titles:
        assert vega.vega(specs[name])["marks"]


def test_a_file_for_each_level_has_the_panels_of_all_servers() -> None:
    files = files_of(ANALYSIS)
    assert {"small-course-1", "small-course-100"} <= set(files)
    drawn = vega.svg(files["small-course-100"])
    for text in (
        "small: each second of a trial at concurrency 100 (orange: first trial of a start; blue: later ones)",
        "tomcat-11", "jetty-12.1", "seconds",
    ):  # fmt: skip
        assert f">{text}</text>" in drawn, text
    lines = re.findall(r'stroke="(#[0-9a-f]{6})" stroke-width="(?:1.6|2)"', drawn)
    assert (lines.count(NEW), lines.count(OLD)) == (3, 6), "tomcat's first trial, its second one, and jetty's"
    assert 'stroke-dasharray="4,3"' in drawn, "jetty's failures"
    assert "nearest" not in str(files["small-course-100"])


def test_the_requests_beside_a_load_have_a_file_of_their_own() -> None:
    answered, silent = Second(10, 0, {20_000: 10}), Second(0, 10)
    per_second = (answered,) * 5 + (silent,) * (SECONDS - 5)
    beside = Beside(planned=10 * SECONDS, answered=50, latency={20_000: 50}, per_second=per_second)
    answers, collapses = course_trial("tomcat-11", WARM), course_trial("jetty-12.1", WARM)
    assert collapses.outcome is not None
    collapses = msgspec.structs.replace(collapses, outcome=msgspec.structs.replace(collapses.outcome, beside=beside))
    files = files_of(analyse(Stored(course_sweep().sweep, (answers, collapses))))
    drawn = vega.svg(files["small-beside-100"])
    assert "longest latency in ms of the requests beside the load at concurrency 100; ticks: not answered" in drawn
    assert "answers per second" not in drawn
    assert "beside it" not in drawn, "the title of the file says it"
    assert len(re.findall(f'<path[^>]*(?:fill|stroke)="{NEW}"', drawn)) == SECONDS - 5, "a tick for each silent second"
    assert not [name for name in files_of(ANALYSIS) if "beside" in name]


def test_a_server_of_any_name_has_its_panels() -> None:
    name = "x-'\"</script>"
    stored = Stored(sweep(server(name, workloads=("small",))), (course_trial(name, WARM, level=1),))
    drawn = vega.svg(files_of(analyse(stored))["small-course-1"])
    assert re.findall(rf'stroke="{OLD}" stroke-width="(?:1.6|2)"', drawn)


def test_a_part_of_a_sweep_has_its_own_files() -> None:
    part = narrowed(ANALYSIS, Selection(levels=(1,)))
    assert [name for name in files_of(part) if "course" in name] == ["small-course-1"]


def test_tables_have_some_of_the_seconds_of_each_trial() -> None:
    answers, failed, p99, share = course_tables("small", ANALYSIS)
    assert answers.headings == ("server", "c", "start", "1 s", "2 s", "3 s", "5 s", "10 s")
    assert [cell.text for cell in answers.rows[0]] == [
        "tomcat-11", "100", "1", "1,000", "2,000", "3,000", "5,000", "10,000",
    ]  # fmt: skip
    assert [row[0].text for row in failed.rows] == ["jetty-12.1"], "of the others none failed"
    assert (p99.rows[0][3].text, share.rows[0][3].text, share.rows[0][7].text) == ("20.0", "80", "8")


@pytest.mark.parametrize("change", [{"course": msgspec.UNSET}, {"outcome": outcome()}])
def test_what_is_not_known_of_one_trial_is_a_table_of_the_others(change: dict[str, Any]) -> None:
    trials = (course_trial("tomcat-11", WARM), course_trial("jetty-12.1", WARM, **change))
    stored = Stored(course_sweep().sweep, trials)
    rows = {table.title: len(table.rows) for table in course_tables("small", analyse(stored))}
    is_share = "course" in change
    assert rows == {
        "small: answers per second": 2 if is_share else 1,
        "small: p99 in ms": 2 if is_share else 1,
        "small: JIT share of the server's CPU time in %": 1 if is_share else 2,
    }
