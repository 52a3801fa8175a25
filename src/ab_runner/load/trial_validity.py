"""Whether a trial is valid. ab notices little of what goes wrong; here its figures are checked against the request.

Pure: ab's report and the request in, a verdict out.
"""

from __future__ import annotations

import math

from ab_runner.model.load import LoadReport
from ab_runner.model.message import Code, Message, Verdict
from ab_runner.model.records import Usage
from ab_runner.model.workload import Workload

REQUESTS_PER_CONNECTION = 3
"""A timed trial with fewer requests per connection is called short: its latencies lack the last request of each
connection, which the end of the trial cut off."""
COLD = 0.05
"""The JIT compiler's share of the server's CPU time above which a single trial, or window of the warm-up, is of a
server that is not warm. One late method takes less."""
KEPT_ALIVE_AT_LEAST = 0.5
"""The share of requests over kept connections below which a keep-alive figure is not valid.

A connection that carries k requests has k - 1 of them counted as kept alive (its last answer says that it will
close), so a share of one half is two requests per connection. Below that most requests pay for a connection of their
own: what was measured is the workload without keep-alive. Above it a server may close as often as it is configured
to, and the figure says so.
"""


COLD_OF_TIME = 0.01
"""The share of an open load's time that the JIT compiler must take besides: at a low rate the server needs so little
CPU time that a single compilation is a large share of it."""


def cold(usage: Usage | None, open_seconds: float | None = None) -> Message | None:
    """Return why a trial's figure is not that of a warm server; None if it is, or if that is not known. `open_seconds`
    is how long an open load took, with its lead-in; None of a closed one."""
    share = usage.jit_share if usage else None
    if usage is None or share is None:
        return None
    if open_seconds is not None and (usage.jit_cpu_seconds or 0.0) <= COLD_OF_TIME * open_seconds:
        return None
    return Message(Code.COLD, {"percent": round(100 * share, 4)}) if share > COLD else None


def judge(
    outcome: LoadReport | Message,
    workload: Workload,
    *,
    expected_length: int,
    requests: int | None,
    concurrency: int,
) -> Verdict:
    """Return whether this run is valid and, if not, why.

    `expected_length` is the body's length in bytes, as the fixture or the probe has it, never as ab saw it.
    `requests` is how many were asked for, None for a timed run.

    In a timed run the requests that are in flight when time runs out are not `complete`: at most `concurrency` of
    them. `LoadReport.rate` counts what was received of them, the latencies do not. A run with fewer than three requests
    per connection has a note.
    """
    if isinstance(outcome, Message):
        return Verdict(False, outcome)
    reason = (
        _failed(outcome)
        or _incomplete(outcome, requests)
        or _wrong_length(outcome, expected_length)
        or _wrong_total(outcome, expected_length, _in_flight(outcome, requests, concurrency))
        or (_not_kept_alive(outcome) if workload.keep_alive else None)
    )
    if reason is not None:
        return Verdict(False, reason)
    notes = []
    if workload.keep_alive and _kept_alive(outcome) < 1:
        notes.append(_kept_alive_message(outcome))
    if requests is None and outcome.complete < REQUESTS_PER_CONNECTION * concurrency:
        # Rounded down, so that 9.96 does not read as the ten that it misses.
        notes.append(Message(Code.SHORT, {"requests": math.floor(10 * outcome.complete / concurrency) / 10}))
    return Verdict(True, notes=tuple(notes))


# --- each rule: the reason if it is broken, else None ----------------------------------------------------------


def _failed(report: LoadReport) -> Message | None:
    """Return everything that ab itself counted as wrong: an early 404 makes every good answer after it a failure, so
    that one count without the other would mislead."""
    counts = {
        "failed": report.failures.at_least,
        "non-2xx": report.non_2xx,
        "write errors": report.write_errors,
    }
    found = {what: count for what, count in counts.items() if count}
    return Message(Code.COUNTED, found) if found else None


def _incomplete(report: LoadReport, requests: int | None) -> Message | None:
    if report.complete == 0:
        return Message(Code.NONE_COMPLETED)
    if requests is not None and report.complete != requests:
        return Message(Code.INCOMPLETE, {"completed": report.complete, "requests": requests})
    return None


def _wrong_length(report: LoadReport, expected: int) -> Message | None:
    """Return what is wrong with the length of an answer. ab compares each with the first one only, so that a server
    that is wrong from the start has no failures."""
    if report.total_bytes == 0:
        # A server that closes without a byte is the fastest of all, and ab finds no fault with it.
        return Message(Code.NO_DATA)
    return None if report.document_length == expected else Message(Code.WRONG_LENGTH, {"bytes": report.document_length})


def _wrong_total(report: LoadReport, expected: int, in_flight: int) -> Message | None:
    excess = report.html_bytes - report.complete * expected
    return None if 0 <= excess <= in_flight * expected else Message(Code.WRONG_TOTAL, {"bytes": report.html_bytes})


def _in_flight(report: LoadReport, requests: int | None, concurrency: int) -> int:
    """Return how many answers may have been received, in whole or in part, without having been counted as complete.

    None when ab 2.3 stops after a number of requests, because it starts no more than it was asked for. 2.0 does not
    count those that it starts, and has new ones under way when the last one asked for is done.
    """
    starts_too_many = report.tool.startswith("2.0")
    return concurrency if requests is None or starts_too_many else 0


def _not_kept_alive(report: LoadReport) -> Message | None:
    share = _kept_alive(report)
    if share == 0:
        return Message(Code.NOT_KEPT_ALIVE)
    return _kept_alive_message(report) if share < KEPT_ALIVE_AT_LEAST else None


def _kept_alive(report: LoadReport) -> float:
    """Return the share of requests that left their connection open; only for reports with complete > 0."""
    return (report.keep_alive or 0) / report.complete


def _kept_alive_message(report: LoadReport) -> Message:
    """Return how many per cent were kept alive; rounded down, so that one close in a million does not read as 100 %."""
    return Message(Code.KEPT_ALIVE, {"percent": math.floor(_kept_alive(report) * 1000) / 10})
