from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from support.answering import HEAD, RIGHT, answer, serving
from support.builders import NOON, said, server, sweep, trial
from support.raw_client import to
from support.workloads import workload_named

from ab_runner.analysis.failures import FailureKind
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.message import Code, Message
from ab_runner.model.records import EndRecord, VerificationRecord
from ab_runner.store.reader import Stored
from ab_runner.sweep.server.probe import Question
from ab_runner.sweep.server.verification import SECONDS, Verification, verify

CLOSED, KEPT = (Question(workload_named(name), HEAD, RIGHT) for name in ("small", "small-keepalive"))
LIE = answer(b"y" * 100, kept=True)


def verified(reply: Callable[[int], bytes | None], kept: bool = False, answers: int = 40) -> tuple[Verification, int]:
    """What is found, and over how many connections."""
    with serving(reply, kept=kept) as (port, requests):
        found = verify(to(("127.0.0.1", port)), KEPT if kept else CLOSED, answers)
    return found, max(requests, default=0)


@pytest.mark.parametrize(("kept", "connections"), [(True, 1), (False, 40)])
def test_right_answers_are_counted_on_as_many_connections_as_the_workload_has(kept: bool, connections: int) -> None:
    found = verified(lambda number: answer(RIGHT, kept=kept), kept)
    assert found == (Verification(40, 0, None), connections)


@pytest.mark.parametrize("kept", [True, False])
def test_a_lie_in_one_of_ten_answers_is_counted_and_the_first_is_told(kept: bool) -> None:
    short = answer(b"x" * 99, kept=kept)
    lies = {10: short, 20: LIE, 30: LIE, 40: b"nonsense\r\n\r\n"}
    found, _ = verified(lambda number: lies.get(number, answer(RIGHT, kept=kept)), kept)
    assert found == Verification(40, 4, Message(Code.BODY_LENGTH, {"bytes": 99, "expected": 100}))


def test_a_kept_connection_that_the_server_closes_between_two_answers_is_no_lie() -> None:
    found, connections = verified(lambda number: answer(RIGHT, kept=number % 4 != 0), kept=True)
    assert (found, connections) == (Verification(40, 0, None), 10)


def test_a_server_that_answers_no_more_ends_it() -> None:
    found, _ = verified(lambda number: answer(RIGHT) if number < 8 else b"")
    assert found == Verification(7, 0, None)
    assert verify(to(("127.0.0.1", 1)), CLOSED) == Verification(0, 0, None)


def test_it_ends_when_its_time_is_over() -> None:
    clock = itertools.count(step=SECONDS / 4).__next__
    with serving(lambda number: answer(RIGHT)) as (port, _):
        assert verify(to(("127.0.0.1", port)), CLOSED, clock=clock) == Verification(4, 0, None)


def test_the_trials_of_a_start_that_lied_afterwards_are_not_valid() -> None:
    lied = VerificationRecord(
        block=1, server="a-1", start=1, workload="small", seconds=0.5, compared=2_000, wrong=4,
        first_wrong=said("wrong bytes"),
    )  # fmt: skip
    right = VerificationRecord(block=2, server="a-1", start=2, workload="small", seconds=0.5, compared=2_000)
    trials = [trial("a-1", name, 1, block=start, start=start) for start in (1, 2) for name in ("small", "large")]
    end = EndRecord(at=NOON, reason="finished")
    found = analyse(Stored(sweep(server("a-1")), (*trials, lied, right, end)))
    small, large = (found.cell("a-1", name, 1) for name in ("small", "large"))
    assert small is not None
    assert large is not None
    assert (small.failed, small.failure_kind, large.failed) == (1, FailureKind.WRONG_ANSWER, 0)
    (message,) = small.failure.messages if small.failure else ()
    assert message == Message(Code.WRONG_BYTES, stage="verification")
