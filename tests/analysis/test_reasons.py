"""What stored words mean: the words of every module that gives a reason."""

from __future__ import annotations

import pytest
from support.builders import failed_trial, not_measured, server, usage

from ab_runner.analysis.reasons import (
    Failure,
    Reason,
    Sentence,
    Skip,
    failure_of,
    reason_of,
    sentence,
    skip_of,
    together,
    without_count,
)
from ab_runner.catalog.artifacts import how_to_get
from ab_runner.load.trial_validity import cold
from ab_runner.model.server import Artifact
from ab_runner.runtime.base import needs_newer_jdk
from ab_runner.sweep.probe import REFUSES_HTTP_1_0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("9991 failed", Reason.FAILED_REQUESTS),
        ("1,316 failed: connection limit", Reason.FAILED_REQUESTS),
        ("3 non-2xx, 2 write errors", Reason.FAILED_REQUESTS),
        ("none completed", Reason.INCOMPLETE),
        ("1999 of 2000 completed", Reason.INCOMPLETE),
        ("wrong length 99", Reason.WRONG_ANSWER),
        ("wrong answer during the trial: wrong bytes", Reason.WRONG_ANSWER),
        ("status 404 instead of 200", Reason.WRONG_ANSWER),
        ("12,345 bytes instead of 947,111", Reason.WRONG_ANSWER),
        (REFUSES_HTTP_1_0, Reason.NO_HTTP_1_0),
        ("no keep-alive", Reason.NO_KEEP_ALIVE),
        ("not kept alive", Reason.NO_KEEP_ALIVE),
        ("40.0 % kept alive", Reason.NO_KEEP_ALIVE),
        ("timeout", Reason.TIMEOUT),
        ("no answer after the trial: no connection: timed out", Reason.TIMEOUT),
        ("reset", Reason.CONNECTION),
        ("connect timeout", Reason.CONNECTION),
        ("only 10,252 of 15,000 idle connections", Reason.CONNECTION),
        ("does not start", Reason.NOT_STARTED),
        ("does not get ready", Reason.NOT_STARTED),
        ("server exited with 137", Reason.ENDED),
        ("stopped in warm-up", Reason.ENDED),
        ("too few files", Reason.OTHER),
        ("failed", Reason.OTHER),
    ],
)
def test_a_stored_text_gives_its_reason(text: str, reason: Reason) -> None:
    assert reason_of(text) is reason


def test_a_cold_trial_is_known_by_the_words_that_validity_gives_it() -> None:
    text = cold(usage(server_cpu_seconds=2.0, jit_cpu_seconds=0.5))
    assert text is not None
    assert reason_of(text) is Reason.COLD
    assert sentence(text).low == "25"


def test_the_detail_of_a_failure_is_what_its_reason_does_not_say() -> None:
    assert failure_of(failed_trial("a-1", "small", 1, "timeout", "apr_poll: (70007)")) == Failure(
        Reason.TIMEOUT, Sentence("timeout"), "apr_poll: (70007)"
    )
    assert failure_of(not_measured("a-1", "small", 1, "no keep-alive", "no keep-alive")).detail == ""
    assert failure_of(not_measured("a-1", "small", 1, "")).said == Sentence("failed")


@pytest.mark.parametrize(
    ("text", "said", "detail"),
    [
        ("3 failed: timeout", "3 failed: timeout", ""),
        ("1316 failed: 1,316 connection limit", "1316 failed: connection limit", ""),
        ("4 failed: 3 timeout, 1 reset", "4 failed: 3 timeout, 1 reset", ""),
        ("overloaded: 1,210 answers/s, 17 failed: timeout", "overloaded", "1,210 answers/s"),
        ("open-load too slow: 980 answers/s", "open-load too slow", "980 answers/s"),
    ],
)
def test_a_failure_under_an_open_load_fits_into_a_cell(text: str, said: str, detail: str) -> None:
    failure = failure_of(failed_trial("a-1", "small", 1, text))
    assert (failure.said, failure.detail) == (sentence(said), detail)


def test_sentences_that_differ_in_a_figure_are_one_with_its_range() -> None:
    kept = [sentence(f"{share} % kept alive") for share in ("99.0", "98.1", "100.0")]
    assert together([*kept, sentence("short")]) == (
        Sentence("", "98.1", "100.0", " % kept alive"), Sentence("short")
    )  # fmt: skip


def test_a_skipped_server_is_known_by_the_words_of_what_it_lacks() -> None:
    artifact = Artifact(file="x.jar", sha256="0" * 64, bytes=1, licence="LGPL", url="https://example.org/x.jar")
    assert skip_of(f"{how_to_get(artifact)} (https://example.org/x.jar answers 404 Not Found)") is Skip.ARTIFACT
    too_old = needs_newer_jdk(server("jetty-12.1", jdk_at_least=17), 8)
    assert too_old is not None
    assert skip_of(too_old) is Skip.JDK
    assert skip_of("merecat is not installed (Debian: apt-get install merecat)") is Skip.NOT_INSTALLED
    assert skip_of("does not build: no such file") is Skip.OTHER


def test_the_kinds_of_failures_are_told_without_their_number() -> None:
    assert without_count("1,316 failed: connection limit") == "connection limit"
    assert without_count("9991 failed") == "9991 failed"
    assert without_count("SLO met at no rate: 2 failed: timeout") == "SLO met at no rate: 2 failed: timeout"
