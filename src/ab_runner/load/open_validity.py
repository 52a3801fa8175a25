"""Whether a trial with an open load is valid, and what limited it. Pure: the generator's report in, a verdict out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt

from ab_runner.load.trial_validity import KEPT_ALIVE_AT_LEAST
from ab_runner.model.load import Arrivals, Limit, LoadFailure, LoadReport, Verdict
from ab_runner.model.workload import Workload

UNANSWERED = 0.01
"""The share of the requests that may be without an answer when the time of a trial is over, besides those that are
under way then at the median latency. With more of them the server does not keep up: its queue grows as long as the
trial lasts, and its latencies depend on how long that is."""
LATE_SHARE = 0.1
LATE_MILLISECONDS = 0.1
"""The generator is late if p99 of its lag is more than both: that share of p99 of the latency, and that time."""
WRONG = ("wrong_status", "wrong_length", "wrong_bytes", "extra_bytes", "malformed", "head_too_long")
"""open-load's names for answers that came and were wrong."""
OWN_LIMITS = ("no_port", "no_descriptor")
"""Its names for requests that it or its host could not make, however fast the server was."""
FEWEST_FOR_P99 = 1_000
"""Requests of which ten take longer than p99."""
_IDLE_AT_LEAST = 0.99
"""The share of the idle connections that must be open all the time."""


def judge_open(
    outcome: LoadReport | LoadFailure, workload: Workload, *, expected_length: int, idle: int, limit: Limit | None
) -> Verdict:
    """Return whether this run of an open load is valid and, if not, why, in words that fit into a table's cell.

    `expected_length` is the body's length in bytes, `idle` how many idle connections were asked for, and `limit` what
    limited the run.
    """
    if isinstance(outcome, LoadFailure):
        return Verdict(False, outcome.reason)
    reason = (
        _wrong(outcome)
        or _not_idle(outcome, idle)
        or _behind(outcome, limit)
        or _failed(outcome)
        or _wrong_length(outcome, expected_length)
        or (_not_kept(outcome) if workload.keep_alive else None)
    )
    return Verdict(reason is None, reason, tuple(_notes(outcome)) if reason is None else ())


def _notes(report: LoadReport) -> Iterator[str]:
    if report.complete < FEWEST_FOR_P99:
        yield f"p99 from only {report.complete} requests"
    if report.retried:
        yield f"{report.retried:,} of the requests sent twice: the server closed their connections"


def _wrong(report: LoadReport) -> str | None:
    found = {reason: count for reason, count in report.failed.items() if reason in WRONG}
    total = sum(found.values())
    return f"{total:,} wrong answer{'' if total == 1 else 's'}: {_counts(found)}" if found else None


def _behind(report: LoadReport, limit: Limit | None) -> str | None:
    """Return who did not keep up with the rate. The failures are a consequence, and are told too."""
    arrivals = report.arrivals
    if arrivals is None or _unanswered(report, arrivals) <= _allowed(report, arrivals):
        return None
    failed = {**report.failed, **arrivals.refused}
    also = f", {sum(failed.values()):,} failed: {_counts(failed)}" if failed else ""
    who = "open-load too slow" if limit == "generator" else "overloaded"
    return f"{who}: {report.requests_per_second:,.0f} answers/s{also}"


def _unanswered(report: LoadReport, arrivals: Arrivals) -> float:
    """Return the requests without an answer when the time of the trial was over."""
    return arrivals.planned * (1 - report.requests_per_second / arrivals.rate)


def _allowed(report: LoadReport, arrivals: Arrivals) -> float:
    """Return how many these may be. By Little's law throughput x latency requests are under way, of Poisson arrivals
    with the root of that as standard deviation; three of these are exceeded once in 700 times. With the planned rate in
    place of the throughput an overload would excuse itself: its queue makes the latency high."""
    under_way = report.requests_per_second * report.percentiles.get(50, 0.0) / 1000
    return UNANSWERED * arrivals.planned + under_way + 3 * sqrt(under_way) + 1


def _failed(report: LoadReport) -> str | None:
    found = {**report.failed, **(report.arrivals.refused if report.arrivals else {})}
    if found:
        return f"{sum(found.values()):,} failed: {_counts(found)}"
    return None if report.complete and report.requests_per_second else "none completed"


def _wrong_length(report: LoadReport, expected: int) -> str | None:
    return None if report.document_length == expected else f"wrong length {report.document_length}"


def _not_kept(report: LoadReport) -> str | None:
    share = (report.keep_alive or 0) / report.complete
    return f"{100 * share:.1f} % kept alive" if share < KEPT_ALIVE_AT_LEAST else None


def _not_idle(report: LoadReport, idle: int) -> str | None:
    if report.arrivals is None or not idle:
        return None
    left = report.arrivals.idle_opened - report.arrivals.idle_closed
    return f"only {left:,} of {idle:,} idle connections" if left < _IDLE_AT_LEAST * idle else None


def _counts(found: Mapping[str, int]) -> str:
    """Return `2 timeout, 1 reset`, the most frequent first; of one reason only `timeout`."""
    if len(found) == 1:
        return next(iter(found)).replace("_", " ")
    ordered = sorted(found.items(), key=lambda each: -each[1])
    return ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in ordered)


def open_limit(report: LoadReport | None, by_cpu: Limit | None) -> Limit | None:
    """Return what limited a run of open-load; `by_cpu` is whose CPUs were full. Latency counts from the planned time,
    so a generator that is late makes every figure too high. One that runs out of ports makes fewer requests than
    planned. Where nothing was answered, its lag is not the cause."""
    if report is None or report.arrivals is None:
        return by_cpu
    if any(report.arrivals.refused.get(reason) for reason in OWN_LIMITS):
        return "generator"
    lag, p99 = report.arrivals.lag_p99, report.percentiles.get(99)
    late = p99 is not None and lag > LATE_MILLISECONDS and lag > LATE_SHARE * p99
    return "generator" if late else by_cpu
