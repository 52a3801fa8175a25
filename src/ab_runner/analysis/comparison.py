"""One sweep against another, cell by cell and family by family. Pure; `report.compare_tables` and `report.compare_csv`
write it down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from typing import Literal

import msgspec

from ab_runner.analysis.bounds import Bound, bound_of_ratio
from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.renames import cells_with_ids, renames, with_ids
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.protocol import Protocol, WarmUp
from ab_runner.model.records import Cell, Sweep
from ab_runner.model.server import REFERENCE
from ab_runner.stats.estimate import Estimate
from ab_runner.stats.holm import holm
from ab_runner.stats.pairing import pair
from ab_runner.stats.ranking import ALPHA, MINIMUM_EFFECT
from ab_runner.stats.ratio import block_means, in_every_block, log_ratio, mean_ratio
from ab_runner.store.differences import (
    difference,
    environment_differences,
    fixture_differences,
    machine_differences,
    revisions,
    server_differences,
)

Change = Literal[
    "faster", "slower", "cannot be told", "revised", "one block", "ab was the limit", "lost", "gained", "-"
]
"""`revised`: the server's revision differs, so these are figures of two servers and are not tested; `lost`: there was a
figure and now there is none; `-`: there is none on either side, or one side has no such cell."""

Samples = tuple[tuple[float, ...], tuple[float, ...]]
"""Figures by block, of the later sweep and of the earlier one."""


class _Change(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a change. `can_be_faster`, `can_be_slower`: what can be concluded; where ab was the limit of one
    rate, that one may be higher. `too_slow`: it is slower by more than the given margin, beyond the noise."""

    change: Change
    can_be_faster: bool = True
    can_be_slower: bool = True
    too_slow: bool = False

    @property
    def bound(self) -> Bound:
        """Where the true ratio may be larger or smaller; empty also where it may be either."""
        return bound_of_ratio(not self.can_be_slower, not self.can_be_faster)


class CellChange(_Change, frozen=True, kw_only=True):
    """`ratio` is the later figure over the earlier one. `by_cpu_time`: of requests per CPU-second, because ab was the
    limit of both rates."""

    cell: Cell
    before: CellSummary | None
    after: CellSummary | None
    ratio: Estimate | None
    by_cpu_time: bool = False


class FamilyChange(_Change, frozen=True, kw_only=True):
    """The geometric mean over the servers of a family; of each server, over the cells that every block of both sweeps
    has."""

    family: str
    servers: int
    cells: int
    ratio: Estimate


class SweepComparison(msgspec.Struct, frozen=True):
    """A later sweep against an earlier one. A server that was renamed between them has its new id in all cells.
    `revised` has the revisions, before and after, of the servers whose revision differs."""

    before: Sweep
    after: Sweep
    cells: tuple[CellChange, ...]
    families: tuple[FamilyChange, ...]
    revised: Mapping[str, tuple[int, int]]

    @property
    def can_tell(self) -> bool:
        """Whether any difference could be distinguished from noise."""
        return any(map(_is_tested, self.cells))


def compare_sweeps(before: SweepAnalysis, after: SweepAnalysis, slower: float | None = None) -> SweepComparison:
    """Return the changes from one sweep to another. `slower` (0.05 for 5 %) is the largest slowdown that is allowed.

    Faster and slower are differences beyond `MINIMUM_EFFECT`. The probability that any of them is wrong is at most
    `ALPHA` (Holm). The same holds for `too_slow`, which is tested without another margin."""
    families = {server.id: server.family for server in (*before.sweep.servers, *after.sweep.servers)}
    then_names, now_names = renames(before.sweep, after.sweep), renames(after.sweep, before.sweep)
    revised = revisions(with_ids(before.sweep, then_names), with_ids(after.sweep, now_names))
    then, now = cells_with_ids(before.cells, then_names), cells_with_ids(after.cells, now_names)
    cells = [cell for cell in dict.fromkeys((*then, *now)) if cell.server != REFERENCE]
    changes = [_cell(cell, then.get(cell), now.get(cell), cell.server in revised) for cell in cells]
    means = list(_families(changes, families))
    tested: list[tuple[int, CellChange | FamilyChange, list[Samples]]]
    tested = [(at, each, [_samples(each)]) for at, each in enumerate(changes) if _is_tested(each)]
    tested += [(at, mean, samples) for at, (mean, samples) in enumerate(means) if mean.ratio.interval]
    told = holm([_p_changed(each, samples) for _, each, samples in tested], ALPHA)
    slow = [False] * len(tested)
    if slower:
        slow = holm([_p_slower(each, samples, slower) for _, each, samples in tested], ALPHA)
    found = [mean for mean, _ in means]
    for (at, each, samples), certain, too_slow in zip(tested, told, slow, strict=True):
        change: Change = "cannot be told"
        if certain:
            change = "faster" if log_ratio(samples).value > 0 else "slower"
        if isinstance(each, CellChange):
            changes[at] = msgspec.structs.replace(each, change=change, too_slow=too_slow)
        else:
            found[at] = msgspec.structs.replace(each, change=change, too_slow=too_slow)
    return SweepComparison(before.sweep, after.sweep, tuple(changes), tuple(found), revised)


def _p_changed(each: CellChange | FamilyChange, samples: Sequence[Samples]) -> float:
    """Return the probability of a change at least this large if the true one is `MINIMUM_EFFECT`; 1 where no conclusion
    is possible."""
    difference = log_ratio(samples)
    allowed = each.can_be_faster if difference.value > 0 else each.can_be_slower
    return difference.p_beyond(log(1 + MINIMUM_EFFECT)) if allowed else 1.0


def _p_slower(each: CellChange | FamilyChange, samples: Sequence[Samples], slower: float) -> float:
    """Return the probability of a ratio at most this low if the true one is 1 - slower; 1 where no conclusion is
    possible. One-sided."""
    if not each.can_be_slower:
        return 1.0
    difference = log_ratio(samples).above(log(1 - slower))
    p = difference.p_beyond(0) / 2
    return p if difference.value < 0 else 1 - p


def _cell(cell: Cell, before: CellSummary | None, after: CellSummary | None, revised: bool) -> CellChange:
    known = CellChange(cell=cell, before=before, after=after, ratio=None, change="-")
    if before is None or after is None or (before.rate is None and after.rate is None):
        return known
    if before.rate is None:
        return msgspec.structs.replace(known, change="gained")
    if after.rate is None:
        return msgspec.structs.replace(known, change="lost")
    compared = pair(after.measurement, before.measurement)
    if compared is None:
        return msgspec.structs.replace(known, change="ab was the limit")
    ratio = mean_ratio([(compared.first, compared.second)])
    return msgspec.structs.replace(
        known,
        ratio=ratio,
        change="revised" if revised else "one block" if ratio.interval is None else known.change,
        by_cpu_time=compared.by_cpu_time,
        can_be_faster=compared.first_can_lead,
        can_be_slower=compared.second_can_lead,
    )


def _is_tested(change: CellChange) -> bool:
    return change.ratio is not None and change.ratio.interval is not None and change.change != "revised"


def _samples(change: CellChange) -> Samples:
    before, after = _sides(change)
    return tuple(after.values()), tuple(before.values())


def _sides(change: CellChange) -> tuple[Mapping[int, float], Mapping[int, float]]:
    """Return what is compared, by block."""
    assert change.before is not None
    assert change.after is not None
    if change.by_cpu_time:
        return change.before.cpu_efficiency_by_block, change.after.cpu_efficiency_by_block
    return change.before.by_block, change.after.by_block


def _families(
    changes: Iterable[CellChange], families: Mapping[str, str]
) -> Iterator[tuple[FamilyChange, list[Samples]]]:
    by_family: dict[str, dict[str, list[CellChange]]] = {}
    for change in changes:
        if change.ratio is not None and change.change != "revised":
            servers = by_family.setdefault(families[change.cell.server], {})
            servers.setdefault(change.cell.server, []).append(change)
    for family, servers in by_family.items():
        found = [each for each in map(_server, servers.values()) if each]
        if found:
            pairs = [pair for pair, _ in found]
            ratio = mean_ratio(pairs)
            yield FamilyChange(
                family=family, servers=len(found), cells=sum(cells for _, cells in found), ratio=ratio,
                change="cannot be told" if ratio.interval else "one block",
                can_be_faster=all(each.can_be_faster for changes in servers.values() for each in changes),
                can_be_slower=all(each.can_be_slower for changes in servers.values() for each in changes),
            ), pairs  # fmt: skip


def _server(changes: Sequence[CellChange]) -> tuple[Samples, int] | None:
    """Return a figure per block for each sweep, and the number of cells that it is made of."""
    before, after = ([_sides(change)[side] for change in changes] for side in (0, 1))
    then, now = _by_block(before), _by_block(after)
    cells = [cell for cell in in_every_block(then) if cell in in_every_block(now)]
    if not cells:
        return None
    return (tuple(block_means(now, cells)), tuple(block_means(then, cells))), len(cells)


def _by_block(cells: Sequence[Mapping[int, float]]) -> list[dict[int, float]]:
    """Return for each block the figures of its cells, by the cells' position."""
    blocks: dict[int, dict[int, float]] = {}
    for position, cell in enumerate(cells):
        for block, figure in cell.items():
            blocks.setdefault(block, {})[position] = figure
    return list(blocks.values())


# --- may they be compared? -------------------------------------------------------------------------------------

_CPUS = ("cpu_model", "cpus", "architecture")


def why_not_comparable(before: Sweep, after: Sweep) -> Iterator[str]:
    """Yield the differences in work or machine that make figures incomparable: `cpus is 4 and was 2`."""
    yield from machine_differences(before, after, _CPUS)
    yield from difference("server CPUs", before.server_cpus, after.server_cpus)
    yield from difference("generator CPUs", before.generator_cpus, after.generator_cpus)
    yield from fixture_differences(before, after)
    for field in ("runtime", "network", "generators"):
        yield from difference(field, getattr(before.request, field), getattr(after.request, field))
    then, now = _lengths(before.request.protocol), _lengths(after.request.protocol)
    for name in then:
        yield from difference(name, then[name], now[name])


def to_know_of(before: Sweep, after: Sweep) -> Iterator[str]:
    """Yield other differences: each may be the reason of a change, or what the comparison is about."""
    others = [field for field in before.machine.__struct_fields__ if field not in (*_CPUS, "sysctls")]
    yield from machine_differences(before, after, others)
    yield from difference("JDK", before.request.jdk, after.request.jdk)
    yield from environment_differences(before, after)
    then_names, now_names = renames(before, after), renames(after, before)
    for then, now in (then_names | now_names).items():
        yield f"{now} had the id {then}"
    before, after = with_ids(before, then_names), with_ids(after, now_names)
    common = {server.id for server in before.servers} & {server.id for server in after.servers}
    yield from server_differences(_only(before, common), _only(after, common))


def _only(sweep: Sweep, servers: set[str]) -> Sweep:
    kept = tuple(server for server in sweep.servers if server.id in servers)
    return msgspec.structs.replace(sweep, servers=kept, reference=None)


def _lengths(protocol: Protocol) -> dict[str, str]:
    return {
        "warm-up": _warm_up(protocol.warm_up),
        "warm-up for large": _warm_up(protocol.large_warm_up),
        "trial": protocol.trial.text,
        "trial of large": protocol.large_trial.text,
    }


def _warm_up(warm_up: WarmUp) -> str:
    text = warm_up.load.text
    return f"{text} to {warm_up.at_most} s, until warm" if warm_up.steady else text
