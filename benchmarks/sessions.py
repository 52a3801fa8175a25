#!/usr/bin/env python3
"""Which sessions of the published result are there, which are due, and how well do the others predict each of them?

make sessions

A session of NAME is published as results/sweeps/NAME-1, NAME-2 and so on, so that `./ab-runner report
results/sweeps/NAME-*` shows the result.
"""

from __future__ import annotations

import datetime
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import permutations
from math import exp, log
from pathlib import Path
from statistics import median

import msgspec

from ab_runner.analysis.sessions import together
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.records import EndRecord
from ab_runner.model.server import REFERENCE
from ab_runner.paths import RESULTS, ROOT
from ab_runner.stats.pairing import Measurement
from ab_runner.stats.ranking import Ranking, contradictions
from ab_runner.stats.sessions import layout
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.reader import Stored, read

WANTED = 3
HOURS_APART = datetime.timedelta(hours=6)
"""Seven hours later, 5 % of the medians of a sweep were within its intervals (docs/statistics.md)."""
SWEEPS = {
    "2006-newest": "--servers @2006-newest --workloads echo,small,small-keepalive,large",
    "core-rates": "--servers @core --workloads small-keepalive --rate 1000,2000,5000,10000 --duration 8",
    "core-slo": "--servers @core --workloads small-keepalive --slo p99=10ms",
}
"""The sweeps of the published result, with the options that ask for them."""
LARGE = 0.25
"""A difference between two servers of which most should be told."""


def main(published: Path) -> None:
    for name in SWEEPS:
        print("\n".join(lines_of(name, published)), end="\n\n")


def folders_of(name: str, published: Path) -> dict[int, Path]:
    """Return the sessions of a sweep that are there, by their numbers."""
    folders = {number: published / f"{name}-{number}" for number in range(1, WANTED + 1)}
    return {number: folder for number, folder in folders.items() if folder.is_dir()}


def lines_of(name: str, published: Path) -> Iterator[str]:
    """Yield what there is of a sweep, and the commands that run and publish the session that is due."""
    found = {number: read(folder) for number, folder in folders_of(name, published).items()}
    yield f"{name}: {len(found)} of {WANTED} sessions"
    for number, stored in found.items():
        machine = stored.sweep.machine
        begun = f"{stored.sweep.started:%Y-%m-%d %H:%M} to {_end(stored):%H:%M} UTC"
        yield f"  {name}-{number}: {begun}, {machine.cpu_model}, {machine.cpus} CPUs"
    due = next((number for number in range(1, WANTED + 1) if number not in found), None)
    if due is None:
        yield f"  complete: ./ab-runner report {(published / name).relative_to(ROOT)}-*"
        return
    if found:
        after = max(map(_end, found.values())) + HOURS_APART
        yield f"  {name}-{due} is due from {after:%Y-%m-%d %H:%M} UTC on, or on another machine:"
    else:
        yield f"  {name}-{due} is due:"
    yield f"    ./ab-runner --protocol standard --runtime docker --jdk 25 {SWEEPS[name]}"
    yield f"    ./ab-runner publish results/latest {name}-{due}"


def _end(stored: Stored) -> datetime.datetime:
    return next((each.at for each in reversed(stored.records) if isinstance(each, EndRecord)), stored.sweep.started)


class LeftOut(msgspec.Struct, frozen=True):
    """How well all but one session say what that one shows, over all of them. `covered` has for each relative figure
    whether it is in its interval for another session, and `widths` half the widths of these; both are empty of two
    sessions, because one alone has no such interval. `opposite` are pairs that the others order one way and the one
    left out the other way. Of `large` pairs, which differ by `LARGE` or more in the one left out and are compared by
    the others, these order `told` as it does."""

    covered: tuple[bool, ...]
    widths: tuple[float, ...]
    opposite: int
    large: int
    told: int

    @property
    def coverage(self) -> float:
        return sum(self.covered) / len(self.covered)

    @property
    def width(self) -> float:
        return median(self.widths)


def leave_one_out(sessions: Sequence[SweepAnalysis]) -> LeftOut:
    """Return how well the others predict each of two sessions or more."""
    covered: list[bool] = []
    widths: list[float] = []
    opposite = large = told = 0
    for left in sessions:
        rest = [each for each in sessions if each is not left]
        result = together([(each.sweep.id, each) for each in rest])
        for at, compared in enumerate(result.compared):
            for place in dict.fromkeys((*compared.rankings, *compared.bases)):
                ranking = compared.rankings.get(place, Ranking({}))
                measured = [_measured(each, at, *place) for each in (left, *rest)]
                opposite += len(contradictions(ranking, left.compared[at].rankings.get(place, Ranking({}))))
                for better, worse in _large(measured[0], ranking.ranks):
                    if (min(better, worse), max(better, worse)) not in ranking.not_compared:
                        large += 1
                        told += (better, worse) in ranking.faster
                common = set.intersection(*map(set, measured))
                here, *others = ({server: row[server].mean.value for server in common} for row in measured)
                if len(others) < 2 or len(common) < 2:
                    continue
                seen, expected = layout([here]), layout(others)
                for server in common:
                    interval = expected.relative(server, in_another_session=True)
                    assert interval.interval is not None
                    assert interval.relative_half_width is not None
                    covered.append(interval.interval.low <= exp(seen.effects[server]) <= interval.interval.high)
                    widths.append(interval.relative_half_width)
    return LeftOut(tuple(covered), tuple(widths), opposite, large, told)


def _measured(analysis: SweepAnalysis, at: int, workload: str, level: int) -> dict[str, Measurement]:
    """Return what is compared of a row, by server."""
    return {
        cell.server: each
        for cell, each in analysis.compared[at].measurements.items()
        if (cell.workload, cell.level) == (workload, level) and cell.server != REFERENCE
    }


def _large(row: Mapping[str, Measurement], ranked: Container[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of ranked servers that differ so much in a row, the better one first. A worse one whose figure is
    a lower bound may not be worse."""
    known = {server: each for server, each in row.items() if server in ranked}
    for better, worse in permutations(known, 2):
        ahead = known[better].mean.value - known[worse].mean.value
        if ahead >= log(1 + LARGE) and not known[worse].is_lower_bound:
            yield better, worse


if __name__ == "__main__":
    main(RESULTS / PUBLISHED_SWEEPS)
