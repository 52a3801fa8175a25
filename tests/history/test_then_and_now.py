"""The figures of 2006, as published, beside those of a made-up sweep."""

from __future__ import annotations

import datetime
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import NOON, failed_trial, not_measured, noted, outcome, server, sweep, trial
from support.golden import golden
from support.terminal import in_terminal

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.catalog.studies import read_study
from ab_runner.history.then_and_now import FigurePair, ThenAndNow, match_of, then_and_now
from ab_runner.model.protocol import DEFAULT_STUDY, PROTOCOLS
from ab_runner.model.records import EndRecord
from ab_runner.model.server import Server
from ab_runner.model.trial import NotMeasured, Trial
from ab_runner.model.workload import WorkloadName
from ab_runner.report.document import Report
from ab_runner.report.formats import markdown, then_and_now_csv
from ab_runner.report.tables.then_and_now import (
    NO_MARGIN,
    factor_figure,
    report_ranking_then_and_now,
    report_then_and_now,
)
from ab_runner.store.reader import Stored

STUDY = read_study(DEFAULT_STUDY, {})
TODAY = datetime.date(2026, 8, 12)
FILES = ("small", "small-keepalive", "large")


def then(id: str, published: str, **changes: object) -> Server:
    return server(id, **{"workloads": FILES, "published": published} | changes)


def today(id: str, **changes: object) -> Server:
    return server(id, **{"workloads": FILES, "released": TODAY, "io_model": "NIO reactor"} | changes)


def debian(id: str, published: str | None = None, **changes: object) -> Server:
    fields = {"kind": "debian", "released": datetime.date(2025, 4, 4), "io_model": "event loop"}
    return server(id, workloads=FILES, published=published, **fields | changes)


CINDY = then("cindy-3.0b1-acceptor", "cindy-3.0a4-acceptor", workloads=("echo", *FILES), io_model="NIO reactor")
CINDY_SESSION = then("cindy-3.0b1-session", "cindy-3.0a4-session", io_model="NIO reactor")
QUICKSERVER = then("quickserver-1.4.7-nonblocking", "quickserver-1.4.7-nonblocking", workloads=("echo",))
TOMCAT = then("tomcat-5.5.15", "tomcat-5.5.15")
TOMCAT_AS_SHIPPED = then("tomcat-5.5.15-defaults", "tomcat-5.5.15", program="tomcat-5.5.15")
TOMCAT_11 = today("tomcat-11")
TOMCAT_11_NIO2 = today("tomcat-11-nio2", program="tomcat-11")
TOMCAT_8 = today("tomcat-8.0", released=datetime.date(2018, 6, 29))
JETTY = then("jetty-5.1.10", "jetty-5.1.10")
JETTY_12 = today("jetty-12.1")
RESIN = then("resin-3.0.9", "resin-3.0.18")
EVENT = debian("httpd-2.4-event", program="httpd-2.4-prefork", io_model="blocking thread pool")
PREFORK = debian("httpd-2.4-prefork", "httpd-2.0.54", io_model="process per connection")
LIGHTTPD = debian("lighttpd-1.4", "lighttpd-1.4.11")
LIGHTTPD_BY_ITS_LINE = debian("lighttpd-1.4", "lighttpd-1.4.11", released=datetime.date(2005, 8, 17))
MERECAT = debian("merecat-2.31", "thttpd-2.25b")
SERVERS = (
    CINDY, CINDY_SESSION, EVENT, PREFORK, JETTY, JETTY_12, LIGHTTPD, MERECAT, QUICKSERVER, RESIN, TOMCAT,
    TOMCAT_AS_SHIPPED, TOMCAT_8, TOMCAT_11, TOMCAT_11_NIO2,
)  # fmt: skip


def at(server: Server, workload: WorkloadName, concurrency: int, rate: float) -> Trial:
    return trial(server.id, workload, concurrency, outcome=outcome(requests_per_second=rate))


def stored(*servers: Server, records: tuple[Trial | NotMeasured, ...], **asked: object) -> Stored:
    made = sweep(*servers)
    asked = {"workloads": ("echo", *FILES), "levels": (1, 50, 100)} | asked
    made = msgspec.structs.replace(made, request=msgspec.structs.replace(made.request, **asked))
    return Stored(made, (*records, EndRecord(at=NOON, reason="finished")))


RATES = (
    (CINDY, 7_000.0), (CINDY_SESSION, 7_100.0), (EVENT, 9_000.0), (PREFORK, 8_000.0), (JETTY, 6_000.0),
    (JETTY_12, 11_000.0), (LIGHTTPD, 18_000.0), (MERECAT, 6_000.0), (TOMCAT, 9_500.0), (TOMCAT_AS_SHIPPED, 9_400.0),
    (TOMCAT_8, 12_000.0), (TOMCAT_11, 14_000.0), (TOMCAT_11_NIO2, 13_000.0),
)  # fmt: skip
STORED = stored(
    *SERVERS,
    records=(
        at(CINDY, "echo", 1, 12_345.0),
        at(QUICKSERVER, "echo", 1, 10_000.0),
        *(at(each, "small", level, rate + level) for each, rate in RATES for level in (1, 100)),
        *(at(each, "large", 1, rate / 10) for each, rate in RATES),
        at(TOMCAT, "large", 100, 950.0),
        not_measured("resin-3.0.9", "small-keepalive", 1, "no keep-alive"),
        not_measured("resin-3.0.9", "small-keepalive", 100, "no keep-alive"),
        trial("tomcat-11", "small-keepalive", 1, verdict=noted("99.0 % kept alive")),
        failed_trial("lighttpd-1.4", "small-keepalive", 1, "timeout", "apr_pollset_poll: (70007)"),
        at(CINDY_SESSION, "small-keepalive", 1, 20_000.0),
    ),
)


def compare(stored: Stored) -> tuple[ThenAndNow, ...]:
    return then_and_now(analyse(stored), STUDY)


def report_of(stored: Stored) -> Report:
    return report_then_and_now(analyse(stored), compare(stored))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("then-and-now.md", markdown.render(report_of(STORED))),
        ("then-and-now-ranking.md", markdown.render(report_ranking_then_and_now(compare(STORED)))),
        ("then-and-now.csv", then_and_now_csv.render(compare(STORED))),
        ("then-and-now-wide.txt", in_terminal(report_of(STORED), 120)),
        ("then-and-now-narrow.txt", in_terminal(report_of(STORED), 80)),
    ],
)
def test_then_and_now_is_as_its_golden_file(name: str, text: str) -> None:
    assert text == golden(name, text)


def test_eighty_columns_break_no_figure_and_no_name() -> None:
    assert sorted(in_terminal(report_of(STORED), 80).replace("─", "").split()) == sorted(
        in_terminal(report_of(STORED), 200).replace("─", "").split()
    )


@pytest.mark.parametrize(
    ("published", "servers", "stand_in", "newest"),
    [
        ("tomcat-5.5.15", [TOMCAT_AS_SHIPPED, TOMCAT, TOMCAT_8, TOMCAT_11_NIO2, TOMCAT_11], TOMCAT, TOMCAT_11),
        ("tomcat-5.5.15", [TOMCAT_AS_SHIPPED, TOMCAT_8], TOMCAT_AS_SHIPPED, TOMCAT_8),
        ("tomcat-5.5.15", [TOMCAT_11], None, TOMCAT_11),
        ("httpd-2.0.54", [EVENT, PREFORK], PREFORK, PREFORK),
        ("httpd-2.0.54", [EVENT], None, EVENT),
        ("thttpd-2.25b", [MERECAT], MERECAT, MERECAT),
        ("lighttpd-1.4.11", [LIGHTTPD_BY_ITS_LINE], LIGHTTPD_BY_ITS_LINE, LIGHTTPD_BY_ITS_LINE),
        ("cindy-2.4.4", [CINDY, CINDY_SESSION], None, None),
        ("cindy-3.0a4-acceptor", [CINDY, CINDY_SESSION], CINDY, None),
        ("resin-3.0.18", [TOMCAT, JETTY], None, None),
    ],
)
def test_each_server_of_2006_is_matched_by_a_stand_in_and_the_newest_of_its_family(
    published: str, servers: list[Server], stand_in: Server | None, newest: Server | None
) -> None:
    for order in (servers, servers[::-1]):
        match = match_of(published, order, STUDY)
        assert (match.stand_in, match.newest) == (stand_in, newest)


def test_the_study_alone_says_what_stands_for_its_servers_and_of_several_the_first_is_taken() -> None:
    """As in sweeps of today, which do not say it of their servers."""
    todays = [msgspec.structs.replace(each, published=None) for each in SERVERS]
    made = msgspec.structs.replace(STORED, sweep=msgspec.structs.replace(STORED.sweep, servers=tuple(todays)))
    assert markdown.render(report_of(made)) == markdown.render(report_of(STORED))
    other = msgspec.structs.replace(STUDY, stand_ins={"tomcat-5.5.15": ("tomcat-8.0", "tomcat-11")})
    for order in (todays, todays[::-1]):
        assert match_of("tomcat-5.5.15", order, other).stand_in == TOMCAT_8


def test_a_server_whose_id_has_changed_since_stands_for_what_its_sweep_says() -> None:
    former = then("tomcat-5.5", "tomcat-5.5.15")
    assert match_of("tomcat-5.5.15", [former], STUDY).stand_in == former
    for order in ([former, TOMCAT_AS_SHIPPED], [TOMCAT_AS_SHIPPED, former]):
        assert match_of("tomcat-5.5.15", order, STUDY).stand_in == former, "it has a build of its own"


def test_what_came_after_a_study_depends_on_its_year() -> None:
    later = msgspec.structs.replace(STUDY, about=msgspec.structs.replace(STUDY.about, date="2018-11"))
    assert match_of("tomcat-5.5.15", [TOMCAT, TOMCAT_8], STUDY).newest == TOMCAT_8
    assert match_of("tomcat-5.5.15", [TOMCAT, TOMCAT_8], later).newest is None
    text = markdown.render(report_then_and_now(analyse(STORED), then_and_now(analyse(STORED), later)))
    assert "| server of 2018 | c | 2018 | stand-in |" in text
    assert "2006" not in text.replace(STUDY.id, "")


def test_a_server_from_outside_is_no_descendant_whatever_it_calls_its_family() -> None:
    then = server("tomcat-5.5.15", published="tomcat-5.5.15")
    mine = server("tomcat-99", kind="image", image="mine:1", released=datetime.date(2031, 1, 1))
    assert match_of("tomcat-5.5.15", [then, mine], STUDY).newest is None


def test_among_variants_of_the_newest_the_stand_ins_io_model_decides() -> None:
    blocking = today("tomcat-11-bio", program="tomcat-11", io_model="blocking thread pool")
    assert match_of("tomcat-5.5.15", [TOMCAT, TOMCAT_11, blocking], STUDY).newest == blocking


def test_where_the_match_depends_on_the_workload_a_note_says_so() -> None:
    large_only = today("tomcat-12", workloads=("large",), released=datetime.date(2030, 1, 1))
    made = stored(TOMCAT, TOMCAT_11, large_only, records=())
    who = report_of(made).tables[0]
    assert who.notes == (
        "tomcat-5.5.15 with tomcat-5.5.15 and tomcat-11: small, small-keepalive",
        "tomcat-5.5.15 with tomcat-5.5.15 and tomcat-12: large",
    )


def compared(workload: str, stored: Stored = STORED) -> ThenAndNow:
    return next(each for each in compare(stored) if each.workload == workload)


def pair(workload: str, concurrency: int, published: str, beside: str = "stand_in") -> FigurePair:
    level = next(level for level in compared(workload).levels if level.concurrency == concurrency)
    comparison = level.newest if beside == "newest" else level.stand_in
    return next(pair for pair in comparison.pairs if pair.then.server == published)


def test_what_does_not_count_on_either_side_has_no_factor_and_no_rank() -> None:
    for what in (
        pair("large", 100, "tomcat-5.5.15"),  # 9991 failed, then
        pair("small-keepalive", 1, "cindy-3.0a4-session"),  # timeout, then
        pair("small-keepalive", 1, "lighttpd-1.4.11"),  # timeout, now
        pair("small-keepalive", 1, "resin-3.0.18"),  # not measured
        pair("small-keepalive", 100, "jetty-5.1.10"),  # not run
        pair("small", 1, "cindy-3.0a4-acceptor", "newest"),  # no successor
    ):
        assert (what.factor, what.ranks) == (None, None)


def test_a_factor_is_now_over_then() -> None:
    assert pair("small", 1, "tomcat-5.5.15").factor == pytest.approx(9_501 / 3294)
    assert pair("small", 1, "tomcat-5.5.15", "newest").factor == pytest.approx(14_001 / 3294)


def test_ranks_are_among_the_servers_that_count_on_both_sides() -> None:
    """Resin led tomcat in 2006, and has no figure now; jetty and merecat are equal."""
    ranks = {pair.then.server: pair.ranks for pair in compared("small").levels[0].stand_in.pairs}
    assert ranks == {
        "lighttpd-1.4.11": (1, 1),
        "resin-3.0.18": None,
        "tomcat-5.5.15": (2, 2),
        "thttpd-2.25b": (3, 6.5),
        "httpd-2.0.54": (4, 3),
        "cindy-3.0a4-session": (5, 4),
        "cindy-3.0a4-acceptor": (6, 5),
        "jetty-5.1.10": (7, 6.5),
    }


@given(st.lists(st.floats(1, 1e6), min_size=8, max_size=8))
def test_whatever_was_measured_ranks_add_up_and_the_faster_never_ranks_behind(rates: list[float]) -> None:
    servers = (CINDY, CINDY_SESSION, TOMCAT, JETTY, RESIN, PREFORK, LIGHTTPD, MERECAT)
    records = tuple(at(each, "small", 10, rate) for each, rate in zip(servers, rates, strict=True))
    made = stored(*servers, records=records, workloads=("small",), levels=(10,))
    (level,) = compared("small", made).levels
    now = sorted((pair.rates[1], pair.ranks[1]) for pair in level.stand_in.pairs if pair.rates and pair.ranks)
    assert level.stand_in.ranked == len(now) == 8
    assert sum(rank for _, rank in now) == 36
    assert all(faster >= slower for (_, faster), (_, slower) in pairwise(now) if faster != slower)


def test_the_same_sweep_in_the_order_of_2006_has_a_rho_of_one() -> None:
    servers = (TOMCAT, JETTY, PREFORK, LIGHTTPD)
    figures = {each.server: each for each in STUDY.figures if (each.workload, each.level) == ("small", 10)}
    records = tuple(at(each, "small", 10, 3 * (figures[each.published or ""].rate or 0)) for each in servers)
    (level,) = compared("small", stored(*servers, records=records, levels=(10,))).levels
    assert level.stand_in.agreement is not None
    assert (level.stand_in.agreement.rho, level.stand_in.agreement.pairs) == (1, 4)
    assert {round(pair.factor or 0, 9) for pair in level.stand_in.pairs} == {3}


def test_one_block_and_several_both_say_what_their_ranks_are_worth() -> None:
    assert NO_MARGIN[True] in report_of(STORED).facts
    several = stored(TOMCAT, records=(at(TOMCAT, "small", 1, 5.0),), protocol=PROTOCOLS["standard"])
    assert NO_MARGIN[False] in report_of(several).facts


@pytest.mark.parametrize("made", [stored(EVENT, records=(), levels=(50,)), stored(records=())])
def test_a_sweep_without_anything_of_2006_compares_nothing(made: Stored) -> None:
    assert compare(made) == ()


@pytest.mark.parametrize(
    ("factor", "text"), [(None, "-"), (0.2219, "0.22"), (0.999, "1.00"), (1.04, "1.0"), (12.34, "12.3")]
)
def test_factors_have_two_digits(factor: float | None, text: str) -> None:
    assert factor_figure(factor) == text
