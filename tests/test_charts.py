"""What the charts show: their rows, and the pictures that vl-convert draws of them."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from builders import NOON, failed_trial, not_measured, report, server, sweep, trial

from ab_runner.model import REFERENCE, Cell, EndRecord
from ab_runner.published import Figure
from ab_runner.report import charts, drawing
from ab_runner.report.cells import PERCENTILES, summarise
from ab_runner.report.gallery import gallery
from ab_runner.report.html.page import page_of, specs_of
from ab_runner.report.palette import looks
from ab_runner.report.points import cell_rows, pair_rows
from ab_runner.report.then_and_now import compare
from ab_runner.stats.ranking import Rank
from ab_runner.store import Stored

TOMCAT = server("tomcat-5.5.15", published="tomcat-5.5.15")
JETTY = server("jetty-12.1")
CEILING = server(REFERENCE)
SERVERS = (CEILING, JETTY, TOMCAT)
RECORDS = (
    trial(REFERENCE, "small", 1, report=report(requests_per_second=20_000.0)),
    trial(REFERENCE, "small", 100, report=report(requests_per_second=40_000.0)),
    trial("jetty-12.1", "small", 1, limit="generator", report=report(requests_per_second=5_000.0)),
    failed_trial("jetty-12.1", "small", 100, "timeout"),
    *(
        trial("tomcat-5.5.15", "small", level, block=block, report=report(requests_per_second=8_000.0 + 100 * block))
        for block in range(1, 7)
        for level in (1, 100)
    ),
    EndRecord(at=NOON, reason="finished"),
)
STORED = Stored(sweep(*SERVERS, reference=CEILING), RECORDS)
PUBLISHED = (
    Figure("small", "tomcat-5.5.15", 1, 4_000.0, 0, "ok"),
    Figure("small", "tomcat-5.5.15", 100, None, None, "timeout"),
)


def rows_of(server: str) -> dict[int, dict[str, object]]:
    """By concurrency."""
    ranks = {Cell("tomcat-5.5.15", "small", 1): Rank(1, 2)}
    rows = cell_rows("small", SERVERS, (1, 100), summarise(RECORDS), ranks)
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
    (compared,) = compare(STORED, PUBLISHED)
    then = [row for row in pair_rows(compared) if row["kind"] == "2006"]
    assert [(row["c"], row.get("rate"), row.get("missing")) for row in then] == [
        (1, 4_000.0, None), (100, None, "2006: timeout"),
    ]  # fmt: skip


def test_no_field_has_a_dot_which_would_lead_vega_elsewhere() -> None:
    assert not any("." in charts.percentile_field(each) for each in PERCENTILES)


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
    height = charts.height_of_rates(len(servers))
    spec = drawing.with_rows(charts.rates(looks(servers), (1, 10)), rows) | {"height": height}
    places = label_positions(drawing.svg(spec), {one.id for one in servers})
    assert len(places) == len(servers)
    assert all(below - above >= 12.5 for above, below in pairwise(places))
    assert min(places) >= 0
    assert max(places) <= height


def test_every_chart_of_a_page_compiles() -> None:
    specs = specs_of(page_of(STORED, PUBLISHED))
    assert set(specs) == {"rates", "latencies", "model", "warm-up", "then-and-now"}
    for spec in specs.values():
        assert drawing.vega(spec)["marks"]


def test_files_of_charts_name_their_servers_and_come_as_pixels_too() -> None:
    specs = gallery(page_of(STORED, PUBLISHED))
    assert set(specs) == {"small-rates", "small-latencies", "small-models", "small-then-and-now"}
    drawn = drawing.svg(specs["small-rates"])
    assert all(each.id in drawn for each in SERVERS)
    assert "×" in drawn  # noqa: RUF001
    assert drawing.png(specs["small-rates"]).startswith(b"\x89PNG")


def test_a_server_that_was_not_measured_has_no_line_and_no_name_at_its_end() -> None:
    stored = Stored(STORED.sweep, (*RECORDS[:2], not_measured("jetty-12.1", "small", 1, "no keep-alive")))
    drawn = drawing.svg(gallery(page_of(stored, ()))["small-rates"])
    assert label_positions(drawn, {"jetty-12.1"}) == []


def test_vega_for_the_page_cannot_end_the_script_that_it_stands_in() -> None:
    script = drawing.vega_script()
    assert "window.vega" in script
    assert "</script" not in script.lower()
