"""What a sweep's files may not say, beyond the limits of each value (`model.limits`): what contradicts itself, or would
take more memory than a sweep is worth. The files may come from someone else. Pure."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from msgspec.structs import astuple

from ab_runner.model.axis import lowest_level
from ab_runner.model.limits import PLANNED_AT_MOST, VALID_RATES
from ab_runner.model.protocol import SweepRequest
from ab_runner.model.records import EndRecord, NodeRecord, Record, ResumeRecord
from ab_runner.model.resources import Course
from ab_runner.model.server import REFERENCE
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import CellRecord, RepeatedTrial, SupportingTrial, Trial

_SHORTEST_LOOK = 0.1
"""Seconds. They are about one; what is used is divided by them."""


def planned_at_most(servers: int, request: SweepRequest) -> int:
    """Return the number of cells that a request plans if each of so many servers has all workloads."""
    return servers * len(request.workloads) * len(request.levels) * request.protocol.blocks


def wrong_in_sweep(sweep: Sweep) -> str | None:
    """Return what is wrong with a sweep, as `key: reason`; None if nothing is."""
    if (planned := planned_at_most(len(sweep.servers), sweep.request)) > PLANNED_AT_MOST:
        return f"asked: plans {planned:,} trials; this toolkit takes at most {PLANNED_AT_MOST:,}"
    protocol = sweep.request.protocol
    loads = (*protocol.trials, *(warm_up.load for warm_up in protocol.warm_ups))
    if any((load.requests is None) == (load.seconds is None) for load in loads):
        return "asked.protocol: a load must have either requests or seconds"
    if min(sweep.request.levels) < lowest_level(sweep.request.axis):
        return "asked.concurrency: must not have 0"
    if sweep.reference is not None and sweep.reference.id != REFERENCE:
        return f"reference: must be {REFERENCE!r}"
    if len({server.id for server in sweep.servers}) < len(sweep.servers):
        return "servers: two have the same id"
    return None


def wrong_in_record(record: Record, servers: Collection[str], lowest: int) -> str | None:
    """Return what is wrong with a record of a sweep that has these servers; None if nothing is. `lowest` is the lowest
    level that its axis can have."""
    if isinstance(record, NodeRecord | ResumeRecord | EndRecord):
        return None
    trial = record.trial if isinstance(record, RepeatedTrial | SupportingTrial) else record
    if trial.server not in servers:
        return f"the sweep has no server {trial.server[:80]!r}"
    if isinstance(trial, CellRecord) and trial.level < lowest:
        return f"concurrency: must be {lowest} or more"
    return _wrong_in_trial(trial) if isinstance(trial, Trial) else None


def _wrong_in_trial(trial: Trial) -> str | None:
    if trial.verdict.valid == (trial.verdict.reason is not None):
        return "a verdict must have a reason if the trial is not valid, and none if it is"
    low, high = VALID_RATES
    least = 0 if trial.is_open else low  # its answers may all come after the last request was due
    if trial.verdict.valid and not (trial.outcome and least <= trial.outcome.rate <= high):
        return f"a valid trial must have {least:g} to {high:g} requests/s"
    if trial.verdict.valid and trial.outcome and trial.is_open and 0 in trial.outcome.latency:
        return "a valid trial must have latencies above 0"
    steps = trial.search.steps if trial.search else ()
    if trial.verdict.valid and trial.search and all(step.reason for step in steps):
        return "a valid search must have a rate at which the SLO was met"
    stolen = trial.usage.stolen if trial.usage else None
    if stolen and any(len(lost) != len(stolen.at) for lost in stolen.cpus.values()):
        return "usage.stolen: each CPU must have a figure for each look"
    return _wrong_in_course(trial.course) if trial.course else None


def _wrong_in_course(course: Course) -> str | None:
    if any(after - before < _SHORTEST_LOOK for before, after in pairwise((0.0, *course.at))):
        return f"course: each look must be {_SHORTEST_LOOK} s or more after the one before"
    known = course.server_cpu_seconds, course.generator_cpu_seconds
    others = [each for each in astuple(course) if isinstance(each, tuple) and each]
    if any(len(each) != len(course.at) for each in (*known, *others)):
        return "course: each quantity must have a figure for each look"
    return None
