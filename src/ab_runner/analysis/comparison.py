"""One sweep against another, cell by cell and family by family. Pure; `report.tables.comparison` and
`report.formats.comparison_csv` write it down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log
from typing import Literal

import msgspec

from ab_runner.analysis.bounds import Bound, bound_of_ratio
from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.failures import FailureKind
from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.measurements import cpu_efficiencies_of, speeds_of
from ab_runner.analysis.renames import cells_with_ids, renames, with_ids
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import exact_text
from ab_runner.model.protocol import Protocol, WarmUp
from ab_runner.model.server import REFERENCE
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.stats.estimate import Estimate
from ab_runner.stats.holm import holm
from ab_runner.stats.ranking import ALPHA, MINIMUM_EFFECT
from ab_runner.stats.ratio import LogMean, in_every_start, log_mean, log_ratio, mean_ratio, start_means
from ab_runner.store.differences import (
    difference,
    environment_differences,
    fixture_differences,
    machine_differences,
    revisions,
    server_differences,
    workload_differences,
)

Change = Literal[
    "faster", "slower", "cannot be told", "revised", "other CPUs", "other generator", "too few starts",
    "generator was the limit", "lost", "gained", "-",
]  # fmt: skip
"""`revised`: the server's revision differs, so these are figures of two servers and are not tested; `other CPUs`: nor
are those of servers on different numbers of CPUs; `other generator`: nor those of two generators; `lost`: there was a
figure and now there is none; `-`: there is none on either side, or one side has no such cell or a disturbed one."""
_UNTESTED = ("revised", "other CPUs", "other generator")

Figures = Mapping[int, float]
"""By batch."""
Means = tuple[LogMean, LogMean]
"""Of the later sweep and of the earlier one."""


class _Change(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a change. `can_be_faster`, `can_be_slower`: what can be concluded; where the generator was the
    limit of one rate, that one may be higher. `too_slow`: it is slower by more than the given margin, beyond the
    noise."""

    change: Change
    can_be_faster: bool = True
    can_be_slower: bool = True
    too_slow: bool = False

    @property
    def bound(self) -> Bound:
        """Where the true ratio may be larger or smaller; empty also where it may be either."""
        return bound_of_ratio(not self.can_be_slower, not self.can_be_faster)


class CellChange(_Change, frozen=True, kw_only=True):
    """`ratio` is the later figure over the earlier one, of latencies the earlier one over the later: above 1 is faster.
    `by_cpu_time`: of requests per CPU-second, because the generator was the limit of both rates. `figures` are those
    that are compared, of the earlier sweep and of the later one."""

    cell: Cell
    before: CellSummary | None
    after: CellSummary | None
    ratio: Estimate | None
    by_cpu_time: bool = False
    figures: tuple[Figures, Figures] = ({}, {})


class FamilyChange(_Change, frozen=True, kw_only=True):
    """The geometric mean over the servers of a family; of each server, over the cells that every block of both sweeps
    has."""

    family: str
    servers: int
    cells: int
    ratio: Estimate


class SweepComparison(msgspec.Struct, frozen=True):
    """A later sweep against an earlier one. A server that was renamed between them has its new id in all cells.
    `revised` has the revisions, before and after, of the servers whose revision differs. `by_reference`: both sweeps
    measured the reference in every batch, and figures are compared as shares of the reference's in the same batch, so
    that a machine that is slower as a whole is no change."""

    before: Sweep
    after: Sweep
    cells: tuple[CellChange, ...]
    families: tuple[FamilyChange, ...]
    revised: Mapping[str, tuple[int, int]]
    by_reference: bool = False

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
    sides = _Sides(then, now, _has_reference(before) and _has_reference(after))
    has_noise = before.has_noise and after.has_noise
    other = _other_conditions(before.sweep, after.sweep)
    changes = [
        _cell(cell, sides, other or ("revised" if cell.server in revised else None), has_noise) for cell in cells
    ]
    means = list(_families(changes, families, has_noise))
    tested: list[tuple[int, CellChange | FamilyChange, list[Means]]]
    tested = [(at, each, [_means(each)]) for at, each in enumerate(changes) if _is_tested(each)]
    tested += [(at, mean, pairs) for at, (mean, pairs) in enumerate(means) if mean.ratio.interval]
    told = holm([_p_changed(each, pairs) for _, each, pairs in tested], ALPHA)
    slow = [False] * len(tested)
    if slower:
        slow = holm([_p_slower(each, pairs, slower) for _, each, pairs in tested], ALPHA)
    found = [mean for mean, _ in means]
    for (at, each, pairs), certain, too_slow in zip(tested, told, slow, strict=True):
        change: Change = "cannot be told"
        if certain:
            change = "faster" if log_ratio(pairs).value > 0 else "slower"
        if isinstance(each, CellChange):
            changes[at] = msgspec.structs.replace(each, change=change, too_slow=too_slow)
        else:
            found[at] = msgspec.structs.replace(each, change=change, too_slow=too_slow)
    return SweepComparison(before.sweep, after.sweep, tuple(changes), tuple(found), revised, sides.by_reference)


def _p_changed(each: CellChange | FamilyChange, pairs: Sequence[Means]) -> float:
    """Return the probability of a change at least this large if the true one is `MINIMUM_EFFECT`; 1 where no conclusion
    is possible."""
    difference = log_ratio(pairs)
    allowed = each.can_be_faster if difference.value > 0 else each.can_be_slower
    return difference.p_beyond(log(1 + MINIMUM_EFFECT)) if allowed else 1.0


def _p_slower(each: CellChange | FamilyChange, pairs: Sequence[Means], slower: float) -> float:
    """Return the probability of a ratio at most this low if the true one is 1 - slower; 1 where no conclusion is
    possible. One-sided."""
    if not each.can_be_slower:
        return 1.0
    difference = log_ratio(pairs).above(log(1 - slower))
    p = difference.p_beyond(0) / 2
    return p if difference.value < 0 else 1 - p


class _Sides(msgspec.Struct, frozen=True):
    """The cells of both sweeps."""

    before: Mapping[Cell, CellSummary]
    after: Mapping[Cell, CellSummary]
    by_reference: bool

    def figures(self, cell: Cell, by_cpu_time: bool) -> tuple[Figures, Figures]:
        """Return what is compared of a cell, of the earlier sweep and of the later one."""
        of = cpu_efficiencies_of if by_cpu_time else speeds_of
        return self._figures(self.before, cell, of), self._figures(self.after, cell, of)

    def _figures(self, cells: Mapping[Cell, CellSummary], cell: Cell, of: Callable[[CellSummary], Figures]) -> Figures:
        figures = of(cells[cell])
        reference = _reference(cells, cell.workload) if self.by_reference else None
        if reference is None:
            return figures
        shared = of(reference)
        return {batch: figure / shared[batch] for batch, figure in figures.items() if batch in shared}


def _has_reference(analysis: SweepAnalysis) -> bool:
    """Return whether the reference has a figure of each workload in every batch."""
    if lower_is_better(analysis.measure):  # a latency beside another server's says nothing of the machine
        return False
    batches: dict[WorkloadName, set[int]] = {}
    for cell, summary in analysis.cells.items():
        batches.setdefault(cell.workload, set()).update(summary.by_batch)
    return analysis.sweep.request.protocol.together > 1 and all(
        (reference := _reference(analysis.cells, workload)) is not None and found <= reference.by_batch.keys()
        for workload, found in batches.items()
    )


def _reference(cells: Mapping[Cell, CellSummary], workload: WorkloadName) -> CellSummary | None:
    """Return the reference's cell in a workload, at the level that it was measured at in most batches."""
    levels = [each for cell, each in cells.items() if (cell.server, cell.workload) == (REFERENCE, workload)]
    return max(levels, key=lambda each: len(each.by_batch), default=None)


def _other_conditions(before: Sweep, after: Sweep) -> Change | None:
    """Return why no figures of these sweeps are tested; None if they are."""
    if before.request.load_by != after.request.load_by:
        return "other generator"
    return "other CPUs" if before.cpus_of_a_server != after.cpus_of_a_server else None


def _cell(cell: Cell, sides: _Sides, untested: Change | None, has_noise: bool) -> CellChange:
    before, after = sides.before.get(cell), sides.after.get(cell)
    known = CellChange(cell=cell, before=before, after=after, ratio=None, change="-")
    if before is None or after is None or (before.figure is None and after.figure is None):
        return known
    if FailureKind.DISTURBED in (before.failure_kind, after.failure_kind):
        return known
    if before.figure is None:
        return msgspec.structs.replace(known, change="gained")
    if after.figure is None:
        return msgspec.structs.replace(known, change="lost")
    by_cpu_time = before.is_lower_bound and after.is_lower_bound
    figures = sides.figures(cell, by_cpu_time)
    if not all(figures):
        return msgspec.structs.replace(known, change="generator was the limit")
    known = msgspec.structs.replace(
        known,
        figures=figures,
        by_cpu_time=by_cpu_time,
        can_be_faster=by_cpu_time or not before.is_lower_bound,
        can_be_slower=by_cpu_time or not after.is_lower_bound,
    )
    ratio = mean_ratio([_means(known)])
    if not has_noise:
        ratio = Estimate(ratio.value)
    change: Change = untested or (known.change if ratio.interval else "too few starts")
    return msgspec.structs.replace(known, ratio=ratio, change=change)


def _is_tested(change: CellChange) -> bool:
    return change.ratio is not None and change.ratio.interval is not None and change.change not in _UNTESTED


def _means(change: CellChange) -> Means:
    before, after = change.figures
    return log_mean(list(after.values())), log_mean(list(before.values()))


def _families(
    changes: Iterable[CellChange], families: Mapping[str, str], has_noise: bool
) -> Iterator[tuple[FamilyChange, list[Means]]]:
    by_family: dict[str, dict[str, list[CellChange]]] = {}
    for change in changes:
        if change.ratio is not None and change.change not in _UNTESTED:
            servers = by_family.setdefault(families[change.cell.server], {})
            servers.setdefault(change.cell.server, []).append(change)
    for family, servers in by_family.items():
        found = [each for each in map(_server, servers.values()) if each]
        if found:
            pairs = [pair for pair, _ in found]
            ratio = mean_ratio(pairs) if has_noise else Estimate(mean_ratio(pairs).value)
            yield FamilyChange(
                family=family, servers=len(found), cells=sum(cells for _, cells in found), ratio=ratio,
                change="cannot be told" if ratio.interval else "too few starts",
                can_be_faster=all(each.can_be_faster for changes in servers.values() for each in changes),
                can_be_slower=all(each.can_be_slower for changes in servers.values() for each in changes),
            ), pairs  # fmt: skip


def _server(changes: Sequence[CellChange]) -> tuple[Means, int] | None:
    """Return the mean over starts for each sweep, and the number of cells that it is made of."""
    before, after = ([change.figures[side] for change in changes] for side in (0, 1))
    then, now = _by_start(before), _by_start(after)
    cells = [cell for cell in in_every_start(then) if cell in in_every_start(now)]
    if not cells:
        return None
    return (log_mean(start_means(now, cells)), log_mean(start_means(then, cells))), len(cells)


def _by_start(cells: Sequence[Figures]) -> list[dict[int, float]]:
    """Return for each start, of which there is one in a batch, the figures of its cells, by the cells' position."""
    starts: dict[int, dict[int, float]] = {}
    for position, cell in enumerate(cells):
        for batch, figure in cell.items():
            starts.setdefault(batch, {})[position] = figure
    return list(starts.values())


# --- may they be compared? -------------------------------------------------------------------------------------

_CPUS = ("cpu_model", "cpus", "architecture")


def why_not_comparable(before: Sweep, after: Sweep) -> Iterator[str]:
    """Yield the differences in work or machine that make figures incomparable: `cpus is 4 and was 2`."""
    yield from machine_differences(before, after, _CPUS)
    yield from difference("server CPUs", before.server_cpus, after.server_cpus)
    yield from difference("generator CPUs", before.generator_cpus, after.generator_cpus)
    yield from difference("load from", _load_hosts_text(before), _load_hosts_text(after))
    yield from work_differences(before, after)


def _load_hosts_text(sweep: Sweep) -> str:
    hosts = (f"{host.machine.cpus} CPUs {host.machine.cpu_model}" for host in sweep.load_hosts)
    return "; ".join(hosts) or "beside the server"


def work_differences(before: Sweep, after: Sweep) -> Iterator[str]:
    """Yield the differences in what was asked of the servers, and how."""
    yield from fixture_differences(before, after)
    yield from workload_differences(before, after)
    yield from difference("load", _load_text(before), _load_text(after))
    for field in ("runtime", "network", "generator", "generators"):
        yield from difference(field, getattr(before.request, field), getattr(after.request, field))
    protocols = (before.request.protocol, after.request.protocol)
    names = dict.fromkeys(name for protocol in protocols for name in protocol.by_workload)
    then, now = (_lengths(protocol, names) for protocol in protocols)
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


def _load_text(sweep: Sweep) -> str:
    """Return what the figures of two sweeps must have in common: the generator, and what was measured."""
    opened = sweep.request.open
    if opened is None:
        return "closed"
    beside = f" beside {opened.rate:,} requests/s" if opened.rate else ""
    exactly = f", {exact_text(opened)}" if opened.is_exact else ""
    return f"open, by {opened.axis}{beside}{f' of {opened.percentile}' if opened.axis == 'slo' else ''}{exactly}"


def _lengths(protocol: Protocol, names: Iterable[WorkloadName]) -> dict[str, str]:
    """Return how much load there is, and how much of each of these workloads, and how long an answer may take."""
    warm_ups = {f"warm-up for {name}": _warm_up(protocol.warm_up_of(name)) for name in names}
    trials = {f"trial of {name}": protocol.trial_of(name).text for name in names}
    return {
        "warm-up": _warm_up(protocol.warm_up),
        **warm_ups,
        "trial": protocol.trial.text,
        **trials,
        "time-out": f"{protocol.idle_timeout} s",
    }


def _warm_up(warm_up: WarmUp) -> str:
    if warm_up.is_none:
        return "none"
    text = warm_up.load.text
    if warm_up.steady and warm_up.connections is None:
        text += f" to {warm_up.at_most} s, until warm"
    if warm_up.workload is not None:
        text += f", by {warm_up.workload}"
    if warm_up.connections is not None:
        text += f", over {warm_up.connections:,} connections"
    return text
