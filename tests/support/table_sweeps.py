"""Sweeps with what tables have to show: figures, gaps, reasons, a ceiling, and six blocks."""

from __future__ import annotations

from support.builders import (
    NOON,
    SPREAD,
    failed_trial,
    not_measured,
    noted,
    outcome,
    rejected,
    served,
    server,
    skips,
    sweep,
    trial,
    usage,
)

from ab_runner.load.ab_output import Failures
from ab_runner.model.load import Limit
from ab_runner.model.records import EndRecord, StartRecord
from ab_runner.model.trial import AFTER, BEFORE, Trial
from ab_runner.report.document import Table
from ab_runner.store.reader import Stored

SERVERS = (
    server("jetty-5.1.10"),
    server("resin-3.0.9", workloads=("small",)),
    server("tomcat-5.5.15"),
    server("tomcat-5.5.15-defaults"),
)
TIMEOUT = "apr_pollset_poll: The timeout specified has expired (70007)"
TRUNCATED = trial(
    "tomcat-5.5.15-defaults", "large", 100,
    outcome=outcome(requests_per_second=190.1, complete=10_000, failures=Failures(length=9_991)),
    verdict=rejected("9991 failed"),
)  # fmt: skip
REFERENCE = server("ceiling", kind="c", workloads=("echo", "small", "small-keepalive", "large"))
JAVA = """\
openjdk version "25.0.3" 2026-04-21
OpenJDK Runtime Environment (build 25.0.3+9-2-Debian)
OpenJDK 64-Bit Server VM (build 25.0.3+9-2-Debian, mixed mode, sharing)"""
RECORDS = (
    StartRecord(block=1, server="jetty-5.1.10", start=1, at=NOON, seconds=0.5, environment={"version": JAVA}),
    StartRecord(block=1, server="tomcat-5.5.15", start=2, at=NOON, seconds=0.5, environment={"version": JAVA}),
    trial("ceiling", "small", 1, block=BEFORE, jdk=None, outcome=outcome(requests_per_second=18_000.0)),
    trial("ceiling", "large", 1, block=BEFORE, jdk=None, outcome=outcome(requests_per_second=2_000.0)),
    trial("jetty-5.1.10", "small", 1, outcome=outcome(requests_per_second=2308.4)),
    failed_trial("jetty-5.1.10", "small", 100, "timeout", TIMEOUT),
    trial("jetty-5.1.10", "large", 1, outcome=outcome(requests_per_second=12.3456)),
    not_measured("jetty-5.1.10", "large", 100, "does not start", "line one\nline | two"),
    not_measured("resin-3.0.9", "small", 1, "no keep-alive"),
    not_measured("resin-3.0.9", "small", 100, "no keep-alive"),
    trial("tomcat-5.5.15", "small", 1, verdict=noted("99.0 % kept alive")),
    trial("tomcat-5.5.15", "small", 100, block=1, outcome=outcome(requests_per_second=10_000.0)),
    trial("tomcat-5.5.15", "small", 100, block=2, outcome=outcome(requests_per_second=14_000.0)),
    failed_trial("tomcat-5.5.15", "small", 100, "reset", "apr_socket_recv: Connection reset by peer (104)", block=3),
    trial("tomcat-5.5.15-defaults", "small", 1, outcome=outcome(percentiles={})),
    TRUNCATED,
    trial("ceiling", "small", 1, block=AFTER, jdk=None, outcome=outcome(requests_per_second=17_800.0)),
    trial("ceiling", "large", 1, block=AFTER, jdk=None, outcome=outcome(requests_per_second=1_800.0)),
    EndRecord(at=NOON, reason="finished"),
)
STORED = Stored(
    sweep(*SERVERS, reference=REFERENCE, skipped=skips({"merecat-2.31": "merecat is not installed"})), RECORDS
)
UNDER_A_CEILING = Stored(
    sweep(REFERENCE, *SERVERS, reference=REFERENCE),
    (
        trial("ceiling", "small", 1, outcome=outcome(requests_per_second=20_000.0)),
        trial("ceiling", "small", 100, block=1, outcome=outcome(requests_per_second=12_000.0)),
        trial("ceiling", "small", 100, block=2, outcome=outcome(requests_per_second=10_000.0)),
        trial("ceiling", "large", 1, outcome=outcome(requests_per_second=2_000.0)),
        failed_trial("ceiling", "large", 100, "timeout", TIMEOUT),
        *RECORDS,
    ),
)


def six_blocks(
    server: str, rate: float, efficiency: float, concurrency: int, limit: Limit | None = None, share: float = 1.0,
    is_timed: bool = False,
) -> list[Trial]:  # fmt: skip
    """Return trials with a rate and a CPU efficiency (requests per CPU-second) that spread by two per cent over the
    blocks. `share`: of the connections served."""
    return [
        trial(
            server, "small", concurrency, block=block, limit=limit,
            outcome=(
                served(rate * by, concurrency, share, is_timed, complete=round(rate * by))
                if share < 1
                else outcome(requests_per_second=rate * by, complete=round(rate * by))
            ),
            usage=usage(server_cpu_seconds=rate / efficiency),
        )
        for block, by in enumerate(SPREAD, 1)
    ]  # fmt: skip


STANDARD = Stored(
    sweep(REFERENCE, *SERVERS[:3], reference=REFERENCE),
    (
        *six_blocks("ceiling", 19_000.0, 42_000.0, 100, "generator"),
        *six_blocks("jetty-5.1.10", 14_000.0, 14_000.0, 1, "server"),
        *six_blocks("tomcat-5.5.15", 14_100.0, 14_100.0, 1, "server"),
        *six_blocks("jetty-5.1.10", 18_000.0, 20_000.0, 100, "generator"),
        *six_blocks("tomcat-5.5.15", 17_000.0, 30_000.0, 100),
        *six_blocks("resin-3.0.9", 13_900.0, 14_000.0, 1, "server"),
        *six_blocks("resin-3.0.9", 25_000.0, 40_000.0, 100, "generator", share=0.26, is_timed=True),
        EndRecord(at=NOON, reason="finished"),
    ),
)
"""Six blocks of three servers: alike in rate at 1. At 100 ab was the limit of jetty, which is faster than tomcat and
takes more CPU time; resin has the highest rate of all, because it serves a quarter of the connections."""


def texts_of(table: Table) -> dict[str, tuple[str, ...]]:
    """Return the figures of a table by the name in each row."""
    return {row[0].text: tuple(cell.text for cell in row[1:]) for row in table.rows}


def text_at(table: Table, server: str, concurrency: int) -> str:
    """Return how a cell of a table reads."""
    return texts_of(table)[server][table.headings.index(f"c={concurrency}") - 1]
