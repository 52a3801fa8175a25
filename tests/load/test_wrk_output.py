"""What wrk prints, through the parser to the verdict, and each way in which it misleads."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import noted, rejected, said_of

from ab_runner.load.generator import Asked
from ab_runner.load.wrk_output import judge, parse
from ab_runner.model.load import Load, Outcome
from ab_runner.model.message import Code, Message, Verdict

ANSWER = 250
FIGURES: dict[str, Any] = {
    "requests": 20_000, "microseconds": 1_003_211, "bytes": 20_000 * ANSWER, "connect": 0, "read": 0, "write": 0,
    "timeout": 0, "status": 0, "mean": 0.498,
    "milliseconds": {"p50": 0.471, "p90": 0.702, "p99": 1.31, "p99.9": 4.02, "p100": 9.113},
}  # fmt: skip
TEXT = """\
Running 1s test @ http://127.0.0.1:18099/small.html
  1 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   497.62us  212.40us   9.11ms   91.02%
    Req/Sec    20.12k     1.10k   21.51k    72.73%
  20000 requests in 1.00s, 4.77MB read
Requests/sec:  19935.98
Transfer/sec:      4.75MB
"""


def printed(**changes: Any) -> str:
    return f"{TEXT}{msgspec.json.encode(FIGURES | changes).decode()}\n"


def outcome(**changes: Any) -> Outcome:
    found = parse(printed(**changes), "", 0, connections=10, keep_alive=True)
    assert isinstance(found, Outcome)
    return found


def judged(found: Outcome, **changes: Any) -> Verdict:
    fields: dict[str, Any] = {
        "load": Load(seconds=1), "connections": 10, "keep_alive": True, "body_length": 100, "answer_length": ANSWER,
        "stays_open": True,
    }  # fmt: skip
    return judge(found, Asked(**fields | changes))


def test_a_clean_run_has_exact_figures_and_is_valid() -> None:
    found = outcome()
    assert found == Outcome(
        generator="wrk", version="", connections=10, seconds=1.003211, is_timed=True, completed=20_000,
        completed_per_second=19_935.99, answered=20_000, requests=20_000, received_bytes=5_000_000,
        own_percentiles=FIGURES["milliseconds"], own_mean=0.498,
    )  # fmt: skip
    assert (found.latency, found.body_length, found.kept_alive) == ({}, None, None), "which it does not tell"
    assert judged(found) == Verdict(True)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"status": 3}, "3 failed: status"),
        ({"status": 20_000}, "20,000 failed: status"),
        ({"connect": 7, "read": 2, "timeout": 1}, "10 failed: 7 connect, 2 read, 1 timeout"),
        ({"write": 1}, "1 failed: write"),
        ({"timeout": 4}, "4 failed: timeout"),
        ({"requests": 0, "bytes": 0, "milliseconds": {}}, "none completed"),
        ({"requests": 0, "bytes": 4_000, "milliseconds": {"p50": 0.0}}, "none completed"),
        ({"microseconds": 0}, "none completed"),
        ({"bytes": 0}, "no data"),
        ({"bytes": 20_000 * ANSWER - 1}, "wrong total 4999999 bytes"),
        ({"bytes": 20_000 * (ANSWER - 30)}, "wrong total 4400000 bytes"),
        ({"bytes": 20_010 * ANSWER + 1}, "wrong total 5002501 bytes"),
        ({"bytes": 20_000 * (ANSWER + 1)}, "wrong total 5020000 bytes"),
    ],
)
def test_what_wrk_finds_no_fault_with_is_found(changes: dict[str, Any], expected: str) -> None:
    assert said_of(judged(outcome(**changes)).reason) == expected


def test_each_connection_may_have_received_a_part_of_one_more_answer() -> None:
    assert judged(outcome(bytes=20_010 * ANSWER)).valid
    assert judged(outcome(bytes=20_000 * ANSWER + 17)).valid


def test_without_the_probes_answer_no_number_of_bytes_is_right() -> None:
    assert judged(outcome(), answer_length=None) == rejected("wrong total 5000000 bytes")


def test_a_connection_that_a_server_was_asked_to_close_and_leaves_open_is_used_again() -> None:
    assert judged(outcome(), keep_alive=False) == rejected("connections are not closed")
    assert judged(outcome(), keep_alive=False, stays_open=False) == Verdict(True)


def test_a_share_of_requests_may_fail_by_errors_of_connections_which_are_noted() -> None:
    found = outcome(read=2, bytes=20_012 * ANSWER)
    share = 2 / 20_000
    verdict = judged(found, failures_at_most=share)
    assert (verdict.valid, [said_of(note) for note in verdict.notes]) == (
        True, ["2 socket errors, which the study allows: read"],
    )  # fmt: skip
    assert not judged(outcome(read=3), failures_at_most=share).valid
    assert not judged(outcome(read=1, status=1), failures_at_most=share).valid, "a wrong status is no such error"
    assert not judged(outcome(read=2, bytes=20_012 * ANSWER + 1), failures_at_most=share).valid


def test_few_requests_per_connection_are_noted() -> None:
    found = outcome(requests=29, bytes=29 * ANSWER)
    assert judged(found) == noted("short: 2.9 requests per connection")


def test_failed_requests_are_counted_once_where_they_may_be_the_same() -> None:
    found = outcome(connect=1, read=2, write=3, timeout=5, status=4)
    assert (found.failed_at_least, found.requests) == (11, 20_006)
    assert found.failed == {"status": 4, "connect": 1, "read": 2, "write": 3, "timeout": 5}


@pytest.mark.parametrize(
    ("stdout", "stderr", "exit_code", "expected"),
    [
        ("", "unable to connect to 127.0.0.1:1 Connection refused\n", 1, Code.REFUSED),
        ("", "number of connections must be >= threads\nUsage: wrk <options> <url>\n", 1, Code.BAD_ARGUMENTS),
        ("", "unable to create thread 0: Too many open files\n", 2, Code.TOO_FEW_FILES),
        ("", "sh: 1: exec: wrk: not found\n", 127, Code.NOT_RUN),
        ("", "", 3, Code.UNSAID),
        (TEXT, "", -9, Code.KILLED),
        (TEXT, "", 139, Code.CRASHED),
        (printed(), "", 124, Code.OVER_TIME),
        (TEXT, "/raw/wrk.lua: cannot open /raw/wrk.lua\n", 0, Code.NO_FIGURES),
        ("", "", 0, Code.NO_FIGURES),
        (printed() + "more\n", "", 0, Code.NO_FIGURES),
        (printed(requests=-1), "", 0, Code.NO_FIGURES),
        (printed(requests="many"), "", 0, Code.NO_FIGURES),
        (printed(milliseconds={"p50": -1.0}), "", 0, Code.NO_FIGURES),
        (printed(bytes=10**30), "", 0, Code.NO_FIGURES),
    ],
)
def test_a_run_without_figures_says_why(stdout: str, stderr: str, exit_code: int, expected: Code) -> None:
    found = parse(stdout, stderr, exit_code, connections=10, keep_alive=True)
    assert isinstance(found, Message)
    assert found.code == expected


def test_only_the_percentiles_that_were_asked_for_are_kept() -> None:
    assert outcome(milliseconds={"p50": 1.5, "p42": 9.0, "\x1b[31m": 1.0}).own_percentiles == {"p50": 1.5}


def test_without_the_time_to_connect_there_is_no_mean() -> None:
    found = parse(printed(), "", 0, connections=10, keep_alive=False)
    assert isinstance(found, Outcome)
    assert found.own_mean is None
    assert found.own_percentiles == FIGURES["milliseconds"]


@given(st.text(), st.text(), st.integers(-64, 255))
def test_no_text_raises(stdout: str, stderr: str, exit_code: int) -> None:
    parse(stdout, stderr, exit_code, connections=1, keep_alive=True)


@given(st.dictionaries(st.sampled_from([*FIGURES, "x"]), st.integers() | st.text() | st.none() | st.just({"p50": 1e9})))
def test_no_figures_raise(changes: dict[str, Any]) -> None:
    found = parse(printed(**changes), "", 0, connections=1, keep_alive=True)
    if isinstance(found, Outcome):
        judged(found)
