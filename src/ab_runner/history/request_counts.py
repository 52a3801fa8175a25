"""Claims that are decided by counts of requests: of those beside the load, and of failed ones. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ab_runner.catalog.study_conclusions import MostFailed
from ab_runner.history.evidence import Evidence, FailedRequests, Measured
from ab_runner.history.verdicts import (
    Absent,
    Answered,
    ConclusionVerdict,
    Failed,
    Part,
    ServerFailures,
    Unanswerable,
    verdict_of,
)
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.hypotheses import sign_test

ALL, FEW = 0.99, 0.5
"""The shares of the requests beside the load from which on a server answers them, and up to which it does not."""


def answering(cell: Measured, workload: WorkloadName, level: int, should: bool) -> Part:
    """Return whether a server answered the requests beside the load until the end, if it `should`, or stopped. Where a
    start tells nothing, the others do not decide."""
    part = Part(
        workload=workload, at=(level,), verdict="not measured", basis=Absent((cell.absence,)), first=cell.server
    )
    if not cell.values:
        return part
    shares = tuple(cell.values.values())
    every, none = all(share >= ALL for share in shares), all(share <= FEW for share in shares)
    holds, fails = (every, any(share <= FEW for share in shares)) if should else (none, any(s >= ALL for s in shares))
    verdict: ConclusionVerdict = "holds" if holds and not cell.misses_a_start else "cannot be told"
    verdict = "does not hold" if fails else verdict
    return msgspec.structs.replace(part, verdict=verdict, basis=Answered(cell.server, shares, cell.is_published))


def most_failed(
    claim: MostFailed, workload: WorkloadName, first: str, second: Sequence[str], evidence: Evidence
) -> Part:
    """Return in how many of the blocks the first had the largest share of failed requests. Where the generator gave up
    on a server, more would have failed: blocks in which that could change the decision are ignored."""
    every = {name: [evidence.of(name, workload, level) for level in claim.at] for name in (first, *second)}
    levels = [at for at, cells in enumerate(zip(*every.values(), strict=True)) if any(cell.failures for cell in cells)]
    measured = {name: cells for name, cells in every.items() if any(cell.failures for cell in cells)}
    part = Part(workload=workload, at=tuple(claim.at[at] for at in levels), verdict="not measured", basis=Absent())
    if first not in measured or len(measured) < 2:
        missing = [first] if first not in measured else second
        absences = tuple(every[name][0].absence for name in missing)
        return msgspec.structs.replace(part, at=claim.at, basis=Absent(absences))
    servers = {name: cells[levels[0]].server for name, cells in measured.items()}
    shares = {name: _shares(cells) for name, cells in measured.items()}
    times = of = 0
    for block in sorted(set.intersection(*(set(blocks) for blocks in shares.values()))):
        here = {name: blocks[block] for name, blocks in shares.items()}
        share, counted = here.pop(first)
        most = all(share > other for other, _ in here.values())
        if all(known for _, known in here.values()) if most else counted:
            of += 1
            times += most
    if of == 0:
        return msgspec.structs.replace(part, verdict="cannot be told", basis=Unanswerable.GAVE_UP)
    decision = times == of if evidence.is_published else sign_test(times, of)
    runner_up = max((name for name in measured if name != first), key=lambda name: _total(measured[name]))
    failed = [_failed(servers[name], measured[name]) for name in (first, runner_up)]
    basis = Failed(failed[0], failed[1], of == 1 and not evidence.is_published)
    return msgspec.structs.replace(part, verdict=verdict_of(decision), basis=basis, first=first)


def _by_block(cells: Iterable[Measured]) -> dict[int, list[FailedRequests]]:
    found: dict[int, list[FailedRequests]] = {}
    for cell in cells:
        for block, failures in cell.failures.items():
            found.setdefault(block, []).append(failures)
    return found


def _shares(cells: Iterable[Measured]) -> dict[int, tuple[float, bool]]:
    """Return for each block the sum over concurrencies of the share that failed (or of the number, where equal numbers
    of requests were sent), and whether all failures were counted."""
    return {
        block: (sum(each.failed / (each.of or 1) for each in found), all(each.counted for each in found))
        for block, found in _by_block(cells).items()
    }


def _total(cells: Iterable[Measured]) -> float:
    return sum(share for share, _ in _shares(cells).values())


def _failed(server: str, cells: Iterable[Measured]) -> ServerFailures:
    return ServerFailures(server, tuple(sum(each.failed for each in cell.failures.values()) for cell in cells))
