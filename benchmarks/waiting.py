#!/usr/bin/env python3
"""How many requests can wait: threads, fibers, asynchronous servers and virtual threads, across the two studies of it.

    PYTHONPATH=src .venv/bin/python benchmarks/waiting.py      # the table in docs/results.md

At once, and memory: jvm-concurrency-2016. The rates at which a server goes on answering requests that do not need the
slow service, and at which it stops, and p99 when healthy: fibers-2014. All of it is from published sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from statistics import median

import msgspec

from ab_runner.analysis.sweep_analysis import SweepAnalysis, analyse
from ab_runner.analysis.trial_figures import TrialFigures
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.studies import read_study
from ab_runner.history.quantities import Quantities, of_trial, trials_by_cell
from ab_runner.history.request_counts import ALL
from ab_runner.history.study_rows import study_rows
from ab_runner.model.trial import Cell
from ab_runner.paths import RESULTS
from ab_runner.report.say.numbers import NONE, latency_figure
from ab_runner.stats.estimate import Estimate
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.reader import read

CONCURRENCY, FIBERS = "jvm-concurrency-2016", "fibers-2014"
SLOW, HEALTHY, HEALTHY_RATE = "service-5s", "service-50ms", 100
OF_SLOW, OF_HEALTHY = ("threads", "fibers", "others"), ("threads-healthy", "fibers-healthy", "others-healthy")


class System(msgspec.Struct, frozen=True):
    """A server by its ids in both studies; empty where a study does not have it."""

    kind: str
    name: str
    at_once: str
    rates: str = ""


SYSTEMS = (
    System("threads", "Jetty 9", "jetty-9.3-servlet-sync", "jetty-9.2-threads-200"),
    System("threads", "Tomcat 8.0", "tomcat-8.0-servlet-sync", "tomcat-8.0-threads-200"),
    System("threads", "Undertow 1", "undertow-1.3-servlet-sync", "undertow-1.0-threads-200"),
    System("threads", "Jetty 12.1", "jetty-12.1-threads", "jetty-12.1-threads-200"),
    System("threads", "Tomcat 11", "tomcat-11-threads", "tomcat-11-threads-200"),
    System("threads", "JDK's server", "jdk-httpserver-threads", "jdk-httpserver-threads-200"),
    System("fibers", "Jetty 9", "comsat-jetty-9.3", "jetty-9.2-fibers"),
    System("fibers", "Tomcat 8.0", "comsat-tomcat-8.0", "tomcat-8.0-fibers"),
    System("fibers", "Undertow 1", "comsat-undertow-1.3", "undertow-1.0-fibers"),
    System("asynchronous", "Jetty 9", "jetty-9.3-servlet-async"),
    System("asynchronous", "Netty 4.2", "netty-4.2-timers", "netty-4.2-event-loop"),
    System("virtual threads", "Jetty 12.1", "jetty-12.1-virtual-threads", "jetty-12.1-virtual-threads"),
    System("virtual threads", "Tomcat 11", "tomcat-11-virtual-threads", "tomcat-11-virtual-threads"),
    System("virtual threads", "JDK's server", "jdk-httpserver-virtual-threads", "jdk-httpserver-virtual-threads"),
    System("virtual threads", "Helidon 4", "helidon-4-virtual-threads", "helidon-4-virtual-threads"),
)


def table() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| | | at once, of 10,800 | goes on at, stops at (1/s) | p99 when healthy, ms | bytes/waiting request |"
    yield "|---|---|--:|--:|--:|--:|"
    for each in SYSTEMS:
        cells = (at_once(each), rates(each), healthy(each), memory(each))
        yield f"| {each.kind} | {each.name} | {' | '.join(cells)} |"


def at_once(system: System) -> str:
    found = starts(CONCURRENCY, "at-once", Cell(system.at_once, "wait-10s", 3_600))
    return f"{median(each.answered or 0 for each in found):,.0f}" if found else NONE


def rates(system: System) -> str:
    """Return the highest rate at which every start answered what does not need the slow service until the end, and the
    lowest at which one did not."""
    goes_on: list[int] = []
    stops: list[int] = []
    for sweep in OF_SLOW:
        for cell in cells(FIBERS, sweep):
            if (cell.server, cell.workload) == (system.rates, SLOW):
                shares = [each.beside_answered or 0.0 for each in starts(FIBERS, sweep, cell)]
                (goes_on if min(shares) >= ALL else stops).append(cell.level)
    if not goes_on and not stops:
        return NONE
    return f"{max(goes_on, default=NONE)}, {min(stops, default=NONE)}"


def healthy(system: System) -> str:
    for sweep in OF_HEALTHY:
        found = starts(FIBERS, sweep, Cell(system.rates, HEALTHY, HEALTHY_RATE))
        if known := [each.latency_p99 for each in found if each.latency_p99 is not None]:
            return latency_figure(median(known))
    return NONE


def memory(system: System) -> str:
    found = waiting_bytes().get(system.at_once)
    if found is None:
        return NONE
    around = f" ({found.interval.low:,.0f} to {found.interval.high:,.0f})" if found.interval else ""
    return f"{found.value:,.0f}{around}"


# --- what was published ------------------------------------------------------------------------------------------


@cache
def sweep_of(study: str, name: str) -> SweepAnalysis:
    return analyse(read(RESULTS / PUBLISHED_SWEEPS / f"{study}-{name}"))


@cache
def cells(study: str, name: str) -> Mapping[Cell, Sequence[TrialFigures]]:
    return trials_by_cell(sweep_of(study, name).trials)


def starts(study: str, name: str, cell: Cell) -> list[Quantities]:
    """Return what each start measured, as far as it has an outcome."""
    return [of_trial(each) for each in cells(study, name).get(cell, ())]


@cache
def waiting_bytes() -> Mapping[str, Estimate | None]:
    """Return what a waiting request takes of the server's memory, by server."""
    study = read_study(CONCURRENCY, load_catalog(study=CONCURRENCY).servers)
    rows = [row for each in study_rows(sweep_of(CONCURRENCY, "memory"), study) for row in each.rows]
    return {row.server: row.quantities.waiting_bytes for row in rows if row.quantities.waiting_bytes is not None}


if __name__ == "__main__":
    print("\n".join(table()))
