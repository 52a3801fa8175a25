"""A sweep of three servers, with what a report has to show: figures, gaps and reasons."""

from __future__ import annotations

from msgspec.structs import replace
from support.builders import NOON, failed_trial, outcome, server, sweep, trial

from ab_runner.catalog.studies import read_study
from ab_runner.catalog.study_figures import Figure
from ab_runner.model.protocol import DEFAULT_STUDY
from ab_runner.model.records import EndRecord, Record
from ab_runner.model.server import REFERENCE
from ab_runner.store.reader import Stored

TOMCAT = server("tomcat-5.5.15", published="tomcat-5.5.15")


JETTY = server("jetty-12.1")


CEILING = server(REFERENCE)


SERVERS = (CEILING, JETTY, TOMCAT)


RECORDS: tuple[Record, ...] = (
    trial(REFERENCE, "small", 1, outcome=outcome(requests_per_second=20_000.0)),
    trial(REFERENCE, "small", 100, outcome=outcome(requests_per_second=40_000.0)),
    trial("jetty-12.1", "small", 1, limit="generator", outcome=outcome(requests_per_second=5_000.0)),
    failed_trial("jetty-12.1", "small", 100, "timeout"),
    *(
        trial("tomcat-5.5.15", "small", level, block=block, outcome=outcome(requests_per_second=8_000.0 + 100 * block))
        for block in range(1, 7)
        for level in (1, 100)
    ),
    EndRecord(at=NOON, reason="finished"),
)


STORED = Stored(sweep(*SERVERS, reference=CEILING), RECORDS)


STUDY = replace(
    read_study(DEFAULT_STUDY, {}),
    figures=(
        Figure("small", "tomcat-5.5.15", 1, 4_000.0, 0, "ok"),
        Figure("small", "tomcat-5.5.15", 100, None, None, "timeout"),
    ),
)
"""The default study, with these figures alone."""
