"""What docs/results.md and docs/statistics.md count, counted again from the published sweeps: each function returns
words of the page. What is short without the toolkit's own analysis is in `recounted`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations
from math import log10
from statistics import median

from support import recounted

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measurements import over_levels
from ab_runner.analysis.rankings import ranking_of
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.analysis.trial_figures import PERCENTILES, TrialFigures
from ab_runner.catalog.studies import read_study
from ab_runner.model.protocol import DEFAULT_STUDY
from ab_runner.model.records import is_valid
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell, Trial, cell_of
from ab_runner.model.workload import WorkloadName
from ab_runner.paths import RESULTS
from ab_runner.report.tables.studies import judged
from ab_runner.stats.ranking import Ranking
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.reader import read

KEPT: WorkloadName = "small-keepalive"
FROM_10 = (10, 100, 500, 1000)
ALL = ("all-small", "all-large", "all-echo")
VIRTUAL = ("tomcat-11", "jetty-12.1", "jdk-httpserver")


@cache
def published(name: str) -> SweepAnalysis:
    """Return the analysis of the published sweep of that name."""
    return analyse(read(RESULTS / PUBLISHED_SWEEPS / name))


def relation(sweep: str, workload: WorkloadName, level: int, one: str, other: str) -> str:
    """Return how the first of two servers stands to the other."""
    ranking = published(sweep).rankings[workload, level]
    if (one, other) in ranking.faster:
        return "ahead"
    if (other, one) in ranking.faster:
        return "behind"
    pair = min(one, other), max(one, other)
    return "tied" if pair in ranking.tied else "not compared" if pair in ranking.not_compared else "no figure"


def at_levels(workload: WorkloadName, one: str, other: str) -> dict[int, str]:
    return {level: relation("all-small", workload, level, one, other) for level in published("all-small").levels}


def figure(sweep: str, server: str, workload: WorkloadName, level: int) -> float:
    found = published(sweep).cells[Cell(server, workload, level)].figure
    assert found is not None
    return found


def competitors(sweep: str, workload: WorkloadName, level: int) -> list[CellSummary]:
    """Return the cells with a figure in a row, without the reference."""
    return [
        cell
        for place, cell in published(sweep).cells.items()
        if (place.workload, place.level) == (workload, level) and place.server != REFERENCE and cell.figure is not None
    ]


def limited(sweep: str, workload: WorkloadName) -> tuple[str, str]:
    """Return of how many servers ab was the limit in one trial or more, and of how many, from 10 connections on."""
    rows = [competitors(sweep, workload, level) for level in FROM_10]
    return between(sum(cell.limited > 0 for cell in row) for row in rows), between(map(len, rows))


def between(numbers: Iterable[float]) -> str:
    """Return `19 to 24`."""
    found = sorted(numbers)
    return " to ".join(dict.fromkeys(f"{number:,}" for number in (found[0], found[-1])))


def cindy() -> str:
    against = {
        each: [at_levels(KEPT, "cindy-3.0b1-acceptor", each)[level] for level in FROM_10]
        for each in ("tomcat-11", "jetty-12.1", "lighttpd-1.4", "nginx-1.26-cached")
    }
    assert against == {
        "tomcat-11": ["ahead"] * 4,
        "jetty-12.1": ["ahead"] * 4,
        "lighttpd-1.4": ["behind"] * 4,
        "nginx-1.26-cached": ["ahead", "ahead", "ahead", "tied"],
    }
    return (
        "is ahead of Tomcat 11 and Jetty 12.1 at every level, and behind lighttpd at every level. It is ahead of nginx "
        "with its file cache at 10, 100 and 500; at 1,000 they are tied"
    )


def lighttpd_and_netty() -> str:
    found = at_levels(KEPT, "lighttpd-1.4", "netty-4.2")
    assert [found[level] for level in FROM_10] == ["ahead", "tied", "tied", "tied"]
    return "lighttpd is ahead of Netty 4.2 at 10 connections; at 100, 500 and 1,000 they are tied"


def virtual_threads() -> tuple[str, ...]:
    for each in VIRTUAL:
        found = at_levels(KEPT, each, f"{each}-virtual")
        assert list(found.values()) == ["tied", "ahead", "ahead", "ahead", "ahead"]
    return (
        "from 10 kept connections on, in three of three servers; on one they are tied",
        "With them Tomcat 11, Jetty 12.1 and the JDK's server are behind themselves at 10 kept connections and more",
    )


def tomcats() -> str:
    found = at_levels(KEPT, "tomcat-5.5.15", "tomcat-11")
    assert list(found.values()) == ["ahead"] * 4 + ["no figure"]
    return "Tomcat 5.5.15 is ahead of Tomcat 11 up to 500 kept connections, and has no valid figure at 1,000"


def jettys() -> str:
    found = at_levels(KEPT, "jetty-12.1", "jetty-5.1.10")
    assert [level for level, each in found.items() if each == "ahead"] == [10, 100, 500]
    return "Jetty 12.1 is ahead of Jetty 5.1.10 at 10, 100 and 500"


def new_connections() -> str:
    rankings = [published("all-small").rankings["small", level] for level in FROM_10]
    count, of = limited("all-small", "small")
    forbidden, pairs = (between(numbers) for numbers in zip(*map(_forbidden, rankings), strict=True))
    return f"ab limited {count} of {of} servers in one trial or more, and {forbidden} of {pairs} pairs are not compared"


def _forbidden(ranking: Ranking) -> tuple[int, int]:
    return len(ranking.not_compared), ranking.pairs


def cpu_time() -> str:
    for level in published("all-small").levels:
        ranks = published("all-small").cpu_efficiency["small", level].ranks
        assert all(server.startswith("nginx-") for server, rank in ranks.items() if rank.best == 1)
    return "By requests per CPU-second, which is not speed, nginx is first at every level"


def undertow() -> str:
    old, new = (
        [f"{figure('all-small', server, 'small', level):,.0f}" for level in (10, 500, 1000)]
        for server in ("undertow-1.4", "undertow-2.4")
    )
    return (
        f"from {old[0]} requests/s at 10 to {old[1]} and {old[2]} at 500 and 1,000 (1.4), from {new[0]} to {new[1]} "
        f"and {new[2]} (2.4)"
    )


def large_files() -> str:
    for level in published("all-large").levels:
        lowest = sorted(competitors("all-large", "large", level), key=lambda cell: cell.figure or 0.0)[:2]
        assert {cell.cell.server for cell in lowest} == {"merecat-2.31", "jetty-5.1.10"}
    count, of = limited("all-large", "large")
    return f"ab limited {count} of {of} servers. merecat and Jetty 5.1.10 have the two lowest rates at every level"


def echo() -> str:
    count, of = limited("all-echo", "echo")
    return f"Of {of} echo servers ([all-echo](../results/sweeps/all-echo/tables.md)) ab limited {count}"


def factors() -> str:
    then = next(
        each.requests_per_second
        for each in read_study(DEFAULT_STUDY, {}).figures
        if (each.server, each.workload, each.level) == ("lighttpd-1.4.11", KEPT, 100)
    )
    assert then is not None
    now, before = (figure(sweep, "lighttpd-1.4", KEPT, 100) / then for sweep in ("all-small", "2006-jdk25"))
    return f"lighttpd's {now:.1f} on kept connections was {before:.1f} in"


def conclusions() -> tuple[str, ...]:
    """Return the counts of verdicts on means: by the author's figures, and by the sweeps."""
    sweeps = ("2006-jdk8", "2006-jdk25", "all-small", "all-large", "all-echo")
    ((study, (by_author, *others)),) = judged([(name, published(name)) for name in sweeps])
    holding = sum(each.verdict == "holds" for each in by_author.conclusions)
    assert not any(each.verdict == "holds" for found in others for each in found.conclusions)
    refuted = {
        number: [found.name for found in others if found.conclusions[number - 1].verdict == "does not hold"]
        for number in range(1, len(study.conclusions) + 1)
    }
    failed = {number: names for number, names in refuted.items() if names}
    assert failed == {
        3: ["2006-jdk8", "2006-jdk25", "all-small"],
        4: ["2006-jdk8", "2006-jdk25", "all-large"],
        6: ["2006-jdk8", "2006-jdk25"],
        8: ["2006-jdk8"],
    }
    premise = [found.name for found in others if found.conclusions[1].verdict == "premise absent"]
    assert premise == ["all-small"]
    words = {4: "Four", 6: "six", 8: "eight"}
    return (
        f"{words[len(failed)]} of {words[len(study.conclusions)]} do not hold in one sweep or more",
        f"By the author's own figures {words[holding]} of {words[len(study.conclusions)]} hold",
        "By today's sweeps none does",
    )


def failed_requests() -> str:
    """Of conclusion 4: Cindy before Tomcat, and that no request of Tomcat failed."""
    for sweep in ("2006-jdk8", "2006-jdk25", "all-large"):
        for cindy in ("cindy-3.0b1-acceptor", "cindy-3.0b1-session"):
            found = [relation(sweep, "large", level, cindy, "tomcat-5.5.15") for level in (1, *FROM_10)]
            assert found == ["ahead", *["not compared"] * 4]
        ((_, (_, judged_by)),) = judged([(sweep, published(sweep))])
        beats, fails_most = judged_by.conclusions[3].claims
        assert {part.verdict for part in beats.parts} == {"holds", "cannot be told"}
        assert fails_most.parts[0].verdict == "does not hold"
        assert recounted.failed_requests(sweep, "tomcat-5.5.15", "large") == 0
    return (
        "No. 4 fails only because Tomcat has no failed request; Cindy is ahead of it at one connection, and not "
        "compared from 10 on"
    )


def latency_orders() -> str:
    counts = []
    for compared in published("core-rates").compared[:2]:
        _, ranking = compared.over_levels[KEPT]
        counts.append((len(ranking.faster), sum(worse == "tomcat-11" for _, worse in ranking.faster), ranking.pairs))
    (p50, of_p50, pairs), (p95, of_p95, _) = counts
    return (
        f"**p50** over all rates together puts {p50} of {pairs} pairs in an order, {of_p50} of them with Tomcat 11 "
        f"behind; **p95** {p95}, {of_p95} of them so"
    )


def reference_and_lag() -> tuple[str, ...]:
    """Return what the machine and the generator are in the latencies, and the orders by p50 without the lag."""
    analysis = published("core-rates")
    medians = [cell.figure for place, cell in analysis.cells.items() if place.server == REFERENCE and cell.figure]
    trials = [each for each in analysis.trials if is_valid(each.record)]
    lags = [each.lag_p50 for each in analysis.open_cells.values() if each.lag_p50]
    (_, by_p50) = analysis.compared[0].over_levels[KEPT]
    by_lag = _ranked([(each, each.lag_p50) for each in trials if each.lag_p50])
    both = [(each, each.latency[0], each.lag_p50) for each in trials]
    without = _ranked([(each, p50 - lag) for each, p50, lag in both if p50 and lag])
    assert {better for better, _ in by_lag.faster} == {"tomcat-5.5.15", "httpd-2.4-prefork"}
    return (
        f"The reference has medians of {min(medians):.3f} to {max(medians):.3f} ms",
        f"**open-load's own median lag** is {min(lags):.3f} to {max(lags):.3f} ms",
        f"lower with Tomcat 5.5.15 and httpd than with the others: without it {len(by_p50.faster & without.faster)} of "
        f"the {len(by_p50.faster)} orders by p50 remain",
    )


def _ranked(figures: Iterable[tuple[TrialFigures, float]]) -> Ranking:
    """Return the ranking of core-rates by such figures of trials, of which a lower one is better, over all rates."""
    batches: dict[Cell, dict[int, float]] = {}
    for trial, figure in figures:
        batches.setdefault(cell_of(trial.record), {})[trial.record.measured_with] = 1 / figure
    analysis = published("core-rates")
    return ranking_of(over_levels(analysis.cells, KEPT, lambda cell: batches.get(cell.cell, {})))


def near_the_peak() -> str:
    cells = published("core-peak").cells
    valid = [
        sum(
            cell.figure is not None
            for place, cell in cells.items()
            if place.level == share and place.server != REFERENCE
        )
        for share in (50, 75, 90)
    ]
    assert valid == [7, 4, 3]
    able = {place.server for place in cells if place.server not in (REFERENCE, "merecat-2.31")}
    assert len(able) == 9, "merecat keeps no connection there"
    return "seven of nine servers have a valid figure at 50 %, four at 75 %, three at 90 %"


def capacities() -> tuple[str, ...]:
    analysis = published("core-slo")
    shares = {
        place.server: cell.figure / peak
        for place, cell in analysis.cells.items()
        if cell.figure and (peak := analysis.open_cells[place].peak)
    }
    reference = shares.pop(REFERENCE)
    (ranking,) = analysis.rankings.values()
    assert len(ranking.not_compared) == ranking.pairs == 36
    assert all(cell.is_lower_bound for cell in analysis.cells.values() if cell.figure is not None)
    return (
        "none of 36 pairs is compared",
        f"They are at least {100 * min(shares.values()):.0f} to {100 * max(shares.values()):.0f} % of the peaks; "
        f"that of the reference is {100 * reference:.0f} %",
    )


def rates_that_most_meet() -> tuple[str, ...]:
    """Of the steps of core-slo, and of the trials of core-peak."""
    analysis = published("core-slo")
    intervals = {
        place.server: cell.capacity.half.interval for place, cell in analysis.cells.items() if cell.capacity is not None
    }
    bins: dict[tuple[str, int], list[tuple[float, bool]]] = {}
    for record in (each.record for each in analysis.trials if is_valid(each.record)):
        for step in record.search.steps if record.search else ():
            place = round(10 * log10(step.rate))
            bins.setdefault((record.server, place), []).append((10 ** (place / 10), step.reason is None))
    shares: dict[tuple[str, int], list[tuple[float, bool]]] = {}
    for figures in published("core-peak").trials:
        trial = figures.record
        if trial.server in intervals and isinstance(trial, Trial) and trial.outcome and trial.outcome.arrivals:
            met = trial.verdict.valid and (figures.latency[PERCENTILES.index(99)] or 0) <= 10
            shares.setdefault((trial.server, trial.level), []).append((trial.outcome.arrivals.rate, met))
    for (server, _), trials in (*bins.items(), *shares.items()):
        rate, interval = median(each for each, _ in trials), intervals[server]
        assert interval is not None
        more = sum(1 if met else -1 for _, met in trials)
        assert len(trials) < 2 or more <= 0 or rate <= interval.high, (server, rate)
        assert len(trials) < 2 or more >= 0 or rate >= interval.low, (server, rate)
    return (f"in none of its {len(shares)} cells did most trials keep p99 within 10 ms at a median rate above",)


def idle_connections() -> tuple[str, ...]:
    analysis = published("core-idle")
    ranking = analysis.rankings[KEPT, 15_000]
    assert len(ranking.ranks) == 5
    assert sum(worse == "tomcat-11" for _, worse in ranking.faster) == len(ranking.faster) == 3
    return (
        "**Five servers answer**",
        "By p50 Tomcat 11 is behind three of the four others",
    )


def tails() -> tuple[str, ...]:
    """Return the last two columns of the rows of percentiles."""
    analysis = published("core-rates")
    trials = [each for each in analysis.trials if is_valid(each.record)]
    told = {50: 0, 99: 2}
    pairs = {
        percentile: len(_ranked([(each, figure) for each in trials if (figure := each.latency[place])]).faster)
        for percentile, place in told.items()
    }
    (_, by_p95) = analysis.compared[1].over_levels[KEPT]
    pairs[95] = len(by_p95.faster)
    rows = [f"| {recounted.agreement_between_rates(each):.2f} | {count} |" for each, count in pairs.items()]
    return (*rows, *(f"| {recounted.agreement_between_rates(each):.2f} |" for each in (99.9, 100)))


def shared_orders() -> str:
    """Of closed loads: the orders that two sweeps have both found, and those that they found reversed."""
    sweeps = [published(each) for each in ("2006-jdk8", "2006-jdk25", "2006-jdk25-again", *ALL)]
    pairs = shared = 0
    for one, other in combinations(sweeps, 2):
        rows = one.rankings.keys() & other.rankings.keys()
        pairs += bool(rows)
        for row in rows:
            first, second = one.rankings[row].faster, other.rankings[row].faster
            shared += len(first & second)
            assert not first & {(worse, better) for better, worse in second}, "reversed"
    assert pairs == 12
    return f"Of {shared:,} orders that twelve pairs of published sweeps share, none is reversed"


def starved() -> str:
    found = {(place.server, place.level) for place, cell in published("2006-jdk8").cells.items() if cell.starved}
    assert found == {("tomcat-5.5.15", 1000), ("tomcat-5.5.15-defaults", 1000), ("httpd-2.4-prefork", 1000)}
    return "With 1,000 kept connections Tomcat 5.5.15 and httpd's prefork serve some hundreds of them"


def noise() -> str:
    confidence = published("2006-jdk8").summary.confidence
    assert confidence is not None
    assert confidence.wide is not None
    return f"half of the intervals of 2006-jdk8 are wider than {200 * confidence.wide:.0f} % of their figure"


CLAIMS: tuple[Callable[[], str | tuple[str, ...]], ...] = (
    cindy, lighttpd_and_netty, virtual_threads, tomcats, jettys, new_connections, cpu_time, undertow, large_files, echo,
    factors, conclusions, failed_requests, recounted.medians_and_tails, recounted.nio_and_blocking, latency_orders,
    reference_and_lag, near_the_peak, recounted.near_the_peak, capacities, idle_connections, starved, noise,
)  # fmt: skip

STATISTICS: tuple[Callable[[], str | tuple[str, ...]], ...] = (
    tails, recounted.above_a_millisecond, recounted.stolen, recounted.one_session, recounted.shifts,
    recounted.noise_of_starts, shared_orders, rates_that_most_meet,
)  # fmt: skip
