"""What the documents count, counted from the records of the published sweeps with nothing but json and lzma: no code of
the toolkit is in these figures."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations
from math import ceil, log
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

SWEEPS = Path(__file__).parents[2] / "results" / "sweeps"
STARTS = 6
CORE_RATES = (1_000, 2_000, 5_000, 10_000)
NIO = ("cindy-3.0b1-acceptor", "jetty-12.1", "netty-4.2", "tomcat-11")
BLOCKING = ("jetty-5.1.10", "resin-3.0.9", "tomcat-5.5.15")
Place = tuple[str, str, int]
"""Server, workload, level."""


@cache
def trials(sweep: str) -> tuple[dict[str, Any], ...]:
    """Return the records of the trials of a sweep."""
    with lzma.open(SWEEPS / sweep / "trials.jsonl.xz", "rt") as lines:
        return tuple(record for record in map(json.loads, lines) if record["record"] == "trial")


def valid(sweep: str) -> dict[Place, list[dict[str, Any]]]:
    """Return the valid trials of the servers by cell, without the reference."""
    return {place: those for place, those in with_reference(sweep).items() if place[0] != "ceiling"}


def with_reference(sweep: str) -> dict[Place, list[dict[str, Any]]]:
    """Return all valid trials by cell."""
    found: dict[Place, list[dict[str, Any]]] = {}
    for each in trials(sweep):
        if each["verdict"]["valid"]:
            found.setdefault((each["server"], each["workload"], each["concurrency"]), []).append(each)
    return found


def noise_of_starts() -> tuple[str, ...]:
    """Return the rows of a table: the standard deviation of what is left of the logarithms of rates without server and
    batch, and which share of its variance the trials of a start have in common. Where a start has one trial there is
    none to tell."""
    rows = []
    for sweep, workloads in (
        ("all-small", ["small"]), ("all-small", ["small-keepalive"]), ("all-large", ["large"]), ("all-echo", ["echo"]),
        ("2006-jdk8", None), ("2006-jdk25", None),
    ):  # fmt: skip
        left = _left(sweep, workloads)
        variance = fmean(each**2 for of_start in left.values() for each in of_start)
        common = fmean(one * other for of_start in left.values() for one, other in combinations(of_start, 2))
        name = f"{sweep}, {workloads[0]}" if workloads else sweep
        rows.append(f"| {name} | {100 * variance**0.5:.1f} % | {max(0, 100 * common / variance):.0f} % |")
    return tuple(rows)


def _left(sweep: str, workloads: list[str] | None) -> dict[tuple[str, int], list[float]]:
    """Return what is left of the rates of each server's start, by server and block. Each row (workload and level) has
    its own parts of servers and batches, and as many degrees of freedom less."""
    rows: dict[tuple[str, int], dict[tuple[str, int, int | None], float]] = {}
    for (server, workload, level), those in valid(sweep).items():
        if len(those) == STARTS and (workloads is None or workload in workloads):
            row = rows.setdefault((workload, level), {})
            row |= {(server, each["block"], each.get("batch")): log(_rate(each["report"])) for each in those}
    found: dict[tuple[str, int], list[float]] = {}
    for row in rows.values():
        parts: list[dict[Any, Any]] = [{key: key[0] for key in row}, {key: key[1:] for key in row}]
        for _ in range(20):  # alternating means: the least-squares fit of both, to far more digits than are shown
            for part in parts:
                means = {name: fmean(row[key] for key in row if part[key] == name) for name in set(part.values())}
                row = {key: value - means[part[key]] for key, value in row.items()}
        used = sum(len(set(part.values())) for part in parts) - 1
        for (server, block, _), value in row.items():
            found.setdefault((server, block), []).append(value * (len(row) / (len(row) - used)) ** 0.5)
    return found


def shifts() -> tuple[str, ...]:
    """Return how far servers of a row shifted against each other from 2006-jdk25 to a later sweep, how much of it the
    noise of their trials explains at most, and what is beyond that."""
    first = _rates("2006-jdk25")
    words = []
    for later in (_rates("2006-jdk25-again"), _rates("all-small") | _rates("all-large") | _rates("all-echo")):
        rows: dict[tuple[str, int], list[tuple[float, float]]] = {}
        for place in first.keys() & later.keys():
            logs = [[log(rate) for rate in rates[place]] for rates in (first, later)]
            rows.setdefault(place[1:], []).append(
                (fmean(logs[1]) - fmean(logs[0]), sum(stdev(each) ** 2 for each in logs) / STARTS)
            )
        seen = fmean(stdev(change for change, _ in row) ** 2 for row in rows.values() if len(row) > 2)
        noise = fmean(fmean(variance for _, variance in row) for row in rows.values() if len(row) > 2)
        beyond = f"{100 * (seen - noise) ** 0.5:.0f} %" if seen > noise else "-"
        words.append(f"| {100 * seen**0.5:.0f} % | {100 * noise**0.5:.0f} % | {beyond} |")
    return tuple(words)


def one_session() -> tuple[str, ...]:
    """Return how far a later sweep was from the intervals of 2006-jdk25. With six starts of one trial an interval
    reaches from the lowest to the highest."""
    first = _rates("2006-jdk25")
    twin = _rates("2006-jdk25-again")
    later = _rates("all-small") | _rates("all-large") | _rates("all-echo")
    words = []
    for second in (twin, later):
        both = first.keys() & second.keys()
        within = sum(min(first[each]) <= median(second[each]) <= max(first[each]) for each in both)
        words.append(f"| {100 * within / len(both):.0f} % of {len(both)} cells |")
    ratios = sorted(median(later[each]) / median(first[each]) for each in first.keys() & later.keys())
    times = (
        f"{median(ratios):.2f} times as high (median of the {len(ratios)} cells; {ratios[0]:.2f} to {ratios[-1]:.2f}"
    )
    return (*words, times)


def _rates(sweep: str) -> dict[Place, list[float]]:
    """Return the rates of the cells with six valid trials, by the bytes that were received: ab counts no answer that
    the end of the trial cut off, which is a part of a large file on each connection."""
    found = {}
    for place, those in valid(sweep).items():
        if len(those) == STARTS:
            found[place] = [_rate(each["report"]) for each in those]
    return found


def _rate(report: Mapping[str, Any]) -> float:
    answered = max(report["complete"], report["html_bytes"] / report["document_length"])
    rate: float = report["requests_per_second"] * answered / report["complete"]
    return rate


def percentile(spread: Mapping[int, int], percentage: float) -> float:
    """Return a percentile in milliseconds of a count by microseconds."""
    wanted, seen = ceil(sum(spread.values()) * percentage / 100), 0
    for value in sorted(spread):
        seen += spread[value]
        if seen >= wanted:
            return value / 1_000
    raise ValueError("no requests")


def together(those: Iterable[Mapping[str, Any]]) -> Counter[int]:
    """Return the latencies of all these trials, added up; older records have them elsewhere."""
    found: Counter[int] = Counter()
    for each in those:
        spread = each["outcome"]["latency"] if "outcome" in each else each["microseconds"]
        found.update({int(value): count for value, count in spread.items()})
    return found


@cache
def of_rates(sweep: str) -> dict[int, dict[str, Counter[int]]]:
    """Return the latencies of all starts of each server in a session, by rate."""
    found: dict[int, dict[str, Counter[int]]] = {}
    for (server, _, rate), those in valid(sweep).items():
        found.setdefault(rate, {})[server] = together(those)
    return found


def sessions(name: str) -> list[str]:
    """Return the names of the published sessions of a sweep."""
    return sorted(folder.name for folder in SWEEPS.glob(f"{name}-[0-9]"))


def failed_requests(sweep: str, server: str, workload: str) -> int:
    """Return how many requests of a server failed in all its trials."""
    outcomes = [each["outcome"] for each in trials(sweep) if (each["server"], each["workload"]) == (server, workload)]
    assert outcomes
    return sum(sum(each.get("failed", {}).values()) for each in outcomes)


def medians_and_tails() -> str:
    return (
        f"at the same rate, up to 10,000 requests/s, the highest median latency is {_highest_over_lowest(50)} times "
        f"the lowest in a session, and the highest p99 {_highest_over_lowest(99)} times"
    )


def _highest_over_lowest(percentage: float) -> str:
    """Return `1.2 to 1.4`: of a percentile, over the rates of the sessions of core-rates."""
    ratios = []
    for servers in (each for session in sessions("core-rates") for each in of_rates(session).values()):
        times = [percentile(each, percentage) for each in servers.values()]
        ratios.append(max(times) / min(times))
    return f"{min(ratios):.1f} to {max(ratios):.1f}"


def near_the_peak() -> str:
    """Return in how many of the cells without a figure open-load was too slow in most trials."""
    reasons: dict[Place, list[str | None]] = {}
    for each in trials("core-peak"):
        if each["server"] not in ("ceiling", "merecat-2.31"):
            place = each["server"], each["workload"], each["concurrency"]
            verdict = each["verdict"]
            reasons.setdefault(place, []).append(None if verdict["valid"] else verdict["reason"])
    missing = [those for those in reasons.values() if 2 * those.count(None) <= len(those)]
    slow = [sum(str(each).startswith("open-load too slow") for each in those) / len(those) for those in missing]
    words = {3: "three"}
    return (
        f"In {words[sum(each > 0.5 for each in slow)]} of the {len(missing)} other cells open-load was mostly too slow"
    )


def nio_and_blocking() -> tuple[str, ...]:
    """Of p99: in every session those that block are below those with NIO, but at the highest rate; the reference is
    above those that block at the two lowest ones."""
    for session in sessions("core-rates"):
        cells = with_reference(session)
        for rate, servers in of_rates(session).items():
            lowest, highest = (
                pick(percentile(servers[each], 99) for each in those) for pick, those in ((min, NIO), (max, BLOCKING))
            )
            assert (lowest > highest) == (rate < CORE_RATES[-1]), (session, rate)
            reference = percentile(together(cells["ceiling", "small-keepalive", rate]), 99)
            assert rate > CORE_RATES[1] or reference > highest, (session, rate)
    return (
        "At 1,000, 2,000 and 5,000 requests/s, in each session, the p99 of Jetty 5.1.10, Resin 3.0.9 and Tomcat 5.5.15 "
        "is lower than that of Cindy, Netty 4.2, Jetty 12.1 and Tomcat 11; at 10,000 it is not",
        "The reference, an event loop in C, is above these three at 1,000 and 2,000 too",
    )


def above_a_millisecond() -> tuple[str, ...]:
    shares, high = [], 0
    for rate in CORE_RATES[:3]:
        servers = of_rates("core-rates")[rate]
        spread = sum(servers.values(), Counter[int]())
        shares.append(100 * sum(count for value, count in spread.items() if value > 1_000) / spread.total())
        high += sum(percentile(each, 99) > 1 for each in servers.values())
    return f"and {min(shares):.2f} to {max(shares):.2f} % of the second", f"and in {high} of the second"


def stolen() -> str:
    shares = [
        max(each["usage"]["server_stolen_share"], each["usage"]["generator_stolen_share"])
        for each in trials("core-rates")
    ]
    most = 100 * max(shares)
    return f"in {sum(share > 0 for share in shares)} of {len(shares)} of the second, at most {most:.1f} %"


def agreement_between_rates(percentage: float) -> float:
    """Return Spearman's rho of the order of the servers at two rates, the mean over pairs of rates, by a percentile of
    which each server has the geometric mean over its starts."""
    means: dict[int, dict[str, float]] = {}
    for (server, _, rate), those in valid("core-rates").items():
        means.setdefault(rate, {})[server] = fmean(log(percentile(together([each]), percentage)) for each in those)
    return fmean(_rho(means[one], means[other]) for one, other in combinations(CORE_RATES, 2))


def _rho(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the correlation of the ranks of two lists of figures without ties."""
    left, right = (
        {name: place for place, name in enumerate(sorted(each, key=each.__getitem__))} for each in (one, other)
    )
    count = len(left)
    return 1 - 6 * sum((left[each] - right[each]) ** 2 for each in left) / (count * (count**2 - 1))
