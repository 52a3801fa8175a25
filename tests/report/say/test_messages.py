"""The words of messages, and that the texts of format 1 come back as they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import said

from ab_runner.model.message import Code, Message
from ab_runner.report.say.messages import (
    Sentence,
    brief_text,
    detail_of,
    full_text,
    sentence_of,
    summary_text,
    together,
    whole_text,
)
from ab_runner.store.format_1 import message_of

TEXTS = {
    "cold: the JIT took 12 % of the server's CPU time": Code.COLD,
    "9991 failed": Code.COUNTED,
    "9991 failed, 3 non-2xx, 2 write errors": Code.COUNTED,
    "3 non-2xx, 2 write errors": Code.COUNTED,
    "1,316 failed: connection limit": Code.FAILED,
    "4 failed: 3 timeout, 1 reset": Code.FAILED,
    "1 wrong answer: wrong bytes": Code.WRONG_ANSWERS,
    "5 wrong answers: 3 wrong length, 2 wrong status": Code.WRONG_ANSWERS,
    "overloaded: 1,210 answers/s": Code.OVERLOADED,
    "overloaded: 1,210 answers/s, 17 failed: timeout": Code.OVERLOADED,
    "open-load too slow: 980 answers/s, 5 failed: 3 timeout, 2 no port": Code.GENERATOR_BEHIND,
    "none completed": Code.NONE_COMPLETED,
    "1999 of 2000 completed": Code.INCOMPLETE,
    "no data": Code.NO_DATA,
    "wrong length 99": Code.WRONG_LENGTH,
    "wrong total -2147483648 bytes": Code.WRONG_TOTAL,
    "not kept alive": Code.NOT_KEPT_ALIVE,
    "40.0 % kept alive": Code.KEPT_ALIVE,
    "short: 2.9 requests per connection": Code.SHORT,
    "p99 from only 995 requests": Code.FEW_FOR_P99,
    "12 of the requests sent twice: the server closed their connections": Code.SENT_TWICE,
    "open-load was the limit of the peak, so these are shares of less than the server's own": Code.PEAK_IS_BOUND,
    "only 10,252 of 15,000 idle connections": Code.IDLE_CONNECTIONS,
    "p99 12.3 ms": Code.SLO_MISSED,
    "p99.9 1234 ms": Code.SLO_MISSED,
    "SLO met at no rate: p99 31 ms": Code.SLO_MISSED,
    "SLO met at no rate: 2 failed: timeout": Code.FAILED,
    "no peak: refused": Code.REFUSED,
    "no peak: none completed": Code.NONE_COMPLETED,
    "timeout": Code.TIMEOUT,
    "not started": Code.NOT_RUN,
    "failed": Code.UNSAID,
    "server exited with 137": Code.EXITED,
    "generator killed by SIGKILL": Code.KILLED_BY,
    "server ran out of memory": Code.RAN_OUT_OF_MEMORY,
    "server is paused": Code.CONTAINER_STATE,
    "no Docker engine": Code.NO_ENGINE,
    "does not build": Code.DOES_NOT_BUILD,
    "does not start": Code.DOES_NOT_START,
    "does not get ready": Code.DOES_NOT_GET_READY,
    "stopped in warm-up": Code.STOPPED_IN_WARM_UP,
    "no answer after the trial: no whole answer within 5 s": Code.NO_WHOLE_ANSWER,
    "no answer after the trial: does not close the connection within 5 s": Code.DOES_NOT_CLOSE,
    "wrong answer after the trial: status 500 instead of 200": Code.STATUS,
    "wrong answer after the trial: status 200 instead of 404 for a file that is not there": Code.STATUS_OF_MISSING,
    "wrong answer during the trial: wrong bytes": Code.WRONG_BYTES,
    "wrong answer after the trial: wrong bytes": Code.WRONG_BYTES,
    "wrong answer during the trial: 12,345 bytes instead of 947,111": Code.BODY_LENGTH,
    "gives out a file for /../etc/passwd": Code.GIVES_FILE_OUT,
    "refuses HTTP/1.0": Code.REFUSES_HTTP_1_0,
    "no keep-alive": Code.NO_KEEP_ALIVE,
    "a head of more than 65,536 bytes": Code.HEAD_TOO_LONG,
    "a body of more than 8,388,608 bytes": Code.BODY_TOO_LONG,
    "two different Content-Lengths": Code.TWO_CONTENT_LENGTHS,
}
"""What versions that wrote format 1 said."""


@pytest.mark.parametrize(("text", "code"), TEXTS.items())
def test_a_text_of_format_1_is_told_as_it_was(text: str, code: Code) -> None:
    message = message_of(text)
    assert message.code == code
    assert full_text(message) == text


@pytest.mark.parametrize(
    ("text", "now"),
    [
        (
            "wrong answer after the trial: not an HTTP answer: 'x'",
            "wrong answer after the trial: not an HTTP answer: 'x'",
        ),
        ("no connection: Connection refused", "no connection: Connection refused"),
        ("1316 failed: 1,316 connection limit", "1,316 failed: connection limit"),
        ("Content-Length 999,999,999 is more than 8,388,608", "a body of more than 8,388,608 bytes"),
        ("struck by lightning", "struck by lightning"),
        ("", "failed"),
    ],
)
def test_other_texts_of_format_1_say_the_same(text: str, now: str) -> None:
    assert whole_text(message_of(text)) == now


@given(st.text(), st.text())
def test_any_text_of_format_1_has_words(text: str, detail: str) -> None:
    message = message_of(text, detail)
    assert isinstance(whole_text(message), str)
    assert isinstance(sentence_of(message).text + detail_of(message).text + brief_text(message), str)


@given(st.sampled_from(list(Code)), st.dictionaries(st.text(), st.integers() | st.floats() | st.text(), max_size=3))
def test_a_message_that_lacks_its_values_has_words_all_the_same(
    code: Code, values: dict[str, int | float | str]
) -> None:
    for message in (Message(code, values), Message(code, values, {"reset": 2}, stage="after trial", detail="x")):
        assert isinstance(whole_text(message) + brief_text(message) + summary_text([message]), str)


@pytest.mark.parametrize("code", list(Code))
def test_no_text_has_a_gap(code: Code) -> None:
    assert "{" not in full_text(Message(code, {"who": "server", "percent": 1.0}))


@pytest.mark.parametrize(
    ("text", "in_a_cell", "detail"),
    [
        ("3 failed: timeout", "3 failed: timeout", ""),
        ("overloaded: 1,210 answers/s, 17 failed: timeout", "overloaded", "1,210 answers/s"),
        ("open-load too slow: 980 answers/s", "open-load too slow", "980 answers/s"),
    ],
)
def test_a_failure_under_an_open_load_fits_into_a_cell(text: str, in_a_cell: str, detail: str) -> None:
    message = said(text)
    assert (sentence_of(message).text, detail_of(message).text) == (in_a_cell, detail)


def test_the_kinds_of_failures_are_told_without_their_number() -> None:
    assert brief_text(said("1,316 failed: connection limit")) == "connection limit"
    assert brief_text(said("9991 failed")) == "9991 failed"
    assert brief_text(said("SLO met at no rate: 2 failed: timeout")) == "SLO met at no rate: 2 failed: timeout"


def test_what_kept_a_server_from_its_start_is_the_detail() -> None:
    late = Message(Code.NO_CONNECTION, stage="readiness", detail="Connection refused")
    assert whole_text(late) == "does not get ready: no connection: Connection refused"
    assert (sentence_of(late).text, detail_of(late).text) == ("does not get ready", "no connection: Connection refused")
    ended = Message(Code.EXITED, {"status": 1, "who": "server"}, stage="start")
    assert whole_text(ended) == "does not start: server exited with 1"


def test_a_lie_that_was_found_after_all_trials_of_a_start_says_so() -> None:
    lie = Message(Code.BODY_LENGTH, {"bytes": 99, "expected": 100}, stage="verification")
    assert whole_text(lie) == "wrong answer after the trials: 99 bytes instead of 100"


def test_sentences_that_differ_in_a_figure_are_one_with_its_range() -> None:
    kept = [sentence_of(said(f"{share} % kept alive")) for share in ("99.0", "98.1", "100.0")]
    range_of_all = Sentence("", "98.1", "100.0", " % kept alive", (98.1, 100.0))
    assert together([*kept, Sentence("short")]) == (range_of_all, Sentence("short"))


def test_the_range_of_a_figure_is_that_of_its_numbers_not_of_its_texts() -> None:
    failed = [Message(Code.FAILED, failed={"timeout": number}) for number in (9_991, 62, 10_000)]
    (found,) = together(map(sentence_of, failed))
    assert (found.text, found.values) == ("62 to 10,000 failed: timeout", (62, 10_000))
    (found,) = together(
        map(sentence_of, (Message(Code.COUNTED, {"failed": "?"}), Message(Code.COUNTED, {"failed": 3})))
    )
    assert found.text == "? to 3 failed"


def test_messages_of_several_trials_are_told_together_with_their_details() -> None:
    messages = [said("3 failed: timeout"), said("12 failed: timeout"), said("timeout", "(70007)")]
    assert summary_text(messages) == "3 to 12 failed: timeout; timeout: (70007)"
