"""The conclusions of 2006, by the figures of 2006 and by those of made-up sweeps.

To take over a change that is wanted in the golden files, run with AB_RUNNER_WRITE_GOLDEN=1 and read the diff.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import failed_trial, not_measured, report, served, server, sweep, trial, usage

from ab_runner import paths
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.history.conclusions import judge_conclusions, judgements
from ab_runner.history.evidence import of_sweep, published
from ab_runner.history.papers import FILES, Claim, Paper, read_all
from ab_runner.history.published import Figure
from ab_runner.history.verdicts import JudgedConclusion, Part
from ab_runner.model.load import Failures, Verdict
from ab_runner.model.records import Record, Trial
from ab_runner.model.server import Server
from ab_runner.report import conclusions_csv, markdown
from ab_runner.report.conclusions_tables import basis_text, report_conclusions
from ab_runner.store.reader import Stored

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
((PAPER, FIGURES),) = read_all(paths.PUBLISHED)
HEAD = "workload,server,concurrency,requests_per_second,failed_requests,outcome\n"
SPREAD = (0.99, 1.0, 1.01, 0.98, 1.02, 1.0)

TOMCAT = server("tomcat-5.5.15", published="tomcat-5.5.15")
CINDY = server("cindy-3.0b1-acceptor", published="cindy-3.0a4-acceptor", io_model="NIO reactor")
JETTY = server("jetty-5.1.10", published="jetty-5.1.10")
LIGHTTPD = server("lighttpd-1.4", published="lighttpd-1.4.11", kind="debian", io_model="event loop")


def blocks(server: Server, rate: float, concurrency: int = 10, of: int = 6, **changes: object) -> list[Trial]:
    """With noise of some two per cent, in another order for each server."""
    spread = SPREAD if of == 1 else SPREAD[len(server.id) % 6 :] + SPREAD
    return [
        trial(
            server.id, "small", concurrency, block=block,
            **{"report": report(requests_per_second=rate * by, complete=round(rate * by))} | changes,
        )
        for block, by in enumerate(spread[:of], 1)
    ]  # fmt: skip


def stored(servers: Sequence[Server], records: Iterable[Record], levels: tuple[int, ...] = (10,)) -> Stored:
    made = sweep(*servers)
    request = msgspec.structs.replace(made.request, levels=levels)
    return Stored(msgspec.structs.replace(made, request=request), tuple(records))


def paper(*claims: Mapping[str, object]) -> Paper:
    """Of one conclusion with these claims."""
    common = {"workloads": ["small"], "at": [10], "says": "it is so"}
    return msgspec.convert(
        {
            "format": 1, "year": 2006, "source": "a paper", "figures": "x.csv", "groups": {"java": ["tomcat-5.5.15"]},
            "conclusions": [{"sentence": "It is so.", "claims": [{**common, **claim} for claim in claims]}],
        },
        Paper,
    )  # fmt: skip


def judged(evidence: Stored, *claims: Mapping[str, object]) -> JudgedConclusion:
    return judge_conclusions(paper(*claims), of_sweep(analyse(evidence), FIGURES))[0]


FASTER = {"form": "faster", "first": ["tomcat-5.5.15"], "second": ["jetty-5.1.10"]}
CLEARLY = FASTER | {"by": 0.1}
EQUAL = FASTER | {"form": "about-equal", "within": 0.1}
FAILED = FASTER | {"form": "most-failed"}


# --- by the figures of 2006 ------------------------------------------------------------------------------------


def test_what_his_own_numbers_say() -> None:
    """Resin was ahead of Cindy by 1.5 % at 100, lighttpd behind Cindy with large files at 1, and Cindy 2.4.4 by 22 %
    faster than 3.0a4 at 1."""
    found = judge_conclusions(PAPER, published("2006", 2006, FIGURES))
    assert [(each.verdict, each.complete) for each in found] == [
        ("cannot be told", True), ("holds", True), ("holds", False), ("holds", True), ("holds", True),
        ("does not hold", False), ("does not hold", False), ("holds", True),
    ]  # fmt: skip


def of_2006(conclusion: int, claim: int) -> tuple[Part, ...]:
    return judge_conclusions(PAPER, published("2006", 2006, FIGURES))[conclusion - 1].claims[claim].parts


def test_a_figure_with_failed_requests_is_the_most_that_it_can_have_been() -> None:
    """Cindy's 257 beat what Tomcat managed with 62 failed requests, whatever that would have been without."""
    parts = of_2006(4, 0)
    assert {part.verdict for part in parts} == {"holds"}
    assert sum("at most" in basis_text(part.basis) for part in parts) == 8
    slower = published("x", 2006, [figure("tomcat-5.5.15", 120, failed=5), figure("jetty-5.1.10", 100)])
    assert judge_conclusions(paper(FASTER), slower)[0].verdict == "cannot be told"
    assert (
        judge_conclusions(paper(FASTER | {"first": ["jetty-5.1.10"], "second": ["java"]}), slower)[0].verdict
        == "cannot be told"
    )


def figure(server: str, rate: float, failed: int = 0) -> Figure:
    return Figure("small", server, 10, rate, failed, "ok")


def test_failed_requests_are_added_up_over_all_concurrencies() -> None:
    (part,) = of_2006(4, 1)
    assert part.at == (1, 10, 100, 500, 1000)
    assert basis_text(part.basis) == "tomcat-5.5.15 62 + 9,991 + 46 + 23 failed against jetty-5.1.10 1 + 43 failed"


def test_a_gap_is_between_geometric_means_at_both_ends() -> None:
    (part,) = of_2006(2, 0)
    assert (part.at, part.verdict) == ((1, 1000), "holds")
    assert "1.21 times the rate of the second at 1, 0.95 times at 1000" in basis_text(part.basis)


# --- by a sweep ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rate", "claim", "verdict"),
    [
        (12_000, FASTER, "holds"),
        (8_000, FASTER, "does not hold"),
        (10_200, FASTER, "cannot be told"),
        (10_500, CLEARLY, "does not hold"),
        (11_300, CLEARLY, "cannot be told"),
        (12_000, CLEARLY, "holds"),
        (10_100, EQUAL, "holds"),
        (12_000, EQUAL, "does not hold"),
        (8_000, EQUAL, "does not hold"),
        (10_900, EQUAL, "cannot be told"),
    ],
)
def test_a_claim_holds_fails_or_cannot_be_told_by_a_test(
    rate: float, claim: Mapping[str, object], verdict: str
) -> None:
    assert judged(stored([TOMCAT, JETTY], [*blocks(TOMCAT, rate), *blocks(JETTY, 10_000)]), claim).verdict == verdict


def test_every_claim_and_every_pair_must_hold() -> None:
    records = [*blocks(TOMCAT, 12_000), *blocks(JETTY, 10_000), *blocks(CINDY, 13_000)]
    both = FASTER | {"second": ["jetty-5.1.10", "cindy-3.0a4-acceptor"]}
    evidence = stored([TOMCAT, JETTY, CINDY], records)
    assert judged(evidence, both).verdict == "does not hold"
    assert judged(evidence, FASTER, both).verdict == "does not hold"
    assert judged(evidence, FASTER, EQUAL).verdict == "does not hold"
    assert judged(evidence, FASTER).verdict == "holds"


def test_one_of_the_first_is_enough_where_a_claim_says_so() -> None:
    records = [*blocks(TOMCAT, 9_000), *blocks(JETTY, 12_000), *blocks(CINDY, 10_000)]
    claim = FASTER | {"first": ["tomcat-5.5.15", "jetty-5.1.10"], "second": ["cindy-3.0a4-acceptor"]}
    evidence = stored([TOMCAT, JETTY, CINDY], records)
    assert judged(evidence, claim).verdict == "does not hold"
    found = judged(evidence, claim | {"one": True})
    assert found.verdict == "holds"
    assert [part.first for part in found.claims[0].parts] == ["jetty-5.1.10"]


def test_who_is_not_there_is_named_and_the_verdict_is_on_the_rest() -> None:
    records: list[Record] = [
        *blocks(TOMCAT, 12_000),
        *blocks(JETTY, 10_000),
        not_measured("cindy-3.0b1-acceptor", "small", 10, "slow"),
    ]
    claim = FASTER | {"second": ["jetty-5.1.10", "cindy-3.0a4-acceptor", "resin-3.0.18"], "at": [10, 500]}
    found = judged(stored([TOMCAT, JETTY, CINDY], records), claim)
    assert (found.verdict, found.complete) == ("holds", False)
    assert {basis_text(part.basis) for part in found.claims[0].parts if part.verdict == "not measured"} == {
        "cindy-3.0b1-acceptor: slow",
        "resin-3.0.18: not measured",
        "not measured at this concurrency",
    }


def test_where_nothing_was_measured_there_is_no_verdict() -> None:
    for claim in (FASTER, EQUAL, FAILED, FASTER | {"form": "gap-closes", "at": [10, 100]}):
        found = judged(stored([LIGHTTPD], blocks(LIGHTTPD, 10_000)), claim)
        assert (found.verdict, found.complete) == ("not measured", False)


def costing(server: Server, rate: float, per_cpu_second: float, limit: str | None) -> list[Trial]:
    return [
        msgspec.structs.replace(each, limit=limit, usage=usage(server_cpu_seconds=rate / per_cpu_second))
        for each in blocks(server, rate)
    ]


def test_where_ab_was_the_limit_of_both_they_are_compared_by_cpu_time() -> None:
    """And not at all where that is not known."""
    evidence = stored(
        [TOMCAT, JETTY], [*costing(TOMCAT, 9_000, 30_000, "generator"), *costing(JETTY, 10_000, 20_000, "generator")]
    )
    found = judged(evidence, FASTER)
    assert found.verdict == "holds"
    assert found.claims[0].parts[0].by_cpu_time
    unknown = [msgspec.structs.replace(each, usage=None) for each in evidence.records if isinstance(each, Trial)]
    assert judged(stored([TOMCAT, JETTY], unknown), FASTER).verdict == "cannot be told"


@pytest.mark.parametrize(
    ("limited", "rate", "claim", "verdict"),
    [
        ("tomcat", 13_000, FASTER, "holds"),
        ("tomcat", 13_000, CLEARLY, "holds"),
        ("tomcat", 8_000, FASTER, "cannot be told"),
        ("tomcat", 10_500, CLEARLY, "cannot be told"),
        ("jetty", 8_000, FASTER, "does not hold"),
        ("jetty", 10_500, CLEARLY, "does not hold"),
        ("jetty", 13_000, FASTER, "cannot be told"),
        ("tomcat", 10_000, EQUAL, "cannot be told"),
        ("tomcat", 13_000, EQUAL, "does not hold"),
        ("tomcat", 8_000, EQUAL, "cannot be told"),
        ("jetty", 8_000, EQUAL, "does not hold"),
        ("jetty", 13_000, EQUAL, "cannot be told"),
    ],
)
def test_where_ab_was_the_limit_of_one_that_one_may_be_faster(
    limited: str, rate: float, claim: Mapping[str, object], verdict: str
) -> None:
    """Whatever the CPU time says, which is for the other one here."""
    limits = ("generator", None) if limited == "tomcat" else (None, "generator")
    efficiencies = (10_000, 90_000) if limited == "tomcat" else (90_000, 10_000)
    records = [
        *costing(TOMCAT, rate, efficiencies[0], limits[0]), *costing(JETTY, 10_000, efficiencies[1], limits[1]),
    ]  # fmt: skip
    (part,) = judged(stored([TOMCAT, JETTY], records), claim).claims[0].parts
    assert (part.verdict, part.by_cpu_time) == (verdict, False)
    assert part.bound == ("≥" if limited == "tomcat" else "≤")


@given(
    st.lists(st.sampled_from([9_000.0, 10_000.0, 11_000.0, 12_500.0]), min_size=4, max_size=4),
    st.lists(st.sampled_from([20_000.0, 25_000.0, 30_000.0]), min_size=4, max_size=4),
    st.lists(st.sampled_from(["generator", None]), min_size=4, max_size=4),
)
def test_no_conclusion_contradicts_the_ranks_of_the_same_sweep(
    rates: list[float], efficiencies: list[float], limits: list[str | None]
) -> None:
    servers = dict(zip(("tomcat-5.5.15", "jetty-5.1.10", "cindy-3.0a4-acceptor", "lighttpd-1.4.11"),
                       (TOMCAT, JETTY, CINDY, LIGHTTPD), strict=True))  # fmt: skip
    records = [
        record
        for server, rate, efficiency, limit in zip(servers.values(), rates, efficiencies, limits, strict=True)
        for record in costing(server, rate, efficiency, limit)
    ]
    evidence = stored(tuple(servers.values()), records)
    ranks = analyse(evidence).rankings["small", 10].ranks
    for one, other in permutations(servers, 2):
        claim = FASTER | {"first": [one], "second": [other]}
        if judged(evidence, claim).verdict == "holds":
            assert ranks[servers[one].id].best <= ranks[servers[other].id].worst
            assert (ranks[servers[other].id].worst < ranks[servers[one].id].best) is False


def test_a_starved_cell_is_not_measured() -> None:
    starved = [
        msgspec.structs.replace(each, report=served(20_000, 500, 0.257, seconds=60.0))
        for each in blocks(TOMCAT, 20_000, 500)
    ]
    evidence = stored([TOMCAT, JETTY], [*starved, *blocks(JETTY, 10_000, 500)], (500,))
    (part,) = judged(evidence, FASTER | {"at": [500]}).claims[0].parts
    assert (part.verdict, basis_text(part.basis)) == ("not measured", "tomcat-5.5.15: 129 of 500 connections served")


@pytest.mark.parametrize("claim", [FASTER, CLEARLY, EQUAL], ids=["faster", "clearly", "equal"])
def test_from_one_start_nothing_can_be_told(claim: Mapping[str, object]) -> None:
    records = [*blocks(TOMCAT, 30_000, of=1), *blocks(JETTY, 10_000, of=1)]
    (part,) = judged(stored([TOMCAT, JETTY], records), claim).claims[0].parts
    assert part.verdict == "cannot be told"
    assert basis_text(part.basis) == "tomcat-5.5.15 29,700 against jetty-5.1.10 9,900 (too few starts)"


def test_a_gap_from_one_start_cannot_be_told() -> None:
    records = [
        each for level, rate in ((1, 15_000), (100, 10_500))
        for each in (*blocks(TOMCAT, rate, level, of=1), *blocks(JETTY, 10_000, level, of=1))
    ]  # fmt: skip
    claim = FASTER | {"form": "gap-closes", "at": [1, 100]}
    (part,) = judged(stored([TOMCAT, JETTY], records, (1, 100)), claim).claims[0].parts
    assert part.verdict == "cannot be told"
    assert basis_text(part.basis).endswith(" (too few starts)")


@pytest.mark.parametrize(
    ("limited", "end", "verdict"),
    [
        (("tomcat-5.5.15", 1), 10_500, "holds"),
        (("jetty-5.1.10", 100), 10_500, "cannot be told"),
        (("tomcat-5.5.15", 100), 10_500, "cannot be told"),
        (("tomcat-5.5.15", 100), 20_000, "does not hold"),
    ],
    ids=["more was ahead", "less may be ahead", "more may be ahead", "more still is ahead"],
)
def test_in_a_gap_a_lower_bound_counts_for_one_answer_alone(limited: tuple[str, int], end: float, verdict: str) -> None:
    rates = ((TOMCAT, 1, 15_000.0), (TOMCAT, 100, end), (JETTY, 1, 10_000.0), (JETTY, 100, 10_000.0))
    records = [
        each
        for server, level, rate in rates
        for each in blocks(server, rate, level, limit="generator" if (server.id, level) == limited else None)
    ]
    claim = FASTER | {"form": "gap-closes", "at": [1, 100]}
    assert judged(stored([TOMCAT, JETTY], records, (1, 100)), claim).verdict == verdict


@pytest.mark.parametrize(
    ("begin", "end", "verdict"),
    [
        (15_000, 10_500, "holds"),
        (15_000, 9_500, "holds"),
        (15_000, 15_000, "cannot be told"),
        (15_000, 20_000, "does not hold"),
        (15_000, 5_000, "does not hold"),
        (8_000, 10_000, "does not hold"),
    ],
)
def test_a_gap_closes_if_who_was_ahead_is_nearer_at_the_end(begin: float, end: float, verdict: str) -> None:
    records = [
        *blocks(TOMCAT, begin, 1),
        *blocks(TOMCAT, end, 100),
        *blocks(JETTY, 10_000, 1),
        *blocks(JETTY, 10_000, 100),
    ]
    claim = FASTER | {"form": "gap-closes", "at": [1, 100]}
    assert judged(stored([TOMCAT, JETTY], records, (1, 100)), claim).verdict == verdict


def failing(server: Server, failed: int, of: int = 6) -> list[Trial]:
    made = report(failures=Failures(length=failed))
    return blocks(
        server, 10_000, of=of, report=made, verdict=Verdict(not failed, f"{failed} failed" if failed else None)
    )


@pytest.mark.parametrize(
    ("records", "verdict"),
    [
        ([*failing(TOMCAT, 9), *failing(JETTY, 2)], "holds"),
        ([*failing(TOMCAT, 2), *failing(JETTY, 9)], "does not hold"),
        ([*failing(TOMCAT, 0), *failing(JETTY, 0)], "does not hold"),
        ([*failing(TOMCAT, 9, of=3), *failing(JETTY, 2, of=3)], "cannot be told"),
        ([*failing(TOMCAT, 9, of=1), *failing(JETTY, 2, of=1)], "cannot be told"),
        ([*failing(TOMCAT, 9), *(failed_trial("jetty-5.1.10", "small", 10, "reset", block=b) for b in range(1, 7))],
         "cannot be told"),
    ],
)  # fmt: skip
def test_the_most_failed_requests_are_those_of_most_blocks(records: list[Trial], verdict: str) -> None:
    assert judged(stored([TOMCAT, JETTY], records), FAILED).verdict == verdict


def test_failed_requests_at_some_concurrencies_are_not_those_at_all() -> None:
    found = judged(stored([TOMCAT, JETTY], [*failing(TOMCAT, 9), *failing(JETTY, 2)]), FAILED | {"at": [10, 100]})
    assert (found.verdict, found.complete) == ("holds", False)


# --- as a person sees it ---------------------------------------------------------------------------------------

SWEEP = stored(
    [TOMCAT, JETTY, CINDY, LIGHTTPD],
    [
        *(each for level in (1, 1000) for each in blocks(JETTY, 9_000, level)),
        *(each for level in (1, 1000) for each in blocks(CINDY, 10_000, level)),
        *costing(TOMCAT, 12_000, 20_000, "generator"),
        *costing(CINDY, 12_500, 15_000, None),
        *costing(LIGHTTPD, 12_000, 60_000, "generator"),
    ],
    (1, 10, 1000),
)


@pytest.mark.parametrize("form", ["md", "csv"])
def test_the_conclusions_are_as_their_golden_file(form: str) -> None:
    found = [(PAPER, judgements(PAPER, FIGURES, [("now", analyse(SWEEP))]))]
    text = markdown.render(report_conclusions(found)) if form == "md" else conclusions_csv.render(found)
    path = GOLDEN / f"conclusions.{form}"
    if "AB_RUNNER_WRITE_GOLDEN" in os.environ:
        path.write_text(text)
    assert text == path.read_text()


# --- files -----------------------------------------------------------------------------------------------------

GOOD = """
format = 1
year = 2006
source = "a paper"
figures = "x.csv"
[groups]
java = ["tomcat-5.5.15", "jetty-5.1.10"]
[[conclusions]]
sentence = "It is so."
[[conclusions.claims]]
form = "faster"
says = "it is so"
workloads = ["small"]
at = [10]
first = ["tomcat-5.5.15"]
second = ["java"]
"""


def write(folder: Path, text: str) -> Path:
    (folder / "x.csv").write_text(f"{HEAD}small,tomcat-5.5.15,10,4275,0,ok\nsmall,jetty-5.1.10,10,3177,0,ok\n")
    (folder / FILES.replace("*", "x")).write_text(text)
    return folder


def test_a_paper_is_added_as_a_file_and_a_group_stands_for_its_servers(tmp_path: Path) -> None:
    ((found, figures),) = read_all(write(tmp_path, GOOD))
    claim: Claim = found.conclusions[0].claims[0]
    assert found.sides(claim) == (("tomcat-5.5.15",), ("jetty-5.1.10",))
    assert len(figures) == 2


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("format = 1", "format = 2", "format: must be 1"),
        ("format = 1", "format", "not TOML"),
        ('form = "faster"', 'form = "better"', "conclusions[0].claims[0].form: invalid value 'better'"),
        ('form = "faster"', 'form = "about-equal"', "missing required field `within`"),
        ("at = [10]", "at = []", "conclusions[0].claims[0].at: expected `array` of length >= 1"),
        ("at = [10]", "at = [20]", "conclusions[0].claims[0].at: no small at 20 in x.csv"),
        ("at = [10]", "at = [10]\nbut = 1", "unknown field `but`"),
        ('first = ["tomcat-5.5.15"]', 'first = ["tomcat-5.5.16"]', "first: no server 'tomcat-5.5.16' in x.csv"),
        ('"jetty-5.1.10"]', '"jety"]', "groups.java: no server 'jety' in x.csv (did you mean jetty-5.1.10"),
        ('second = ["java"]', 'second = ["tomcat-5.5.15"]', "second: names no server that is not among the first"),
        ('first = ["tomcat-5.5.15"]', 'first = ["java"]', "second: names no server that is not among the first"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_file_is_named_with_its_place(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    assert GOOD.count(right) == 1
    with pytest.raises(DocumentError, match=r"conclusions-x\.toml: ") as found:
        read_all(write(tmp_path, GOOD.replace(right, wrong)))
    assert complaint in str(found.value)


def test_a_folder_without_conclusions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no conclusions-"):
        read_all(tmp_path)
