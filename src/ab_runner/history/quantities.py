"""What is known of a server at one workload and level: what was published, and what trials measured. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Any

import msgspec

from ab_runner.analysis.trial_figures import TrialFigures
from ab_runner.catalog.study_figures import Figure
from ab_runner.model.load import Beside, Outcome
from ab_runner.model.trial import Cell, Trial, cell_of
from ab_runner.stats.estimate import Estimate, median_of_known, median_over_blocks
from ab_runner.stats.histogram import weighted
from ab_runner.stats.little import under_way

BEST_OF = 3
"""Runs of which authors who repeat theirs publish the best."""
AT_THE_END = 1 / 3
"""The part of a trial that tells whether a server goes on answering: it takes a while until its threads are used up."""


class Quantities(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a server at one workload and level; None is not known. Latencies are in milliseconds, counted
    from sending. Bytes and CPU time in microseconds are those of one request."""

    rate: float | None = None
    best_rate: float | None = None
    """The highest of the first `BEST_OF` starts; None of a published figure, which may be one."""
    latency_mean: float | None = None
    latency_longest: float | None = None
    failed_share: float | None = None
    connections_served: float | None = None
    """On average, by Little's law: rate times mean latency."""
    answer_bytes: float | None = None
    cpu_us: float | None = None
    allocated_bytes: float | None = None
    requests: float | None = None
    answered: float | None = None
    """Right answers of a trial with an open load."""
    latency_p99: float | None = None
    """Counted from the time at which a request was due."""
    opened_before: float | None = None
    """Connections that were open before the first request of an open load."""
    beside_answered: float | None = None
    """The share of the second load's requests that was answered, of those due in the last `AT_THE_END` of a trial."""
    beside_longest: float | None = None
    jit_share: float | None = None
    """The JIT compiler's share of the server's CPU time."""
    memory_bytes: float | None = None
    """The most that the server had during a trial with an open load."""
    waiting_bytes: Estimate | None = None
    """What a request that waits takes of it: `memory_per_waiting`."""


_OF_ONE_TRIAL = tuple(name for name in Quantities.__struct_fields__ if name != "waiting_bytes")


def of_figure(figure: Figure) -> Quantities:
    """Return what was published of a server."""
    failed, requests = figure.failed_requests, figure.requests
    return Quantities(
        rate=figure.requests_per_second,
        latency_mean=figure.latency_mean_ms,
        latency_longest=figure.latency_longest_ms,
        failed_share=None if failed is None or requests is None else failed / requests,
        connections_served=figure.connections_served,
        answer_bytes=figure.answer_bytes,
        cpu_us=figure.cpu_us,
        allocated_bytes=figure.allocated_bytes,
        requests=figure.requests if figure.is_open else None,
        answered=figure.answered,
    )


def of_trials(trials: Sequence[TrialFigures]) -> Quantities:
    """Return the medians over trials, failed ones too: a study shows what a run that failed did."""
    each = [of_trial(trial) for trial in trials]
    found: dict[str, Any] = {name: median_of_known(getattr(one, name) for one in each) for name in _OF_ONE_TRIAL}
    rates = [one.rate for one in each[:BEST_OF] if one.rate is not None]
    return Quantities(**found | {"best_rate": max(rates, default=None)})


def of_trial(trial: TrialFigures) -> Quantities:
    """Return what a trial with an outcome measured."""
    record = trial.record
    assert isinstance(record, Trial), "a cell without a trial has no outcome"
    assert record.outcome is not None, "that is asked for"
    of_load = _of_closed if record.outcome.arrivals is None else _of_open
    return msgspec.structs.replace(
        of_load(record.outcome),
        cpu_us=1e6 / trial.cpu_efficiency if trial.cpu_efficiency else None,
        allocated_bytes=trial.allocated.per_request if trial.allocated else None,
        jit_share=record.usage.jit_share if record.usage and record.is_open else None,
        memory_bytes=record.usage.peak_memory_bytes if record.usage and record.is_open else None,
    )


def _of_closed(outcome: Outcome) -> Quantities:
    spread = weighted(outcome.latency.items())
    mean = spread.mean / 1000 if spread.counts else outcome.own_mean
    return Quantities(
        rate=outcome.rate,
        latency_mean=mean,
        latency_longest=spread.longest / 1000 if spread.counts else outcome.own_percentiles.get("p100"),
        failed_share=outcome.failed_at_least / outcome.requests if outcome.requests else None,
        connections_served=None if mean is None else under_way(outcome.rate, mean),
        answer_bytes=outcome.received_bytes / outcome.answered if outcome.answered else None,
    )


def _of_open(outcome: Outcome) -> Quantities:
    arrivals, beside = outcome.arrivals, outcome.beside
    assert arrivals is not None, "it is open"
    spread = weighted(outcome.latency.items())
    return Quantities(
        requests=arrivals.planned,
        answered=outcome.completed,
        latency_mean=arrivals.mean_from_sending,
        latency_longest=arrivals.longest_from_sending,
        latency_p99=spread.milliseconds(99),
        opened_before=arrivals.opened_before,
        failed_share=1 - outcome.completed / arrivals.planned if arrivals.planned else None,
        beside_answered=answered_at_the_end(beside) if beside else None,
        beside_longest=weighted(beside.latency.items()).longest / 1000 if beside and beside.latency else None,
    )


def answered_at_the_end(beside: Beside) -> float | None:
    """Return the share of the second load's requests that was answered, of those that were due in the last part of a
    trial; None if none was."""
    last = beside.per_second[-ceil(AT_THE_END * len(beside.per_second)) :]
    answered = sum(second.answered for second in last)
    due = answered + sum(second.failed for second in last)
    return answered / due if due else None


def memory_per_waiting(
    trials: Sequence[TrialFigures], control: Sequence[TrialFigures], wait_ms: int
) -> Estimate | None:
    """Return the bytes of the server's memory that a request takes while it waits: in each start the most that the
    server had, less that of the `control`, whose requests do not wait, divided by the number of requests; the median
    over starts. Left out are starts in which the first answer comes before the last request is due, so that not all
    wait at once, in which a request is not answered, or whose memory is not known. None if no start is left."""
    without = {number: memory for number, memory, _ in map(_memory, control) if memory is not None}
    found = []
    for number, memory, outcome in map(_memory, trials):
        arrivals = outcome.arrivals
        if memory is None or number not in without or arrivals is None:
            continue
        if arrivals.all_wait_at_once(wait_ms) and outcome.completed == arrivals.planned:
            found.append([(memory - without[number]) / arrivals.planned])
    return median_over_blocks(found) if found else None


def _memory(trial: TrialFigures) -> tuple[int, int | None, Outcome]:
    """Return the start of a trial with an outcome, the most memory that its server had in bytes, and the outcome."""
    record = trial.record
    assert isinstance(record, Trial), "a cell without a trial has no outcome"
    assert record.outcome is not None, "that is asked for"
    return record.start, record.usage.peak_memory_bytes if record.usage else None, record.outcome


def trials_by_cell(trials: Iterable[TrialFigures]) -> dict[Cell, list[TrialFigures]]:
    """Return the trials of each cell that have an outcome, valid or not, without those of the reference before and
    after the sweep."""
    found: dict[Cell, list[TrialFigures]] = {}
    for trial in trials:
        record = trial.record
        if isinstance(record, Trial) and record.outcome is not None and not record.is_reference_check:
            found.setdefault(cell_of(record), []).append(trial)
    return found
