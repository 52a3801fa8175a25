from __future__ import annotations

import socket
import time
from collections.abc import Callable

import pytest
from support.answering import HEAD, RIGHT, answer, serving
from support.raw_client import to
from support.waiting import until

from ab_runner.model.workload import Workload
from ab_runner.report.say.messages import sentence_of
from ab_runner.sweep.server import answers, probe
from ab_runner.sweep.server.spot_checks import SpotChecks


def small(keep_alive: bool) -> probe.Question:
    return probe.Question(Workload(name="small", keep_alive=keep_alive), HEAD, RIGHT)


def check(port: int, over: Callable[[SpotChecks], bool], keep_alive: bool = False) -> SpotChecks:
    with SpotChecks(to(("127.0.0.1", port)), small(keep_alive)) as checks:
        until(lambda: over(checks))
    return checks


def test_right_answers_are_counted() -> None:
    with serving(lambda number: answer(RIGHT)) as (port, _):
        checks = check(port, lambda checks: checks.answered >= 3)
    assert checks.answered >= 3
    assert checks.wrong is None


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (answer(b"y" * 100), "wrong bytes"),
        (answer(b"x" * 99), "99 bytes instead of 100"),
        (answer(RIGHT, status="404 Not Found"), "status 404 instead of 200"),
        (b"nonsense\r\n\r\n", "not an HTTP answer"),
    ],
)
def test_one_wrong_answer_among_right_ones_is_seen(wrong: bytes, reason: str) -> None:
    with serving(lambda number: wrong if number == 3 else answer(RIGHT)) as (port, _):
        checks = check(port, lambda checks: checks.wrong is not None)
    assert checks.answered == 2
    assert checks.wrong is not None
    assert sentence_of(checks.wrong).text == reason


def test_a_kept_connection_is_used_again() -> None:
    with serving(lambda number: answer(RIGHT, kept=True), kept=True) as (port, requests):
        check(port, lambda checks: checks.answered >= 3, keep_alive=True)
    assert set(requests) == {1}


def test_a_connection_is_never_kept_where_the_workload_does_not_keep_any() -> None:
    with serving(lambda number: answer(RIGHT), kept=False) as (port, requests):
        check(port, lambda checks: checks.answered >= 3)
    assert requests[:3] == [1, 2, 3]


def test_connections_that_the_server_closes_are_no_wrong_answers() -> None:
    with serving(lambda number: b"" if number < 3 else answer(RIGHT)) as (port, _):
        checks = check(port, lambda checks: checks.answered >= 1)
    assert checks.answered >= 1
    assert checks.wrong is None


def test_a_server_that_never_answers_does_not_hold_up_the_end_of_the_trial() -> None:
    with serving(lambda number: None) as (port, requests):
        with SpotChecks(to(("127.0.0.1", port)), small(keep_alive=False)) as checks:
            until(lambda: requests)
            asked = time.monotonic()
        assert time.monotonic() - asked < answers.TIMEOUT, "the wait for an answer"
    assert checks.answered == 0
    assert checks.wrong is None


def test_no_server_at_all_is_no_wrong_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    began = time.monotonic()
    checks = check(port, lambda checks: time.monotonic() - began > 0.2)
    assert checks.wrong is None
