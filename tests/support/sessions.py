"""Sessions of one result: sweeps of the same servers at other hours, with what reports have to show of several."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from support.builders import NOON, blocks, failed_trial, server, sweep

from ab_runner.model.protocol import PROTOCOLS
from ab_runner.model.records import EndRecord, Record
from ab_runner.model.server import REFERENCE, Server
from ab_runner.store.reader import Stored

CEILING = server(REFERENCE, workloads=("small",))
SERVERS = (
    CEILING,
    server("jetty-5.1.10", workloads=("small",), published="jetty-5.1.10"),
    server("resin-3.0.9", workloads=("small",), published="resin-3.0.18"),
    server("tomcat-5.5.15", workloads=("small",), published="tomcat-5.5.15"),
    server("tomcat-11", workloads=("small",), released=datetime.date(2026, 8, 12)),
    server("nginx-1.26", workloads=("small",), kind="debian"),
)
RATES = {"jetty-5.1.10": 5_000.0, "resin-3.0.9": 8_000.0, "tomcat-5.5.15": 8_400.0, "tomcat-11": 12_000.0}


def session(number: int, records: Sequence[Record], servers: Sequence[Server] = SERVERS, **changes: Any) -> Stored:
    """The session that began so many times seven hours after noon, with these changes of its sweep."""
    made = sweep(
        *servers, reference=CEILING, id=f"session-{number}", started=NOON + number * datetime.timedelta(hours=7)
    )
    request = replace(made.request, protocol=PROTOCOLS["standard"], workloads=("small",))
    return Stored(replace(made, **{"request": request, **changes}), (*records, EndRecord(at=NOON, reason="finished")))


def rates(of: Mapping[str, float], level: int = 1, by: float = 1.0) -> list[Record]:
    """Six blocks of each of these servers at a level."""
    return [trial for name, rate in of.items() for trial in blocks(name, rate * by, level)]


FIRST = session(
    1,
    [
        *rates(RATES | {REFERENCE: 20_000.0}),
        *blocks("nginx-1.26", 11_000.0, 1),
        *rates(RATES, 100, 1.1),
        *blocks("nginx-1.26", 15_000.0, 100, limit="generator"),
    ],
)
SECOND = session(
    2,
    [
        *rates({"jetty-5.1.10": 7_900.0, "resin-3.0.9": 12_200.0, "tomcat-5.5.15": 12_500.0, "tomcat-11": 18_800.0}),
        *blocks("nginx-1.26", 17_500.0, 1),
        *rates({REFERENCE: 31_000.0}),
        *rates({"jetty-5.1.10": 8_100.0, "tomcat-5.5.15": 14_600.0, "tomcat-11": 19_900.0}, 100),
        *(failed_trial("resin-3.0.9", "small", 100, "timeout", block=block) for block in range(1, 7)),
        *blocks("nginx-1.26", 23_000.0, 100),
    ],
    machine=replace(FIRST.sweep.machine, cpu_model="EPYC", kernel="6.12.0"),
)
"""On another machine, which is about 1.5 times as fast. Resin fails at 100, where ab limited nginx the first time."""
