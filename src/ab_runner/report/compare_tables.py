"""Sweeps against the first of them, as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_uppercase

from ab_runner.analysis.cells import AT_LEAST, BY_CPU_TIME, rate_figure, ratio_figure
from ab_runner.analysis.comparison import CellChange, Compared, FamilyChange, to_know_of, why_not_comparable
from ab_runner.model.workload import WorkloadName
from ab_runner.report.tables import NO_RECORD, Listing, Report, warnings_of
from ab_runner.stats.ranking import ALPHA, MINIMUM_EFFECT
from ab_runner.store.reader import Stored

LETTERS = ascii_uppercase
"""The sweeps' names in a comparison; their ids are long."""
TOLD = (
    f"faster, slower: by more than {100 * MINIMUM_EFFECT:g} %, as far as it can be told; that any of these words is "
    f"wrong has a probability of {100 * ALPHA:g} % at the most"
)
ONE_BLOCK = "one block tells nothing of its noise: it has no interval, and nothing can be told (--blocks 6)"
FAMILY = "the geometric mean over servers, of each over those cells that every block has on both sides"


def report_comparison(stored: Sequence[Stored], compared: Sequence[Compared]) -> Report:
    """`compared` has each of the others with the first."""
    first = stored[0].sweep
    facts = [
        f"{letter}: {each.sweep.id}, protocol {each.sweep.request.protocol.name}"
        for letter, each in zip(LETTERS, stored, strict=False)
    ]
    warnings = []
    for letter, each in zip(LETTERS[1:], compared, strict=False):
        warnings += [f"{letter} is not comparable with A: {text}" for text in why_not_comparable(first, each.after)]
        warnings += [f"{letter}: {text}" for text in to_know_of(first, each.after)]
    for letter, each_stored in zip(LETTERS, stored, strict=False):
        warnings += [f"{letter}: {text}" for text in warnings_of(each_stored)]
    tables: list[Listing] = []
    for letter, each in zip(LETTERS[1:], compared, strict=False):
        tables += _tables(letter, each)
    return Report("against A", (*facts, TOLD), tuple(tables), tuple(warnings))


def title(workload: WorkloadName, letter: str) -> str:
    """Of the table of a workload's cells."""
    return f"{workload}: requests per second, {letter} against A"


def _tables(letter: str, compared: Compared) -> Iterable[Listing]:
    for workload in dict.fromkeys(change.cell.workload for change in compared.cells):
        changes = [change for change in compared.cells if change.cell.workload == workload]
        notes = [BY_CPU_TIME] if any(change.by_cpu_time for change in changes) else []
        notes += [AT_LEAST] if any(change.bound for change in changes) else []
        notes += [ONE_BLOCK] if any(change.change == "one block" for change in changes) else []
        yield Listing(
            title(workload, letter),
            ("server", "c", "A", letter, f"{letter} / A", "can it be told?"),
            tuple(_rows(changes)),
            tuple(notes),
        )
    if compared.families:
        yield Listing(
            f"families: {letter} against A",
            ("family", "servers", "cells", f"{letter} / A", "can it be told?"),
            tuple(map(_family, compared.families)),
            (FAMILY,),
        )


def _rows(changes: Iterable[CellChange]) -> Iterable[tuple[str, ...]]:
    """The server's name stands on its first row."""
    last = ""
    for each in sorted(changes, key=lambda each: each.cell):
        name = each.cell.server if each.cell.server != last else ""
        last = each.cell.server
        ratio = ratio_figure(each.ratio, each.by_cpu_time, each.bound) if each.ratio else "-"
        yield name, str(each.cell.concurrency), *_figures(each), ratio, each.change


def _figures(change: CellChange) -> tuple[str, str]:
    """Medians without their intervals, for it is the ratio's that counts here; or why there is no figure."""
    texts = []
    for summary in (change.before, change.after):
        if summary is None:
            texts.append(NO_RECORD)
        elif summary.rate is None:
            texts.append(summary.rate_text)
        elif change.by_cpu_time and summary.per_cpu_second:
            texts.append(rate_figure(summary.per_cpu_second.value))
        else:
            texts.append(f"≥ {rate_figure(summary.rate)}" if summary.is_lower_bound else rate_figure(summary.rate))
    return texts[0], texts[1]


def _family(change: FamilyChange) -> tuple[str, ...]:
    return (
        change.family, str(change.servers), str(change.cells),
        ratio_figure(change.ratio, by_cpu_time=False, bound=change.bound), change.change,
    )  # fmt: skip


def too_slow(compared: Compared, slower: float) -> list[str]:
    """A line for each that is: what `--fail-if-slower` fails for. A cell that no longer has a figure is too."""
    lines = []
    for each in compared.cells:
        name = f"{each.cell.server} {each.cell.workload} c={each.cell.concurrency}"
        if each.too_slow and each.ratio:
            ratio = ratio_figure(each.ratio, each.by_cpu_time, each.bound)
            lines.append(f"slower by more than {100 * slower:g} %: {name}: {ratio}")
        if each.change == "lost" and each.after:
            lines.append(f"no figure any more: {name}: {each.after.rate_text}")
    for family in compared.families:
        if family.too_slow:
            ratio = ratio_figure(family.ratio, by_cpu_time=False, bound=family.bound)
            lines.append(f"slower by more than {100 * slower:g} %: all of {family.family}: {ratio}")
    return [f"{compared.after.id}: {line}" for line in lines]
