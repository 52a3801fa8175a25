from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ab_runner.load.open_load_output import parse
from ab_runner.model.load import Beside, Outcome, Second
from ab_runner.model.message import Message

OUTPUT: dict[str, Any] = {
    "format": 2, "version": "1.0.0", "options": {"connections": "kept", "rate": 500.0, "closed": None, "seconds": 2.0},
    "expected_bytes": 100, "seconds": 2.01, "due_seconds": 2.0, "counted_seconds": 2.0,
    "requests": {"planned": 1_000, "sent": 997, "refused": 3, "answered": 990, "failed": 7, "retried": 2},
    "failed": {"connect": 2, "timeout": 5}, "refused": {"connection_limit": 3}, "answered_per_second": 494.5,
    "latency": {"milliseconds": {"p99": 4.5, "max": 9.0}, "microseconds": [[400, 900], [4_500, 90]]},
    "latency_from_sending": {"milliseconds": {"mean": 0.8, "max": 8.8}, "microseconds": [[390, 900], [4_490, 90]]},
    "lag": {"milliseconds": {"p99": 0.02, "max": 0.3}, "microseconds": [[10, 1_000]]},
    "connections": {"opened": 12, "most_at_once": 8, "closed_while_free": 0, "left_open": 0, "unrequested_bytes": 0,
                    "idle_closed": 1},
    "per_second": {"counted": [True, True], "stolen": {"0": [0.0, 0.01], "1": [0.0, 0.0]},
                   "sent": [500, 497], "refused": [0, 3], "answered": [500, 490], "failed": [0, 7],
                   "latency": [[[400, 500]], [[400, 400], [4_500, 90]]], "lag": [[[10, 500]], [[10, 500]]]},
    "idle_opened": 50, "opened_before": 7, "bytes_received": 123_456, "warnings": [],
    "a field of a later version": True,
}  # fmt: skip


BESIDE: dict[str, Any] = {
    **{name: OUTPUT[name] for name in ("answered_per_second", "bytes_received", "connections", "lag")},
    "expected_bytes": None,
    "requests": {"planned": 20, "sent": 19, "refused": 1, "answered": 17, "failed": 2, "retried": 0},
    "failed": {"timeout": 2}, "refused": {"no_port": 1},
    "latency": {"milliseconds": {"p99": 9.0}, "microseconds": [[800, 16], [9_000, 1]]}, "latency_from_sending": None,
    "per_second": {"counted": [True, True], "stolen": {"0": [0.0, 0.01], "1": [0.0, 0.0]},
                   "sent": [10, 9], "refused": [0, 1], "answered": [10, 7], "failed": [0, 2],
                   "latency": [[[800, 10]], [[800, 6], [9_000, 1]]], "lag": [[[10, 10]], [[10, 10]]]},
}  # fmt: skip


def parsed(**changes: Any) -> Outcome:
    outcome = parse(json.dumps(OUTPUT | changes), "", 1)
    assert isinstance(outcome, Outcome)
    return outcome


def test_the_figures_of_an_open_load() -> None:
    found = parsed()
    assert (found.generator, found.version, found.body_length, found.connections) == ("open-load", "1.0.0", 100, 8)
    assert (found.requests, found.completed, found.failed_at_least) == (997, 990, 7)
    assert (found.failed, found.retried) == ({"connect": 2, "timeout": 5}, 2)
    assert found.kept_alive == 978
    assert (found.rate, found.completed_per_second) == (494.5, 494.5)
    assert found.latency == {400: 900, 4_500: 90}
    assert found.per_second == (
        Second(500, 0, {400: 500}, {10: 500}), Second(490, 10, {400: 400, 4_500: 90}, {10: 500}, stolen={0: 0.01})
    )  # fmt: skip
    arrivals = found.arrivals
    assert arrivals is not None
    assert arrivals.lag == {10: 1_000}
    assert (arrivals.rate, arrivals.planned, arrivals.refused) == (500, 1_000, {"connection_limit": 3})
    assert (arrivals.lag_p99, arrivals.lag_longest, arrivals.most_connections) == (0.02, 0.3, 8)
    assert (arrivals.idle_opened, arrivals.idle_closed, arrivals.opened_before) == (50, 1, 7)
    assert (arrivals.due_seconds, arrivals.clean_seconds, arrivals.lacks_clean_seconds) == (2.0, None, False)
    assert (arrivals.mean_from_sending, arrivals.longest_from_sending) == (0.8, 8.8)


def test_an_older_program_does_not_tell_what_is_new() -> None:
    new = ("latency_from_sending", "opened_before", "beside")
    older = {key: value for key, value in OUTPUT.items() if key not in new}
    found = parse(json.dumps(older), "", 0)
    assert isinstance(found, Outcome)
    assert found.arrivals
    assert (found.arrivals.mean_from_sending, found.arrivals.longest_from_sending) == (None, None)


def test_clean_seconds_are_those_that_were_counted() -> None:
    found = parsed(
        options={"connections": "kept", "rate": 500.0, "seconds": 2.0, "at_most_seconds": 8.0},
        counted_seconds=1.0,
        per_second=OUTPUT["per_second"] | {"counted": [True, False]},
    )
    assert found.arrivals is not None
    assert (found.arrivals.clean_seconds, found.arrivals.clean_seconds_asked) == (1.0, 2.0)
    assert found.arrivals.lacks_clean_seconds
    assert [second.counted for second in found.per_second] == [True, False]


def test_a_closed_load_has_no_arrivals() -> None:
    per_second = OUTPUT["per_second"] | {"lag": []}
    options = {"connections": "new", "rate": None, "closed": 100, "seconds": 2.0}
    found = parsed(options=options, lag=None, per_second=per_second)
    assert (found.connections, found.kept_alive, found.arrivals) == (100, None, None)
    assert found.per_second[0] == Second(500, 0, {400: 500})


def test_a_connection_that_a_closed_load_did_not_get_is_a_failure() -> None:
    found = parsed(
        options={"connections": "new", "rate": None, "closed": 100, "seconds": 2.0}, refused={"no_port": 9}, lag=None
    )
    assert found.failed == {"connect": 2, "timeout": 5, "no_port": 9}


def test_a_load_beside_it_has_figures_of_its_own() -> None:
    alone, found = parsed(), parsed(beside=BESIDE)
    assert alone.beside is None
    assert found.beside == Beside(
        planned=20, answered=17, failed={"timeout": 2, "no_port": 1}, latency={800: 16, 9_000: 1},
        per_second=(
            Second(10, 0, {800: 10}, {10: 10}), Second(7, 3, {800: 6, 9_000: 1}, {10: 10}, stolen={0: 0.01}),
        ),
    )  # fmt: skip
    assert msgspec.structs.replace(found, beside=None) == alone


def test_bytes_that_no_request_had_asked_for_are_a_failure_beside_the_load_too() -> None:
    unasked = BESIDE | {"connections": {**OUTPUT["connections"], "unrequested_bytes": 1}}
    beside = parsed(beside=unasked).beside
    assert beside is not None
    assert beside.failed == {"timeout": 2, "no_port": 1, "extra_bytes": 1}


def test_bytes_that_no_request_had_asked_for_are_a_failure() -> None:
    found = parsed(connections={**OUTPUT["connections"], "unrequested_bytes": 1_990})
    assert found.failed == {"connect": 2, "timeout": 5, "extra_bytes": 1}


@pytest.mark.parametrize(
    ("stdout", "stderr", "code", "expected"),
    [
        ("", "open-load: cannot reach 127.0.0.1:8080: connection refused", 2, "refused"),
        ("", "open-load: no such option: --rat", 2, "failed"),
        ("", "", 124, "over time"),
        ("{", "", 0, "no figures"),
        (json.dumps(OUTPUT | {"format": 1}), "", 0, "no figures"),
        (json.dumps({**OUTPUT, "requests": {}}), "", 0, "no figures"),
        (json.dumps({**OUTPUT, "seconds": -1}), "", 0, "no figures"),
        ('{"nested": ' + "[" * 100_000, "", 0, "no figures"),
        (json.dumps({**OUTPUT, "beside": {**BESIDE, "requests": {}}}), "", 0, "no figures"),
        (json.dumps({**OUTPUT, "beside": []}), "", 0, "no figures"),
    ],
)
def test_what_is_no_report_is_a_failure(stdout: str, stderr: str, code: int, expected: str) -> None:
    found = parse(stdout, stderr, code)
    assert isinstance(found, Message)
    assert found.code == expected


@given(st.text(), st.text(), st.integers(-255, 255))
def test_any_text_gives_a_report_or_a_failure(stdout: str, stderr: str, code: int) -> None:
    assert isinstance(parse(stdout, stderr, code), Outcome | Message)
