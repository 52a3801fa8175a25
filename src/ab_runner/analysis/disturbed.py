"""Trials that the hypervisor disturbed, by giving CPU time to others. Pure.

A trial of an open load counts clean seconds: it is disturbed if it has too few of them. Of other trials a share of the
time decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ab_runner.model.trial import CellRecord, Trial

DISTURBED = 0.03
"""A trial is disturbed if the hypervisor took more than this share of the server's or the generator's CPUs. Of a trial
of one second these are more than three of the kernel's ticks of 10 ms. A rate may lose as much or more, and a
difference of more than 2 % can decide a rank."""


def stolen_share(trial: Trial) -> float | None:
    """Return the larger share of CPU time that the hypervisor took from server or generator during a trial; of a search
    for a capacity also during the step that ended it. None where it is not known, as in older files."""
    known = [trial.usage.stolen_share if trial.usage else None]
    if trial.search is not None:
        known += [step.stolen_share for step in trial.search.steps if step.rate == trial.search.missed]
    return max((share for share in known if share is not None), default=None)


def counts_clean_seconds(trial: Trial) -> bool:
    """Return whether its latencies are of clean seconds alone."""
    arrivals = trial.outcome.arrivals if trial.outcome else None
    return arrivals is not None and arrivals.clean_seconds is not None


def is_disturbed(trial: Trial) -> bool:
    """Return whether it lacks clean seconds or, where these were not counted, more than `DISTURBED` was stolen. A trial
    of which that is not known is not disturbed."""
    arrivals = trial.outcome.arrivals if trial.outcome else None
    if arrivals is not None and arrivals.clean_seconds is not None:
        return arrivals.lacks_clean_seconds
    return (stolen_share(trial) or 0.0) > DISTURBED


def is_undisturbed(record: CellRecord) -> bool:
    """Return whether it is a trial that is not disturbed."""
    return isinstance(record, Trial) and not is_disturbed(record)


def stolen_shares(trials: Iterable[Trial]) -> list[float]:
    """Return the stolen shares of the disturbed ones of these trials."""
    return [stolen_share(trial) or 0.0 for trial in trials if is_disturbed(trial)]


def counted(trials: Sequence[Trial]) -> list[Trial]:
    """Return those of a cell's valid trials that its figures are of: the undisturbed ones, or all where there are
    none."""
    return [trial for trial in trials if not is_disturbed(trial)] or list(trials)


def are_disturbed(disturbed: int, of: int) -> bool:
    """Return whether fewer than half of a cell's valid trials are undisturbed: then it has no rank."""
    return 2 * (of - disturbed) < of
