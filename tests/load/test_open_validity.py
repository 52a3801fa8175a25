from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from support.builders import arrivals, noted, open_outcome, rejected, said_of

from ab_runner.load.generator import Asked
from ab_runner.load.open_validity import judge_open, open_limit
from ab_runner.model.load import Limit, Load, Outcome, Second
from ab_runner.model.message import Code, Message, Verdict


def judged(
    outcome: Outcome,
    keep_alive: bool = False,
    idle: int = 0,
    limit: Limit | None = None,
    wait_ms: int = 0,
    opened_before: int = 0,
) -> Verdict:
    load = Load(seconds=5, rate=1_000, idle=idle, opened_before=opened_before)
    asked = Asked(load=load, connections=1, keep_alive=keep_alive, body_length=100, wait_ms=wait_ms)
    return judge_open(outcome, asked, limit)


def latency(p50: float, p99: float) -> dict[int, int]:
    """Latencies with these percentiles in milliseconds."""
    return {round(1000 * p50): 98, round(1000 * p99): 2}


def test_a_load_whose_every_answer_was_right_and_in_time_is_valid() -> None:
    assert judged(open_outcome(1_000)) == Verdict(True)
    assert judged(open_outcome(1_000, kept_alive=4_900), keep_alive=True) == Verdict(True)
    assert judged(open_outcome(1_000, arrivals=arrivals(1_000, idle_opened=200, idle_closed=2)), idle=200).valid


def test_where_nothing_was_compared_all_answers_together_must_have_the_bytes_of_so_many_right_ones() -> None:
    asked = Asked(load=Load(seconds=5), connections=10, keep_alive=False, body_length=100, answer_length=250)
    right = open_outcome(1_000, body_length=None, received_bytes=5_000 * 250)
    assert right.completed == 5_000
    assert judge_open(right, asked, None).valid
    cut = open_outcome(1_000, body_length=None, received_bytes=5_000 * 250 - 1)
    assert judge_open(cut, asked, None) == rejected("wrong total 1249999 bytes")
    assert not judge_open(right, replace(asked, answer_length=None), None).valid, "its length is not known"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"failed": {"wrong_bytes": 1}}, "1 wrong answer: wrong bytes"),
        (
            {"failed": {"wrong_status": 2, "wrong_length": 3, "timeout": 9}},
            "5 wrong answers: 3 wrong length, 2 wrong status",
        ),
        ({"failed": {"timeout": 4, "reset": 7}}, "11 failed: 7 reset, 4 timeout"),
        ({"arrivals": arrivals(1_000, refused={"connection_limit": 3_000})}, "3,000 failed: connection limit"),
        ({"completed": 0}, "none completed"),
        ({"body_length": 99}, "wrong length 99"),
        ({"completed_per_second": 980.0}, "overloaded: 980 answers/s"),
        (
            {"completed_per_second": 500.0, "failed": {"timeout": 12}},
            "overloaded: 500 answers/s, 12 failed: timeout",
        ),
        ({"completed_per_second": 500.0, "failed": {"wrong_bytes": 1}}, "1 wrong answer: wrong bytes"),
    ],
)
def test_each_fault_has_its_reason_and_lies_come_first(changes: dict[str, Any], expected: str) -> None:
    assert judged(open_outcome(1_000, **changes)) == rejected(expected)


def test_a_hundredth_may_be_unanswered_besides_what_is_under_way() -> None:
    """5,000 requests: 50, one, and at a median of 20 ms another 20 with three standard deviations, 13.4."""
    assert judged(open_outcome(1_000, completed_per_second=989.9)).valid
    assert not judged(open_outcome(1_000, completed_per_second=989.7)).valid
    slow = {"latency": latency(20.0, 30.0)}
    assert judged(open_outcome(1_000, completed_per_second=983.3, **slow)).valid
    assert not judged(open_outcome(1_000, completed_per_second=983.1, **slow)).valid


@pytest.mark.parametrize("times", [1.1, 1.3, 1.6, 2.0, 3.0])
def test_the_latency_of_an_overload_does_not_excuse_it(times: float) -> None:
    """1,000 requests/s for 5 s after a lead-in of 1 s, so many times what the server answers. A request in the middle
    of the 5 s finds the queue of 3.5 s, and that of the lead-in is answered before any of these 5 s."""
    answered = 1_000 / times
    found: dict[str, Any] = {
        "latency": latency(1000 * 3.5 * (times - 1), 1000 * 5.95 * (times - 1)),
        "completed_per_second": max(0.0, 5 * answered - (1_000 - answered)) / 5,
    }
    assert judged(open_outcome(1_000, **found)).reason == Message(
        Code.OVERLOADED, {"answers_per_second": found["completed_per_second"]}
    )


def test_the_latency_of_a_burst_does_not_excuse_it() -> None:
    """16,000 requests within 0.16 s, of which 426 were answered in that time, and half of all after 5.7 s."""
    found: dict[str, Any] = {
        "arrivals": arrivals(100_000, planned=16_000, due_seconds=0.16),
        "completed": 16_000,
        "completed_per_second": 2_662.5,
        "latency": latency(5_710.0, 6_700.0),
    }
    assert judged(open_outcome(100_000, **found)).reason == Message(Code.OVERLOADED, {"answers_per_second": 2_662.5})


def test_answers_that_all_come_after_the_time_are_none() -> None:
    late = {"completed_per_second": 0.0, "latency": {6_000_000: 1}, "completed": 1, "arrivals": arrivals(1, planned=1)}
    assert judged(open_outcome(1, **late)) == rejected("none completed")


def test_requests_that_ask_to_wait_beyond_the_time_are_no_overload() -> None:
    """All are answered after 10 s, and the last of them was due after 5 s."""
    waited: dict[str, Any] = {"completed_per_second": 0.0, "latency": {10_001_000: 5_000}}
    assert judged(open_outcome(1_000, **waited), wait_ms=10_000).valid
    assert judged(open_outcome(1_000, **waited), wait_ms=4_000) == rejected("overloaded: 0 answers/s")
    some = waited | {"completed": 2_000, "failed": {"timeout": 3_000}}
    assert judged(open_outcome(1_000, **some), wait_ms=10_000) == rejected("3,000 failed: timeout")
    none = waited | {"completed": 0, "latency": {}}
    assert judged(open_outcome(1_000, **none), wait_ms=10_000) == rejected("none completed")


def test_requests_that_ask_to_wait_may_be_under_way_at_the_end_but_no_others() -> None:
    """Of 5,000 requests that wait 2 s, 2,000 are under way, give or take 134; a hundredth and one more are allowed."""
    slow = {"latency": latency(2_001.0, 2_010.0)}
    assert judged(open_outcome(1_000, completed_per_second=563.1, **slow), wait_ms=2_000).valid
    late = judged(open_outcome(1_000, completed_per_second=562.0, **slow), wait_ms=2_000)
    assert late == rejected("overloaded: 562 answers/s")


def test_a_p99_that_few_requests_tell_has_a_note() -> None:
    assert judged(open_outcome(200)) == Verdict(True)
    assert judged(open_outcome(199)) == noted("p99 from only 995 requests")


def in_seconds(*failed: int, asked: float = 2.0) -> dict[str, Any]:
    """An outcome with so many failures in each second: all but the last one are counted."""
    seconds = tuple(
        Second(1_000 - each, each, counted=number < len(failed)) for number, each in enumerate(failed, start=1)
    )
    found = arrivals(1_000, clean_seconds=len(failed) - 1.0, clean_seconds_asked=asked)
    return {"per_second": seconds, "arrivals": found, "failed": {"timeout": sum(failed)} if any(failed) else {}}


def test_failures_count_in_clean_seconds_alone_unless_an_answer_is_wrong() -> None:
    assert judged(open_outcome(1_000, **in_seconds(0, 0, 3))).valid
    assert judged(open_outcome(1_000, **in_seconds(0, 1, 3))) == rejected("4 failed: timeout")
    wrong = in_seconds(0, 0, 3) | {"failed": {"wrong_bytes": 3}}
    assert judged(open_outcome(1_000, **wrong)) == rejected("3 wrong answers: wrong bytes")


def test_a_run_without_its_clean_seconds_says_nothing_of_the_server() -> None:
    behind = {"completed_per_second": 500.0}
    assert not judged(open_outcome(1_000, **in_seconds(0, 0, 3) | behind)).valid
    assert judged(open_outcome(1_000, **in_seconds(9, 9, 3, asked=3.0) | behind)).valid
    wrong = in_seconds(9, 9, 3, asked=3.0) | {"failed": {"wrong_bytes": 3}}
    assert judged(open_outcome(1_000, **wrong)) == rejected("3 wrong answers: wrong bytes")


def test_a_p99_is_of_the_clean_seconds() -> None:
    seconds = (Second(600, 0), Second(400, 0, counted=False))
    assert judged(open_outcome(200, per_second=seconds)) == noted("p99 from only 600 requests")


def test_a_generator_that_cannot_make_the_rate_is_not_the_servers_fault() -> None:
    behind = open_outcome(1_000, completed_per_second=500.0)
    assert judged(behind, limit="generator") == rejected("open-load too slow: 500 answers/s")


def test_a_workload_with_kept_connections_needs_two_requests_on_each_beyond_those_that_it_needs_at_once() -> None:
    """It needs three."""
    assert judged(open_outcome(1_000, kept_alive=2_496), keep_alive=True) == rejected("50.0 % kept alive")
    assert judged(open_outcome(1_000, kept_alive=2_497), keep_alive=True).valid
    each_its_own = arrivals(1_000, most_connections=5_000)
    assert judged(open_outcome(1_000, kept_alive=0, arrivals=each_its_own), keep_alive=True).valid


@pytest.mark.parametrize(("opened", "closed"), [(150, 0), (200, 50)])
def test_idle_connections_that_are_missing_or_closed_spoil_it(opened: int, closed: int) -> None:
    report = open_outcome(1_000, arrivals=arrivals(1_000, idle_opened=opened, idle_closed=closed))
    assert judged(report, idle=200) == rejected("only 150 of 200 idle connections")


def test_a_load_over_fewer_connections_than_were_to_be_open_before_it_is_not_the_one_that_was_asked_for() -> None:
    """Whether or not the server kept up with it."""
    few = arrivals(1_000, opened_before=11_693)
    rejection = Verdict(False, Message(Code.OPENED_BEFORE, {"open": 11_693, "asked": 16_000}))
    assert said_of(rejection.reason) == "only 11,693 of 16,000 connections opened before the load"
    assert judged(open_outcome(1_000, arrivals=few), opened_before=16_000) == rejection
    late = open_outcome(1_000, completed_per_second=10.0, arrivals=few)
    assert judged(late, opened_before=16_000) == rejection
    assert judged(open_outcome(1_000, arrivals=arrivals(1_000, opened_before=15_840)), opened_before=16_000).valid


def test_missing_idle_connections_are_told_before_what_they_lead_to() -> None:
    found = arrivals(1_000, idle_opened=150, refused={"connection_limit": 5_000})
    report = open_outcome(1_000, completed=0, completed_per_second=0.0, arrivals=found)
    assert judged(report, idle=200) == rejected("only 150 of 200 idle connections")


@pytest.mark.parametrize(
    ("lag", "p99", "expected"),
    [
        (0.05, 0.1, "server"),  # half of it, and too little to matter
        (0.2, 2.1, "server"),  # less than a tenth
        (0.2, 1.9, "generator"),
    ],
)
def test_a_generator_that_is_late_is_the_limit(lag: float, p99: float, expected: Limit) -> None:
    report = open_outcome(1_000, arrivals=arrivals(1_000, lag_p99=lag), latency=latency(0.1, p99))
    assert open_limit(report, "server") == expected


def test_a_late_generator_is_not_why_a_server_answers_nothing() -> None:
    report = open_outcome(1_000, completed=0, arrivals=arrivals(1_000, lag_p99=1.0))
    assert open_limit(report, None) is None


def test_a_generator_without_ports_is_the_limit() -> None:
    report = open_outcome(1_000, arrivals=arrivals(1_000, refused={"no_port": 1}), latency=latency(0.1, 1.0))
    assert open_limit(report, "server") == "generator"


def test_of_a_closed_load_the_cpus_tell() -> None:
    assert open_limit(open_outcome(1_000, arrivals=None), "machine") == "machine"
