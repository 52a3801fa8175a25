"""The kinds of reasons, and what a cell shows of several."""

from __future__ import annotations

import pytest
from support.builders import failed_trial, not_measured, said, usage

from ab_runner.analysis.failures import Failure, FailureKind, cell_failure, failures_of, kind_of, message_of
from ab_runner.load.cold import cold
from ab_runner.model.message import Code, Message

NOTES = {Code.SHORT, Code.FEW_FOR_P99, Code.SENT_TWICE, Code.PEAK_IS_BOUND, Code.SOCKET_ERRORS, Code.ENDED_BY_RATE}


@pytest.mark.parametrize("code", sorted(set(Code) - NOTES))
def test_each_code_of_a_failure_has_a_kind_unless_only_its_text_tells(code: Code) -> None:
    of_no_kind = {
        Code.TOO_FEW_FILES,
        Code.BAD_ARGUMENTS,
        Code.NO_PERCENTILES,
        Code.NO_FIGURES,
        Code.UNSAID,
        Code.NO_REQUEST,
    }
    assert (kind_of(Message(code)) is FailureKind.OTHER) == (code in of_no_kind)


def test_what_a_newer_version_says_is_of_no_kind() -> None:
    assert kind_of(Message("struck by lightning")) is FailureKind.OTHER


def test_where_it_was_found_can_make_it_of_another_kind() -> None:
    status = Message(Code.STATUS, {"status": 500})
    assert kind_of(status) is FailureKind.WRONG_ANSWER
    assert kind_of(Message(Code.STATUS, {"status": 500}, stage="readiness")) is FailureKind.NOT_STARTED
    assert kind_of(said("no answer after the trial: no connection: timed out")) is FailureKind.CONNECTION
    assert kind_of(said("SLO met at no rate: 4 failed: timeout")) is FailureKind.FAILED_REQUESTS


def test_a_cold_trial_is_of_its_kind() -> None:
    message = cold(usage(server_cpu_seconds=2.0, jit_cpu_seconds=0.5))
    assert message == Message(Code.COLD, {"percent": 25.0})
    assert kind_of(message) is FailureKind.COLD


def test_a_record_has_its_message() -> None:
    assert message_of(failed_trial("a-1", "small", 1, "timeout", "(70007)")) == said("timeout", "(70007)")
    assert message_of(not_measured("a-1", "small", 1, "no keep-alive")) == said("no keep-alive")


def test_a_cell_shows_its_most_frequent_failure_or_the_last_of_several() -> None:
    first, second = (Message(Code.COLD, {"percent": percent}) for percent in (12.0, 7.0))
    timeout = said("timeout")
    assert cell_failure([]) is None
    assert cell_failure([first, second]) == Failure(FailureKind.COLD, (first, second))
    assert cell_failure([first, timeout]) == Failure(FailureKind.TIMEOUT, (timeout,))
    assert cell_failure([timeout, first]) == Failure(FailureKind.COLD, (first,))
    assert cell_failure([timeout, timeout, first]) == Failure(FailureKind.TIMEOUT, (timeout,)), "the most frequent"
    assert cell_failure([first, timeout, second]) == Failure(FailureKind.COLD, (first, second))


def test_failures_are_told_once_for_each_code_the_cold_ones_first() -> None:
    few, many, timeout = said("3 failed"), said("9 failed"), said("timeout")
    cold_one = Message(Code.COLD, {"percent": 12.0})
    assert failures_of([few, timeout, many, cold_one]) == (
        Failure(FailureKind.COLD, (cold_one,)),
        Failure(FailureKind.FAILED_REQUESTS, (few, many)),
        Failure(FailureKind.TIMEOUT, (timeout,)),
    )
