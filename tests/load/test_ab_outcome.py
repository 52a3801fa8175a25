"""ab's traps, each from a recorded run through the parser to the verdict; and the rules one by one."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from recordings.ab.outputs import golden
from support.builders import noted, rejected
from support.workloads import WORKLOADS

from ab_runner.load import ab_output
from ab_runner.load.ab_outcome import judge, outcome_of
from ab_runner.load.ab_output import AbFigures, Failures
from ab_runner.load.generator import Asked
from ab_runner.model.load import Load
from ab_runner.model.message import Verdict
from ab_runner.model.workload import Workload

WORKLOAD = {workload.name: workload for workload in WORKLOADS}
SMALL, KEEP_ALIVE, ECHO = WORKLOAD["small"], WORKLOAD["small-keepalive"], WORKLOAD["echo"]


def verdict_on(
    name: str,
    workload: Workload = SMALL,
    *,
    requests: int | None = 200,
    concurrency: int = 10,
    length: int = 100,
) -> Verdict:
    """The verdict on a recorded run; most were of 200 requests at a concurrency of 10 for a file of 100 bytes."""
    figures = ab_output.parse(*golden(name))
    assert isinstance(figures, AbFigures)
    return judged(figures, workload, requests, concurrency, length)


def judged(
    figures: AbFigures, workload: Workload, requests: int | None, concurrency: int, length: int = 100
) -> Verdict:
    load = Load(seconds=1) if requests is None else Load(requests=requests)
    asked = Asked(load=load, connections=concurrency, keep_alive=workload.keep_alive, body_length=length)
    return judge(outcome_of(figures, {}, requests is None), asked)


invalid = rejected


# --- clean runs ------------------------------------------------------------------------------------------------


def test_clean_runs_count() -> None:
    assert verdict_on("close", requests=400) == Verdict(True)
    assert verdict_on("keep-alive", KEEP_ALIVE, requests=400) == Verdict(True)
    assert verdict_on("timed", requests=None) == Verdict(True)
    assert verdict_on("timed-keep-alive", KEEP_ALIVE, requests=None) == Verdict(True)
    assert verdict_on("echo", ECHO, requests=100, length=93) == Verdict(True)


def test_clean_runs_of_old_ab_count_though_it_starts_more_than_it_was_asked_for() -> None:
    assert verdict_on("old-close", requests=400) == Verdict(True)
    assert verdict_on("old-keep-alive", KEEP_ALIVE, requests=400) == Verdict(True)


def test_bytes_in_flight_at_the_end_of_a_timed_run_are_no_error() -> None:
    assert verdict_on("timed-in-flight", requests=None) == Verdict(True)
    assert verdict_on("timed-in-flight", requests=191) == invalid("wrong total 19550 bytes")


# --- traps -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "workload", "length", "reason"),
    [
        ("not-found", SMALL, 100, "200 non-2xx"),
        ("old-not-found", SMALL, 100, "200 non-2xx"),
        ("short-body", SMALL, 100, "wrong length 60"),
        ("varying", SMALL, 100, "50 failed"),
        ("old-varying", SMALL, 100, "50 failed"),
        # a reset, which ab counts three times
        ("resets", SMALL, 100, "20 failed"),
        ("resets-mid-body", SMALL, 100, "20 failed"),
        # every request is complete, though all were reset or refused
        ("resets-all", SMALL, 100, "200 failed"),
        ("refused-r", SMALL, 100, "200 failed"),
        # the framing is counted as body
        ("chunked", KEEP_ALIVE, 100, "wrong length 111"),
        # closing without a byte is not the fastest server, even where nothing is expected
        ("no-data", SMALL, 100, "no data"),
        ("no-data", SMALL, 0, "no data"),
        ("no-data-keep-alive", KEEP_ALIVE, 100, "no data"),
        # it says keep-alive, and closes
        ("liar-r", KEEP_ALIVE, 100, "98 failed"),
        ("not-kept-alive", KEEP_ALIVE, 117, "not kept alive"),
    ],
)
def test_a_figure_that_says_nothing_of_the_server_is_not_valid(
    name: str, workload: Workload, length: int, reason: str
) -> None:
    assert verdict_on(name, workload, length=length) == invalid(reason)


def test_a_server_that_closes_now_and_then_is_reported_not_hidden() -> None:
    assert verdict_on("every-100", KEEP_ALIVE, requests=1000) == noted("99.0 % kept alive")


# --- the rules, one by one -------------------------------------------------------------------------------------

CLEAN = AbFigures(
    tool="2.3",
    document_length=100,
    concurrency=10,
    seconds=1.0,
    complete=1000,
    failures=Failures(),
    write_errors=0,
    non_2xx=0,
    keep_alive=None,
    total_bytes=120_000,
    html_bytes=100_000,
    requests_per_second=1000.0,
)


def verdict(
    workload: Workload = SMALL, requests: int | None = 1000, concurrency: int = 10, **changes: object
) -> Verdict:
    """The verdict on a clean report of 1000 requests with some fields changed."""
    report = msgspec.structs.replace(CLEAN, **changes)
    return judged(report, workload, requests, concurrency)


def test_all_counts_are_shown_together() -> None:
    both = verdict(failures=Failures(length=999), non_2xx=1, write_errors=3)
    assert both == invalid("999 failed, 1 non-2xx, 3 write errors")


def test_fewer_than_asked_for() -> None:
    assert verdict(complete=190, html_bytes=19_000) == invalid("190 of 1000 completed")


@pytest.mark.parametrize("requests", [1000, None])
def test_none_completed(requests: int | None) -> None:
    none = verdict(requests=requests, complete=0, html_bytes=0, total_bytes=0, requests_per_second=0.0)
    assert none == invalid("none completed")


@pytest.mark.parametrize(
    ("requests", "html_bytes", "valid"),
    [
        (1000, 99_999, False),
        (1000, 100_000, True),
        (1000, 100_001, False),
        (None, 99_999, False),
        (None, 100_000, True),
        (None, 101_000, True),
        (None, 101_001, False),
    ],
)
def test_bytes_are_those_of_the_requests_and_of_what_was_in_flight(
    requests: int | None, html_bytes: int, valid: bool
) -> None:
    expected = Verdict(True) if valid else invalid(f"wrong total {html_bytes} bytes")
    assert verdict(requests=requests, html_bytes=html_bytes) == expected


@pytest.mark.parametrize(
    ("keep_alive", "expected"),
    [
        (None, invalid("not kept alive")),
        (0, invalid("not kept alive")),
        (499, invalid("49.9 % kept alive")),
        (500, noted("50.0 % kept alive")),
        (999, noted("99.9 % kept alive")),
        (1000, Verdict(True)),
    ],
)
def test_how_much_was_kept_alive(keep_alive: int | None, expected: Verdict) -> None:
    assert verdict(KEEP_ALIVE, keep_alive=keep_alive) == expected


def test_one_close_in_many_does_not_read_as_all() -> None:
    many = verdict(KEEP_ALIVE, requests=None, complete=200_000, keep_alive=199_999, html_bytes=20_000_000)
    assert many == noted("99.9 % kept alive")


@pytest.mark.parametrize(
    ("concurrency", "requests", "expected"),
    [
        (333, None, noted()),
        (334, None, noted("short: 2.9 requests per connection")),
        (400, None, noted("short: 2.5 requests per connection")),
        (400, 1000, noted()),
    ],
)
def test_a_short_timed_run_says_so(concurrency: int, requests: int | None, expected: Verdict) -> None:
    assert verdict(requests=requests, concurrency=concurrency) == expected


COUNTS = st.integers(0, 2000)


@given(
    report=st.builds(
        AbFigures,
        tool=st.sampled_from(["2.3", "2.0.40-dev"]),
        document_length=st.sampled_from([0, 60, 100]),
        concurrency=st.integers(1, 100),
        seconds=st.floats(0, 10),
        complete=COUNTS,
        failures=st.builds(Failures, COUNTS, COUNTS, COUNTS, COUNTS),
        write_errors=COUNTS,
        non_2xx=COUNTS,
        keep_alive=st.none() | COUNTS,
        total_bytes=st.integers(),
        html_bytes=st.integers(),
        requests_per_second=st.floats(0, 1e6),
    ),
    workload=st.sampled_from(WORKLOADS),
    requests=st.none() | st.integers(1, 2000),
    concurrency=st.integers(1, 100),
)
def test_every_report_has_a_verdict_and_every_refusal_a_reason(
    report: AbFigures, workload: Workload, requests: int | None, concurrency: int
) -> None:
    verdict = judged(report, workload, requests, concurrency)
    assert verdict.valid == (verdict.reason is None)
    assert verdict.valid or not verdict.notes
    if verdict.valid:
        assert report.failures == Failures()
        assert (report.non_2xx, report.write_errors, report.document_length) == (0, 0, 100)


@given(st.dictionaries(st.integers(0, 100), st.floats(-1e15, 1e15)), st.booleans())
def test_latencies_are_stored_within_their_limits_whatever_the_clock_did(
    percentiles: dict[int, float], is_timed: bool
) -> None:
    """Else a trial would be stored and not be read again."""
    made = outcome_of(msgspec.structs.replace(CLEAN, percentiles=percentiles), {}, is_timed)
    assert msgspec.json.decode(msgspec.json.encode(made), type=type(made)) == made
