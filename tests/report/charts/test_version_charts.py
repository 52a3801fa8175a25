"""The charts of the versions of a family by their release."""

from __future__ import annotations

import datetime
import re
from typing import Any

import pytest
from support.builders import outcome, server, sweep, trial
from support.course_sweep import course

from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.analysis.versions import families_of_versions
from ab_runner.model.resources import Usage
from ab_runner.model.server import Server
from ab_runner.report import html
from ab_runner.report.charts import vega
from ab_runner.report.charts.data import version_rows
from ab_runner.report.charts.gallery import gallery
from ab_runner.report.charts.of_sweep import ChartData, chart_data, charts_of_page
from ab_runner.report.charts.versions import CPU, MEMORY, RATE
from ab_runner.store.reader import Stored


def of(id: str, year: int, **changes: Any) -> Server:
    return server(id, released=datetime.date(year, 7, 2), **changes)


OLD, MIDDLE, NEW = of("netty-3.2", 2013), of("netty-4.0", 2018, version="4.0.56.Final"), of("netty-4.2", 2026)
VARIANT = of("netty-4.2-epoll", 2026, program="netty-4.2")
JETTY = (of("jetty-5.1.10", 2006), of("jetty-12.1", 2026))
ALL = (NEW, VARIANT, OLD, MIDDLE, *JETTY)
USAGE = Usage(
    server_cpu_seconds=0.5, generator_cpu_seconds=1.0, server_cores_busy=0.5, generator_cores_busy=1.0,
    server_cpus_idle=0.5, generator_cpus_idle=0.0, server_cpus_interrupts=0.1, generator_cpus_interrupts=0.1,
    busiest_thread=0.6, peak_memory_bytes=2**20, context_switches=100,
)  # fmt: skip


def analysis(*servers: Server, **changes: Any) -> SweepAnalysis:
    records = (trial(each.id, "small", level, **changes) for each in servers for level in (1, 100))
    return analyse(Stored(sweep(*servers), tuple(records)))


def data_of(*servers: Server, **changes: Any) -> ChartData:
    return chart_data(analysis(*servers, **changes), ())


def test_a_family_of_three_versions_is_in_the_order_of_their_release_without_variants() -> None:
    assert families_of_versions(ALL) == {"netty": (OLD, MIDDLE, NEW)}


def test_two_versions_and_any_variants_are_no_line() -> None:
    data = data_of(NEW, VARIANT, OLD, *JETTY)
    assert data.versions == {}
    assert not {RATE, CPU, MEMORY} & set(charts_of_page(data))
    assert "small-versions" not in gallery(data, "a sweep")


def test_a_version_without_a_figure_does_not_count() -> None:
    records = tuple(trial(each.id, "small", 1) for each in (OLD, NEW))
    assert version_rows("small", analyse(Stored(sweep(OLD, MIDDLE, NEW), records))) == []


def test_a_row_has_the_release_and_the_rate_and_what_a_request_takes() -> None:
    requests = outcome(requests_per_second=2_000.0, complete=2_000)
    made = course(allocated_bytes=(2_000 * 4096,), allocated_error_bytes=1)
    rows = version_rows("small", analysis(*ALL, outcome=requests, usage=USAGE, course=made))
    assert [(row["server"], row["c"]) for row in rows] == [
        (each.id, level) for each in (OLD, MIDDLE, NEW) for level in (1, 100)
    ]
    row = rows[2]
    assert (row["version"], row["released"], row["year"]) == ("4.0.56", "2018-07-02", 2018.5)
    assert (row["rate"], row["cpu"], row["memory"]) == (2_000.0, 250.0, 4.0)


def test_what_is_not_known_has_no_panel() -> None:
    assert [name for name in charts_of_page(data_of(*ALL)) if name.startswith("versions")] == [RATE]
    assert [name for name in charts_of_page(data_of(*ALL, usage=USAGE)) if name.startswith("versions")] == [RATE, CPU]


@pytest.mark.parametrize("name", [RATE, CPU])
def test_a_panel_of_the_page_compiles_and_takes_a_level(name: str) -> None:
    compiled = vega.vega(charts_of_page(data_of(*ALL, usage=USAGE))[name])
    assert "level" in {each["name"] for each in compiled["signals"]}
    assert "versions" in {each["name"] for each in compiled["data"]}


def test_a_file_has_a_panel_for_each_family_with_the_releases_of_its_versions() -> None:
    drawn = vega.svg(gallery(data_of(*ALL, usage=USAGE), "a sweep")["small-versions"])
    texts = re.findall(r">([^<>]+)</text>", drawn)
    assert {"netty", "3.2", "4.0.56", "4.2", "2014", "2026"} <= set(texts)
    assert "jetty" not in texts


def test_the_page_has_a_panel_for_each_family_and_quantity() -> None:
    text = html.render(analysis(*ALL, usage=USAGE), None)
    part = text[text.index('<section id="versions">') : text.index('<section id="servers">')]
    assert re.findall("<figcaption><b>([^<]+)</b>", part) == ["netty"]
    assert re.findall('data-chart="([^"]+)"', part) == [RATE, CPU]
    assert 'data-of="netty"' in part
    assert '<a href="#versions">' in text
    assert 'id="versions"' not in html.render(analysis(OLD, NEW), None)
