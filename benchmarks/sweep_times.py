#!/usr/bin/env python3
"""How far are the times that sweeps name beforehand from those that they took, and where do the constants of
`sweep/schedule/expected_time.py` come from?

    PYTHONPATH=src .venv/bin/python benchmarks/sweep_times.py [SWEEPS]
    PYTHONPATH=src .venv/bin/python benchmarks/sweep_times.py --record RECORDS NAME SWEEP

SWEEPS are folders; without any they are the published ones. First comes a line for each sweep, then the means of what
those constants stand for. The second command appends the times of one sweep to RECORDS, a line of JSON: for sweeps that
are not published. Of a sweep that was ended after its first block they are those of that block.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean

import msgspec
from repeatability import seconds_of
from rows import add, rows_in

from ab_runner.model.records import EndRecord, StartRecord, VerificationRecord, WarmUpRecord
from ab_runner.model.server import Server
from ab_runner.model.trial import RepeatedTrial, Trial
from ab_runner.paths import RESULTS
from ab_runner.store.layout import PUBLISHED_SWEEPS
from ab_runner.store.plan import plan_of
from ab_runner.store.reader import Stored, read
from ab_runner.sweep.schedule.expected_time import CROWDED_FROM, OLD_YEAR, PROBES, ExpectedTime, expected_time

RECORD = "--record"
TWO_REQUESTS_SINCE = datetime.datetime(2026, 11, 28, 12, 30, tzinfo=datetime.UTC)
"""Probes of published sweeps that began before had three."""


class NamedTime(msgspec.Struct, frozen=True, kw_only=True):
    """The time that a sweep named beforehand, and the one that it took. `in_minutes`: both were noted in whole minutes,
    and the sweep is not stored."""

    name: str
    named_seconds: float
    took_seconds: float
    in_minutes: bool = False


Spent = tuple[str, float]
"""What seconds were spent on, and how many."""


def main(folders: Sequence[Path]) -> None:
    spent: dict[str, list[float]] = {}
    for folder in folders:
        stored = read(folder)
        named, took = expected_of(stored), seconds_of(stored)
        print(f"{folder.name}: named {named.seconds:,.0f} s, took {took:,.0f} s: {named.seconds / took:.2f}")
        for what, seconds in spent_in(stored):
            spent.setdefault(what, []).append(seconds)
    for what, found in sorted(spent.items()):
        print(f"{what}: mean {mean(found):.2f} of {len(found):,}")


def keep(file: Path, name: str, folder: Path) -> None:
    """Append the times of a sweep, or of its first block, to a file of records."""
    stored = read(folder)
    expected = expected_of(stored)
    took, named = seconds_of(stored), expected.seconds
    if stored.ending != "finished":
        assert expected.first_block is not None, "a part of a sweep is its first block"
        took, named = first_block_of(stored), expected.first_block
    found = NamedTime(name=name, named_seconds=round(named, 1), took_seconds=round(took, 1))
    add(file, found)
    print(f"{name}: named {named:,.0f} s, took {took:,.0f} s: {named / took:.2f}")


def named_times_in(file: Path) -> list[NamedTime]:
    """Return the records of a file, the last one of each name."""
    return list({each.name: each for each in rows_in(file, NamedTime)}.values())


def first_block_of(stored: Stored) -> float:
    """Return the seconds from the first start of a server to the first one of the second block, or to the end."""
    starts = [each for each in stored.records if isinstance(each, StartRecord)]
    ends = [each.at for each in starts if each.block > 1] or [
        each.at for each in stored.records if isinstance(each, EndRecord)
    ]
    return (ends[0] - starts[0].at).total_seconds()


def expected_of(stored: Stored) -> ExpectedTime:
    """Return the time that the sweep would have named before its start."""
    sweep = stored.sweep
    verifies = any(isinstance(record, VerificationRecord) for record in stored.records)
    probes = PROBES if sweep.started >= TWO_REQUESTS_SINCE else 3
    servers = {server.id: server for server in sweep.everyone}
    found = expected_time(sweep.request, plan_of(sweep), servers, verifies, sweep.workloads, probes)
    assert found is not None, "the trials of published sweeps take a time"
    return found


def published() -> list[Path]:
    """Return the folders of the published sweeps."""
    return sorted((RESULTS / PUBLISHED_SWEEPS).iterdir())


def spent_in(stored: Stored) -> Iterator[Spent]:
    """Yield what each start, warm-up and trial took besides the load that its protocol names."""
    servers = {server.id: server for server in stored.sweep.everyone}
    load = "open" if stored.sweep.request.open else "closed"
    for record in stored.records:
        if isinstance(record, StartRecord):
            yield "start, s", record.seconds
        elif isinstance(record, WarmUpRecord) and record.wall_seconds and record.error is None:
            yield _warm_up(record, record.wall_seconds, servers[record.server])
    yield from _trials(stored, servers, load)


def _warm_up(record: WarmUpRecord, seconds: float, server: Server) -> Spent:
    if server.kind != "jvm":
        return "warm-up of a native server, s for each load", seconds / max(1, len(record.turns))
    late = {"echo", "large"} & {turn.workload for turn in record.turns}
    return f"warm-up of a JVM {'with echo or large' if late else 'with the small file alone'}, s", seconds


def _trials(stored: Stored, servers: Mapping[str, Server], load: str) -> Iterator[Spent]:
    """Yield the time from one trial to the next in a batch, less the load. A trial that was repeated adds all of its
    time to the one that counts; so does the restart of a server that ended."""
    records = sorted(
        (record for record in stored.records if isinstance(record, Trial | RepeatedTrial)),
        key=lambda record: _trial(record).at,
    )
    counted = (record for record in records if isinstance(record, Trial))
    batches = {(trial.block, trial.server): trial.batch for trial in counted}  # old repeated trials lack theirs
    repeats, before = 0, 0.0
    for record, following in pairwise(records):
        trial, later = _trial(record), _trial(following)
        seconds = before + _began(later) - _began(trial)
        if isinstance(record, RepeatedTrial):
            repeats, before = repeats + 1, seconds
            continue
        runs = [each.batch or batches[each.block, each.server] or each.start for each in (trial, later)]
        if trial.search or runs[0] != runs[1]:
            repeats, before = 0, 0.0
            continue
        nominal = stored.sweep.request.protocol.trial_of(trial.workload).seconds or 0.0
        kind = f"trial, {load}{_kind(trial, servers[trial.server], load)}"
        yield f"{kind}, s besides its load", seconds - nominal
        if load == "open":
            yield f"{kind}, repeats", repeats
        repeats, before = 0, 0.0


def _kind(trial: Trial, server: Server, load: str) -> str:
    if load == "open":
        arrivals = trial.outcome.arrivals if trial.outcome else None
        idle = " beside idle connections" if arrivals and arrivals.idle_opened else ""
        return f"{', JVM' if server.kind == 'jvm' else ', native'}{idle}"
    crowded = f", c ≥ {CROWDED_FROM}" if trial.level >= CROWDED_FROM else f", c < {CROWDED_FROM}"
    large = ", large" if trial.workload == "large" else ""
    return f"{', old' if server.release_year < OLD_YEAR else ', later'}{crowded}{large}"


def _trial(record: Trial | RepeatedTrial) -> Trial:
    return record.trial if isinstance(record, RepeatedTrial) else record


def _began(trial: Trial) -> float:
    """Return when the wait and the lead-in before a trial began."""
    waited = trial.cooldown.waited if trial.cooldown else 0.0
    own_lead_in = trial.lead_in_seconds or 0.0 if trial.outcome and not trial.is_open else 0.0
    return trial.at.timestamp() - waited - own_lead_in


if __name__ == "__main__":
    if sys.argv[1:2] == [RECORD]:
        keep(Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
    else:
        main([Path(each) for each in sys.argv[1:]] or published())
