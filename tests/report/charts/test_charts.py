"""What the charts show: their rows, and the pictures that vl-convert draws of them."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from support.builders import NOON, failed_trial, not_measured, server, sweep, trial
from support.open_sweeps import capacities, rates
from support.small_sweep import RECORDS, SERVERS, STORED, STUDY

from ab_runner.analysis.selection import Selection, narrowed
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.analysis.trial_figures import PERCENTILES
from ab_runner.catalog.studies import Study
from ab_runner.history.then_and_now import then_and_now
from ab_runner.model.records import EndRecord
from ab_runner.model.trial import Cell
from ab_runner.report.charts import rates as rates_chart
from ab_runner.report.charts import vega
from ab_runner.report.charts.data import cell_rows, pair_rows
from ab_runner.report.charts.gallery import gallery
from ab_runner.report.charts.latencies import percentile_field
from ab_runner.report.charts.of_sweep import ChartData, chart_data, charts_of_page
from ab_runner.report.charts.palette import styles
from ab_runner.report.charts.then_and_now import then_and_now as then_and_now_chart
from ab_runner.report.say.facts import subtitle_of
from ab_runner.report.say.words import words_of
from ab_runner.stats.ranking import Rank
from ab_runner.store.reader import Stored


def data_of(analysis: SweepAnalysis, study: Study | None = None, core: Collection[str] = ()) -> ChartData:
    return chart_data(analysis, then_and_now(analysis, study) if study else (), core)


def files_of(
    analysis: SweepAnalysis, study: Study | None = None, core: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    return gallery(data_of(analysis, study, core), subtitle_of(analysis.sweep))


def rows_of(server: str) -> dict[int, dict[str, object]]:
    """By concurrency."""
    ranks = {Cell("tomcat-5.5.15", "small", 1): Rank(1, 2)}
    rows = cell_rows("small", msgspec.structs.replace(analyse(STORED), ranks=ranks))
    return {row["c"]: row for row in rows if row["server"] == server}


def test_a_cell_without_a_figure_is_a_gap_with_its_reason() -> None:
    row = rows_of("jetty-12.1")[100]
    assert "rate" not in row
    assert row["missing"] == "timeout"


def test_a_line_ends_at_its_last_figure() -> None:
    assert rows_of("jetty-12.1")[1]["last"] is True
    assert "last" not in rows_of("tomcat-5.5.15")[1]
    assert rows_of("tomcat-5.5.15")[100]["last"] is True


def test_a_point_says_interval_share_rank_and_limit() -> None:
    row = rows_of("tomcat-5.5.15")[1]
    assert row["low"] < row["rate"] < row["high"] == row["top"]  # type: ignore[operator]
    assert (row["share"], row["rank"]) == ("42 %", "1–2")  # noqa: RUF001
    assert rows_of("jetty-12.1")[1]["limit"] == "generator"


def test_one_block_has_no_band() -> None:
    assert "low" not in rows_of("jetty-12.1")[1]


def test_a_figure_of_2006_that_does_not_count_says_why() -> None:
    (compared,) = then_and_now(analyse(STORED), STUDY)
    then = [row for row in pair_rows(compared) if row["kind"] == "2006"]
    assert [(row["c"], row.get("rate"), row.get("missing")) for row in then] == [
        (1, 4_000.0, None), (100, None, "2006: timeout"),
    ]  # fmt: skip


def test_a_figure_of_today_that_is_missing_says_why_in_the_row_of_2006() -> None:
    records = (
        trial("tomcat-5.5.15", "small", 1), failed_trial("tomcat-5.5.15", "small", 100, "no keep-alive"),
        EndRecord(at=NOON, reason="finished"),
    )  # fmt: skip
    (compared,) = then_and_now(analyse(msgspec.structs.replace(STORED, records=records)), STUDY)
    then = [row for row in pair_rows(compared) if row["kind"] == "2006"]
    assert [(row["c"], row.get("missing_now")) for row in then] == [(1, None), (100, "stand-in: no keep-alive")]


@pytest.mark.parametrize("kinds", [["2006", "stand-in"], ["2006", "stand-in", "newest"]])
def test_the_legend_of_then_and_now_names_what_is_drawn_and_no_more(kinds: list[str]) -> None:
    pairs = [{"then": "tomcat-5.5.15", "c": 1, "kind": kind} for kind in kinds]
    points = then_and_now_chart(pairs, [1], "2006")["layer"][-1]["encoding"]
    assert points["color"]["scale"]["domain"] == points["shape"]["scale"]["domain"] == kinds


def test_no_field_has_a_dot_which_would_lead_vega_elsewhere() -> None:
    assert not any("." in percentile_field(each) for each in PERCENTILES)


def label_positions(svg: str, names: set[str]) -> list[float]:
    """Of these texts, from top to bottom."""
    texts = re.findall(r'<text [^>]*transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*>([^<]*)</text>', svg)
    return sorted(float(y) for _, y, text in texts if text in names)


@pytest.mark.parametrize("rates", [[9_000.0] * 30, [100.0] * 20 + [9_000.0], [1.0, 9_000.0], list(range(1, 31))])
def test_names_at_the_ends_of_lines_never_cover_each_other_or_leave_the_plot(rates: list[float]) -> None:
    servers = [server(f"s-{number}") for number in range(len(rates))]
    rows = [
        {"server": one.id, "c": level, "rate": rate, "top": rate, **({"last": True} if level == 10 else {})}
        for one, rate in zip(servers, rates, strict=True)
        for level in (1, 10)
    ]
    height = rates_chart.height_of_figures(len(servers))
    spec = vega.with_rows(rates_chart.figures(styles(servers), (1, 10), words_of(STORED.sweep.request)), rows) | {
        "height": height
    }
    places = label_positions(vega.svg(spec), {one.id for one in servers})
    assert len(places) == len(servers)
    assert all(below - above >= 12.5 for above, below in pairwise(places))
    assert min(places) >= 0
    assert max(places) <= height


@pytest.mark.parametrize(
    ("stored", "level", "order"),
    [
        (capacities(), 10, ["late-1", "fast-1", "slow-1", "tired-1"]),
        (rates(), 2_000, ["fast-1", "late-1", "slow-1", "tired-1"]),
    ],
    ids=["highest first", "lowest first"],
)
def test_one_level_has_a_row_for_each_server_the_best_first(stored: Stored, level: int, order: list[str]) -> None:
    analysis = narrowed(analyse(stored), Selection(levels=(level,)))
    drawn = vega.svg(files_of(analysis)["small-rates"])
    assert sorted(order, key=lambda name: label_positions(drawn, {name})) == order


def test_every_chart_of_a_page_compiles() -> None:
    specs = charts_of_page(data_of(analyse(STORED), STUDY))
    assert set(specs) == {"rates", "latencies", "model", "warm-up", "then-and-now"}
    for spec in specs.values():
        assert vega.vega(spec)["marks"]


def test_files_of_charts_name_their_servers() -> None:
    specs = files_of(analyse(STORED), STUDY)
    assert set(specs) == {"small-rates", "small-latencies", "small-models", "small-then-and-now"}
    drawn = vega.svg(specs["small-rates"])
    assert all(each.id in drawn for each in SERVERS)
    assert "×" in drawn  # noqa: RUF001


def test_a_chart_in_a_file_says_how_many_cpus_were_asked_for() -> None:
    made = sweep(server_cpus=(1, 2))
    assert subtitle_of(made) == "20261120-120000-quick, Xeon 3.0 GHz, 2 CPUs, protocol quick"
    asked = msgspec.structs.replace(made, request=msgspec.structs.replace(made.request, server_cpus=2))
    assert subtitle_of(asked) == "20261120-120000-quick, Xeon 3.0 GHz, 2 CPUs, servers on 2 CPUs, protocol quick"


def test_a_server_that_was_not_measured_has_no_line_and_no_name_at_its_end() -> None:
    stored = Stored(STORED.sweep, (*RECORDS[:2], not_measured("jetty-12.1", "small", 1, "no keep-alive")))
    drawn = vega.svg(files_of(analyse(stored))["small-rates"])
    assert label_positions(drawn, {"jetty-12.1"}) == []


def test_vega_for_the_page_cannot_end_the_script_that_it_stands_in() -> None:
    script = vega.vega_script()
    assert "window.vega" in script
    assert "</script" not in script.lower()


MANY = [f"s-{number}" for number in range(20)]
CORE = ("s-3", "s-7")


def many_servers() -> Stored:
    """More servers than are in colour, at two levels."""
    return Stored(
        sweep(*(server(id, io_model=f"model {id[-1]}") for id in MANY)),
        tuple(trial(id, "small", level) for id in MANY for level in (1, 100)),
    )


def test_the_servers_in_colour_are_in_the_data_of_every_chart_of_servers() -> None:
    data = data_of(analyse(many_servers()), core=CORE)
    assert data.has_grey
    specs = charts_of_page(data)
    for name in ("rates", "latencies", "model"):
        params = {each["name"]: each["value"] for each in specs[name]["params"]}
        assert params["coloured"] == list(CORE), name
        assert params["shown"] == MANY, name
    assert not data_of(analyse(STORED), STUDY, CORE).has_grey


def test_pictures_of_many_servers_have_grey_lines_and_name_those_in_colour_alone() -> None:
    analysis = analyse(many_servers())
    styles = data_of(analysis, core=CORE).styles
    found = files_of(analysis, core=CORE)
    drawn = vega.svg(found["small-rates"])
    colours = {styles[id].colour for id in CORE}
    assert colours <= set(re.findall(r'stroke="(#[0-9a-f]{6})"', drawn))
    of_others = {style.colour for id, style in styles.items() if id not in CORE} - colours
    assert of_others
    assert not of_others & set(re.findall(r'(?:stroke|fill)="(#[0-9a-f]{6})"', drawn))
    for name in ("small-rates", "small-models"):
        shown = set(re.findall(r">(s-\d+)<", vega.svg(found[name])))
        assert shown == set(CORE), name
    names = set(re.findall(r">(s-\d+)<", vega.svg(found["small-latencies"])))
    assert names == set(MANY), "a row of its own needs a name"


def test_a_point_on_the_surviving_starts_says_so_in_its_rank() -> None:
    analysis = analyse(STORED)
    cell = Cell("tomcat-5.5.15", "small", 1)
    some_failed = {**analysis.cells, cell: msgspec.structs.replace(analysis.cells[cell], failed=1, trials=7)}
    made = msgspec.structs.replace(analysis, cells=some_failed, ranks={cell: Rank(1, 2)})
    (row,) = [row for row in cell_rows("small", made) if row.get("rank")]
    assert row["rank"] == "1–2 (1 of 7 failed)"  # noqa: RUF001


def test_a_point_has_p99_9_as_precisely_as_it_is_known() -> None:
    assert rows_of("tomcat-5.5.15")[1]["tail"] == "191"
