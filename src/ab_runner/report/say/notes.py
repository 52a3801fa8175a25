"""The notes of the tables of rates and latencies: letters, stars, and the cells without a figure. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ab_runner.analysis.cells import CellSummary
from ab_runner.analysis.disturbed import DISTURBED
from ab_runner.analysis.failures import Failure, FailureKind
from ab_runner.analysis.remarks import ConnectionsServed, JvmRemark, Note, Remark, SecondsLeftOut, StolenTime
from ab_runner.analysis.sweep_analysis import SweepAnalysis
from ab_runner.model.axis import Axis
from ab_runner.model.server import REFERENCE
from ab_runner.model.text import counted
from ab_runner.model.trial import Cell
from ab_runner.model.workload import WorkloadName
from ab_runner.report.document import Group
from ab_runner.report.say.figures import (
    BRIEF_KINDS,
    jvm_text,
    jvm_trials_text,
    left_out_sentence,
    limit_of,
    limit_texts,
    remark_text,
    shows_latencies,
    stolen_sentence,
)
from ab_runner.report.say.messages import Sentence, detail_of, sentence_of, together
from ab_runner.report.say.numbers import numbers_text

ONE_CONNECTION = "c=1: each request waits for the answer to the last, so wake-ups and round trips bound the rate"
SHARE_OF_PEAK = "each server at its own rate, a share of its own peak"
CUT_OFF = "≥ before the longest: about as long as the trial, whose end cut it off"
OF_THE_SERVED = "*: of the connections served alone; the others waited, most of them without an answer"
OWN_PERCENTILES = "'s own percentiles, not of requests that were recorded; medians of the trials"
_FEW_UNDISTURBED = "a cell with fewer than half of them is disturbed and has no rank"
UNDISTURBED = (
    f"undisturbed: trials in which the hypervisor gave at most {100 * DISTURBED:g} % of the CPU time to others; "
    f"{_FEW_UNDISTURBED}"
)
HAVE_CLEAN_SECONDS = (
    "undisturbed: trials that have their clean seconds or, in older sweeps, in which the hypervisor gave at most "
    f"{100 * DISTURBED:g} % of the CPU time to others; {_FEW_UNDISTURBED}"
)
IN_SOME_SESSIONS = "in k of n sessions: not in every session, so without a rank and a relative figure"
NOT_ALL_SERVED = "some connections waited while the others were served"
_MOST_NAMES = 3
"""If there are more servers than this, only their number is shown."""
_LONGEST_WORDS = 60
"""Characters of a reason that are shown as they are."""


def rate_notes(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[str]:
    """Yield the notes of a workload's table of rates: what the marks mean, a line for each kind of remark, and why ab
    cannot measure some servers."""
    yield from key_notes(workload, analysis)
    for group in remark_groups(workload, analysis):
        yield f"{group.line}: {'; '.join(f'{name} {detail}'.rstrip() for name, detail in group.items)}"
    yield from untestable_notes(workload, analysis)


def key_notes(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[str]:
    """Yield what the marks in a workload's table of rates mean, and what bounds the rate of one connection."""
    cells = list(_cells_of(workload, analysis))
    yield from axis_notes(cells, analysis.axis)
    yield from limit_notes(cells, analysis)
    yield from trial_notes(cells)


def remark_groups(workload: WorkloadName, analysis: SweepAnalysis) -> tuple[Group, ...]:
    """Return the remarks on a workload's rates, those of one kind together, with the cells that each concerns."""
    kinds: dict[object, list[tuple[Cell, Remark]]] = {}
    for cell in _cells_of(workload, analysis):
        for remark in cell.remarks:
            kinds.setdefault(_kind(remark), []).append((cell.cell, remark))
    return tuple(map(_remark_group, kinds.values()))


def _cells_of(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[CellSummary]:
    for server in analysis.sweep.servers:
        if workload in server.workloads:
            yield from analysis.cells_of(server.id, workload)


def _kind(remark: Remark) -> object:
    """Return what remarks of one kind have in common: the kind of failures, the code of notes."""
    match remark:
        case Failure():
            return remark.kind
        case Note():
            return remark.messages[0].code
        case JvmRemark():
            return remark.work
        case StolenTime() | SecondsLeftOut() | ConnectionsServed():
            return type(remark)


def _remark_group(found: Sequence[tuple[Cell, Remark]]) -> Group:
    of_cells: dict[Cell, list[Remark]] = {}
    for cell, remark in found:
        of_cells.setdefault(cell, []).append(remark)
    said = _said(remark for _, remark in found)
    places: dict[tuple[str, str], list[int]] = {}
    for cell, remarks in of_cells.items():
        places.setdefault((cell.server, _detail(remarks, said)), []).append(cell.level)
    servers = len({cell.server for cell in of_cells})
    of_servers = f" of {servers} servers" if servers > 1 else ""
    return Group(
        f"{_common_text(found[0][1], said)} ({counted(len(of_cells), 'cell')}{of_servers})",
        tuple(
            (server, f"at {numbers_text(at)}{f': {detail}' if detail else ''}")
            for (server, detail), at in places.items()
        ),
    )


def _said(remarks: Iterable[Remark]) -> tuple[Sentence, ...]:
    """Return what remarks of messages say, those that differ only in their figure as one."""
    return together(each for remark in remarks for each in _sentences(remark))


def _sentences(remark: Remark) -> Iterable[Sentence]:
    match remark:
        case Failure() | Note():
            return map(sentence_of, remark.messages)
        case StolenTime():
            return (stolen_sentence(remark),)
        case SecondsLeftOut():
            return (left_out_sentence(remark),)
    return ()


def _common_text(remark: Remark, said: Sequence[Sentence]) -> str:
    """Return what such remarks say, if these are all their sentences."""
    match remark:
        case JvmRemark():
            return jvm_text(remark.work)
        case ConnectionsServed():
            return NOT_ALL_SERVED
        case Failure() if len(said) > 1:
            return BRIEF_KINDS[remark.kind]
        case _:
            return _line(said[0].text)


def _detail(remarks: Sequence[Remark], said: Sequence[Sentence]) -> str:
    """Return what the remarks of one cell say beyond the text of their group, whose sentences these are."""
    match remarks[0]:
        case JvmRemark() as remark:
            return jvm_trials_text(remark)
        case ConnectionsServed() as remark:
            return remark_text(remark)
        case _:
            failures = (remark for remark in remarks if isinstance(remark, Failure))
            details = together(detail_of(message) for failure in failures for message in failure.messages)
            texts = filter(None, (detail.text for detail in details))
            return ": ".join(filter(None, (_own(_said(remarks), said), _line("; ".join(texts)))))


def _own(said: Sequence[Sentence], of_group: Sequence[Sentence]) -> str:
    """Return the sentences of one cell, or their figure where all of the group differ only in that."""
    if len(of_group) > 1:
        return _line("; ".join(each.text for each in said))
    return "" if [each.text for each in said] == [each.text for each in of_group] else said[0].range


def _line(text: str) -> str:
    return " ".join(text.split())


def axis_notes(cells: Iterable[CellSummary], axis: Axis) -> Iterator[str]:
    """Yield what a reader must know of the levels: what bounds the rate of one connection, if any of these cells has
    one, and that servers have different rates at the same share of their peaks."""
    if axis == "connections" and any(cell.cell.level == 1 for cell in cells):
        yield ONE_CONNECTION
    if axis == "peak":
        yield SHARE_OF_PEAK


def untestable_notes(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[str]:
    """Yield why ab cannot measure this workload of some servers."""
    for server in analysis.sweep.servers:
        if workload in server.untestable:
            yield f"{server.id}: {server.untestable[workload]}"


def limit_notes(cells: Iterable[CellSummary], analysis: SweepAnalysis) -> Iterator[str]:
    """Yield the meaning of the letters in these cells."""
    found = {limit_of(cell) for cell in cells}
    texts = limit_texts(analysis.measure, analysis.sweep.request.load_by)
    yield from (text for limit, text in texts.items() if limit in found)


def trial_notes(cells: Iterable[CellSummary]) -> Iterator[str]:
    """Yield what undisturbed trials are, if any of these cells has others, and what a cell lacks that is not in every
    session."""
    cells = list(cells)
    if disturbed := [cell for cell in cells if cell.disturbed]:
        yield UNDISTURBED if disturbed[0].measure == "rate" else HAVE_CLEAN_SECONDS
    if any(cell.misses_a_session for cell in cells):
        yield IN_SOME_SESSIONS


def latency_notes(workload: WorkloadName, analysis: SweepAnalysis) -> Iterator[str]:
    """Yield the notes of a workload's table of latencies."""
    found = (cell for server in analysis.sweep.servers for cell in analysis.cells_of(server.id, workload))
    shown = [cell for cell in found if shows_latencies(cell)]
    if any(cell.longest_is_cut_off for cell in shown):
        yield CUT_OFF
    if any(cell.starved for cell in shown):
        yield OF_THE_SERVED
    yield from own_percentiles(shown)


def own_percentiles(cells: Iterable[CellSummary]) -> Iterator[str]:
    """Yield whose percentiles the latencies of these cells are, where no requests were recorded."""
    yield from dict.fromkeys(f"{cell.latency_by}{OWN_PERCENTILES}" for cell in cells if cell.latency_by)


# --- all cells in a few lines ------------------------------------------------------------------------------------


def grouped_notes(analysis: SweepAnalysis) -> Iterator[str]:
    """Yield the marks of all tables of rates in a line, then what failed and what the stars mean, each in a line."""
    yield from axis_notes(analysis.cells.values(), analysis.axis)
    if marks := list(limit_notes(analysis.cells.values(), analysis)):
        yield "; ".join(marks)
    yield from trial_notes(analysis.cells.values())
    ranked = [cell for cell in analysis.cells.values() if cell.cell.server != REFERENCE]
    if failed := [cell for cell in ranked if cell.failure is not None]:
        have = "has" if len(failed) == 1 else "have"
        yield f"{len(failed)} of {len(ranked)} cells {have} failed trials: {_failures(failed)}"
    if remarks := _remarks(analysis.cells.values()):
        yield f"*: {remarks}"


def _failures(cells: Iterable[CellSummary]) -> str:
    pairs = [(cell.cell, remark) for cell in cells for remark in cell.remarks if isinstance(remark, Failure)]
    texts = []
    for kind in dict.fromkeys(failure.kind for _, failure in pairs):
        said = _said(failure for _, failure in pairs if failure.kind is kind)
        those = [cell for cell, failure in pairs if failure.kind is kind]
        texts.append(f"{_words(kind, said)} {_of(those)}")
    return "; ".join(texts)


def _words(kind: FailureKind, said: Sequence[Sentence]) -> str:
    """Return the sentences if they are few and differ at most in a figure, else what they have in common."""
    first, *others = (each.text for each in said)
    return BRIEF_KINDS[kind] if others or len(first) > _LONGEST_WORDS else first


def _remarks(cells: Iterable[CellSummary]) -> str:
    notes: dict[object, list[tuple[Cell, Remark]]] = {}
    others: dict[str, list[Cell]] = {}
    for cell in cells:
        for remark in cell.remarks:
            if isinstance(remark, Note | StolenTime | SecondsLeftOut):
                notes.setdefault(_kind(remark), []).append((cell.cell, remark))
            elif isinstance(remark, JvmRemark):
                others.setdefault(jvm_text(remark.work), []).append(cell.cell)
            elif isinstance(remark, ConnectionsServed) and not cell.starved:
                others.setdefault(NOT_ALL_SERVED, []).append(cell.cell)
    texts = [
        f"{_said(remark for _, remark in pairs)[0].text} {_of([cell for cell, _ in pairs])}" for pairs in notes.values()
    ]
    texts += [f"{text} {_of(those)}" for text, those in others.items()]
    return "; ".join(texts)


def _of(cells: Iterable[Cell]) -> str:
    """Return `(3 cells: tomcat-11, nginx-1.26)`, or `(20 cells of 7 servers)`."""
    different = dict.fromkeys(cells)
    servers = dict.fromkeys(cell.server for cell in different)
    names = f": {', '.join(servers)}" if len(servers) <= _MOST_NAMES else f" of {len(servers)} servers"
    return f"({counted(len(different), 'cell')}{names})"
