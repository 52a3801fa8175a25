"""The warnings that a reader of a sweep's figures needs, as data: one of each kind. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from ab_runner.analysis.disturbed import counts_clean_seconds, stolen_shares
from ab_runner.analysis.drift import WORTH_A_WARNING, Drift, Shift
from ab_runner.host.preflight import Finding, conntrack_findings, findings, network_findings
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.records import FINISHED, Record, ResumeRecord, StartRecord, WarmUpRecord
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import Trial
from ab_runner.store.reader import Stored


class Unfinished(msgspec.Struct, frozen=True):
    """The sweep is not complete. `ending` is why it ended; None while it runs, or if it was killed."""

    ending: str | None


class Resumed(msgspec.Struct, frozen=True):
    """The sweep was resumed although something had changed."""

    at: datetime.datetime
    differences: tuple[str, ...]


class HostConditions(msgspec.Struct, frozen=True):
    """What spoils measurements on this host, each with what to do."""

    texts: tuple[str, ...]


class CpuTimeStolen(msgspec.Struct, frozen=True):
    """`trials` of `of` trials are disturbed. The hypervisor gave more than `DISTURBED` of their CPU time to others, at
    most the share `largest`, or left them too few clean seconds, where `few_clean_seconds`."""

    trials: int
    of: int
    largest: float
    few_clean_seconds: bool


class MachineDrifted(msgspec.Struct, frozen=True):
    """The reference was not as fast after the sweep as before."""

    drifts: tuple[Drift, ...]


class BlocksShifted(msgspec.Struct, frozen=True):
    """Blocks in which the servers together were faster or slower than in the others."""

    shifts: tuple[Shift, ...]


class NodesDiffer(msgspec.Struct, frozen=True):
    """The nodes of the sweep are not of one kind: by node, its CPUs."""

    machines: Mapping[str, str]


class NodesApart(msgspec.Struct, frozen=True):
    """The reference is not as fast on all nodes of the sweep: by node, 0.07 is seven per cent faster than their
    median."""

    changes: Mapping[str, float]


class DriftUnknown(msgspec.Struct, frozen=True):
    """The sweep has no reference."""


class NotSteady(msgspec.Struct, frozen=True):
    """Warm-ups that ended before the server was steady: by server, how many of how many."""

    servers: Mapping[str, tuple[int, int]]


class OtherRelease(msgspec.Struct, frozen=True):
    """Servers that were not the release that they are listed as: by server, what ran, as its package says."""

    servers: Mapping[str, str]


class Damaged(msgspec.Struct, frozen=True):
    """Lines of the log that could not be read."""

    lines: tuple[str, ...]


class Skipped(msgspec.Struct, frozen=True):
    """Skipped servers, all for a reason of the same kind: by server, that reason."""

    kind: str
    servers: Mapping[str, str]


SweepWarning = (
    Unfinished
    | Resumed
    | HostConditions
    | CpuTimeStolen
    | MachineDrifted
    | BlocksShifted
    | NodesDiffer
    | NodesApart
    | DriftUnknown
    | NotSteady
    | OtherRelease
    | Damaged
    | Skipped
)


def warnings_of(stored: Stored, drifts: Sequence[Drift], shifts: Sequence[Shift]) -> Iterator[SweepWarning]:
    """Yield the warnings of a sweep, the most serious first."""
    if stored.ending != FINISHED:
        yield Unfinished(stored.ending)
    for record in stored.records:
        if isinstance(record, ResumeRecord) and record.differences:
            yield Resumed(record.at, record.differences)
    if bad := tuple(finding.text for finding in findings_of(stored.sweep) if not finding.good):
        yield HostConditions(bad)
    trials = [record for record in stored.records if isinstance(record, Trial)]
    if stolen := stolen_shares(trials):
        yield CpuTimeStolen(len(stolen), len(trials), max(stolen), any(map(counts_clean_seconds, trials)))
    if large := tuple(drift for drift in drifts if abs(drift.change) > WORTH_A_WARNING):
        yield MachineDrifted(large)
    if unlike := tuple(shift for shift in shifts if abs(shift.change) > WORTH_A_WARNING):
        yield BlocksShifted(unlike)
    if stored.sweep.reference is None:
        yield DriftUnknown()
    if unsteady := _unsteady(stored.records):
        yield NotSteady(unsteady)
    if others := _other_releases(stored):
        yield OtherRelease(others)
    if stored.damage:
        yield Damaged(stored.damage)
    yield from skipped(stored.sweep.skipped)


def findings_of(sweep: Sweep) -> Iterator[Finding]:
    """Yield the findings on this sweep's host and on those that its load comes from, good and bad."""
    if sweep.conditions is not None:
        yield from findings(sweep.conditions)
    if sweep.request.runtime == "process":
        yield from network_findings(sweep.machine.sysctls)
    if sweep.load_hosts:
        yield from conntrack_findings(sweep.machine.sysctls)
    for host in sweep.load_hosts:
        for finding in (*findings(host.conditions), *conntrack_findings(host.machine.sysctls)):
            yield Finding(finding.good, f"load host {host.name}: {finding.text}")


def skipped(servers: Mapping[str, Skip]) -> Iterator[Skipped]:
    """Yield the skipped servers, those with a reason of the same kind together."""
    kinds: dict[tuple[str, str], dict[str, str]] = {}
    for server, skip in servers.items():
        same = "" if skip.kind != SkipKind.OTHER else skip.detail
        kinds.setdefault((skip.kind, same), {})[server] = skip.detail
    yield from (Skipped(kind, found) for (kind, _), found in kinds.items())


def _unsteady(records: Iterable[Record]) -> dict[str, tuple[int, int]]:
    """Return the servers that were still changing when a warm-up was over, where that was checked."""
    steady: dict[str, list[bool]] = {}
    for record in records:
        if isinstance(record, WarmUpRecord) and record.steady is not None:
            steady.setdefault(record.server, []).append(record.steady)
    return {server: (found.count(False), len(found)) for server, found in steady.items() if not all(found)}


def _other_releases(stored: Stored) -> dict[str, str]:
    """Return the servers whose package, or compiler, was another release: a host without Docker has its own."""
    packaged = {server.id: server.version for server in stored.sweep.everyone if server.kind in ("debian", "go")}
    found: dict[str, str] = {}
    for record in stored.records:
        if isinstance(record, StartRecord) and record.server in packaged:
            package = record.environment.get("version", "")
            if package and not any(word.startswith(packaged[record.server]) for word in package.split()):
                found[record.server] = package
    return found
