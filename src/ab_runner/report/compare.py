"""One sweep against another, cell by cell and family by family. Pure; `compare_tables` and `compare_csv` write it
down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from typing import Literal

import msgspec

from ab_runner.model import REFERENCE, Cell, Protocol, Sweep, WarmUp
from ab_runner.report.cells import CellSummary, summarise
from ab_runner.resume import (
    difference,
    environment_differences,
    fixture_differences,
    machine_differences,
    server_differences,
)
from ab_runner.stats.estimate import Estimate
from ab_runner.stats.holm import holm
from ab_runner.stats.ranking import MARGIN, WRONG
from ab_runner.stats.ratio import block_means, in_every_block, log_ratio, mean_ratio
from ab_runner.store import Stored

Change = Literal["faster", "slower", "cannot be told", "one block", "ab was the limit", "lost", "gained", "-"]
"""`lost`: there was a figure and now there is none; `-`: there is none on either side, or one side has no such cell."""

Pair = tuple[tuple[float, ...], tuple[float, ...]]
"""Figures by block, of the later sweep and of the earlier one."""


class CellChange(msgspec.Struct, frozen=True, kw_only=True):
    """`ratio` is the later figure over the earlier one. `by_cost`: of requests per second of the server's CPU time,
    because ab was the limit. `too_slow`: it can be told that it is slower by more than what was asked about."""

    cell: Cell
    before: CellSummary | None
    after: CellSummary | None
    ratio: Estimate | None
    by_cost: bool
    change: Change
    too_slow: bool = False


class FamilyChange(msgspec.Struct, frozen=True, kw_only=True):
    """The geometric mean over the servers of a family, of each over those cells that every block has on both sides."""

    family: str
    servers: int
    cells: int
    ratio: Estimate
    change: Change
    too_slow: bool = False


class Compared(msgspec.Struct, frozen=True):
    before: Sweep
    after: Sweep
    cells: tuple[CellChange, ...]
    families: tuple[FamilyChange, ...]

    @property
    def can_tell(self) -> bool:
        """Is there anything that could be told from noise?"""
        return any(cell.ratio is not None and cell.ratio.interval is not None for cell in self.cells)


def compare(before: Stored, after: Stored, slower: float | None = None) -> Compared:
    """`slower` (0.05 for 5 %) is by how much nothing may be slower.

    Faster and slower are differences beyond `MARGIN`; that any of them is wrong has a probability of `WRONG` at the
    most (Holm), and so it is with what is too slow, which is tested without another margin."""
    then, now = summarise(before.records), summarise(after.records)
    families = {server.id: server.family for server in (*before.sweep.servers, *after.sweep.servers)}
    cells = [cell for cell in dict.fromkeys((*then, *now)) if cell.server != REFERENCE]
    changes = [_cell(cell, then.get(cell), now.get(cell)) for cell in cells]
    means = list(_families(changes, families))
    tested: list[tuple[int, CellChange | FamilyChange, list[Pair]]]
    tested = [(at, each, [_pair(each)]) for at, each in enumerate(changes) if _is_tested(each)]
    tested += [(at, mean, pairs) for at, (mean, pairs) in enumerate(means) if mean.ratio.interval]
    told = holm([log_ratio(pairs).p_beyond(log(1 + MARGIN)) for _, _, pairs in tested], WRONG)
    slow = holm([_p_slower(pairs, slower) for _, _, pairs in tested], WRONG) if slower else [False] * len(tested)
    found = [mean for mean, _ in means]
    for (at, each, pairs), certain, too_slow in zip(tested, told, slow, strict=True):
        change: Change = "cannot be told"
        if certain:
            change = "faster" if log_ratio(pairs).value > 0 else "slower"
        if isinstance(each, CellChange):
            changes[at] = msgspec.structs.replace(each, change=change, too_slow=too_slow)
        else:
            found[at] = msgspec.structs.replace(each, change=change, too_slow=too_slow)
    return Compared(before.sweep, after.sweep, tuple(changes), tuple(found))


def _p_slower(pairs: Sequence[Pair], slower: float) -> float:
    """One-sided: how likely so low a ratio is, if the true one is 1 - slower."""
    difference = log_ratio(pairs).above(log(1 - slower))
    p = difference.p_beyond(0) / 2
    return p if difference.value < 0 else 1 - p


def _cell(cell: Cell, before: CellSummary | None, after: CellSummary | None) -> CellChange:
    known = CellChange(cell=cell, before=before, after=after, ratio=None, by_cost=False, change="-")
    if before is None or after is None or (before.rate is None and after.rate is None):
        return known
    if before.rate is None:
        return msgspec.structs.replace(known, change="gained")
    if after.rate is None:
        return msgspec.structs.replace(known, change="lost")
    limited = "generator" in (before.limit, after.limit)
    if limited and not (before.per_cpu_second_by_block and after.per_cpu_second_by_block):
        return msgspec.structs.replace(known, change="ab was the limit")
    known = msgspec.structs.replace(known, by_cost=limited)
    ratio = mean_ratio([_pair(known)])
    return msgspec.structs.replace(known, ratio=ratio, change="one block" if ratio.interval is None else known.change)


def _is_tested(change: CellChange) -> bool:
    return change.ratio is not None and change.ratio.interval is not None


def _pair(change: CellChange) -> Pair:
    before, after = _sides(change)
    return tuple(after.values()), tuple(before.values())


def _sides(change: CellChange) -> tuple[Mapping[int, float], Mapping[int, float]]:
    """What is compared, by block."""
    assert change.before is not None
    assert change.after is not None
    return change.before.blocks(change.by_cost), change.after.blocks(change.by_cost)


def _families(changes: Iterable[CellChange], families: Mapping[str, str]) -> Iterator[tuple[FamilyChange, list[Pair]]]:
    by_family: dict[str, dict[str, list[CellChange]]] = {}
    for change in changes:
        if change.ratio is not None:
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
            ), pairs  # fmt: skip


def _server(changes: Sequence[CellChange]) -> tuple[Pair, int] | None:
    """A figure per block on either side, and of how many cells it is."""
    before, after = ([_sides(change)[side] for change in changes] for side in (0, 1))
    then, now = _by_block(before), _by_block(after)
    cells = [cell for cell in in_every_block(then) if cell in in_every_block(now)]
    if not cells:
        return None
    return (tuple(block_means(now, cells)), tuple(block_means(then, cells))), len(cells)


def _by_block(cells: Sequence[Mapping[int, float]]) -> list[dict[int, float]]:
    """For each block the figures of its cells, by the cells' position."""
    blocks: dict[int, dict[int, float]] = {}
    for position, cell in enumerate(cells):
        for block, figure in cell.items():
            blocks.setdefault(block, {})[position] = figure
    return list(blocks.values())


# --- may they be compared? -------------------------------------------------------------------------------------

_CPUS = ("cpu_model", "cpus", "architecture")


def why_not_comparable(before: Sweep, after: Sweep) -> Iterator[str]:
    """What makes figures those of other work or another machine: `cpus is 4 and was 2`."""
    yield from machine_differences(before, after, _CPUS)
    yield from difference("server CPUs", before.server_cpus, after.server_cpus)
    yield from difference("generator CPUs", before.generator_cpus, after.generator_cpus)
    yield from fixture_differences(before, after)
    for field in ("runtime", "network", "generators"):
        yield from difference(field, getattr(before.asked, field), getattr(after.asked, field))
    then, now = _lengths(before.asked.protocol), _lengths(after.asked.protocol)
    for name in then:
        yield from difference(name, then[name], now[name])


def to_know_of(before: Sweep, after: Sweep) -> Iterator[str]:
    """What else may be the reason of a difference, or is what was to be compared."""
    others = [field for field in before.machine.__struct_fields__ if field not in (*_CPUS, "sysctls")]
    yield from machine_differences(before, after, others)
    yield from difference("JDK", before.asked.jdk, after.asked.jdk)
    yield from environment_differences(before, after)
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
