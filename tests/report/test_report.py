"""The reports of one made-up sweep against golden files.

To take over a change that is wanted, run with AB_RUNNER_WRITE_GOLDEN=1 and read the diff.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import msgspec
import pytest
from rich.console import Console
from support.builders import NOON, failed_trial, not_measured, report, served, server, sweep, trial, usage

from ab_runner.analysis.cells import CellSummary, latency_figure, rate_figure, share_figure, summary
from ab_runner.analysis.drift import drifts, shifts
from ab_runner.model.load import Failures, Limit, Verdict
from ab_runner.model.records import (
    AFTER,
    BEFORE,
    Cell,
    ColdTrial,
    EndRecord,
    ResumeRecord,
    StartRecord,
    Trial,
    WarmUpRecord,
    WarmUpTurns,
)
from ab_runner.report import csv, markdown, terminal
from ab_runner.report.sparkline import sparkline
from ab_runner.report.tables import Column, Table, report_of
from ab_runner.store.reader import Stored

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
SERVERS = (
    server("jetty-5.1.10"),
    server("resin-3.0.9", workloads=("small",)),
    server("tomcat-5.5.15"),
    server("tomcat-5.5.15-defaults"),
)
TIMEOUT = "apr_pollset_poll: The timeout specified has expired (70007)"
TRUNCATED = trial(
    "tomcat-5.5.15-defaults", "large", 100,
    report=report(requests_per_second=190.1, complete=10_000, failures=Failures(length=9_991)),
    verdict=Verdict(False, "9991 failed"),
)  # fmt: skip
REFERENCE = server("ceiling", kind="c", workloads=("echo", "small", "small-keepalive", "large"))
JAVA = """\
openjdk version "25.0.3" 2026-04-21
OpenJDK Runtime Environment (build 25.0.3+9-2-Debian)
OpenJDK 64-Bit Server VM (build 25.0.3+9-2-Debian, mixed mode, sharing)"""
RECORDS = (
    StartRecord(block=1, server="jetty-5.1.10", start=1, at=NOON, seconds=0.5, environment={"version": JAVA}),
    StartRecord(block=1, server="tomcat-5.5.15", start=2, at=NOON, seconds=0.5, environment={"version": JAVA}),
    trial("ceiling", "small", 1, block=BEFORE, jdk=None, report=report(requests_per_second=18_000.0)),
    trial("ceiling", "large", 1, block=BEFORE, jdk=None, report=report(requests_per_second=2_000.0)),
    trial("jetty-5.1.10", "small", 1, report=report(requests_per_second=2308.4)),
    failed_trial("jetty-5.1.10", "small", 100, "timeout", TIMEOUT),
    trial("jetty-5.1.10", "large", 1, report=report(requests_per_second=12.3456)),
    not_measured("jetty-5.1.10", "large", 100, "does not start", "line one\nline | two"),
    not_measured("resin-3.0.9", "small", 1, "no keep-alive"),
    not_measured("resin-3.0.9", "small", 100, "no keep-alive"),
    trial("tomcat-5.5.15", "small", 1, verdict=Verdict(True, notes=("99.0 % kept alive",))),
    trial("tomcat-5.5.15", "small", 100, block=1, report=report(requests_per_second=10_000.0)),
    trial("tomcat-5.5.15", "small", 100, block=2, report=report(requests_per_second=14_000.0)),
    failed_trial("tomcat-5.5.15", "small", 100, "reset", "apr_socket_recv: Connection reset by peer (104)", block=3),
    trial("tomcat-5.5.15-defaults", "small", 1, report=report(percentiles={})),
    TRUNCATED,
    trial("ceiling", "small", 1, block=AFTER, jdk=None, report=report(requests_per_second=17_800.0)),
    trial("ceiling", "large", 1, block=AFTER, jdk=None, report=report(requests_per_second=1_800.0)),
    EndRecord(at=NOON, reason="finished"),
)
STORED = Stored(sweep(*SERVERS, reference=REFERENCE, skipped={"merecat-2.31": "merecat is not installed"}), RECORDS)
UNDER_A_CEILING = Stored(
    sweep(REFERENCE, *SERVERS, reference=REFERENCE),
    (
        trial("ceiling", "small", 1, report=report(requests_per_second=20_000.0)),
        trial("ceiling", "small", 100, block=1, report=report(requests_per_second=12_000.0)),
        trial("ceiling", "small", 100, block=2, report=report(requests_per_second=10_000.0)),
        trial("ceiling", "large", 1, report=report(requests_per_second=2_000.0)),
        failed_trial("ceiling", "large", 100, "timeout", TIMEOUT),
        *RECORDS,
    ),
)


def six_blocks(
    server: str, rate: float, cost: float, concurrency: int, limit: Limit | None = None, share: float = 1.0,
    command: tuple[str, ...] = ("ab", "-n", "1"),
) -> list[Trial]:  # fmt: skip
    """A rate and a cost (requests per CPU second) that spread by two per cent over the blocks. `share`: of the
    connections served."""
    spread = (0.99, 1.0, 1.01, 0.98, 1.02, 1.0)
    return [
        trial(
            server, "small", concurrency, block=block, limit=limit, command=command,
            report=(
                served(rate * by, concurrency, share, complete=round(rate * by))
                if share < 1
                else report(requests_per_second=rate * by, complete=round(rate * by))
            ),
            usage=usage(server_cpu_seconds=rate / cost),
        )
        for block, by in enumerate(spread, 1)
    ]  # fmt: skip


STANDARD = Stored(
    sweep(REFERENCE, *SERVERS[:3], reference=REFERENCE),
    (
        *six_blocks("ceiling", 19_000.0, 42_000.0, 100, "generator"),
        *six_blocks("jetty-5.1.10", 14_000.0, 14_000.0, 1, "server"),
        *six_blocks("tomcat-5.5.15", 14_100.0, 14_100.0, 1, "server"),
        *six_blocks("jetty-5.1.10", 18_000.0, 20_000.0, 100, "generator"),
        *six_blocks("tomcat-5.5.15", 17_000.0, 30_000.0, 100),
        *six_blocks("resin-3.0.9", 13_900.0, 14_000.0, 1, "server"),
        *six_blocks("resin-3.0.9", 25_000.0, 40_000.0, 100, "generator", share=0.26, command=("ab", "-t", "1")),
        EndRecord(at=NOON, reason="finished"),
    ),
)
"""Six blocks of three servers: alike in rate at 1. At 100 ab was the limit of jetty, which is faster than tomcat and
costs more; resin has the highest rate of all, because it serves a quarter of the connections."""


def in_colour(stored: Stored, width: int) -> str:
    """With the codes that a terminal takes."""
    text = io.StringIO()
    console = Console(file=text, width=width, highlight=False, force_terminal=True, color_system="standard")
    console.print(*terminal.render(report_of(stored), width), sep="\n")
    return text.getvalue()


def in_terminal(stored: Stored, width: int) -> str:
    text = io.StringIO()
    Console(file=text, width=width, highlight=False).print(*terminal.render(report_of(stored), width), sep="\n")
    return "".join(line.rstrip() + "\n" for line in text.getvalue().splitlines())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tables.md", markdown.render(report_of(STORED))),
        ("trials.csv", csv.render(STORED)),
        ("wide.txt", in_terminal(STORED, 120)),
        ("narrow.txt", in_terminal(STORED, 40)),
        ("ceiling.md", markdown.render(report_of(UNDER_A_CEILING))),
        ("standard.md", markdown.render(report_of(STANDARD))),
        ("standard.txt", in_terminal(STANDARD, 120)),
        ("standard-80.txt", in_terminal(STANDARD, 80)),
        ("standard-160.txt", in_terminal(STANDARD, 160)),
        ("ceiling.csv", csv.render(UNDER_A_CEILING)),
        ("ceiling.txt", in_terminal(UNDER_A_CEILING, 120)),
    ],
)
def test_a_report_is_as_its_golden_file(name: str, text: str) -> None:
    path = GOLDEN / name
    if "AB_RUNNER_WRITE_GOLDEN" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def cell(stored: Stored, workload: str, server: str, concurrency: int) -> str:
    """How a cell of the rate table reads."""
    table = next(table for table in report_of(stored).tables if table.title.startswith(f"{workload}: requests"))
    position = [column.server for column in table.columns].index(server)
    return dict(table.rows)[concurrency][position]


@pytest.mark.parametrize(
    ("workload", "server", "concurrency", "text"),
    [
        ("small", "jetty-5.1.10", 1, "2,308"),
        ("small", "jetty-5.1.10", 100, "timeout"),
        ("large", "jetty-5.1.10", 1, "12.3"),
        ("small", "resin-3.0.9", 100, "no keep-alive"),
        ("small", "tomcat-5.5.15", 1, "12,345*"),
        ("small", "tomcat-5.5.15", 100, "12,000 (1 of 3 failed: reset)"),
        ("large", "tomcat-5.5.15-defaults", 100, "190 (9991 failed)"),
        ("large", "tomcat-5.5.15", 1, "not run"),
    ],
)
def test_a_cell_shows_its_figure_or_says_why_there_is_none(
    workload: str, server: str, concurrency: int, text: str
) -> None:
    assert cell(STORED, workload, server, concurrency) == text


@pytest.mark.parametrize(
    ("failures", "text"), [(2, "12,345 (2 of 5 failed: timeout)"), (3, "3 of 5 failed: timeout"), (5, "timeout")]
)
def test_a_cell_of_which_half_or_more_failed_has_no_figure(failures: int, text: str) -> None:
    failed = [failed_trial("a-1", "small", 1, "timeout", block=block) for block in range(failures)]
    valid = [trial("a-1", "small", 1, block=block) for block in range(failures, 5)]
    found = summary(Cell("a-1", "small", 1), [*valid, *failed])
    assert found.rate_text == text
    assert (found.rate is None, not found.by_block, found.limit) == (failures > 2, failures > 2, None)


def test_a_trial_that_does_not_count_has_no_latency() -> None:
    table = next(table for table in report_of(STORED).tables if table.title.startswith("large: time"))
    assert dict(table.rows)[100] == ("-", "-", "-")


def shares(stored: Stored, workload: str, server: str) -> dict[int, str]:
    table = next(
        table for table in report_of(stored).tables if table.title.startswith(f"{workload}: requests per second as")
    )
    position = [column.server for column in table.columns].index(server)
    return {concurrency: texts[position] for concurrency, texts in table.rows}


def test_each_figure_has_its_share_of_the_ceiling_in_the_same_cell() -> None:
    """Of its median over blocks; where the ceiling or the server has no figure there is none."""
    assert shares(UNDER_A_CEILING, "small", "jetty-5.1.10") == {1: "12", 100: "-"}
    assert shares(UNDER_A_CEILING, "small", "tomcat-5.5.15") == {1: "62", 100: "109"}
    assert shares(UNDER_A_CEILING, "large", "jetty-5.1.10") == {1: "0.62", 100: "-"}
    assert shares(UNDER_A_CEILING, "large", "tomcat-5.5.15-defaults") == {1: "-", 100: "-"}


def test_without_a_figure_of_the_ceiling_there_are_no_shares() -> None:
    failed = Stored(UNDER_A_CEILING.sweep, (not_measured("ceiling", "small", 1, "does not start"), *RECORDS))
    for stored in (STORED, failed):
        assert not any("ceiling's" in table.title for table in report_of(stored).tables)


def test_a_sweep_without_an_end_says_so() -> None:
    assert "still running" in report_of(Stored(STORED.sweep, RECORDS[:-1])).warnings[0]


def test_an_interrupted_sweep_says_so() -> None:
    records = (*RECORDS[:-1], EndRecord(at=NOON, reason="interrupted"))
    assert "not complete: interrupted" in report_of(Stored(STORED.sweep, records)).warnings[0]
    resumed = (*records, ResumeRecord(at=NOON, differences=()))
    assert "still running" in report_of(Stored(STORED.sweep, resumed)).warnings[0]


def test_damaged_lines_are_reported_with_the_tables() -> None:
    damage = "trials.jsonl: line 3 is damaged and left out"
    assert damage in report_of(Stored(STORED.sweep, RECORDS, (damage,))).warnings


def table_of(*servers: tuple[str, str]) -> Table:
    columns = tuple(Column(name, family) for name, family in servers)
    return Table("t", columns, ((1, tuple("12,345" for _ in columns)),))


def test_a_terminal_that_is_wide_enough_shows_all_servers_beside_each_other() -> None:
    assert list(terminal.pack(table_of(("a-1", "a"), ("b-1", "b"), ("b-2", "b")), 80)) == [[0, 1, 2]]


def test_a_narrow_terminal_breaks_between_families() -> None:
    table = table_of(("a-1", "a"), ("b-1", "b"), ("b-2", "b"), ("c-1", "c"))
    assert list(terminal.pack(table, 24)) == [[0], [1, 2], [3]]


def test_a_family_that_is_too_wide_by_itself_is_broken_too() -> None:
    table = table_of(*((f"a-{number}", "a") for number in range(5)))
    assert list(terminal.pack(table, 24)) == [[0, 1], [2, 3], [4]]


def test_no_line_is_wider_than_the_terminal() -> None:
    for width in (40, 60, 80, 100, 120, 160):
        for line in in_terminal(STORED, width).splitlines():
            assert len(line) <= width


def test_a_figure_is_never_broken_where_a_column_fits() -> None:
    for width in range(40, 120):
        shown = in_terminal(STORED, width)
        assert shown.count("0.800 / 1.23 / 12.5 / 191 / 250") == 3
        assert shown.count("4.18 / 4.61 / 50.6 / 996 / 1,306") == 1


def best(stored: Stored, table_named: str) -> set[tuple[int, str]]:
    """Concurrency and server of what is shown as best in that table."""
    table = next(table for table in report_of(stored).tables if table.title == table_named)
    assert isinstance(table, Table)
    return {(table.rows[row][0], table.columns[column].server) for row, column in table.best}


def test_the_best_stand_out_where_they_are_told_from_others_in_the_table_that_ranks_them() -> None:
    """At 1 nobody is told from anybody; at 100 jetty is faster although ab limited it, and resin is starved."""
    assert best(STANDARD, "small: requests per second (a file of 100 bytes; a connection per request)") == {
        (100, "jetty-5.1.10")
    }
    assert best(STANDARD, "small: requests per CPU-second of the server") == set()
    assert best(STANDARD, "small: ranks") == {(100, "jetty-5.1.10")}


def test_where_ab_was_the_limit_of_both_the_cpu_time_decides() -> None:
    records = (
        *six_blocks("jetty-5.1.10", 18_000.0, 20_000.0, 100, "generator"),
        *six_blocks("tomcat-5.5.15", 17_000.0, 30_000.0, 100, "generator"),
    )
    both = Stored(sweep(*SERVERS), records)
    assert best(both, "small: requests per CPU-second of the server") == {(100, "tomcat-5.5.15")}
    assert best(both, "small: ranks") == {(100, "tomcat-5.5.15")}
    ranks = next(table for table in report_of(both).tables if table.title == "small: ranks")
    assert "two servers whose rates were both limited by ab are compared by requests per CPU-second" in ranks.notes


def test_colour_is_turned_off_by_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    colour, bold_green = "\x1b[33m", "\x1b[1;32m"
    assert colour in in_colour(STANDARD, 120)
    assert bold_green in in_colour(STANDARD, 120)
    monkeypatch.setenv("NO_COLOR", "1")
    plain = in_colour(STANDARD, 120)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", plain)
    assert "\x1b[1m" in plain


def test_a_starved_cell_is_yellow_and_a_lower_bound_is_dim() -> None:
    shown = in_colour(STANDARD, 160)
    assert re.search(r"\x1b\[33m *25,000 ±2 % \(26 of 100 connections", shown)
    assert re.search(r"\x1b\[2m *≥ 19,000 ±2 % g\x1b", shown)


@pytest.mark.parametrize(
    ("figures", "text"),
    [((), ""), ((None,), "·"), ((1, 2, 4, 8), "▂▃▅█"), ((100, None, 0.1), "█·▁"), ((7, 7), "██")],
)
def test_a_curve_goes_from_nothing_to_the_highest(figures: tuple[float | None, ...], text: str) -> None:
    assert sparkline(figures) == text


def test_a_single_concurrency_is_no_curve() -> None:
    made = sweep(SERVERS[0])
    made = msgspec.structs.replace(made, request=msgspec.structs.replace(made.request, concurrency=(1,)))
    assert "curve" not in in_terminal(Stored(made, (trial("jetty-5.1.10", "small", 1),)), 80)
    assert "curve" in in_terminal(STORED, 80)


def test_nothing_from_a_server_becomes_markup() -> None:
    nasty = not_measured("jetty-5.1.10", "small", 1, "[red]<b>|x|</b>")
    stored = Stored(STORED.sweep, (nasty,))
    assert "\\[red\\]\\<b\\>\\|x\\|\\</b\\>" in markdown.render(report_of(stored))
    assert "[red]<b>|x|</b>" in in_terminal(stored, 200)


@pytest.mark.parametrize(("rate", "text"), [(12345.6, "12,346"), (100, "100"), (99.94, "99.9"), (0.5, "0.5")])
def test_rates_have_as_many_digits_as_mean_something(rate: float, text: str) -> None:
    assert rate_figure(rate) == text


@pytest.mark.parametrize(
    ("share", "text"), [(None, "-"), (0.0512, "5.1"), (0.0994, "9.9"), (0.0996, "10"), (0.834, "83"), (1.041, "104")]
)
def test_shares_are_per_cent_with_at_least_two_digits(share: float | None, text: str) -> None:
    assert share_figure(share) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(None, "-"), (0.0571, "0.0571"), (1.0, "1.00"), (12.345, "12.3"), (99.96, "100"), (2500, "2,500")],
)
def test_latencies_have_three_digits(milliseconds: float | None, text: str) -> None:
    assert latency_figure(milliseconds) == text


def test_the_drift_is_that_of_the_ceiling_between_before_and_after_and_needs_both() -> None:
    records = [
        trial("ceiling", "small", 1, block=BEFORE, jdk=None, report=report(requests_per_second=1000.0)),
        trial("ceiling", "large", 1, block=BEFORE, jdk=None, report=report(requests_per_second=100.0)),
        failed_trial("ceiling", "large", 1, "timeout", TIMEOUT, block=AFTER),
        trial("ceiling", "small", 1, block=1, report=report(requests_per_second=1.0)),
        trial("ceiling", "small", 1, block=AFTER, jdk=None, report=report(requests_per_second=930.0)),
    ]
    assert [(each.workload, round(each.change, 3)) for each in drifts(records)] == [("small", -0.07)]


def blocks_of(ids: tuple[str, ...], factors: list[dict[str, float]]) -> list[Trial]:
    """Of each server two cells, as fast in each block as its factor there says, 1 where it has none."""
    return [
        trial(id, "small", level, block=block, report=report(requests_per_second=rate * factor.get(id, 1.0)))
        for block, factor in enumerate(factors, 1)
        for id in ids
        for level, rate in ((1, 5_000.0), (10, 9_000.0))
    ]


def test_a_block_in_which_the_servers_together_were_slower_is_named() -> None:
    slow = {"jetty-5.1.10": 0.94, "resin-3.0.9": 0.9, "tomcat-5.5.15": 1.0}
    records = blocks_of(tuple(slow), [{}, {}, slow, {}, {}])
    assert [round(each.change, 3) for each in shifts(records)] == [0, 0, -0.06, 0, 0]
    warnings = report_of(Stored(sweep(*SERVERS), tuple(records))).warnings
    assert "block 3 was not like the others: 3 servers together were 6.0 % slower in it" in warnings


@pytest.mark.parametrize(
    ("ids", "factors"),
    [
        (("a-1", "b-1", "c-1"), [{}, {}, {"a-1": 0.5}, {}]),
        (("a-1", "b-1"), [{}, {}, {"a-1": 0.5, "b-1": 0.5}, {}]),
        (("a-1", "b-1", "c-1"), [{}, {"a-1": 0.5, "b-1": 0.5, "c-1": 0.5}]),
    ],
    ids=["one server alone", "two servers", "two blocks"],
)
def test_what_may_be_a_servers_own_doing_is_no_shift_of_a_block(
    ids: tuple[str, ...], factors: list[dict[str, float]]
) -> None:
    assert all(each.change == 0 for each in shifts(blocks_of(ids, factors)))


def test_a_cell_of_fewer_blocks_does_not_hide_a_shift() -> None:
    slow = dict.fromkeys(("a-1", "b-1", "c-1"), 0.9)
    records = blocks_of(tuple(slow), [{}, {}, slow])
    records += [trial(id, "large", 1, block=3) for id in slow]
    assert [round(each.change, 3) for each in shifts(records)] == [0, 0, -0.1]


def test_a_workload_that_ab_cannot_measure_has_a_dash_with_the_reason() -> None:
    quick = server("quickserver-1.4.7", workloads=("echo",), untestable={"small": "does not close"})
    stored = Stored(sweep(server("jetty-5.1.10"), quick), (trial("jetty-5.1.10", "small", 1),))
    rates = report_of(stored).tables[0]
    assert isinstance(rates, Table)
    assert [column.server for column in rates.columns] == ["jetty-5.1.10", "quickserver-1.4.7"]
    assert rates.rows[0] == (1, ("12,345", "-"))
    assert rates.notes == ("quickserver-1.4.7: does not close",)


def test_a_warm_up_that_did_not_become_steady_is_told_once() -> None:
    def warm_up(server: str, block: int, steady: bool | None) -> WarmUpRecord:
        turns = tuple(WarmUpTurns(name, level, (1.0,) * 5) for name in ("small", "large") for level in (10, 100))
        return WarmUpRecord(block=block, server=server, start=block, at=NOON, turns=turns, steady=steady)

    old = WarmUpRecord(
        block=2, server="resin-3.0.9", start=2, workload="small", at=NOON, rates=(1.0,) * 30, steady=False
    )
    records = (
        warm_up("jetty-5.1.10", 1, True), warm_up("jetty-5.1.10", 2, False), trial("jetty-5.1.10", "small", 1),
        warm_up("resin-3.0.9", 1, True), warm_up("tomcat-5.5.15", 1, None), old,
    )  # fmt: skip
    warnings = report_of(Stored(sweep(*SERVERS), records)).warnings
    assert [warning for warning in warnings if "warm-up" in warning] == [
        "warm-ups that ended before the server was steady: jetty-5.1.10 (1 of 2), resin-3.0.9 (1 of 2)"
    ]


# --- starved connections ---------------------------------------------------------------------------------------


def starving(*shares: float, concurrency: int = 1000, **changes: object) -> CellSummary:
    """Of a cell with such a share of the connections served in each block."""
    trials = [
        trial("a-1", "small", concurrency, block=block, report=served(15_393, concurrency, share, **changes))
        for block, share in enumerate(shares, 1)
    ]
    return summary(Cell("a-1", "small", concurrency), trials)


def test_a_server_that_serves_a_quarter_of_the_connections_has_no_rate_and_says_so() -> None:
    found = starving(*[0.256] * 6, seconds=60.0)
    assert found.rate_text == "15,393 ±0 % (256 of 1,000 connections served)"
    assert found.starved
    assert (found.rate, found.by_block, found.per_cpu_second_by_block, found.limit) == (None, {}, {}, None)
    assert found.remarks == ("about 256 of 1,000 connections served at a time",)


def test_a_server_that_serves_most_of_the_connections_has_a_rate_with_a_remark() -> None:
    found = starving(0.693, seconds=60.0)
    assert found.rate_text == "15,393*"
    assert not found.starved
    assert found.remarks == ("about 694 of 1,000 connections served at a time",)
    assert starving(0.95, seconds=60.0).remarks == ()


def test_below_a_concurrency_of_100_it_is_not_looked_at() -> None:
    assert starving(0.3, concurrency=99).rate_text == "15,393"


def test_starvation_is_a_cells_and_not_a_trials() -> None:
    """256 of 500 is near one half: single trials are on either side of it."""
    assert not starving(0.49, 0.52, 0.49, 0.52, 0.52, seconds=600.0).starved
    assert starving(0.49, 0.52, 0.49, 0.52, 0.49, seconds=600.0).starved


def test_where_latencies_are_not_known_nothing_is_said_of_starvation() -> None:
    found = summary(Cell("a-1", "small", 100), [trial("a-1", "small", 100, report=report(percentiles={}))])
    assert (found.served, found.starved, found.rate_text) == (None, False, "12,345")


def test_failed_trials_of_a_starved_cell_are_told_too() -> None:
    trials = [trial("a-1", "small", 100, block=block, report=served(9_000, 100, 0.2)) for block in (1, 2)]
    failed = failed_trial("a-1", "small", 100, "timeout", block=3)
    found = summary(Cell("a-1", "small", 100), [*trials, failed])
    assert found.rate_text == "9,000 (20 of 100 connections served; 1 of 3 failed: timeout)"


def latency(stored: Stored, server: str) -> str:
    table = next(table for table in report_of(stored).tables if table.title.startswith("small: time"))
    assert isinstance(table, Table)
    position = [column.server for column in table.columns].index(server)
    return dict(table.rows)[100][position]


def test_the_longest_request_of_a_timed_trial_may_be_cut_off_by_its_end() -> None:
    long = report(percentiles={0: 1.0, 50: 5.0, 99: 800.0, 100: 950.0})
    shown = {
        command: latency(Stored(sweep(*SERVERS), (made,)), "jetty-5.1.10")
        for command in ("-t", "-n")
        for made in [trial("jetty-5.1.10", "small", 100, report=long, command=("ab", command, "1"))]
    }
    assert shown["-t"].endswith(" / ≥ 950")
    assert shown["-n"].endswith(" / 950")


def test_the_latency_of_a_starved_cell_is_marked() -> None:
    assert latency(STANDARD, "resin-3.0.9").endswith("*")
    table = next(table for table in report_of(STANDARD).tables if table.title.startswith("small: time"))
    assert "*: of the connections served alone; the others waited, most of them without an answer" in table.notes


# --- cold trials -----------------------------------------------------------------------------------------------


def cold(share: int, block: int, rate: float = 12_345.0) -> Trial:
    reason = f"cold: the JIT took {share} % of the server's CPU time"
    made = report(requests_per_second=rate)
    return trial("a-1", "small", 1, block=block, report=made, verdict=Verdict(False, reason))


def test_where_all_trials_are_cold_their_median_is_shown_with_the_reason() -> None:
    found = summary(Cell("a-1", "small", 1), [cold(12, 1, 9_000.0), cold(6, 2, 10_000.0), cold(30, 3, 11_000.0)])
    assert found.rate_text == "10,000 (cold: the JIT took 6 to 30 % of the server's CPU time)"
    assert (found.rate, found.remarks) == (None, ("cold: the JIT took 6 to 30 % of the server's CPU time",))


def test_some_cold_trials_are_counted_as_what_they_are() -> None:
    cell = Cell("a-1", "small", 1)
    warm = [trial("a-1", "small", 1, block=block) for block in range(1, 5)]
    assert summary(cell, [*warm, cold(12, 5), cold(9, 6)]).rate_text == (
        "12,345 (2 of 6 cold: the JIT took 9 to 12 % of the server's CPU time)"
    )
    assert summary(cell, [*warm[:2], *(cold(12, block) for block in range(3, 7))]).rate_text == (
        "4 of 6 cold: the JIT took 12 % of the server's CPU time"
    )
    mixed = [*warm, cold(12, 5), failed_trial("a-1", "small", 1, "timeout", block=6)]
    assert summary(cell, mixed).rate_text == "12,345 (2 of 6 failed: timeout)"


def test_a_cold_trial_that_was_made_again_is_counted_nowhere() -> None:
    good = trial("jetty-5.1.10", "small", 1)
    repeated = ColdTrial(trial=msgspec.structs.replace(good, verdict=Verdict(False, "cold: the JIT took 12 %")))
    with_it, without = (report_of(Stored(sweep(*SERVERS), each)) for each in ((repeated, good), (good,)))
    assert with_it == without
    assert csv.render(Stored(sweep(*SERVERS), (repeated, good))) == csv.render(Stored(sweep(*SERVERS), (good,)))
