"""The conclusions of 2006, by the figures of 2006 and by those of made-up sweeps."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from math import exp, log, sqrt
from pathlib import Path
from statistics import fmean, stdev

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import (
    arrivals,
    failed_trial,
    not_measured,
    open_outcome,
    open_trial,
    outcome,
    rejected,
    served,
    server,
    sweep,
    trial,
    usage,
)
from support.golden import golden

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.catalog.studies import Study, read_study
from ab_runner.catalog.study_conclusions import Claim, Conclusions, read
from ab_runner.catalog.study_figures import Figure
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.history.conclusions import judge_conclusions, judgements
from ab_runner.history.evidence import of_study, of_sweep
from ab_runner.history.verdicts import JudgedConclusion, Part
from ab_runner.load.ab_output import Failures
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Beside, Second
from ab_runner.model.message import Verdict
from ab_runner.model.protocol import DEFAULT_STUDY
from ab_runner.model.records import Record
from ab_runner.model.server import Server
from ab_runner.model.trial import Trial
from ab_runner.model.workload import Workload
from ab_runner.report.formats import conclusions_csv, markdown
from ab_runner.report.tables.conclusions import basis_text, report_conclusions
from ab_runner.store.reader import Stored

STUDY = read_study(DEFAULT_STUDY, {})
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
            **{"outcome": outcome(requests_per_second=rate * by, complete=round(rate * by))} | changes,
        )
        for block, by in enumerate(spread[:of], 1)
    ]  # fmt: skip


def stored(servers: Sequence[Server], records: Iterable[Record], levels: tuple[int, ...] = (10,)) -> Stored:
    made = sweep(*servers)
    request = msgspec.structs.replace(made.request, levels=levels)
    return Stored(msgspec.structs.replace(made, request=request), tuple(records))


def study(*claims: Mapping[str, object], figures: Iterable[Figure] = STUDY.figures) -> Study:
    """Of one conclusion with these claims."""
    common = {"workloads": ["small"], "at": [10], "says": "it is so"}
    concluded = {
        "format": 1, "groups": {"java": ["tomcat-5.5.15"]},
        "conclusions": [{"sentence": "It is so.", "claims": [{**common, **claim} for claim in claims]}],
    }  # fmt: skip
    return msgspec.structs.replace(STUDY, concluded=msgspec.convert(concluded, Conclusions), figures=tuple(figures))


def judged(evidence: Stored, *claims: Mapping[str, object]) -> JudgedConclusion:
    made = study(*claims)
    return judge_conclusions(made, of_sweep(analyse(evidence), made))[0]


def judged_as_published(figures: Iterable[Figure], claim: Mapping[str, object]) -> JudgedConclusion:
    made = study(claim, figures=figures)
    return judge_conclusions(made, of_study(made))[0]


FASTER = {"form": "faster", "first": ["tomcat-5.5.15"], "second": ["jetty-5.1.10"]}
CLEARLY = FASTER | {"by": 0.1}
EQUAL = FASTER | {"form": "about-equal", "within": 0.1}
FAILED = FASTER | {"form": "most-failed"}


# --- by the figures of 2006 ------------------------------------------------------------------------------------


def test_what_his_own_numbers_say() -> None:
    """Strictly, Resin was ahead of Cindy by 1.5 % at 100, lighttpd behind Cindy with large files at 1, and Cindy 2.4.4
    by 22 % faster than 3.0a4 at 1."""
    found = judge_conclusions(STUDY, of_study(STUDY))
    assert [(each.strict, each.complete) for each in found] == [
        ("cannot be told", True), ("holds", True), ("holds", False), ("holds", True), ("holds", True),
        ("does not hold", False), ("does not hold", False), ("holds", True),
    ]  # fmt: skip


def test_what_his_own_numbers_say_on_means() -> None:
    """C was ahead of Java by 10 % with small files, and Cindy 2.4.4 of 3.0a4: as much as the reading of either says."""
    found = judge_conclusions(STUDY, of_study(STUDY))
    assert [each.verdict for each in found] == [
        "holds", "holds", "holds", "holds", "holds", "cannot be told", "cannot be told", "holds",
    ]  # fmt: skip
    small, *_ = found[5].claims[0].parts
    assert small.ratio is not None
    assert small.ratio.value == pytest.approx(1.099, abs=0.001)


def of_2006(conclusion: int, claim: int) -> tuple[Part, ...]:
    return judge_conclusions(STUDY, of_study(STUDY))[conclusion - 1].claims[claim].strict_parts


def test_a_figure_with_failed_requests_is_the_most_that_it_can_have_been() -> None:
    """Cindy's 257 beat what Tomcat managed with 62 failed requests, whatever that would have been without."""
    parts = of_2006(4, 0)
    assert {part.verdict for part in parts} == {"holds"}
    assert sum("at most" in basis_text(part.basis) for part in parts) == 8
    slower = [figure("tomcat-5.5.15", 120, failed=5), figure("jetty-5.1.10", 100)]
    assert judged_as_published(slower, FASTER).verdict == "cannot be told"
    assert judged_as_published(slower, FASTER | {"first": ["jetty-5.1.10"], "second": ["java"]}).verdict == (
        "cannot be told"
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
    assert (found.verdict, found.strict, found.complete) == ("holds", "holds", False)
    assert {basis_text(part.basis) for part in found.claims[0].strict_parts if part.verdict == "not measured"} == {
        "cindy-3.0b1-acceptor: slow",
        "resin-3.0.18: not measured",
        "not measured at this level",
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


@pytest.mark.parametrize("claim", [FASTER, CLEARLY, EQUAL], ids=["faster", "clearly", "equal"])
def test_two_rates_that_ab_limited_are_not_compared(claim: Mapping[str, object]) -> None:
    """Whatever their CPU time says."""
    evidence = stored(
        [TOMCAT, JETTY], [*costing(TOMCAT, 13_000, 30_000, "generator"), *costing(JETTY, 10_000, 20_000, "generator")]
    )
    (part,) = judged(evidence, claim).claims[0].parts
    assert (part.verdict, part.ratio, part.bound, part.power) == ("cannot be told", None, "", None)
    assert basis_text(part.basis).endswith("; ab was the limit of both")


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
    assert part.verdict == verdict
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
    analysis = analyse(stored(tuple(servers.values()), records))
    ranks = analysis.rankings["small", 10].ranks
    evidence = of_sweep(analysis, STUDY)
    for one, other in permutations(servers, 2):
        claim = FASTER | {"first": [one], "second": [other]}
        if judge_conclusions(study(claim), evidence)[0].verdict == "holds":
            assert ranks[servers[one].id].best <= ranks[servers[other].id].worst


def test_a_starved_cell_is_not_measured() -> None:
    starved = [
        msgspec.structs.replace(each, outcome=served(20_000, 500, 0.257, seconds=60.0))
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


@pytest.mark.parametrize(
    ("begin", "end", "verdict"),
    [
        (10_000, 15_000, "premise absent"),
        (10_000, 10_000, "premise absent"),
        (10_300, 10_000, "premise absent"),
        (10_500, 10_500, "cannot be told"),
        (10_800, 10_000, "holds"),
    ],
)
def test_a_gap_that_is_shown_not_to_be_there_cannot_close(begin: float, end: float, verdict: str) -> None:
    records = [
        each for server, rates in ((TOMCAT, (begin, end)), (JETTY, (10_000, 10_000)))
        for level, rate in zip((1, 100), rates, strict=True) for each in blocks(server, rate, level)
    ]  # fmt: skip
    claim = FASTER | {"form": "gap-closes", "at": [1, 100]}
    found = judged(stored([TOMCAT, JETTY], records, (1, 100)), claim)
    assert (found.verdict, found.strict) == (verdict, verdict)


def test_a_gap_is_not_shown_to_be_absent_by_noise_a_limit_or_few_starts() -> None:
    """The premise cannot be told then, and so the conclusion."""
    claim = FASTER | {"form": "gap-closes", "at": [1, 10]}
    rest = [each for level in (1, 10) for each in blocks(JETTY, 10_000, level)]
    for tomcat in (
        [each for level in (1, 10) for each in noisy(TOMCAT, 10_000, level)],
        [each for level in (1, 10) for each in blocks(TOMCAT, 10_000, level, limit="generator")],
        [each for level in (1, 10) for each in blocks(TOMCAT, 10_000, level, of=1)],
    ):
        assert judged(stored([TOMCAT, JETTY], [*tomcat, *rest], (1, 10)), claim).verdict == "cannot be told"


def test_published_figures_within_five_per_cent_have_no_gap() -> None:
    claim = FASTER | {"form": "gap-closes", "at": [1, 10]}
    for first, verdict in ((104, "premise absent"), (97, "premise absent"), (110, "holds")):
        figures = [
            msgspec.structs.replace(figure(name, rate), level=level)
            for name, rates in (("tomcat-5.5.15", (first, 100)), ("jetty-5.1.10", (100, 100)))
            for level, rate in zip((1, 10), rates, strict=True)
        ]
        assert judged_as_published(figures, claim).verdict == verdict


# --- on means over concurrencies -------------------------------------------------------------------------------

LEVELS = (10, 100, 500)


def noisy(server: Server, rate: float, concurrency: int, by: float = 0.3) -> list[Trial]:
    return [
        msgspec.structs.replace(each, outcome=outcome(requests_per_second=rate * (1 + by) ** (-1) ** each.block))
        for each in blocks(server, rate, concurrency)
    ]


def at_levels(server: Server, *rates: float, **changes: object) -> list[Trial]:
    levels = zip(LEVELS, rates, strict=True)
    return [each for level, rate in levels for each in blocks(server, rate, level, **changes)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claim", "rates", "verdict", "strict"),
    [
        (FASTER, (15_000, 15_000, 9_000), "holds", "does not hold"),
        (FASTER, (15_000, 15_000, 10_000), "holds", "cannot be told"),
        (FASTER, (15_000, 15_000, 15_000), "holds", "holds"),
        (FASTER, (8_000, 8_000, 11_000), "does not hold", "does not hold"),
        (EQUAL, (12_000, 10_000, 8_300), "holds", "does not hold"),
        (EQUAL, (12_000, 12_000, 12_000), "does not hold", "does not hold"),
    ],
)
def test_a_claim_is_read_on_means_over_concurrencies_and_strictly(
    claim: dict[str, object], rates: tuple[float, ...], verdict: str, strict: str
) -> None:
    records = [*at_levels(TOMCAT, *rates), *at_levels(JETTY, 10_000, 10_000, 10_000)]
    found = judged(stored([TOMCAT, JETTY], records, LEVELS), claim | {"at": LEVELS})
    assert (found.verdict, found.strict) == (verdict, strict)
    (part,) = found.claims[0].parts
    assert part.at == LEVELS
    assert [each.at for each in found.claims[0].strict_parts] == [(10,), (100,), (500,)]


def test_a_mean_is_of_one_figure_for_each_block_whatever_the_batch() -> None:
    """What differs between blocks for both servers is no noise. The batches of a block are 11 and 12, and so on."""
    speeds = (1.0, 2.0, 0.5, 1.5, 0.8, 3.0)
    ratios = (1.10, 1.12, 1.14, 1.11, 1.13, 1.12)
    records = [
        trial(server.id, "small", level, block=block, batch=10 * block + at,
              outcome=outcome(requests_per_second=10_000 * speed * (1 if at == 2 else ratio)))
        for block, (speed, ratio) in enumerate(zip(speeds, ratios, strict=True), 1)
        for at, server in ((1, TOMCAT), (2, JETTY))
        for level in LEVELS
    ]  # fmt: skip
    (part,) = judged(stored([TOMCAT, JETTY], records, LEVELS), FASTER | {"at": LEVELS}).claims[0].parts
    logs = [log(ratio) for ratio in ratios]
    reach = 2.5706 * stdev(logs) / sqrt(6)  # Student's t, five degrees of freedom
    assert part.ratio is not None
    assert part.ratio.interval is not None
    assert part.ratio.value == pytest.approx(exp(fmean(logs)))
    assert part.ratio.interval.low == pytest.approx(exp(fmean(logs) - reach), rel=1e-5)
    assert part.ratio.interval.high == pytest.approx(exp(fmean(logs) + reach), rel=1e-5)


def test_a_group_counts_by_the_mean_of_its_servers() -> None:
    """Jetty alone is behind Cindy, and with Tomcat ahead of it."""
    records = [*blocks(TOMCAT, 16_000), *blocks(JETTY, 9_000), *blocks(CINDY, 10_000)]
    claim = FASTER | {"first": ["tomcat-5.5.15", "jetty-5.1.10"], "second": ["cindy-3.0a4-acceptor"]}
    evidence = stored([TOMCAT, JETTY, CINDY], records)
    assert judged(evidence, claim).verdict == "does not hold"
    found = judged(evidence, claim | {"as_group": ["first"]})
    assert (found.verdict, found.strict) == ("holds", "does not hold")
    (part,) = found.claims[0].parts
    assert basis_text(part.basis).startswith("tomcat-5.5.15, jetty-5.1.10 11,999 against cindy")
    assert part.ratio is not None
    assert part.ratio.value == pytest.approx(1.2, rel=0.01)


def test_a_claim_on_every_level_has_the_strict_reading_alone() -> None:
    records = [*at_levels(TOMCAT, 15_000, 15_000, 9_000), *at_levels(JETTY, 10_000, 10_000, 10_000)]
    found = judged(stored([TOMCAT, JETTY], records, LEVELS), FASTER | {"at": LEVELS, "at_every_level": True})
    assert (found.verdict, found.strict) == ("does not hold", "does not hold")


def test_one_of_the_first_is_enough_by_its_mean() -> None:
    """Strictly it may be another one at each concurrency; by its mean it is one."""
    records = [
        *at_levels(TOMCAT, 15_000, 8_000, 8_000), *at_levels(JETTY, 8_000, 15_000, 11_000),
        *at_levels(CINDY, 10_000, 10_000, 10_000),
    ]  # fmt: skip
    claim = FASTER | {"first": ["tomcat-5.5.15", "jetty-5.1.10"], "second": ["cindy-3.0a4-acceptor"], "one": True}
    found = judged(stored([TOMCAT, JETTY, CINDY], records, LEVELS), claim | {"at": LEVELS})
    assert (found.verdict, found.strict) == ("holds", "holds")
    assert [part.first for part in found.claims[0].parts] == ["jetty-5.1.10"]
    assert [part.first for part in found.claims[0].strict_parts] == ["tomcat-5.5.15", "jetty-5.1.10", "jetty-5.1.10"]


def test_a_mean_is_over_the_concurrencies_that_all_have_and_the_rest_is_named() -> None:
    records = [*at_levels(TOMCAT, 13_000, 13_000, 13_000), *blocks(JETTY, 10_000), *blocks(JETTY, 10_000, 100)]
    found = judged(stored([TOMCAT, JETTY], records, LEVELS), FASTER | {"at": LEVELS})
    part, missing = found.claims[0].parts
    assert (found.verdict, found.complete) == ("holds", False)
    assert (part.at, missing.at, missing.verdict) == ((10, 100), (500,), "not measured")


def test_a_server_without_figures_is_left_out_of_its_group() -> None:
    records = [*blocks(TOMCAT, 13_000), *blocks(JETTY, 10_000)]
    claim = FASTER | {"second": ["jetty-5.1.10", "resin-3.0.18"], "as_group": ["second"]}
    found = judged(stored([TOMCAT, JETTY], records), claim)
    part, missing = found.claims[0].parts
    assert (part.verdict, missing.verdict, found.complete) == ("holds", "not measured", False)
    assert basis_text(missing.basis) == "resin-3.0.18: not measured"
    nobody = judged(stored([TOMCAT], blocks(TOMCAT, 13_000)), claim)
    assert (nobody.verdict, nobody.strict) == ("not measured", "not measured")


@pytest.mark.parametrize(
    ("limited", "rate", "verdict", "bound"),
    [
        ((TOMCAT,), 13_000, "holds", "≥"),
        ((TOMCAT,), 8_000, "cannot be told", "≥"),
        ((JETTY,), 13_000, "cannot be told", "≤"),
        ((JETTY,), 8_000, "does not hold", "≤"),
        ((TOMCAT, JETTY), 13_000, "cannot be told", ""),
        ((TOMCAT, JETTY), 8_000, "cannot be told", ""),
    ],
)
def test_a_mean_with_one_rate_that_ab_limited_is_a_lower_bound(
    limited: tuple[Server, ...], rate: float, verdict: str, bound: str
) -> None:
    records = [
        msgspec.structs.replace(each, limit="generator" if server in limited and each.level == 100 else None)
        for server, its_rate in ((TOMCAT, rate), (JETTY, 10_000))
        for each in at_levels(server, its_rate, its_rate, its_rate)
    ]
    (part,) = judged(stored([TOMCAT, JETTY], records, LEVELS), FASTER | {"at": LEVELS}).claims[0].parts
    assert (part.verdict, part.bound) == (verdict, bound)
    assert (part.ratio is None) is (len(limited) == 2)


def test_servers_that_share_no_block_have_no_mean() -> None:
    tomcat, jetty = at_levels(TOMCAT, 13_000, 13_000, 13_000), at_levels(JETTY, 10_000, 10_000, 10_000)
    records = [*(each for each in tomcat if each.block % 2), *(each for each in jetty if each.block % 2 == 0)]
    records += blocks(CINDY, 10_000)
    (part,) = judged(stored([TOMCAT, JETTY, CINDY], records, LEVELS), FASTER | {"at": LEVELS}).claims[0].parts
    assert (part.verdict, basis_text(part.basis)) == ("cannot be told", "no block has figures of all of them")


def test_a_mean_of_one_start_cannot_be_told() -> None:
    records = [*at_levels(TOMCAT, 30_000, 30_000, 30_000, of=1), *at_levels(JETTY, 10_000, 10_000, 10_000, of=1)]
    (part,) = judged(stored([TOMCAT, JETTY], records, LEVELS), FASTER | {"at": LEVELS}).claims[0].parts
    assert part.verdict == "cannot be told"
    assert basis_text(part.basis).endswith(" (too few starts)")


def test_the_power_of_about_equal_says_what_the_noise_allows() -> None:
    quiet, loud = (
        judged(stored([TOMCAT, JETTY], [*tomcat, *blocks(JETTY, 10_000)]), EQUAL).claims[0].parts[0]
        for tomcat in (blocks(TOMCAT, 10_900), noisy(TOMCAT, 10_900, 10))
    )
    assert (quiet.verdict, loud.verdict) == ("cannot be told", "cannot be told")
    assert quiet.power is not None
    assert loud.power is not None
    assert quiet.power > 0.99
    assert loud.power < 0.05


def test_only_a_test_that_could_show_it_has_a_power() -> None:
    tomcat, jetty = blocks(TOMCAT, 10_000), blocks(JETTY, 10_000)
    limited = blocks(TOMCAT, 10_000, limit="generator")
    for records, claim in (
        ([*tomcat, *jetty], FASTER), ([*limited, *jetty], EQUAL), ([*blocks(TOMCAT, 10_000, of=1), *jetty], EQUAL),
    ):  # fmt: skip
        assert judged(stored([TOMCAT, JETTY], records), claim).claims[0].parts[0].power is None


def failing(server: Server, failed: int, of: int = 6) -> list[Trial]:
    made = outcome(failures=Failures(length=failed))
    return blocks(
        server, 10_000, of=of, outcome=made, verdict=rejected(f"{failed} failed") if failed else Verdict(True)
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
    found = [(STUDY, judgements(STUDY, [("now", analyse(SWEEP))]))]
    text = markdown.render(report_conclusions(found)) if form == "md" else conclusions_csv.render(found)
    assert text == golden(f"conclusions.{form}", text)


def test_a_reader_sees_both_verdicts_where_they_differ_and_what_was_not_compared() -> None:
    rates = ((TOMCAT, (15_000, 15_000, 9_000)), (JETTY, (10_000, 10_000, 10_000)))
    records = [each for server, its_rates in rates for each in at_levels(server, *its_rates)]
    limited = [*at_levels(TOMCAT, 13_000, 13_000, 13_000, limit="generator"),
               *at_levels(JETTY, 10_000, 10_000, 10_000, limit="generator")]  # fmt: skip
    made = study(FASTER | {"at": LEVELS})
    sweeps = [(name, analyse(stored([TOMCAT, JETTY], each, LEVELS))) for name, each in (("a", records), ("b", limited))]
    found = [(made, judgements(made, sweeps)[1:])]
    text = markdown.render(report_conclusions(found))
    assert "| 1 | holds; strict: does not hold | cannot be told | It is so. |" in text
    assert "| b | means | 10, 100, 500 | cannot be told | not compared |" in text
    rows = list(csv.DictReader(conclusions_csv.render(found).splitlines()))
    assert {(row["reading"], row["verdict"], row["strict_verdict"], row["claim_verdict"]) for row in rows[:4]} == {
        ("means", "holds", "does not hold", "holds"), ("strict", "holds", "does not hold", "does not hold"),
    }  # fmt: skip


def test_the_power_is_shown_where_nothing_could_be_told() -> None:
    sweeps = [
        (name, analyse(stored([TOMCAT, JETTY], [*noisy(TOMCAT, rate, 10), *blocks(JETTY, 10_000)])))
        for name, rate in (("noisy", 10_000), ("apart", 60_000))
    ]
    made = study(EQUAL)
    text = markdown.render(report_conclusions([(made, judgements(made, sweeps)[1:])]))
    told, not_told = (next(line for line in text.splitlines() if verdict in line and "against" in line)
                      for verdict in ("| does not hold |", "| cannot be told |"))  # fmt: skip
    assert "power" not in told
    assert "; power below 0.01 |" in not_told
    assert "- power: how likely the test was" in text


# --- files -----------------------------------------------------------------------------------------------------

GOOD = """
format = 1
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


def read_text(folder: Path, text: str, figures: Sequence[Figure] = ()) -> Conclusions:
    (folder / "conclusions.toml").write_text(text)
    found = figures or [figure("tomcat-5.5.15", 4275), figure("jetty-5.1.10", 3177)]
    return read(folder / "conclusions.toml", found, has_beside=True)


def test_a_group_stands_for_its_servers(tmp_path: Path) -> None:
    found = read_text(tmp_path, GOOD)
    claim: Claim = found.conclusions[0].claims[0]
    assert found.sides(claim) == (("tomcat-5.5.15",), ("jetty-5.1.10",))


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("format = 1", "format = 2", "format: must be 1"),
        ("format = 1", "format", "not TOML"),
        ('form = "faster"', 'form = "better"', "conclusions[0].claims[0].form: invalid value 'better'"),
        ('form = "faster"', 'form = "about-equal"', "missing required field `within`"),
        ("at = [10]", "at = []", "conclusions[0].claims[0].at: expected `array` of length >= 1"),
        ("at = [10]", "at = [20]", "conclusions[0].claims[0].at: no small at 20 in published.csv"),
        ("at = [10]", "at = [10]\nbut = 1", "unknown field `but`"),
        ('first = ["tomcat-5.5.15"]', 'first = ["tomcat-5.5.16"]', "first: no server 'tomcat-5.5.16' in published.csv"),
        ('"jetty-5.1.10"]', '"jety"]', "groups.java: no server 'jety' in published.csv (did you mean jetty-5.1.10"),
        ('second = ["java"]', 'second = ["tomcat-5.5.15"]', "second: names no server that is not among the first"),
        ('first = ["tomcat-5.5.15"]', 'first = ["java"]', "second: names no server that is not among the first"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_file_is_named_with_its_place(tmp_path: Path, right: str, wrong: str, complaint: str) -> None:
    assert GOOD.count(right) == 1
    with pytest.raises(DocumentError, match=r"conclusions\.toml: ") as found:
        read_text(tmp_path, GOOD.replace(right, wrong))
    assert complaint in str(found.value)


# --- two workloads of a server -----------------------------------------------------------------------------------

SECOND_RUN = FASTER | {"second": ["tomcat-5.5.15"], "workloads": ["large"], "against": "small"}


def test_a_server_is_compared_with_itself_in_another_workload_block_by_block() -> None:
    first, second = blocks(TOMCAT, 9_000), blocks(TOMCAT, 16_000)
    again = [msgspec.structs.replace(each, workload="large") for each in second]
    evidence = stored([TOMCAT], [*first, *again])
    (claim,) = judged(evidence, SECOND_RUN | {"by": 0.5}).claims
    (part,) = claim.parts
    assert (part.verdict, part.workload, part.against) == ("holds", "large", "small")
    assert part.ratio is not None
    assert part.ratio.value == pytest.approx(16 / 9, rel=0.01)
    assert judged(evidence, SECOND_RUN | {"by": 0.9}).verdict == "does not hold"
    assert judged(evidence, SECOND_RUN | {"form": "about-equal", "within": 0.1}).verdict == "does not hold"


def test_what_is_missing_of_two_workloads_is_named() -> None:
    (part,) = judged(stored([TOMCAT], blocks(TOMCAT, 9_000)), SECOND_RUN).claims[0].parts
    assert part.verdict == "not measured"


def test_published_figures_of_two_workloads_are_compared_at_their_word() -> None:
    figures = [
        Figure("small", "tomcat-5.5.15", 10, 9_000, 0, "ok"),
        Figure("large", "tomcat-5.5.15", 10, 17_000, 0, "ok"),
    ]
    assert judged_as_published(figures, SECOND_RUN | {"by": 0.5}).verdict == "holds"
    assert judged_as_published(figures, SECOND_RUN | {"by": 0.99}).verdict == "does not hold"


# --- other quantities, of open loads ------------------------------------------------------------------------------

WAITING = Workload(name="small", path="/wait?ms=1000", constant="x", not_before_ms=1_000)


def open_figure(server: str, **changes: object) -> Figure:
    fields = {"outcome": "ok", "requests": 54_000, "is_open": True, "wait_ms": 1_000} | changes
    return Figure("small", server, 10, None, None, **fields)  # type: ignore[arg-type]


PUBLISHED = [
    open_figure("tomcat-5.5.15", answered=10_000, latency_mean_ms=1_001.0),
    open_figure("jetty-5.1.10", answered=54_000, latency_mean_ms=1_006.0),
]
"""Requests that failed do not make it unknown how many were answered."""


def open_study(claim: Mapping[str, object]) -> Study:
    return study(claim, figures=PUBLISHED)


def opened(*trials: Record, before: int = 0) -> Stored:
    made = sweep(TOMCAT, JETTY, workloads=(WAITING,))
    load = OpenLoad(axis="rate", is_exact=True, opened_before=before)
    request = msgspec.structs.replace(made.request, levels=(10,), open=load)
    return Stored(msgspec.structs.replace(made, request=request), trials)


def starts(
    server: Server, answered: int, mean: float, valid: bool = True, beside: Beside | None = None, connected: int = 0
) -> list[Trial]:
    return [
        open_trial(
            server.id, 10, 1_000.0, block=block, verdict=Verdict(True) if valid else rejected("timeout"),
            outcome=open_outcome(
                10, completed=answered + block, beside=beside,
                arrivals=arrivals(10, mean_from_sending=mean + block / 100, opened_before=connected),
            ),
        )
        for block in (1, 2, 3)
    ]  # fmt: skip


def judged_open(evidence: Stored, claim: Mapping[str, object]) -> tuple[Part, ...]:
    made = open_study(claim)
    return judge_conclusions(made, of_sweep(analyse(evidence), made))[0].claims[0].parts


MORE = {"form": "faster", "of": "answered", "first": ["jetty-5.1.10"], "second": ["tomcat-5.5.15"], "by": 0.5}
SHORTER = FASTER | {"of": "mean", "by": 0.5}


def test_published_counts_and_latencies_beyond_the_wait_are_compared() -> None:
    for claim, text in (
        (MORE, "jetty-5.1.10 54,000 answered against tomcat-5.5.15 10,000 answered"),
        (SHORTER, "tomcat-5.5.15 mean 1.00 ms beyond the wait against jetty-5.1.10 mean 6.00 ms beyond the wait"),
    ):
        ((part,),) = [
            each.parts for each in judge_conclusions(open_study(claim), of_study(open_study(claim)))[0].claims
        ]
        assert (part.verdict, basis_text(part.basis)) == ("holds", text)


def test_how_many_were_answered_is_known_of_failed_trials_too_and_latencies_are_not() -> None:
    few, many = starts(TOMCAT, 2_000, 1_000.5, valid=False), starts(JETTY, 10_800, 1_005.0)
    (part,) = judged_open(opened(*few, *many), MORE)
    assert (part.verdict, basis_text(part.basis)) == (
        "holds", "jetty-5.1.10 10,802 answered against tomcat-5.5.15 2,002 answered",
    )  # fmt: skip
    (part,) = judged_open(opened(*few, *many), SHORTER)
    assert part.verdict == "not measured"
    (part,) = judged_open(opened(*starts(TOMCAT, 2_000, 1_000.5), *many), SHORTER)
    assert part.verdict == "holds"
    assert part.ratio is not None
    assert part.ratio.value == pytest.approx(5.02 / 0.52, rel=0.01)


def test_with_few_starts_a_claim_on_an_open_load_holds_if_it_holds_whichever_are_compared() -> None:
    """0.51 to 0.53 ms beyond the wait, and 0.96 to 0.98: factors of 1.81 to 1.92."""
    evidence = opened(*starts(TOMCAT, 9, 1_000.5), *starts(JETTY, 9, 1_000.95))
    for by, verdict in ((0.8, "holds"), (0.85, "cannot be told"), (0.95, "does not hold")):
        (part,) = judged_open(evidence, SHORTER | {"by": by})
        assert (part.verdict, part.ratio and part.ratio.interval) == (verdict, None), by
    for share, verdict in ((0.95, "holds"), (0.85, "cannot be told"), (0.8, "does not hold")):
        equal = EQUAL | {"of": "mean", "within": share}
        assert judged_open(evidence, equal)[0].verdict == verdict, share
    made = open_study(MORE)
    text = markdown.render(report_conclusions([(made, judgements(made, [("x", analyse(evidence))]))]))
    assert "open load (x): claims are counted where there are fewer than 6 starts" in text


@pytest.mark.parametrize(
    "lost", [not_measured("jetty-5.1.10", "small", 10, "slow"), None], ids=["not started", "missing"]
)
def test_two_starts_of_three_decide_nothing_on_an_open_load(lost: Record | None) -> None:
    """The third one may be the one that would have been otherwise."""
    some = [*starts(JETTY, 10_800, 1_009.0)[:2], *([msgspec.structs.replace(lost, block=3)] if lost else [])]
    evidence = opened(*starts(TOMCAT, 2_000, 1_000.5), *some)
    for claim in (MORE, SHORTER):
        (part,) = judged_open(evidence, claim)
        assert part.verdict == "cannot be told"
        assert basis_text(part.basis).endswith("(too few starts)")


def test_a_start_that_tells_nothing_of_the_requests_beside_leaves_it_open_whether_a_server_keeps_answering() -> None:
    good = starts(TOMCAT, 9, 1_000.0, beside=of_beside(10, 10, 10))[:2]
    lost = msgspec.structs.replace(not_measured("tomcat-5.5.15", "small", 10, "slow"), block=3)
    (part,) = judged_open(opened(*good, lost), KEEPS | {"second": []})
    assert part.verdict == "cannot be told"


def test_a_server_that_answers_nothing_in_a_start_is_compared_as_if_it_had_answered_one_request() -> None:
    first, *others = starts(TOMCAT, 2_000, 1_000.5)
    assert first.outcome is not None
    none = msgspec.structs.replace(first.outcome, completed=0)
    stuck = msgspec.structs.replace(first, outcome=none, verdict=rejected("timeout"))
    evidence = opened(stuck, *others, *starts(JETTY, 10_800, 1_005.0))
    (part,) = judged_open(evidence, MORE)
    assert part.verdict == "holds"
    turned = MORE | {"first": MORE["second"], "second": MORE["first"]}
    assert judged_open(evidence, turned)[0].verdict == "does not hold"


def test_latencies_of_a_server_that_fell_behind_count_if_every_request_was_answered() -> None:
    """A burst is more than any server can do while it is due."""
    behind = rejected("overloaded: 10 answers/s")

    def late(answered: int) -> list[Trial]:
        return [
            msgspec.structs.replace(
                each, verdict=behind, outcome=msgspec.structs.replace(each.outcome, completed=answered)
            )
            for each in starts(TOMCAT, 9, 1_000.5)
            if each.outcome
        ]

    quick = starts(JETTY, 9, 1_005.0)
    assert judged_open(opened(*late(50), *quick), SHORTER)[0].verdict == "holds"
    assert judged_open(opened(*late(49), *quick), SHORTER)[0].verdict == "not measured"


def test_latencies_over_fewer_connections_than_were_to_be_open_do_not_count() -> None:
    found = [
        judged_open(
            opened(
                *starts(TOMCAT, 9, 1_000.5, connected=one), *starts(JETTY, 9, 1_005.0, connected=other), before=10
            ),
            SHORTER,
        )[0].verdict
        for one, other in ((10, 10), (9, 10), (10, 9))
    ]  # fmt: skip
    assert found == ["holds", "not measured", "not measured"]


def of_beside(*answered: int) -> Beside:
    """Ten requests in each second, so many of which were answered."""
    seconds = tuple(Second(each, 10 - each) for each in answered)
    return Beside(planned=10 * len(answered), answered=sum(answered), per_second=seconds)


KEEPS = {"form": "keeps-answering", "first": ["tomcat-5.5.15"], "second": ["jetty-5.1.10"]}


def test_a_server_keeps_answering_if_it_does_so_in_the_last_third_of_each_trial() -> None:
    good, bad = of_beside(0, 0, 10, 10, 10, 10), of_beside(10, 10, 10, 10, 0, 5)
    evidence = opened(*starts(TOMCAT, 9, 1_000.0, beside=good), *starts(JETTY, 9, 1_000.0, valid=False, beside=bad))
    one, other = judged_open(evidence, KEEPS)
    assert (one.verdict, other.verdict) == ("holds", "holds")
    assert basis_text(one.basis) == "tomcat-5.5.15 answers 100 %, 100 %, 100 % of the requests beside the load"
    assert basis_text(other.basis) == "jetty-5.1.10 answers 25 %, 25 %, 25 % of the requests beside the load"
    turned = KEEPS | {"first": KEEPS["second"], "second": KEEPS["first"]}
    assert {part.verdict for part in judged_open(evidence, turned)} == {"does not hold"}
    some = of_beside(10, 10, 10, 10, 8, 8)
    (part,) = judged_open(opened(*starts(TOMCAT, 9, 1_000.0, beside=some)), KEEPS | {"second": []})
    assert part.verdict == "cannot be told"


def test_a_published_server_keeps_answering_where_its_outcome_is_ok() -> None:
    made = study(KEEPS, figures=[open_figure("tomcat-5.5.15"), open_figure("jetty-5.1.10", outcome="failed")])
    assert judge_conclusions(made, of_study(made))[0].verdict == "holds"
    made = study(KEEPS, figures=[open_figure("tomcat-5.5.15"), open_figure("jetty-5.1.10")])
    assert judge_conclusions(made, of_study(made))[0].verdict == "does not hold"


def test_a_claim_on_answers_beside_the_load_needs_a_server(tmp_path: Path) -> None:
    text = GOOD.replace('"faster"', '"keeps-answering"')
    assert read_text(tmp_path, text, PUBLISHED).conclusions[0].claims[0].quantity == "beside"
    without = text.replace('first = ["tomcat-5.5.15"]', "first = []").replace('second = ["java"]', "")
    with pytest.raises(DocumentError, match=r"claims\[0\]: must have servers, first or second"):
        read_text(tmp_path, without, PUBLISHED)
