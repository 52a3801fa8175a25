"""The reports of made-up sweeps: their tables, and against golden files."""

from __future__ import annotations

import msgspec
import pytest
from support.builders import (
    NOON,
    failed_trial,
    not_measured,
    noted,
    outcome,
    rejected,
    served,
    server,
    skips,
    sweep,
    trial,
)
from support.full_sweep import full_sweep
from support.golden import golden
from support.table_sweeps import (
    RECORDS,
    SERVERS,
    STANDARD,
    STORED,
    UNDER_A_CEILING,
    six_blocks,
    text_at,
    texts_of,
)
from support.terminal import in_terminal
from support.workloads import WORKLOADS

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.records import EndRecord, ResumeRecord, WarmUpRecord, WarmUpTurns
from ab_runner.model.trial import COLD, RepeatedTrial
from ab_runner.report.document import Emphasis, Report, Table
from ab_runner.report.formats import csv, markdown
from ab_runner.report.say.notes import ONE_CONNECTION
from ab_runner.report.tables.of_sweep import report_of
from ab_runner.store.reader import Stored


def everything(stored: Stored) -> Report:
    return report_of(analyse(stored), everything=True)


def short(stored: Stored) -> Report:
    return report_of(analyse(stored))


def table_named(stored: Stored, beginning: str) -> Table:
    return next(table for table in everything(stored).tables if table.title.startswith(beginning))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tables.md", markdown.render(everything(STORED))),
        ("trials.csv", csv.render(analyse(STORED))),
        ("wide.txt", in_terminal(everything(STORED), 120)),
        ("narrow.txt", in_terminal(everything(STORED), 40)),
        ("ceiling.md", markdown.render(everything(UNDER_A_CEILING))),
        ("standard.md", markdown.render(everything(STANDARD))),
        ("standard.txt", in_terminal(everything(STANDARD), 120)),
        ("standard-80.txt", in_terminal(everything(STANDARD), 80)),
        ("standard-160.txt", in_terminal(everything(STANDARD), 160)),
        ("ceiling.csv", csv.render(analyse(UNDER_A_CEILING))),
        ("ceiling.txt", in_terminal(everything(UNDER_A_CEILING), 120)),
        ("short-80.txt", in_terminal(short(STORED), 80)),
        ("short-160.txt", in_terminal(short(STANDARD), 160)),
    ],
)
def test_a_report_is_as_its_golden_file(name: str, text: str) -> None:
    assert text == golden(name, text)


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
    assert text_at(table_named(STORED, f"{workload}: requests"), server, concurrency) == text


def test_a_trial_that_does_not_count_has_no_latency() -> None:
    latencies = table_named(STORED, "large: time")
    assert {text_at(latencies, server, 100) for server in texts_of(latencies)} == {"-"}


def shares(stored: Stored, workload: str, server: str) -> dict[int, str]:
    table = table_named(stored, f"{workload}: requests per second as")
    return {concurrency: text_at(table, server, concurrency) for concurrency in (1, 100)}


def test_each_figure_has_its_share_of_the_ceiling_in_the_same_cell() -> None:
    """Of its median over blocks; where the ceiling or the server has no figure there is none."""
    assert shares(UNDER_A_CEILING, "small", "jetty-5.1.10") == {1: "12", 100: "-"}
    assert shares(UNDER_A_CEILING, "small", "tomcat-5.5.15") == {1: "62", 100: "109"}
    assert shares(UNDER_A_CEILING, "large", "jetty-5.1.10") == {1: "0.62", 100: "-"}
    assert shares(UNDER_A_CEILING, "large", "tomcat-5.5.15-defaults") == {1: "-", 100: "-"}


def test_without_a_figure_of_the_ceiling_there_are_no_shares() -> None:
    failed = Stored(UNDER_A_CEILING.sweep, (not_measured("ceiling", "small", 1, "does not start"), *RECORDS))
    for stored in (STORED, failed):
        assert not any("ceiling's" in table.title for table in everything(stored).tables)


def test_a_sweep_without_an_end_says_so() -> None:
    assert "still running" in everything(Stored(STORED.sweep, RECORDS[:-1])).warnings[0]


def test_an_interrupted_sweep_says_so() -> None:
    records = (*RECORDS[:-1], EndRecord(at=NOON, reason="interrupted"))
    assert "not complete: interrupted" in everything(Stored(STORED.sweep, records)).warnings[0]
    resumed = (*records, ResumeRecord(at=NOON, differences=()))
    assert "still running" in everything(Stored(STORED.sweep, resumed)).warnings[0]


def test_damaged_lines_are_reported_with_the_tables() -> None:
    damage = "trials.jsonl: line 3 is damaged and ignored"
    assert damage in everything(Stored(STORED.sweep, RECORDS, (damage,))).warnings


def best(stored: Stored, title: str) -> set[tuple[int, str]]:
    """Concurrency and server of what is shown as best in that table."""
    table = table_named(stored, title)
    return {
        (int(heading.removeprefix("c=")), row[0].text)
        for row in table.rows
        for heading, cell in zip(table.headings, row, strict=True)
        if cell.emphasis is Emphasis.BEST
    }


def test_the_best_stand_out_where_they_are_told_from_others_in_the_table_that_ranks_them() -> None:
    """At 1 nobody is told from anybody; at 100 jetty is faster although ab limited it, tomcat needs less CPU time, and
    resin is starved."""
    assert best(STANDARD, "small: requests per second (a file of 100 bytes; a connection per request)") == {
        (100, "jetty-5.1.10")
    }
    assert best(STANDARD, "small: requests per CPU-second of the server") == {(100, "tomcat-5.5.15")}
    assert best(STANDARD, "small: ranks") == {(100, "jetty-5.1.10")}


def test_requests_per_cpu_second_have_ranks_of_their_own_and_decide_none_of_the_rates() -> None:
    records = (
        *six_blocks("jetty-5.1.10", 18_000.0, 20_000.0, 100, "generator"),
        *six_blocks("tomcat-5.5.15", 17_000.0, 30_000.0, 100, "generator"),
    )
    both = Stored(sweep(*SERVERS), records)
    assert best(both, "small: requests per CPU-second of the server") == {(100, "tomcat-5.5.15")}
    assert best(both, "small: ranks by requests per CPU-second of the server") == {(100, "tomcat-5.5.15")}
    ranks = table_named(both, "small: ranks")
    assert best(both, ranks.title) == set()
    assert text_at(ranks, "jetty-5.1.10", 100) == text_at(ranks, "tomcat-5.5.15", 100) == "1–2"  # noqa: RUF001
    assert ranks.notes[-1] == "pairs of servers: 0 in an order; 1 not compared, because ab was the limit"


def test_where_load_comes_from_other_hosts_the_network_too_can_be_why_a_pair_is_not_compared() -> None:
    alone = sweep(*SERVERS)
    from_hosts = msgspec.structs.replace(alone, request=msgspec.structs.replace(alone.request, load_hosts=("lab2",)))
    records = (
        *six_blocks("jetty-5.1.10", 18_000.0, 20_000.0, 100, "network"),
        *six_blocks("tomcat-5.5.15", 17_000.0, 30_000.0, 100, "network"),
    )
    pairs = table_named(Stored(from_hosts, records), "small: ranks").notes[-1]
    assert pairs == "pairs of servers: 0 in an order; 1 not compared, because ab or the network was the limit"


def test_a_workload_that_ab_cannot_measure_has_a_dash_with_the_reason() -> None:
    quick = server("quickserver-1.4.7", workloads=("echo",), untestable={"small": "does not close"})
    stored = Stored(sweep(server("jetty-5.1.10"), quick), (trial("jetty-5.1.10", "small", 1),))
    rates = everything(stored).tables[0]
    assert texts_of(rates) == {"jetty-5.1.10": ("12,345", "not run"), "quickserver-1.4.7": ("-", "-")}
    assert list(texts_of(rates)) == ["jetty-5.1.10", "quickserver-1.4.7"]
    assert rates.notes[-1] == "quickserver-1.4.7: does not close"


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
    warnings = everything(Stored(sweep(*SERVERS), records)).warnings
    assert [warning for warning in warnings if "warm-up" in warning] == [
        "2 of 4 warm-ups ended before the server was steady: jetty-5.1.10 (1 of 2); resin-3.0.9 (1 of 2)"
    ]


def latency(stored: Stored, server: str) -> str:
    return text_at(table_named(stored, "small: time"), server, 100)


def test_the_longest_request_of_a_timed_trial_may_be_cut_off_by_its_end() -> None:
    percentiles = {0: 1.0, 50: 5.0, 99: 800.0, 100: 950.0}
    shown = {
        is_timed: latency(Stored(sweep(*SERVERS), (made,)), "jetty-5.1.10")
        for is_timed in (True, False)
        for made in [trial("jetty-5.1.10", "small", 100, outcome=outcome(is_timed, percentiles=percentiles))]
    }
    assert shown[True].endswith(" / ≥ 950")
    assert shown[False].endswith(" / 950")


def test_the_latency_of_a_starved_cell_is_marked() -> None:
    assert latency(STANDARD, "resin-3.0.9").endswith("*")
    assert "*: of the connections served alone; the others waited, most of them without an answer" in (
        table_named(STANDARD, "small: time").notes
    )


def test_a_trial_that_was_made_again_is_counted_nowhere() -> None:
    good = trial("jetty-5.1.10", "small", 1)
    repeated = RepeatedTrial(
        trial=msgspec.structs.replace(good, verdict=rejected("cold: the JIT took 12 %")), reason=COLD
    )
    with_it, without = (everything(Stored(sweep(*SERVERS), each)) for each in ((repeated, good), (good,)))
    assert with_it == without
    both, alone = (analyse(Stored(sweep(*SERVERS), each)) for each in ((repeated, good), (good,)))
    assert csv.render(both) == csv.render(alone)


# --- in short ----------------------------------------------------------------------------------------------------


def test_a_short_report_has_the_whole_tables_of_rates_and_at_most_twenty_other_lines() -> None:
    found = short(full_sweep())
    assert [table.title.partition(":")[2] for table in found.tables] == [
        f" requests per second ({workload.summary})" for workload in WORKLOADS
    ]
    assert sum(len(table.rows) for table in found.tables) == sum(
        len(server.workloads) for server in full_sweep().sweep.servers
    )
    shown = in_terminal(found, 160)
    assert found.answer is not None
    tables = sum(len(table.rows) + len(("title", "headings", "rule")) for table in (found.answer, *found.tables))
    others = len([line for line in shown.splitlines() if line]) - tables
    assert others <= 17, "there is room for three warnings"


def test_everything_has_what_the_short_report_leaves_out() -> None:
    kinds = {table.title.partition(": ")[2].partition(" (")[0] for table in everything(full_sweep()).tables}
    assert kinds == {
        "requests per second",
        "time per request in ms, median / p90 / p99 / p99.9 / longest",
        "requests per CPU-second of the server",
        "ranks",
        "ranks by requests per CPU-second of the server",
        "requests per second as a share of the ceiling's, %",
    }


def test_a_short_report_groups_its_notes() -> None:
    found = short(STORED)
    assert found.notes == (
        ONE_CONNECTION,
        "6 of 10 cells have failed trials: timeout (1 cell: jetty-5.1.10); does not start (1 cell: jetty-5.1.10); "
        "no keep-alive (2 cells: resin-3.0.9); reset (1 cell: tomcat-5.5.15); "
        "9991 failed (1 cell: tomcat-5.5.15-defaults)",
        "*: 99.0 % kept alive (1 cell: tomcat-5.5.15)",
    )
    assert all(not table.notes for table in found.tables)


def test_a_short_report_has_few_warnings_and_says_where_the_others_are() -> None:
    skipped = {"a-1": "x; artifacts fetch", "b-1": "x; artifacts fetch", "c-1": "needs Java 99", "d-1": "no room"}
    skipped |= {f"s-{number}": f"reason {number}" for number in range(9)}
    unsteady = WarmUpRecord(block=1, server="jetty-5.1.10", start=1, at=NOON, steady=False)
    resumed = ResumeRecord(at=NOON, differences=("kernel is 6.2 and was 6.1",))
    stored = Stored(sweep(*SERVERS, skipped=skips(skipped)), (*RECORDS[:-1], unsteady, resumed), ("line 3 is damaged",))
    warnings = short(stored).warnings
    assert len(warnings) == 5
    assert warnings[-1].endswith("more warnings: ./ab-runner report --all")
    assert len([line for line in everything(stored).warnings if "skipped" in line]) == 3


def test_a_rank_that_rests_on_some_of_the_starts_has_the_mark_of_its_figure() -> None:
    lucky = six_blocks("jetty-5.1.10", 14_000.0, 14_000.0, 1)
    failed = trial("tomcat-5.5.15", "small", 1, block=6, outcome=None, verdict=rejected("reset"))
    unlucky = [*six_blocks("tomcat-5.5.15", 7_000.0, 14_000.0, 1)[:5], failed]
    stored = Stored(sweep(*SERVERS[:3]), (*lucky, *unlucky))
    assert text_at(table_named(stored, "small: requests per second"), "tomcat-5.5.15", 1).endswith(
        "(1 of 6 failed: reset)"
    )
    ranks = table_named(stored, "small: ranks")
    assert (text_at(ranks, "jetty-5.1.10", 1), text_at(ranks, "tomcat-5.5.15", 1)) == ("1", "2 (1 of 6 failed)")


def test_a_table_with_one_connection_says_what_bounds_its_rate() -> None:
    assert ONE_CONNECTION in table_named(STANDARD, "small: requests per second").notes
    assert short(STANDARD).notes[0] == ONE_CONNECTION
    many = Stored(sweep(*SERVERS), (trial("jetty-5.1.10", "small", 100),))
    assert ONE_CONNECTION not in everything(many).tables[0].notes
    assert ONE_CONNECTION not in short(many).notes


def test_notes_of_one_kind_are_one_line_for_all_servers() -> None:
    servers = [server(f"s-{number}") for number in range(20)]
    with_notes = [trial(each.id, "small", 100, verdict=noted("99.0 % kept alive")) for each in servers]
    slow = [failed_trial(each.id, "large", 100, "timeout", "no answer") for each in servers[:2]]
    found = {
        table.title.partition(":")[0]: table.notes
        for table in everything(Stored(sweep(*servers), (*with_notes, *slow))).tables[:2]
    }
    assert found["small"][0].startswith("99.0 % kept alive (20 cells of 20 servers): s-0 at 100; s-1 at 100; ")
    assert len(found["small"]) == 1
    assert found["large"] == ("timeout (2 cells of 2 servers): s-0 at 100: no answer; s-1 at 100: no answer",)


def test_a_star_of_connections_that_waited_is_explained_in_a_short_report() -> None:
    waiting = trial("a-1", "small", 500, outcome=served(20_000, 500, 0.7))
    made = sweep(server("a-1"))
    made = msgspec.structs.replace(made, request=msgspec.structs.replace(made.request, levels=(500,)))
    found = short(Stored(made, (waiting,)))
    assert "*" in found.tables[0].rows[0][1].text
    assert found.notes == ("*: some connections waited while the others were served (1 cell: a-1)",)
