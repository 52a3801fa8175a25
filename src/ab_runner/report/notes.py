"""The notes of the tables of rates and latencies: letters, stars, and the cells without a figure. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.reasons import Failure, Reason, Sentence, together
from ab_runner.analysis.remarks import ConnectionsServed, JvmRemark
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.records import Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.report.figures import (
    BRIEF_REASONS,
    LIMITS,
    NONE,
    jvm_text,
    latency_text,
    numbers_text,
    remark_text,
    sentence_text,
)

CUT_OFF = "≥ before the longest: about as long as the trial, whose end cut it off"
OF_THE_SERVED = "*: of the connections served alone; the others waited, most of them without an answer"
NOT_ALL_SERVED = "some connections waited while the others were served"
_MOST_NAMES = 3
"""If there are more servers than this, only their number is shown."""
_LONGEST_WORDS = 60
"""Characters of a stored reason that are shown as they are."""


def rate_notes(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[str]:
    """Yield the notes of a workload's table of rates: the letters, a line for each server with remarks, and why ab
    cannot measure some servers."""
    servers = analysis.sweep.servers
    cells = {server.id: analysis.cells_of(server.id, workload) for server in servers if workload in server.workloads}
    yield from limit_notes(cell for found in cells.values() for cell in found)
    for server, found in cells.items():
        levels: dict[str, list[int]] = {}
        for cell in found:
            for remark in cell.remarks:
                levels.setdefault(" ".join(remark_text(remark).split()), []).append(cell.cell.concurrency)
        if levels:
            yield f"{server}: {'; '.join(f'{text} at {numbers_text(at)}' for text, at in levels.items())}"
    yield from untestable_notes(workload, analysis)


def untestable_notes(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[str]:
    """Yield why ab cannot measure this workload of some servers."""
    for server in analysis.sweep.servers:
        if workload in server.untestable:
            yield f"{server.id}: {server.untestable[workload]}"


def limit_notes(cells: Iterable[CellSummary]) -> Iterator[str]:
    """Yield the meaning of the letters in these cells."""
    found = {cell.limit for cell in cells}
    yield from (text for limit, text in LIMITS.items() if limit in found)


def latency_notes(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[str]:
    """Yield the notes of a workload's table of latencies."""
    found = (cell for server in analysis.sweep.servers for cell in analysis.cells_of(server.id, workload))
    shown = [cell for cell in found if latency_text(cell) != NONE]
    if any(cell.longest_is_cut_off for cell in shown):
        yield CUT_OFF
    if any(cell.starved for cell in shown):
        yield OF_THE_SERVED


# --- all cells in a few lines ------------------------------------------------------------------------------------


def grouped_notes(analysis: SweepAnalysis) -> Iterator[str]:
    """Yield the marks of all tables of rates in a line, then what failed and what the stars mean, each in a line."""
    cells = list(analysis.cells.values())
    if marks := list(limit_notes(cells)):
        yield "; ".join(marks)
    if failed := [cell for cell in cells if cell.failure is not None]:
        have = "has" if len(failed) == 1 else "have"
        yield f"{len(failed)} of {len(cells)} cells {have} failed trials: {_failures(failed)}"
    if remarks := _remarks(cells):
        yield f"*: {remarks}"


def _failures(cells: Iterable[CellSummary]) -> str:
    pairs = [(cell.cell, remark) for cell in cells for remark in cell.remarks if isinstance(remark, Failure)]
    texts = []
    for reason in dict.fromkeys(failure.reason for _, failure in pairs):
        said = [failure.said for _, failure in pairs if failure.reason is reason]
        those = [cell for cell, failure in pairs if failure.reason is reason]
        texts.append(f"{_words(reason, said)} {_of(those)}")
    return "; ".join(texts)


def _words(reason: Reason, said: Iterable[Sentence]) -> str:
    """Return the stored texts if they are few and differ at most in a figure, else what they have in common."""
    first, *others = map(sentence_text, together(said))
    return BRIEF_REASONS[reason] if others or len(first) > _LONGEST_WORDS else first


def _remarks(cells: Iterable[CellSummary]) -> str:
    notes: dict[tuple[str, str], list[tuple[Cell, Sentence]]] = {}
    others: dict[str, list[Cell]] = {}
    for cell in cells:
        for remark in cell.remarks:
            if isinstance(remark, Sentence):
                notes.setdefault((remark.before, remark.after), []).append((cell.cell, remark))
            elif isinstance(remark, JvmRemark):
                others.setdefault(jvm_text(remark.work), []).append(cell.cell)
            elif isinstance(remark, ConnectionsServed) and not cell.starved:
                others.setdefault(NOT_ALL_SERVED, []).append(cell.cell)
    texts = [
        f"{sentence_text(together(sentence for _, sentence in pairs)[0])} {_of([cell for cell, _ in pairs])}"
        for pairs in notes.values()
    ]
    texts += [f"{text} {_of(those)}" for text, those in others.items()]
    return "; ".join(texts)


def _of(cells: Iterable[Cell]) -> str:
    """Return `(3 cells: tomcat-11, nginx-1.26)`, or `(20 cells of 7 servers)`."""
    different = dict.fromkeys(cells)
    servers = dict.fromkeys(cell.server for cell in different)
    names = f": {', '.join(servers)}" if len(servers) <= _MOST_NAMES else f" of {len(servers)} servers"
    return f"({len(different)} cell{'' if len(different) == 1 else 's'}{names})"
