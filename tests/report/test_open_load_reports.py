"""The reports of sweeps with an open load."""

from __future__ import annotations

import io
from csv import DictReader

import msgspec
import pytest
from support import open_sweeps
from support.builders import open_trial, rejected, server, with_lag
from support.golden import golden
from support.table_sweeps import STORED as CLOSED

from ab_runner.analysis.comparison import compare_sweeps, why_not_comparable
from ab_runner.analysis.selection import Selection, narrowed
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.errors import UserError
from ab_runner.model.load import Second
from ab_runner.model.message import Verdict
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Trial
from ab_runner.report import html
from ab_runner.report.charts.gallery import gallery
from ab_runner.report.charts.of_sweep import chart_data
from ab_runner.report.formats import csv, markdown
from ab_runner.report.formats.comparison_csv import render as compare_csv
from ab_runner.report.say.facts import subtitle_of
from ab_runner.report.tables.comparison import report_comparison
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.report.tables.ranking import report_ranking
from ab_runner.report.tables.studies import compared_with_study, conclusions_of, judged, study_of
from ab_runner.store.reader import Stored

SWEEPS = {
    "rates": open_sweeps.rates(), "peak": open_sweeps.shares(), "slo": open_sweeps.capacities(),
    "idle": open_sweeps.idle(),
}  # fmt: skip
EACH = pytest.mark.parametrize(("name", "stored"), SWEEPS.items(), ids=list(SWEEPS))


@EACH
def test_the_tables_are_as_their_golden_file(name: str, stored: Stored) -> None:
    analysis = analyse(stored)
    text = markdown.render(report_of(analysis, everything=True)) + "\n" + markdown.render(report_ranking(analysis))
    assert text == golden(f"open-load-{name}.md", text)


@EACH
def test_the_page_has_no_word_of_a_closed_load(name: str, stored: Stored) -> None:
    text = html.render(analyse(stored), None)
    shown = text.partition('<script type="application/json"')[0]
    for word in ("Apache Benchmark", "connections at once", "over concurrency", "ab was the limit", ">Concurrency<"):
        assert word not in shown


@EACH
def test_the_charts_name_what_they_show(name: str, stored: Stored) -> None:
    analysis = analyse(stored)
    files = gallery(chart_data(analysis, ()), subtitle_of(analysis.sweep))
    titles = {file: spec["title"]["text"] for file, spec in files.items()}
    expected = (
        "requests/s at which half of the trials have p99 within 10 ms" if name == "slo" else "median latency in ms"
    )
    assert titles["small-rates"] == f"small: {expected}"
    assert "small-then-and-now" not in titles


@EACH
def test_every_trial_is_a_row_of_the_csv(name: str, stored: Stored) -> None:
    rows = list(DictReader(io.StringIO(csv.render(analyse(stored)))))
    assert len(rows) == len(stored.records)
    assert {(row["axis"], row["concurrency"]) for row in rows} == {(stored.sweep.request.axis, "")}


def test_the_csv_has_the_capacity_of_each_start_and_of_its_cell() -> None:
    analysis = analyse(SWEEPS["slo"])
    rows = [row for row in DictReader(io.StringIO(csv.render(analysis))) if row["server"] == "fast-1"]
    cell = analysis.cell("fast-1", "small", 10)
    assert cell is not None
    assert cell.capacity is not None
    assert [float(row["half_meet"]) for row in rows] == pytest.approx([*cell.by_batch.values()], abs=0.1)
    for column, found in (("half", cell.capacity.half), ("ninety", cell.capacity.ninety)):
        assert found.interval is not None
        for end, value in (("", found.value), ("_low", found.interval.low), ("_high", found.interval.high)):
            assert {float(row[f"cell_{column}_meet{end}"]) for row in rows} == {round(value, 1)}


def test_the_memory_of_an_idle_connection_is_there_without_the_level_that_it_is_compared_with() -> None:
    analysis = analyse(SWEEPS["idle"])
    without, *others = analysis.levels
    assert without == 0
    whole, part = (
        report_ranking(each).tables[-1] for each in (analysis, narrowed(analysis, Selection(levels=tuple(others))))
    )
    assert part.headings[-1] == "memory per idle connection, KiB"
    assert part.rows == whole.rows


def test_a_cell_without_a_figure_has_none_in_the_other_tables() -> None:
    """Two of six starts met the SLO: a lucky selection."""
    slo = SWEEPS["slo"]
    lucky = tuple(
        msgspec.structs.replace(each, verdict=rejected("SLO met at no rate: p99 31 ms"))
        if isinstance(each, Trial) and each.server == "fast-1" and each.block > 2
        else each
        for each in slo.records
    )
    report = report_of(analyse(msgspec.structs.replace(slo, records=lucky)), everything=True)
    for title in ("90 % of the trials meet", "lag of the generator"):
        (table,) = [table for table in report.tables if title in table.title]
        texts = {row[0].text: row[1].text for row in table.rows}
        assert texts["fast-1"] == "-"
        assert texts["slow-1"] != "-"


def test_the_letters_of_the_ceiling_are_explained_and_its_failures_are_not_counted() -> None:
    rates = SWEEPS["rates"]
    ceiling = server(REFERENCE, workloads=("small",), kind="native")
    late = [
        with_lag(
            open_trial(
                REFERENCE,
                level,
                0.5,
                block=block,
                verdict=Verdict(True) if block > 1 else rejected("13 failed: timeout"),
            ),
            {40: 1_000},
        )
        for level in (1_000, 2_000)
        for block in range(1, 7)
    ]
    kept = [each for each in rates.records if isinstance(each, Trial) and each.server == "fast-1"]
    found = msgspec.structs.replace(rates.sweep, servers=(rates.sweep.servers[0], ceiling))
    notes = report_of(analyse(Stored(found, (*kept, *late)))).notes
    assert any("g: more than a tenth of the median" in note for note in notes), notes
    assert not any("failed trials" in note for note in notes)


def test_a_sweep_against_itself_changes_nothing_and_a_slower_one_is_slower() -> None:
    sweep = analyse(SWEEPS["rates"])
    (same,) = [compare_sweeps(sweep, sweep)]
    assert {change.ratio.value for change in same.cells if change.ratio} == {1.0}
    assert "small: median latency in ms, B against A" in markdown.render(report_comparison([sweep, sweep], [same]))
    assert "A / B" in markdown.render(report_comparison([sweep, sweep], [same]))
    assert "before_figure" in compare_csv([same])


def test_sweeps_with_different_loads_are_not_comparable() -> None:
    why = list(why_not_comparable(CLOSED.sweep, SWEEPS["rates"].sweep))
    assert "load is open, by rate and was closed" in why
    why = list(why_not_comparable(SWEEPS["rates"].sweep, SWEEPS["slo"].sweep))
    assert "load is open, by slo of p99 and was open, by rate" in why


def test_2006_has_no_figures_of_an_open_load() -> None:
    analysis = analyse(SWEEPS["rates"])
    with pytest.raises(UserError, match="has an open load; the figures and conclusions of 2006"):
        compared_with_study(analysis)
    with pytest.raises(UserError, match="has an open load; the figures and conclusions of 2006"):
        judged([("now", analysis)])
    assert conclusions_of(analysis, study_of(analysis)) is None


def test_latencies_are_neither_compared_by_cpu_time_nor_bounds() -> None:
    rates = SWEEPS["rates"]
    late = [with_lag(each, {2_000: 1_000}, limit="generator") for each in rates.records if isinstance(each, Trial)]
    stored = msgspec.structs.replace(rates, records=tuple(late))
    text = markdown.render(report_ranking(analyse(stored)))
    assert "g: more than a tenth of the median is the median lag of open-load" in text
    assert "per CPU-second" not in text
    assert "≤" not in text
    assert "≥" not in text


def test_an_older_sweep_says_that_it_has_no_median_lag_and_where_it_has_no_reference() -> None:
    rates = SWEEPS["rates"]
    ceiling = server(REFERENCE, workloads=("small",), kind="native")
    checks = [open_trial(REFERENCE, 2_000, 0.5, block=block) for block in range(1, 7)]
    stored = Stored(msgspec.structs.replace(rates.sweep, reference=ceiling), (*rates.records, *checks))
    report = report_of(analyse(stored), everything=True)
    (lag,) = [table for table in report.tables if "lag of the generator" in table.title]
    assert "older sweeps recorded p99 of the lag only" in lag.notes
    row = next(row for row in report.tables[0].rows if row[0].text == REFERENCE)
    assert (row[1].text, row[2].text[:5]) == ("no reference", "0.050")


def without_clean_seconds(stored: Stored) -> Stored:
    """The same sweep, of which no trial has a clean second."""

    def lacking(trial: Trial) -> Trial:
        assert trial.outcome is not None
        assert trial.outcome.arrivals is not None
        arrivals = msgspec.structs.replace(trial.outcome.arrivals, clean_seconds=0.0, clean_seconds_asked=5.0)
        seconds = (Second(4_000, 0, counted=False, stolen={1: 0.2}),) * 20
        outcome = msgspec.structs.replace(trial.outcome, arrivals=arrivals, latency={}, per_second=seconds)
        return msgspec.structs.replace(trial, outcome=outcome)

    return Stored(stored.sweep, tuple(lacking(each) for each in stored.records if isinstance(each, Trial)))


@EACH
def test_a_sweep_without_a_clean_second_has_all_its_reports(name: str, stored: Stored) -> None:
    analysis = analyse(without_clean_seconds(stored))
    text = markdown.render(report_of(analysis, everything=True)) + markdown.render(report_ranking(analysis))
    if name != "slo":  # of a search the steps count, which are not disturbed
        assert "disturbed" in text
        assert "100 % of the seconds left out" in text
        assert "the hypervisor left too few clean seconds: figures are of the other trials" in text
        assert "% of the CPU time to others, at most" not in text, "their share does not matter"
    assert html.render(analysis, None)
    assert csv.render(analysis)
