#!/usr/bin/env python3
"""What the statistics of the reports promise and keep: the tables of docs/statistics.md, by simulation.

    PYTHONPATH=src .venv/bin/python benchmarks/coverage.py [SAMPLES]

Seeds are fixed, so it prints the same figures again. 1,000 samples, the default, take some minutes; a share near 95 %
is then known to 1.4 points, one near 5 % as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import exp, log
from statistics import fmean

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import bootstrap, norm, studentized_range, t, ttest_rel

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.server import REFERENCE
from ab_runner.paths import RESULTS
from ab_runner.stats.comparable import comparable
from ab_runner.stats.estimate import median_over_blocks
from ab_runner.stats.logistic import curve
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import ALPHA, MINIMUM_EFFECT, Ranking, contradictions, rank
from ab_runner.stats.ratio import LogMean, log_mean, log_ratio
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.reader import read
from ab_runner.sweep.trial.capacity import search

Bounds = tuple[float, float]

# --- intervals -------------------------------------------------------------------------------------------------

NOISE = 0.02
"""Standard deviation between blocks, as a share of the rate."""

DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda random, size: random.normal(0, 1, size),
    "skewed (slow tail)": lambda random, size: np.log(2) - random.exponential(1, size),
    "heavy tails (t, 3 df)": lambda random, size: random.standard_t(3, size),
    "two levels": lambda random, size: random.choice([-1.5, 1.5], size) + random.normal(0, 0.5, size),
}
"""Logarithms of what a start of a server does to its rate; each has the median 0."""


def bootstrapped(method: str) -> Callable[[np.ndarray], Bounds]:
    def bounds(rates: np.ndarray) -> Bounds:
        found = bootstrap((rates,), np.median, n_resamples=2000, method=method, rng=np.random.default_rng(0))
        return found.confidence_interval.low, found.confidence_interval.high

    return bounds


def ours(rates: np.ndarray) -> Bounds:
    interval = median_over_blocks([[rate] for rate in rates]).interval
    return (interval.low, interval.high) if interval else (rates.min(), rates.max())


def student(rates: np.ndarray) -> Bounds:
    logs = np.log(rates)
    reach = t.ppf(0.975, len(logs) - 1) * logs.std(ddof=1) / len(logs) ** 0.5
    return exp(logs.mean() - reach), exp(logs.mean() + reach)


METHODS: dict[str, Callable[[np.ndarray], Bounds]] = {
    "expanded percentile": ours,
    "percentile": bootstrapped("percentile"),
    "BCa": bootstrapped("BCa"),
    "Student of log rates": student,
    "slowest to fastest": lambda rates: (rates.min(), rates.max()),
}


def intervals(samples: int) -> None:
    table("How often a 95 % interval holds the median, and half its mean width", "noise of 2 %", "blocks", *METHODS)
    for name, draw in DISTRIBUTIONS.items():
        for blocks in (3, 5, 6, 7, 8, 10):
            random = np.random.default_rng(blocks)
            found = [np.exp(NOISE * draw(random, blocks)) for _ in range(samples)]
            row(name, blocks, *(coverage([method(rates) for rates in found]) for method in METHODS.values()))


def within(samples: int) -> None:
    table("Several trials in a block", "between blocks", "within", "trials", "6 blocks", "8 blocks")
    for between, inside in ((0.02, 0.02), (0.005, 0.02)):
        for trials in (2, 3):
            random = np.random.default_rng(trials)
            found = []
            for blocks in (6, 8):
                starts = random.normal(0, between, (samples, blocks, 1))
                rates = np.exp(starts + random.normal(0, inside, (samples, blocks, trials)))
                found.append(coverage([two_level(sample) for sample in rates]))
            row(f"{100 * between:g} %", f"{100 * inside:g} %", trials, *found)


def two_level(rates: np.ndarray) -> Bounds:
    interval = median_over_blocks(rates.tolist()).interval
    assert interval, "six blocks have one"
    return interval.low, interval.high


def coverage(bounds: Sequence[Bounds]) -> str:
    width = fmean(high - low for low, high in bounds) / 2
    return f"{share(low <= 1 <= high for low, high in bounds)} (±{100 * width:.1f} %)"


# --- ranks -----------------------------------------------------------------------------------------------------

Rates = np.ndarray
"""Logarithms of rates, a row for each block and a column for each server."""
Orders = set[tuple[int, int]]
"""Pairs of a faster and a slower server."""


def ours_and_holm(margin: float) -> Callable[[Rates], Orders]:
    return lambda rates: numbered(ranking(rates, margin).faster)


def ranking(rates: Rates, margin: float) -> Ranking:
    """As in a sweep: a row of which all servers are in every batch."""
    figures = {str(number): dict(enumerate(column.tolist())) for number, column in enumerate(np.exp(rates).T)}
    return rank({name: Measurement(mean) for name, mean in comparable(figures).items()}, margin)


def welch_and_holm(rates: Rates) -> Orders:
    """Without the fit: what all servers of a block had in common counts as their noise."""
    means = {str(number): log_mean(column.tolist()) for number, column in enumerate(np.exp(rates).T)}
    return numbered(rank({name: Measurement(mean) for name, mean in means.items()}).faster)


def numbered(pairs: Iterable[tuple[str, str]]) -> Orders:
    """A ranking's servers are named by their numbers."""
    return {(int(a), int(b)) for a, b in pairs}


def paired_and_holm(rates: Rates) -> Orders:
    pairs = list(combinations(range(rates.shape[1]), 2))
    one, other = np.array(pairs).T
    p = ttest_rel(rates[:, one], rates[:, other]).pvalue
    orders: Orders = set()
    for number, at in enumerate(np.argsort(p)):
        if p[at] > ALPHA / (len(pairs) - number):
            break
        orders.add(by_mean(rates, *pairs[at]))
    return orders


def tukey(rates: Rates) -> Orders:
    """Honestly significant differences of a layout of blocks and servers, one variance for all."""
    blocks, servers = rates.shape
    residuals = rates - rates.mean(0) - rates.mean(1, keepdims=True) + rates.mean()
    freedom = (blocks - 1) * (servers - 1)
    least = critical(servers, freedom) * ((residuals**2).sum() / freedom / blocks) ** 0.5
    means = rates.mean(0)
    pairs = combinations(range(servers), 2)
    return {by_mean(rates, a, b) for a, b in pairs if abs(means[a] - means[b]) > least}


@cache
def critical(servers: int, freedom: int) -> float:
    return float(studentized_range.ppf(1 - ALPHA, servers, freedom))


def by_mean(rates: Rates, one: int, other: int) -> tuple[int, int]:
    return (one, other) if rates[:, one].mean() > rates[:, other].mean() else (other, one)


TESTS: dict[str, Callable[[Rates], Orders]] = {
    "ours, margin 2 %": ours_and_holm(MINIMUM_EFFECT),
    "ours, no margin": ours_and_holm(0),
    "Welch, Holm, margin 2 %": welch_and_holm,
    "paired t, Holm": paired_and_holm,
    "Tukey HSD, blocked": tukey,
}
SPREADS = {
    "the same": (0.0, "normal"),
    "differing": (0.6, "normal"),
    "differing, skewed": (0.6, "skewed (slow tail)"),
    "differing, two levels": (0.6, "two levels"),
}
"""How the servers differ in noise (standard deviation of the logarithm of theirs), and its distribution."""
BLOCK_NOISE = 0.05
"""What all servers of a block share: standard deviation."""


def tests(samples: int) -> None:
    table(
        "Rows with any wrong order; share of pairs 5 % or more apart that are told apart (noise of 2 %, shared 5 %)",
        *("servers", "blocks", "noise of servers", *TESTS),
    )
    settings = [(servers, 6, name) for servers in (3, 6, 20, 45) for name in SPREADS]
    settings += [(20, blocks, "differing, two levels") for blocks in (3, 4, 5, 8)]
    for servers, blocks, spread_name in settings:
        spread, distribution = SPREADS[spread_name]
        random = np.random.default_rng(servers)
        wrong: dict[str, list[bool]] = {name: [] for name in TESTS}
        power: dict[str, list[bool]] = {name: [] for name in TESTS}
        for _ in range(samples // 4):
            equal = np.arange(servers) < servers // 2
            levels = np.where(equal, 0, random.normal(0, 0.15, servers))
            noise = NOISE * np.exp(random.normal(0, spread, servers))
            rates = levels + measured(random, blocks, noise, distribution)
            apart = [(a, b) for a in range(servers) for b in range(servers) if levels[a] - levels[b] > 0.05]
            for name, test in TESTS.items():
                orders = test(rates)
                wrong[name].append(any(levels[a] <= levels[b] for a, b in orders))
                power[name] += [pair in orders for pair in apart]
        row(servers, blocks, spread_name, *(f"{share(wrong[name])}, {share(power[name])}" for name in TESTS))


def measured(random: np.random.Generator, blocks: int, noise: np.ndarray, distribution: str = "normal") -> Rates:
    """Noise of every server, and what all servers of a block share."""
    drawn = DISTRIBUTIONS[distribution](random, blocks * len(noise)).reshape(blocks, len(noise))
    rates: Rates = drawn * noise + random.normal(0, BLOCK_NOISE, (blocks, 1))
    return rates


def touching(found: Ranking) -> Orders:
    ranks = found.ranks
    return numbered((a, b) for a in ranks for b in ranks if ranks[a].worst < ranks[b].best)


def counted(found: Ranking) -> Orders:
    """As in a competition: the rank is one more than the number of servers that are faster."""
    ranks = found.ranks
    return numbered((a, b) for a in ranks for b in ranks if ranks[a].best < ranks[b].best)


def grouped(found: Ranking) -> Orders:
    """Who cannot be told apart is in one group, and so is whoever cannot be told apart from any of them."""
    group = {name: name for name in found.ranks}
    for a, b in combinations(found.ranks, 2):
        if (a, b) not in found.faster and (b, a) not in found.faster:
            group = {name: group[a] if old == group[b] else old for name, old in group.items()}
    return numbered((a, b) for a, b in found.faster if group[a] != group[b])


def sweeps(samples: int) -> None:
    table(
        "Two sweeps that contradict each other somewhere; share of pairs put in an order (6 blocks, noise of 2 %)",
        *("servers", "apart", "unseen", "margin"),
        *("medians", "competition ranks", "ranges of ranks", "tested order", "groups"),
    )
    for servers in (6, 20):
        for apart in (0.0, 0.01, 0.03):
            for unseen, margin in ((0.0, 0.02), (0.01, 0.02), (0.02, 0.0), (0.02, 0.02)):
                random = np.random.default_rng(servers)
                contradicted: list[list[bool]] = []
                ordered: list[list[int]] = []
                for _ in range(samples // 4):
                    noise = NOISE * np.exp(random.normal(0, 0.5, servers))
                    first, second = (
                        shown(
                            apart * np.arange(servers) + random.normal(0, unseen, servers) + measured(random, 6, noise),
                            margin,
                        )
                        for _ in range(2)
                    )
                    contradicted.append([any((b, a) in y for a, b in x) for x, y in zip(first, second, strict=True)])
                    ordered.append([len(each) for each in first])
                pairs = servers * (servers - 1) / 2
                row(
                    servers,
                    f"{100 * apart:.0f} %",
                    f"{100 * unseen:.0f} %",
                    f"{100 * margin:.0f} %",
                    *(
                        f"{share(bad)}, {100 * fmean(good) / pairs:.0f} %"
                        for bad, good in zip(zip(*contradicted, strict=True), zip(*ordered, strict=True), strict=True)
                    ),
                )


def shown(rates: Rates, margin: float) -> list[Orders]:
    found = ranking(rates, margin)
    assert not contradictions(found, found)
    medians = np.median(rates, axis=0)
    by_median = {(a, b) for a in range(len(medians)) for b in range(len(medians)) if medians[a] > medians[b]}
    return [by_median, counted(found), touching(found), numbered(found.faster), grouped(found)]


# --- the layouts of real sweeps --------------------------------------------------------------------------------

LAYOUTS = ("2006-jdk25", "all-small", "all-large", "all-echo")
"""Published sweeps, whose servers are not all in every batch."""


def layouts(samples: int) -> None:
    """Equal servers and equal batches but for their noise, in the batches of real sweeps, with their servers' noise."""
    table(
        "Rows with any wrong order among equal servers, in the batches of published sweeps (shared noise of 5 %)",
        *("sweep", "rows", "servers", "batches of a server pair, median", "no margin", "margin 2 %"),
    )
    for name in LAYOUTS:
        analysis = analyse(read(RESULTS / PUBLISHED_SWEEPS / name))
        rows: dict[tuple[str, int], dict[str, Sequence[int]]] = {}
        for cell, summary in analysis.cells.items():
            if summary.by_batch and len(summary.by_batch) > 1:
                rows.setdefault((cell.workload, cell.level), {})[cell.server] = sorted(summary.by_batch)
        random = np.random.default_rng(12)
        wrong: dict[float, list[bool]] = {0.0: [], MINIMUM_EFFECT: []}
        for _ in range(max(1, samples // (5 * len(rows)))):
            for batches in rows.values():
                figures = _drawn(random, batches)
                means = comparable(figures)
                for margin, found in wrong.items():
                    measured_row = {server: Measurement(mean) for server, mean in means.items() if server != REFERENCE}
                    found.append(bool(rank(measured_row, margin).faster))
        shared = [
            len({*one} & {*other}) for batches in rows.values() for one, other in combinations(batches.values(), 2)
        ]
        servers = f"{min(map(len, rows.values()))} to {max(map(len, rows.values()))}"
        row(name, len(wrong[0.0]), servers, f"{np.median(shared):g}", *(share(found) for found in wrong.values()))


def _drawn(random: np.random.Generator, batches: Mapping[str, Sequence[int]]) -> dict[str, dict[int, float]]:
    """Equal servers: noise of 5 % that differs between servers (standard deviation of its logarithm: 0.6), as that of
    the published sweeps does, and what each batch does to all that are in it."""
    every = sorted({batch for of_server in batches.values() for batch in of_server})
    effects = dict(zip(every, random.normal(0, BLOCK_NOISE, len(every)), strict=True))
    figures = {}
    for server, of_server in batches.items():
        noise = 0.05 * exp(random.normal(0, 0.6))
        figures[server] = {batch: exp(effects[batch] + random.normal(0, noise)) for batch in of_server}
    return figures


# --- capacities ------------------------------------------------------------------------------------------------


def capacities(samples: int) -> None:
    """Six starts of one server. The wanted rate is anywhere between two rates of the series, and the first rate of a
    search is off by 0.3 (standard deviation of its logarithm)."""
    table(
        "How often a 95 % interval holds the rate that half (that 90 %) of the trials meet, and half its mean width",
        *("slope", "spread of starts", "trials of a start", "half: ours", "Student", "median of starts", "widened"),
        *("90 %: ours", "error of half", "error of 90 %"),
    )
    for slope, spread in ((0.14, 0.12), (0.08, 0.06), (0.2, 0.2), (0.06, 0.25), (0.2, 0.05)):
        random = np.random.default_rng(7)
        lower = _ninety(slope, spread)
        trials, widened = [], []
        found: dict[str, list[Bounds]] = {"ours": [], "student": [], "median": [], "ninety": []}
        errors: dict[str, list[float]] = {"half": [], "ninety": []}
        for _ in range(samples):
            middle = 30_000 * exp(random.uniform(0, 0.25))
            starts = [_searched(random, middle * exp(random.normal(0, spread)), middle, slope) for _ in range(6)]
            fitted = curve(starts)
            assert fitted.half.interval, "six starts have one"
            assert fitted.ninety.interval, "six starts have one"
            rates = np.array(fitted.starts) / middle
            trials.append(fmean(map(len, starts)))
            interval = fitted.half.interval
            found["ours"].append((interval.low / middle, interval.high / middle))
            found["student"].append(student(rates))
            found["median"].append(ours(rates))
            interval = fitted.ninety.interval
            found["ninety"].append((interval.low / middle / lower, interval.high / middle / lower))
            errors["half"].append(log(fitted.half.value / middle))
            errors["ninety"].append(log(fitted.ninety.value / middle / lower))
            tried = {rate for steps in starts for rate, _ in steps}
            widened.append(bool({fitted.half.interval.low, fitted.half.interval.high} & {*map(_exactly, tried)}))
        row(
            *(slope, spread, f"{fmean(trials):.1f}", coverage(found["ours"]), coverage(found["student"])),
            *(coverage(found["median"]), share(widened), coverage(found["ninety"])),
            *(f"{100 * np.std(each):.1f} %" for each in errors.values()),
        )


def _searched(random: np.random.Generator, capacity: float, middle: float, slope: float) -> list[tuple[int, bool]]:
    """Return the steps of the search of one start, half of whose trials meet that capacity."""
    steps: list[tuple[int, bool]] = []

    def meets(rate: int) -> bool:
        met = bool(random.random() < expit(log(capacity / rate) / slope))
        steps.append((rate, met))
        return met

    search(round(middle * exp(random.normal(0, 0.3))), 100, 1_000_000, meets)
    return steps


def _ninety(slope: float, spread: float) -> float:
    """Return the rate that 90 % of the trials of many starts meet, as a share of that which half meet."""
    shifts = norm.ppf((np.arange(4_000) + 0.5) / 4_000) * spread
    return exp(brentq(lambda place: float(expit((shifts - place) / slope).mean()) - 0.9, -5, 0))


def _exactly(rate: int) -> float:
    return float(np.exp(log(rate)))


# --- a race ----------------------------------------------------------------------------------------------------

_SERVERS = 45
_MORE = 3
"""Rounds after the first six."""


def race(samples: int) -> None:
    """After six rounds: three more of all servers, or as many starts of those servers alone that have a pair which is
    neither told apart nor tied within the margin."""
    table(
        f"A race of {_SERVERS} servers (noise of 3 %, differing; shared 5 %): pairs told apart, rows with wrong orders",
        *("servers differ by (sd)", "settled servers after 6 rounds", "6 rounds", "9 rounds of all", "the race"),
    )
    for spread in (0.15, 0.4, 0.8):
        random = np.random.default_rng(9)
        settled, told, wrong = [], [], []
        for _ in range(samples // 20):
            levels = random.normal(0, spread, _SERVERS)
            noise = 0.03 * np.exp(random.normal(0, 0.6, _SERVERS))
            rates = levels + measured(random, 6 + _MORE, noise)
            begin = dict(enumerate(rates[:6]))
            open_ = np.array(sorted(_open_servers(begin)), dtype=int)
            settled.append(_SERVERS - len(open_))
            raced = dict(begin)
            starts, block = _MORE * _SERVERS, 6
            while starts and len(open_):
                here = open_[:starts]
                row_of = np.full(_SERVERS, np.nan)
                row_of[here] = (levels + measured(random, 1, noise)[0])[here]
                raced[block] = row_of
                starts, block = starts - len(here), block + 1
            found = [_faster(each) for each in (begin, dict(enumerate(rates)), raced)]
            told.append([len(each) for each in found])
            wrong.append([any(levels[a] <= levels[b] for a, b in each) for each in found])
        shares = map(share, zip(*wrong, strict=True))
        row(
            spread,
            f"{fmean(settled):.1f}",
            *(f"{number:.0f}, {wrongly}" for number, wrongly in zip(np.mean(told, axis=0), shares, strict=True)),
        )


def _means(rounds: dict[int, Rates]) -> dict[str, LogMean]:
    figures = {
        str(server): {block: exp(logs[server]) for block, logs in rounds.items() if not np.isnan(logs[server])}
        for server in range(_SERVERS)
    }
    return comparable(figures)


def _faster(rounds: dict[int, Rates]) -> Orders:
    return numbered(rank({server: Measurement(mean) for server, mean in _means(rounds).items()}).faster)


def _open_servers(rounds: dict[int, Rates]) -> set[int]:
    """Two are tied if one-sided tests at 5 % exclude a difference of the margin in either direction."""
    faster, means = _faster(rounds), _means(rounds)
    return {
        server
        for pair in combinations(range(_SERVERS), 2)
        if pair not in faster and pair[::-1] not in faster and not _tied(means[str(pair[0])], means[str(pair[1])])
        for server in pair
    }


def _tied(first: LogMean, second: LogMean) -> bool:
    found = log_ratio([(first, second)])
    reach = t.ppf(0.95, found.degrees_of_freedom) * found.standard_error
    return bool(abs(found.value) + reach < log(1 + MINIMUM_EFFECT))


# --- printing --------------------------------------------------------------------------------------------------


def table(title: str, *columns: str) -> None:
    print(f"\n**{title}**\n")
    row(*columns)
    row(*["---"] * len(columns))


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def share(found: Iterable[bool]) -> str:
    return f"{100 * fmean(map(float, found)):.1f} %"


if __name__ == "__main__":
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for part in (intervals, within, tests, layouts, sweeps, capacities, race):
        part(samples)
