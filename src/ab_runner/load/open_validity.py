"""Whether a run of open-load is valid, and what limited it. Pure: its outcome in, a verdict out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt

from ab_runner.load.generator import Asked
from ab_runner.load.trial_validity import KEPT_ALIVE_AT_LEAST, kept_alive, wrong_length, wrong_total
from ab_runner.model.load import OPEN_AT_LEAST, Arrivals, Limit, Load, Outcome
from ab_runner.model.message import Code, Message, Verdict
from ab_runner.stats.histogram import weighted

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
_NOT_THE_SERVER: dict[Limit, Code] = {"generator": Code.GENERATOR_BEHIND, "network": Code.NETWORK_FULL}


def judge_open(outcome: Outcome, asked: Asked, limit: Limit | None) -> Verdict:
    """Return whether a run with this outcome is valid and, if not, why. `limit` is what limited it.

    Wrong answers count in every second, other failures in those that are counted. Where the hypervisor left too few of
    these, it may be the reason why a server did not keep up: the run is disturbed, and its verdict says nothing of the
    server."""
    reason = _wrong(outcome) or _not_open(outcome, asked.load)
    if reason is None and not _lacks_clean_seconds(outcome):
        reason = (
            _behind(outcome, limit, asked.wait_ms)
            or _failed(outcome, asked.wait_ms)
            or (wrong_total(outcome, asked) if outcome.body_length is None else wrong_length(outcome, asked))
            or (_not_kept(outcome) if asked.keep_alive else None)
        )
    return Verdict(reason is None, reason, tuple(_notes(outcome)) if reason is None else ())


def _notes(outcome: Outcome) -> Iterator[Message]:
    left_out = sum(second.answered for second in outcome.per_second if not second.counted)
    if outcome.arrivals and (told := outcome.completed - left_out) < FEWEST_FOR_P99:
        yield Message(Code.FEW_FOR_P99, {"requests": told})
    if outcome.retried:
        yield Message(Code.SENT_TWICE, {"requests": outcome.retried})


def _wrong(outcome: Outcome) -> Message | None:
    found = {reason: count for reason, count in outcome.failed.items() if reason in WRONG}
    return Message(Code.WRONG_ANSWERS, failed=_most_first(found)) if found else None


def _behind(outcome: Outcome, limit: Limit | None, wait_ms: int) -> Message | None:
    """Return who did not keep up with the rate. The failures are a consequence, and are told too."""
    arrivals = outcome.arrivals
    if arrivals is None or _unanswered(outcome, arrivals) <= _allowed(outcome, arrivals, wait_ms):
        return None
    code = _NOT_THE_SERVER.get(limit, Code.OVERLOADED) if limit else Code.OVERLOADED
    failed = _most_first({**outcome.failed, **arrivals.refused})
    return Message(code, {"answers_per_second": outcome.completed_per_second}, failed)


def _unanswered(outcome: Outcome, arrivals: Arrivals) -> float:
    """Return the requests without an answer when the time of the trial was over."""
    return arrivals.planned - outcome.completed_per_second * (arrivals.due_seconds or 0.0)


def _allowed(outcome: Outcome, arrivals: Arrivals, wait_ms: int) -> float:
    """Return how many these may be. By Little's law throughput x latency requests are under way, of Poisson arrivals
    with the root of that as standard deviation; three of these are exceeded once in 700 times. With the planned rate in
    place of the throughput an overload would excuse itself: its queue makes the latency high. What requests ask to wait
    is no queue, so at the planned rate those that wait are under way in any case. Neither latency nor wait counts for
    longer than the trial lasts, as the law is of a steady state: a burst's latency would excuse it."""
    due = arrivals.due_seconds or 0.0
    by_latency = outcome.completed_per_second * min((_percentile(outcome, 50) or 0.0) / 1000, due)
    waiting = arrivals.rate * min(wait_ms / 1000, due)
    under_way = max(by_latency, waiting)
    return UNANSWERED * arrivals.planned + under_way + 3 * sqrt(under_way) + 1


def _lacks_clean_seconds(outcome: Outcome) -> bool:
    return outcome.arrivals is not None and outcome.arrivals.lacks_clean_seconds


def _failed(outcome: Outcome, wait_ms: int) -> Message | None:
    found = {**outcome.failed, **(outcome.arrivals.refused if outcome.arrivals else {})}
    left_out = sum(second.failed for second in outcome.per_second if not second.counted)
    if sum(found.values()) > left_out:
        return Message(Code.FAILED, failed=_most_first(found))
    comes_later = outcome.arrivals is not None and outcome.arrivals.all_wait_at_once(wait_ms)
    has_rate = outcome.completed_per_second or comes_later
    return None if outcome.completed and has_rate else Message(Code.NONE_COMPLETED)


def _not_kept(outcome: Outcome) -> Message | None:
    """Return that the server closed most connections. An open load opens as many as it needs at once, however well they
    are kept, so these count as kept."""
    needed = outcome.arrivals.most_connections / outcome.completed if outcome.arrivals else 0.0
    share = kept_alive(outcome) + needed
    return Message(Code.KEPT_ALIVE, {"percent": round(100 * share, 1)}) if share < KEPT_ALIVE_AT_LEAST else None


def _not_open(outcome: Outcome, load: Load) -> Message | None:
    """Return that too few connections were open: idle ones, or those opened before the load."""
    arrivals = outcome.arrivals
    if arrivals is None:
        return None
    if (left := arrivals.idle_opened - arrivals.idle_closed) < OPEN_AT_LEAST * load.idle:
        return Message(Code.IDLE_CONNECTIONS, {"open": left, "asked": load.idle})
    if arrivals.lacks_connections(load.opened_before):
        return Message(Code.OPENED_BEFORE, {"open": arrivals.opened_before, "asked": load.opened_before})
    return None


def _most_first(found: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def open_limit(outcome: Outcome, by_cpu: Limit | None) -> Limit | None:
    """Return what limited a run of open-load; `by_cpu` is whose CPUs were full. Latency counts from the planned time,
    so a generator that is late makes every figure too high. One that runs out of ports makes fewer requests than
    planned. Where nothing was answered, its lag is not the cause. Full CPUs say nothing of a generator that polls."""
    if outcome.arrivals is None:
        return by_cpu
    if any(outcome.arrivals.refused.get(reason) for reason in OWN_LIMITS):
        return "generator"
    lag, p99 = outcome.arrivals.lag_p99, _percentile(outcome, 99)
    late = p99 is not None and lag > LATE_MILLISECONDS and lag > LATE_SHARE * p99
    if late:
        return "generator"
    return None if by_cpu == "generator" else by_cpu


def _percentile(outcome: Outcome, percentage: float) -> float | None:
    """Return a percentile of the latencies in milliseconds; None without any."""
    spread = weighted(outcome.latency.items())
    return spread.percentile(percentage) / 1000 if spread.counts else None
