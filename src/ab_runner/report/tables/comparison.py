"""Sweeps compared with the first of them, as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import ascii_uppercase

from ab_runner.analysis.comparison import (
    CellChange,
    Change,
    FamilyChange,
    SweepComparison,
    to_know_of,
    why_not_comparable,
)
from ab_runner.analysis.measure import lower_is_better
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import level_text
from ab_runner.model.protocol import cpus_text
from ab_runner.report.document import Emphasis, Report, Table, TableCell, plain
from ab_runner.report.say.figures import AT_LEAST, NO_RECORD, cell_text, main_text, of_cpu_time
from ab_runner.report.say.numbers import NONE, rate_figure, ratio_figure
from ab_runner.report.say.warnings import warning_lines
from ab_runner.report.say.words import words_of
from ab_runner.stats.estimate import FEWEST_STARTS
from ab_runner.stats.ranking import ALPHA, MINIMUM_EFFECT
from ab_runner.store.differences import by_revisions

LETTERS = ascii_uppercase
"""The sweeps' names in a comparison; their ids are long."""
TOLD = (
    f"faster, slower: a tested difference of more than {100 * MINIMUM_EFFECT:g} %; the probability that "
    f"any of these verdicts is wrong is at most {100 * ALPHA:g} %"
)
FEW_STARTS = (
    f"too few starts: fewer than {FEWEST_STARTS} show too little of the noise, so there is no interval and no verdict; "
    f"measure with --blocks {FEWEST_STARTS}"
)
BY_REFERENCE = (
    "the ratio is one of shares of the ceiling, which ran in every batch of both sweeps: what made the whole machine "
    "slower or faster is not in it"
)
NOT_OF_THE_SOFTWARE = "so the ratio is not of the software alone and is not tested"
REVISED = f"the server's behaviour was changed here, {NOT_OF_THE_SOFTWARE}"
FAMILY = "the geometric mean over the servers; of each server, over the cells that every start in both sweeps has"
WITHOUT_REVISED = "without servers whose revision differs"


_EMPHASES: dict[Change, Emphasis] = {
    "faster": Emphasis.GOOD,
    "gained": Emphasis.GOOD,
    "slower": Emphasis.BAD,
    "lost": Emphasis.BAD,
    "cannot be told": Emphasis.UNSURE,
    "revised": Emphasis.UNSURE,
    "other CPUs": Emphasis.UNSURE,
    "other generator": Emphasis.UNSURE,
}


def report_comparison(sweeps: Sequence[SweepAnalysis], compared: Sequence[SweepComparison]) -> Report:
    """Return the report of sweeps compared with the first of them; `compared` has the comparison of each of the
    others."""
    first = sweeps[0].sweep
    facts = [
        f"{letter}: {each.sweep.id}, protocol {each.sweep.request.protocol.name}"
        for letter, each in zip(LETTERS, sweeps, strict=False)
    ]
    warnings = []
    for letter, comparison in zip(LETTERS[1:], compared, strict=False):
        after = comparison.after
        warnings += [f"{letter} is not comparable with A: {text}" for text in why_not_comparable(first, after)]
        warnings += [f"{letter}: {text}" for text in to_know_of(first, after)]
    for letter, analysis in zip(LETTERS, sweeps, strict=False):
        warnings += [f"{letter}: {text}" for text in warning_lines(analysis.warnings)]
    tables = tuple(table for table, _ in tables_of(compared))
    return Report(heading="comparison with A", facts=(*facts, TOLD), tables=tables, warnings=tuple(warnings))


def tables_of(compared: Iterable[SweepComparison]) -> Iterator[tuple[Table, Sequence[CellChange]]]:
    """Yield the tables of these comparisons, each with the cells that it shows: that of families has none."""
    for letter, comparison in zip(LETTERS[1:], compared, strict=False):
        yield from _tables(letter, comparison)


def _tables(letter: str, compared: SweepComparison) -> Iterator[tuple[Table, Sequence[CellChange]]]:
    words = words_of(compared.after.request)
    ratio = f"A / {letter}" if lower_is_better(words.measure) else f"{letter} / A"
    for workload in dict.fromkeys(change.cell.workload for change in compared.cells):
        changes = [change for change in compared.cells if change.cell.workload == workload]
        notes = [of_cpu_time(words.limit)] if any(change.by_cpu_time for change in changes) else []
        notes += [AT_LEAST] if any(change.bound for change in changes) else []
        notes += [FEW_STARTS] if any(change.change == "too few starts" for change in changes) else []
        notes += [BY_REFERENCE] if compared.by_reference else []
        notes += _revised_notes(changes, compared.revised)
        notes += _other_notes(letter, changes, compared)
        table = Table(
            title=f"{workload}: {words.quantity}, {letter} against A",
            headings=("server", words.column, "A", letter, ratio, "verdict"),
            rows=tuple(_rows(changes)),
            notes=tuple(notes),
        )
        yield table, changes
    if compared.families:
        families = Table(
            title=f"families: {letter} against A",
            headings=("family", "servers", "cells", ratio, "verdict"),
            rows=tuple(map(_family, compared.families)),
            notes=(FAMILY, WITHOUT_REVISED) if compared.revised else (FAMILY,),
        )
        yield families, ()


def _revised_notes(changes: Iterable[CellChange], revised: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """Yield a line for each pair of revisions."""
    here = dict.fromkeys(change.cell.server for change in changes if change.change == "revised")
    for (before, after), ids in by_revisions({id: revised[id] for id in here}).items():
        yield f"revised: revision {before} → {after} ({', '.join(ids)}): {REVISED}"


def _other_notes(letter: str, changes: Iterable[CellChange], compared: SweepComparison) -> Iterator[str]:
    """Yield why no figures of these sweeps are tested."""
    sweeps = (compared.before, compared.after)
    found = {change.change for change in changes}
    if "other CPUs" in found:
        before, after = (cpus_text(sweep.cpus_of_a_server) for sweep in sweeps)
        yield f"other CPUs: servers had {before} in A and {after} in {letter}, {NOT_OF_THE_SOFTWARE}"
    if "other generator" in found:
        before, after = (sweep.request.load_by for sweep in sweeps)
        yield f"other generator: {before} made the load in A and {after} in {letter}, {NOT_OF_THE_SOFTWARE}"


def _rows(changes: Iterable[CellChange]) -> Iterator[tuple[TableCell, ...]]:
    """Yield a row for each cell. The server's name stands on its first row."""
    last = ""
    for each in sorted(changes, key=lambda each: each.cell):
        name = each.cell.server if each.cell.server != last else ""
        last = each.cell.server
        ratio = ratio_figure(each.ratio, each.by_cpu_time, each.bound) if each.ratio else NONE
        yield (*plain((name, str(each.cell.level), *_figures(each), ratio)), _change(each.change))


def _change(change: Change) -> TableCell:
    return TableCell(change, _EMPHASES.get(change, Emphasis.NONE))


def _figures(change: CellChange) -> tuple[str, str]:
    """Return the median without its interval, because the ratio's interval matters here; or why there is no figure."""
    texts = []
    for summary in (change.before, change.after):
        if summary is None:
            texts.append(NO_RECORD)
        elif summary.figure is None:
            texts.append(cell_text(summary))
        elif change.by_cpu_time and summary.cpu_efficiency:
            texts.append(rate_figure(summary.cpu_efficiency.value))
        else:
            texts.append(main_text(summary))
    return texts[0], texts[1]


def _family(change: FamilyChange) -> tuple[TableCell, ...]:
    ratio = ratio_figure(change.ratio, by_cpu_time=False, bound=change.bound)
    return (*plain((change.family, str(change.servers), str(change.cells), ratio)), _change(change.change))


def too_slow(compared: SweepComparison, slower: float) -> list[str]:
    """Return a line for each change for which `--fail-if-slower` fails, including a cell that no longer has a
    figure."""
    lines = []
    for each in compared.cells:
        name = f"{each.cell.server} {each.cell.workload} {level_text(compared.after.request.axis, each.cell.level)}"
        if each.too_slow and each.ratio:
            ratio = ratio_figure(each.ratio, each.by_cpu_time, each.bound)
            lines.append(f"slower by more than {100 * slower:g} %: {name}: {ratio}")
        if each.change == "lost" and each.after:
            lines.append(f"figure lost: {name}: {cell_text(each.after)}")
    for family in compared.families:
        if family.too_slow:
            ratio = ratio_figure(family.ratio, by_cpu_time=False, bound=family.bound)
            lines.append(f"slower by more than {100 * slower:g} %: all of {family.family}: {ratio}")
    return [f"{compared.after.id}: {line}" for line in lines]
