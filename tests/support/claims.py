"""What pages of docs/ count, counted again from the published sweeps: each function returns words of the page. What is
short without the toolkit's own analysis is in `recounted`."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import combinations
from math import exp, log10
from statistics import median

import waiting
from support import recounted

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.measurements import over_levels
from ab_runner.analysis.rankings import ranking_of
from ab_runner.analysis.sessions import together
from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.analysis.trial_figures import PERCENTILES, TrialFigures
from ab_runner.analysis.versions import families_of_versions, version_figures
from ab_runner.model.records import is_valid
from ab_runner.model.server import REFERENCE
from ab_runner.model.trial import Cell, Trial, cell_of
from ab_runner.model.workload import WorkloadName
from ab_runner.paths import RESULTS, STUDIES
from ab_runner.report.tables.studies import judged
from ab_runner.stats.ranking import Ranking
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.reader import read

KEPT: WorkloadName = "small-keepalive"
FROM_10 = (10, 100, 500, 1000)
ALL = ("all-small", "all-large", "all-echo")
RESULT, RATES, SLO = "2006-newest", "core-rates", "core-slo"
"""Sweeps of several sessions."""


@cache
def published(name: str) -> SweepAnalysis:
    """Return the analysis of the published sweep of that name."""
    return analyse(read(RESULTS / PUBLISHED_SWEEPS / name))


@cache
def over_sessions(name: str) -> SweepAnalysis:
    """Return the result of the published sessions of that name."""
    return together([(each, published(each)) for each in recounted.sessions(name)])


def relation(workload: WorkloadName, level: int, one: str, other: str) -> str:
    """Return how the first of two servers stands to the other, in all sessions."""
    ranking = over_sessions(RESULT).rankings[workload, level]
    if (one, other) in ranking.faster:
        return "ahead"
    if (other, one) in ranking.faster:
        return "behind"
    pair = min(one, other), max(one, other)
    return "tied" if pair in ranking.tied else "not compared" if pair in ranking.not_compared else "no figure"


def at_levels(workload: WorkloadName, one: str, other: str) -> list[str]:
    """Return that at each level."""
    return [relation(workload, level, one, other) for level in (1, *FROM_10)]


def figure(sweep: str, server: str, workload: WorkloadName, level: int) -> float:
    found = published(sweep).cells[Cell(server, workload, level)].figure
    assert found is not None
    return found


def competitors(workload: WorkloadName, level: int) -> list[CellSummary]:
    """Return the cells with a figure in a row of the result, without the reference."""
    return [
        cell
        for place, cell in over_sessions(RESULT).cells.items()
        if (place.workload, place.level) == (workload, level) and place.server != REFERENCE and cell.figure is not None
    ]


def limited(workload: WorkloadName) -> tuple[str, str]:
    """Return of how many servers ab was the limit in one trial or more, and of how many, from 10 connections on."""
    rows = [competitors(workload, level) for level in FROM_10]
    return between(sum(cell.limited > 0 for cell in row) for row in rows), between(map(len, rows))


def between(numbers: Iterable[float]) -> str:
    """Return `19 to 24`."""
    found = sorted(numbers)
    return " to ".join(dict.fromkeys(f"{number:,}" for number in (found[0], found[-1])))


def cindy() -> str:
    for each in ("cindy-3.0b1-acceptor", "cindy-3.0b1-session"):
        assert at_levels(KEPT, each, "tomcat-11")[1:] == ["ahead"] * 4
        assert at_levels(KEPT, each, "jetty-12.1")[1:] == ["ahead"] * 4
        assert at_levels(KEPT, "lighttpd-1.4", each)[1:] == ["ahead", "ahead", "ahead", "tied"]
    return (
        "is ahead of Tomcat 11 and of Jetty 12.1 at every level. lighttpd is ahead of Cindy at 10, 100 and 500; at "
        "1,000 they are tied"
    )


def virtual_threads() -> str:
    for each, lowest, highest in (("tomcat-11", 0.24, 0.36), ("jetty-12.1", 0.5, 0.58)):
        assert at_levels(KEPT, each, f"{each}-virtual") == ["behind", *["ahead"] * 4]
        rates = over_sessions(RESULT).compared[0].measurements
        both = [[rates[Cell(name, KEPT, level)].mean.value for name in (each, f"{each}-virtual")] for level in FROM_10]
        assert all(lowest < 1 - exp(virtual - platform) < highest for platform, virtual in both)
    return (
        "from 10 kept connections on: a quarter to a third of Tomcat 11's rate, and half of Jetty 12.1's or a little "
        "more. On one connection they are ahead"
    )


def tomcats() -> str:
    assert at_levels(KEPT, "tomcat-5.5.15", "tomcat-11") == ["ahead", "ahead", "ahead", "tied", "no figure"]
    return (
        "Tomcat 5.5.15 is ahead of Tomcat 11 at 1, 10 and 100; at 500 they are tied, and at 1,000 Tomcat 5.5.15 has no "
        "figure in one session"
    )


def jettys() -> str:
    assert at_levels(KEPT, "jetty-12.1", "jetty-5.1.10")[1:] == ["ahead"] * 4
    assert at_levels("small", "jetty-12.1", "jetty-5.1.10") == ["behind", "behind", "tied", "behind", "tied"]
    return (
        "Jetty 12.1 is ahead of Jetty 5.1.10 from 10 on. On new connections it is behind it at 1, 10 and 500, and tied "
        "at 100 and 1,000"
    )


def new_connections() -> tuple[str, ...]:
    rankings = [over_sessions(RESULT).rankings["small", level] for level in FROM_10]
    count, of = limited("small")
    forbidden, pairs = sum(len(each.not_compared) for each in rankings), sum(each.pairs for each in rankings)
    assert 0.3 < forbidden / pairs < 0.36
    return (
        f"ab limits {count} of {of} servers in one trial or more",
        f"**On new connections a third of the pairs, {forbidden} of {pairs}, cannot be compared**",
    )


def cpu_time() -> str:
    for level in (1, *FROM_10):
        assert over_sessions(RESULT).cpu_efficiency["small", level].ranks["lighttpd-1.4"].best == 1
    return "By requests per CPU-second, which is not speed, none is ahead of lighttpd at any level"


def undertow() -> str:
    old, new = (
        [f"{figure('all-small', server, 'small', level):,.0f}" for level in (10, 1000)]
        for server in ("undertow-1.4", "undertow-2.4")
    )
    return f"from {old[0]} requests/s at 10 new connections to {old[1]} at 1,000 (1.4), from {new[0]} to {new[1]} (2.4)"


def large_files() -> str:
    for level in (1, *FROM_10):
        lowest = sorted(competitors("large", level), key=lambda cell: cell.figure or 0.0)[:2]
        assert {cell.cell.server for cell in lowest} == {"merecat-2.31", "jetty-5.1.10"}
    count, of = limited("large")
    return f"ab limits {count} of {of} servers. merecat and Jetty 5.1.10 have the two lowest rates at every level"


def conclusions() -> tuple[str, ...]:
    """Return the counts of verdicts on means."""
    ((study, (_, now)),) = judged([("now", over_sessions(RESULT))])
    verdicts = [each.verdict for each in now.conclusions]
    told = {number: each for number, each in enumerate(verdicts, 1) if each != "cannot be told"}
    assert told == {3: "does not hold", 4: "does not hold", 5: "holds"}
    words = {5: "five", 8: "eight"}
    (closest,) = now.conclusions[4].claims
    lowest = min((part.ratio.value, part.bound) for part in closest.parts if part.ratio is not None)
    assert (f"{lowest[0]:.2f}", lowest[1]) == ("1.07", "≥")
    return (
        f"**One of {words[len(study.conclusions)]} conclusions of 2006 holds.** Two do not, and "
        f"{words[len(verdicts) - len(told)]} cannot be told",
        f"has at least {lowest[0]:.2f} times the rate of Jetty 5.1.10",
    )


def failed_requests() -> str:
    """Of conclusion 4: Cindy before Tomcat, and that no request of Tomcat failed."""
    for cindy in ("cindy-3.0b1-acceptor", "cindy-3.0b1-session"):
        assert at_levels("large", cindy, "tomcat-5.5.15") == ["ahead", *["not compared"] * 4]
    for sweep in recounted.sessions(RESULT):
        assert recounted.failed_requests(sweep, "tomcat-5.5.15", "large") == 0
    return (
        "No. 4 does not because Tomcat has no failed request; Cindy is ahead of it at one connection, and not compared "
        "from 10 on"
    )


def latency_orders() -> str:
    _, ranking = over_sessions(RATES).compared[0].over_levels[KEPT]
    behind = {server: {better for better, worse in ranking.faster if worse == server} for server in ranking.ranks}
    assert len(ranking.ranks) == 10
    assert (len(behind["tomcat-11"]), len(behind["httpd-2.4-prefork"])) == (9, 8)
    return "Over all rates together Tomcat 11 is behind all nine others and httpd's prefork behind eight"


def lag() -> str:
    lags = [each.lag_p50 for each in over_sessions(RATES).open_cells.values() if each.lag_p50 is not None]
    assert max(lags) < 0.001
    return "open-load's own median lag is below 0.001 ms"


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


def capacities() -> str:
    analysis = over_sessions(SLO)
    (ranking,) = analysis.rankings.values()
    assert len(ranking.not_compared) == ranking.pairs == 36
    assert all(cell.is_lower_bound for cell in analysis.cells.values() if cell.figure is not None)
    return "every capacity is a lower bound, and none of 36 pairs is compared"


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
        "**Five servers answer.**",
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


def versions() -> tuple[str, ...]:
    """What `versions` shows of four families and of the servers of today."""
    analysis = published("versions")
    faster = analysis.rankings[KEPT, 100].faster
    family = {name: [each.id for each in found] for name, found in families_of_versions(analysis.shown_servers).items()}
    orders = {name: {pair for pair in faster if {*pair} <= {*family[name]}} for name in family}
    assert orders["jetty"] == {
        ("jetty-12.1", "jetty-5.1.10"), ("jetty-12.1", "jetty-9.4"), ("jetty-9.3", "jetty-9.4"),
    }  # fmt: skip
    assert orders["netty"] == {("netty-4.1", "netty-4.0")}
    assert orders["tomcat"] >= {("tomcat-7.0", f"tomcat-{each}") for each in ("8.0", "8.5", "11")}
    assert orders["undertow"] == {("undertow-1.4", "undertow-2.4"), ("undertow-2.0", "undertow-2.4")}
    for today in ("vertx-5", "helidon-4", "microhttp-0.11"):
        assert {(today, "tomcat-11"), (today, "jetty-12.1")} <= faster
    for behind in ("go-1.24", "spring-boot-4"):
        assert {("tomcat-11", behind), ("jetty-12.1", behind)} <= faster
    oldest, middle, newest = (f"{figure('versions', f'undertow-{each}', KEPT, 100):,.0f}" for each in (1.4, 2.0, 2.4))
    kilobytes = {
        each.server.id: f"{each.allocated_bytes / 1024:.1f}"
        for each in version_figures(KEPT, analysis)
        if each.allocated_bytes
    }
    return (
        f"{newest} requests/s after {oldest} and {middle}",
        f"Tomcat {kilobytes['tomcat-6.0']} KB (6.0), then {kilobytes['tomcat-11']} (11), Jetty "
        f"{kilobytes['jetty-5.1.10']}, then {kilobytes['jetty-12.1']}, Undertow {kilobytes['undertow-1.4']}, then "
        f"{kilobytes['undertow-2.4']}. Netty went from {kilobytes['netty-3.2']} to {kilobytes['netty-4.2']}",
    )


def spring_boot() -> tuple[str, ...]:
    """What the sweep `published` of spring-boot-2018 shows, beside what was published."""
    sweep = "spring-boot-2018-published"
    undertow, tomcat, jetty = (f"spring-boot-1.5-{each}" for each in ("undertow-1.4", "tomcat-8.0", "jetty-9.4"))
    in_order = published(sweep).rankings["test", 5_000].faster
    assert {(undertow, tomcat), (f"{tomcat}-logging", f"{undertow}-logging")} <= set(in_order)
    with (STUDIES / "spring-boot-2018/published.csv").open() as rows:
        then = {row["server"]: float(row["requests_per_second"]) for row in csv.DictReader(rows)}
    assert not {(jetty, tomcat), (tomcat, jetty)} & set(in_order)
    logged = [each["outcome"] for each in recounted.trials(sweep) if each["server"] == f"{jetty}-logging"]
    rates = {
        logging: [figure(sweep, f"{each}{logging}", "test", 5_000) for each in (undertow, tomcat)]
        for logging in ("-logging", "")
    }
    assert max(each["completed_per_second"] for each in logged) < 0.14 * rates["-logging"][0]
    with_it, at_info = (of_undertow / of_tomcat for of_undertow, of_tomcat in rates.values())
    return (
        f"Undertow 1.4 has {with_it:.2f} times Tomcat 8.0's rate "
        f"({then['undertow-1.4.22'] / then['tomcat-8.0.53-nio']:.2f} in 2018), and Jetty 9.4 collapses; at INFO "
        f"Undertow has {at_info:.1f} times, and Jetty is tied with Tomcat 8.0",
    )


def fibers() -> str:
    """What a slow service does, in `threads`, `fibers` and `others` of fibers-2014: in the last third of each trial
    Jetty's 200 threads answer all requests that do not need it, or none of them."""
    shares: dict[int, set[float]] = {}
    for each in recounted.trials("fibers-2014-threads"):
        if each["server"] == "jetty-9.2-threads-200":
            last = each["outcome"]["beside"]["per_second"][-17:]
            shares.setdefault(each["concurrency"], set()).add(sum(second["answered"] for second in last) / 170)
    assert shares == {30: {1}, 40: {0}, 50: {0}, 70: {0}, 110: {0}}
    trials = [each for each in recounted.trials("fibers-2014-fibers") if each["server"] == "jetty-9.2-fibers"]
    for each in trials:
        for load in (each["outcome"]["arrivals"] | each["outcome"], each["outcome"]["beside"]):
            assert load["answered"] == load["planned"]
    highest = max(each["concurrency"] for each in trials)
    virtual = {
        each["server"]: (each["outcome"]["answered"], each["outcome"]["beside"]["answered"])
        for each in recounted.trials("fibers-2014-others")
        if each["server"].endswith("virtual-threads") and each["concurrency"] == 400
    }
    assert len(virtual) == 4
    assert {*virtual.values()} == {(20_000, 500)}
    return (
        "200 threads collapse at 40/s, as 2,000 did at 400/s. "
        f"Jetty's fibers answer all requests up to {highest}/s, virtual threads [at 400/s]"
    )


@cache
def that_wait() -> tuple[waiting.Row, ...]:
    return tuple(waiting.rows())


def requests_that_wait() -> tuple[str, ...]:
    """What the table of both studies shows."""
    rows = {(each.system.kind, each.system.name): each for each in that_wait()}
    assert {place for place, row in rows.items() if row.at_once != 10_800} == {
        place for place in rows if place[0] == "threads" or place[1] == "Tomcat 8.0"
    }
    p99 = [row.p99 for row in rows.values() if row.p99 is not None]
    memory = []
    for server in ("Jetty 12.1", "Tomcat 11"):
        virtual, platform = (rows[kind, server].waiting for kind in ("virtual threads", "threads"))
        assert virtual is not None
        assert platform is not None
        assert virtual.interval is not None
        assert platform.interval is not None
        assert virtual.interval.high < platform.interval.low
        memory.append(f"{virtual.value / 1024:.0f} and {platform.value / 1024:.0f} KiB in {server}")
    return (
        "**All 10,800 requests wait at once** on fibers, virtual threads and asynchronous servers, but for Tomcat 8.0",
        f"p99 is {min(p99):.0f} to {max(p99):.0f} ms",
        *memory,
    )


def starved() -> str:
    found = {(place.server, place.level) for place, cell in published("2006-jdk8").cells.items() if cell.starved}
    assert found == {("tomcat-5.5.15", 1000), ("tomcat-5.5.15-defaults", 1000), ("httpd-2.4-prefork", 1000)}
    return "With 1,000 kept connections Tomcat 5.5.15 and httpd's prefork serve some hundreds of them"


def noise() -> str:
    confidence = published("2006-jdk8").summary.confidence
    assert confidence is not None
    assert confidence.wide is not None
    return f"half of the intervals of 2006-jdk8 are wider than {200 * confidence.wide:.0f} % of their figure"


CLAIMS: Mapping[str, tuple[Callable[[], str | tuple[str, ...]], ...]] = {
    "results.md": (
        cindy, virtual_threads, tomcats, jettys, new_connections, cpu_time, undertow, large_files,
        conclusions, failed_requests, recounted.medians_and_tails, recounted.nio_and_blocking, latency_orders, lag,
        near_the_peak, recounted.near_the_peak, capacities, idle_connections, versions, spring_boot, fibers,
        requests_that_wait,
    ),
    "comparison-with-2006.md": (starved, noise),
    "statistics.md": (
        tails, recounted.above_a_millisecond, recounted.stolen, recounted.one_session, recounted.shifts,
        recounted.noise_of_starts, shared_orders, rates_that_most_meet,
    ),
}  # fmt: skip
