#!/usr/bin/env python3
"""How many requests can wait: threads, fibers, asynchronous servers and virtual threads, across the two studies of it.

    PYTHONPATH=src .venv/bin/python benchmarks/waiting.py      # the table of docs/results.md; draws its picture

At once, and memory: jvm-concurrency-2016. The rates at which a server goes on answering requests that do not need the
slow service, and at which it stops, and p99 when healthy: fibers-2014. All of it is from published sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import msgspec

from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.analysis.trial_figures import TrialFigures
from ab_runner.history.quantities import Quantities, memory_per_waiting, of_trial, trials_by_cell
from ab_runner.history.request_counts import ALL
from ab_runner.model.trial import Cell
from ab_runner.paths import RESULTS, ROOT
from ab_runner.report.charts import vega
from ab_runner.report.charts.gallery import titled
from ab_runner.report.charts.parts import NEUTRAL, NEW, OLD, Spec, faceted, logarithmic_axis, rate_axis, rows_of
from ab_runner.report.say.numbers import NONE, latency_figure
from ab_runner.stats.estimate import Estimate, median_of_known
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.reader import read

AT_ONCE, MEMORY = "jvm-concurrency-2016-at-once", "jvm-concurrency-2016-memory"
SLOW = ("fibers-2014-threads", "fibers-2014-fibers", "fibers-2014-others")
HEALTHY = tuple(f"{each}-healthy" for each in SLOW)
PICTURE = ROOT / "docs/charts/waiting.svg"
COLOURS = {"threads": NEUTRAL, "fibers": NEW, "asynchronous": "#2f8f6b", "virtual threads": OLD}


class System(msgspec.Struct, frozen=True):
    """A server by its ids in both studies; empty where a study does not have it."""

    kind: str
    name: str
    at_once: str
    rates: str = ""


SYSTEMS = (
    System("threads", "Jetty 9.3", "jetty-9.3-servlet-sync", "jetty-9.2-threads-200"),
    System("threads", "Tomcat 8.0", "tomcat-8.0-servlet-sync", "tomcat-8.0-threads-200"),
    System("threads", "Undertow 1.3", "undertow-1.3-servlet-sync", "undertow-1.0-workers-200"),
    System("threads", "Jetty 12.1", "jetty-12.1-threads", "jetty-12.1-threads-200"),
    System("threads", "Tomcat 11", "tomcat-11-threads", "tomcat-11-threads-200"),
    System("threads", "JDK's server", "jdk-httpserver-threads", "jdk-httpserver-threads-200"),
    System("fibers", "Jetty 9.3", "comsat-jetty-9.3", "jetty-9.2-fibers"),
    System("fibers", "Tomcat 8.0", "comsat-tomcat-8.0", "tomcat-8.0-fibers"),
    System("fibers", "Undertow 1.3", "comsat-undertow-1.3", "undertow-1.0-fibers"),
    System("asynchronous", "Jetty 9.3", "jetty-9.3-servlet-async"),
    System("asynchronous", "Netty 4.2", "netty-4.2-timers", "netty-4.2-event-loop"),
    System("virtual threads", "Jetty 12.1", "jetty-12.1-virtual-threads", "jetty-12.1-virtual-threads"),
    System("virtual threads", "Tomcat 11", "tomcat-11-virtual-threads", "tomcat-11-virtual-threads"),
    System("virtual threads", "JDK's server", "jdk-httpserver-virtual-threads", "jdk-httpserver-virtual-threads"),
    System("virtual threads", "Helidon 4", "helidon-4-virtual-threads", "helidon-4-virtual-threads"),
)

NOTES = (
    "- at once ([2016](../studies/jvm-concurrency-2016/README.md)): right answers within 15 s, of 10,800 requests that "
    "ask to wait 10 s; 2,000 threads where threads wait, in Undertow 1,000; 2,000 connections in Tomcat 8.0",
    "- goes on, stops ([2014](../studies/fibers-2014/README.md)): the highest rate at which requests that do not need "
    "a service of 5 s were answered until the end, and the lowest at which they were not, of the rates that were "
    "measured; 200 threads, fibers on 40; Jetty 9.2, Undertow 1.0",
    "- p99 (2014): at 100/s, with a service of 50 ms; 200 threads, fibers on 40; Jetty 9.2, Undertow 1.0",
    "- KiB (2016): the server's highest memory with 9,000 requests that wait, less that with as many that do not, on "
    "the same connections; 10,000 threads where threads wait; the median of six starts with its 95 % interval; growth "
    "of a heap and stacks are in it, but not the stacks of the JDK's server on threads, which has all 10,000 without a "
    "wait too",
)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a system; None is not measured."""

    system: System
    at_once: float | None
    """Requests that waited at the same time: the median over starts."""
    goes_on: int | None
    """The highest rate at which every start answered what does not need the slow service until the end."""
    stops: int | None
    """The lowest at which one did not."""
    p99: float | None
    """In milliseconds, with a fast service: the median over starts."""
    waiting: Estimate | None
    """Bytes of memory for each request that waits."""


def rows() -> Iterator[Row]:
    """Yield a row for each system."""
    for system in SYSTEMS:
        at_once = [each.answered for each in starts(AT_ONCE, Cell(system.at_once, "wait-10s", 3_600))]
        goes_on, stops = rates(system.rates)
        healthy = [
            each.latency_p99 for name in HEALTHY for each in starts(name, Cell(system.rates, "service-50ms", 100))
        ]
        memory = memory_per_waiting(
            trials(MEMORY, Cell(system.at_once, "wait-10s", 3_000)),
            trials(MEMORY, Cell(system.at_once, "wait-none", 3_000)),
            10_000,
        )
        yield Row(
            system=system, at_once=median_of_known(at_once), goes_on=goes_on, stops=stops, p99=median_of_known(healthy),
            waiting=memory,
        )  # fmt: skip


def rates(server: str) -> tuple[int | None, int | None]:
    """Return the highest rate at which a server goes on, and the lowest at which it does not."""
    shares = {
        cell.level: [each.beside_answered or 0.0 for each in starts(name, cell)]
        for name in SLOW
        for cell in cells(name)
        if (cell.server, cell.workload) == (server, "service-5s")
    }
    goes_on = [rate for rate, found in shares.items() if min(found) >= ALL]
    return max(goes_on, default=None), min(shares.keys() - goes_on, default=None)


# --- what it is shown as -----------------------------------------------------------------------------------------


def table(found: Sequence[Row]) -> Iterator[str]:
    """Yield the lines of the table, and of the notes below it."""
    yield "| | | at once, of 10,800 | goes on at, stops at (1/s) | p99, fast service, ms | KiB for each that waits |"
    yield "|---|---|--:|--:|--:|--:|"
    for row in found:
        both = NONE if row.goes_on is row.stops is None else f"{row.goes_on or NONE}, {row.stops or NONE}"
        figures = (
            NONE if row.at_once is None else f"{row.at_once:,.0f}",
            both,
            NONE if row.p99 is None else latency_figure(row.p99),
            kib(row.waiting),
        )
        yield f"| {row.system.kind} | {row.system.name} | {' | '.join(figures)} |"
    yield from ("", *NOTES)


def kib(memory: Estimate | None) -> str:
    if memory is None:
        return NONE
    around = f" ({memory.interval.low / 1024:,.1f} to {memory.interval.high / 1024:,.1f})" if memory.interval else ""
    return f"{memory.value / 1024:,.1f}{around}"


def drawn(row: Row) -> dict[str, str | float | None]:
    """Return what the chart has of a system."""
    memory = row.waiting
    interval = memory.interval if memory else None
    return {
        "system": f"{row.system.name}, {row.system.kind}",
        "kind": row.system.kind,
        "at_once": row.at_once,
        "memory": memory.value / 1024 if memory else None,
        "low": interval.low / 1024 if interval else None,
        "high": interval.high / 1024 if interval else None,
    }


def picture(found: Sequence[Row]) -> Spec:
    """Return the chart of how many wait at once, and of the memory of each."""
    data = [drawn(row) for row in found]
    order = [each["system"] for each in data]
    y = rows_of("system", [])
    y |= {"scale": {"domain": order}, "axis": {**y["axis"], "labelLimit": 260}}
    colour: Spec = {
        "field": "kind", "legend": None, "scale": {"domain": list(COLOURS), "range": list(COLOURS.values())},
    }  # fmt: skip
    many = rate_axis("at_once", {"title": "requests that wait at once, of 10,800", "orient": "top", "grid": True})
    memory = logarithmic_axis("memory for each that waits, KiB (95 % interval)")
    without = {**y, "axis": {**y["axis"], "labels": False}}
    panels: list[Spec] = [
        {"mark": {"type": "bar", "height": 9}, "encoding": {"y": y, "x": many, "color": colour}},
        {
            "transform": [{"filter": "isValid(datum.memory)"}],
            "encoding": {"y": without, "color": colour},
            "layer": [
                {
                    "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
                    "encoding": {"x": {**memory, "field": "low"}, "x2": {"field": "high"}},
                },
                {
                    "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
                    "encoding": {"x": {**memory, "field": "memory"}},
                },
            ],
        },
    ]
    spec = faceted("systems", hconcat=[{"width": 330, "height": {"step": 19}, **each} for each in panels], spacing=14)
    return titled(
        spec | {"data": {"name": "systems", "values": data}},
        "how many requests wait at once, and the memory of each",
        "jvm-concurrency-2016: threads, fibers, asynchronous servers and virtual threads",
    )


# --- what was published ------------------------------------------------------------------------------------------


@cache
def cells(sweep: str) -> Mapping[Cell, Sequence[TrialFigures]]:
    """Return the trials of a published sweep that have an outcome."""
    return trials_by_cell(analyse(read(RESULTS / PUBLISHED_SWEEPS / sweep)).trials)


def trials(sweep: str, cell: Cell) -> Sequence[TrialFigures]:
    return cells(sweep).get(cell, ())


def starts(sweep: str, cell: Cell) -> list[Quantities]:
    """Return what each start measured."""
    return [of_trial(each) for each in trials(sweep, cell)]


if __name__ == "__main__":
    measured = list(rows())
    print("\n".join(table(measured)))
    PICTURE.write_text(vega.svg(picture(measured)))
