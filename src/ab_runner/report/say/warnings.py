"""The warnings of a sweep, one group for each kind: a line, and the servers or other things that it concerns. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ab_runner.analysis.disturbed import DISTURBED
from ab_runner.analysis.drift import Shift
from ab_runner.analysis.warnings import (
    BlocksShifted,
    CpuTimeStolen,
    Damaged,
    DriftUnknown,
    HostConditions,
    MachineDrifted,
    NodesApart,
    NodesDiffer,
    NotSteady,
    OtherRelease,
    Resumed,
    Skipped,
    SweepWarning,
    Unfinished,
)
from ab_runner.model.message import SkipKind
from ab_runner.report.document import Group

_MOST_NAMES = 5
"""If there are more names than this, a short line shows how many more."""
_SKIPPED: dict[str, str] = {
    SkipKind.ARTIFACT: "artifacts missing (./ab-runner artifacts fetch)",
    SkipKind.JDK: "the JDK is too old (--jdk names a newer one)",
    SkipKind.NOT_INSTALLED: "not installed (./ab-runner doctor says what to install)",
}
"""Why servers are skipped, and what to do."""


def warning_lines(warnings: Iterable[SweepWarning], everything: bool = False) -> tuple[str, ...]:
    """Return a line for each kind of warning, with some of the names; with `everything`, with all that is known."""
    line = _full_line if everything else _short_line
    return tuple(map(line, warning_groups(warnings)))


def warning_groups(warnings: Iterable[SweepWarning]) -> tuple[Group, ...]:
    """Return the warnings, those of one kind together."""
    kinds: dict[object, list[SweepWarning]] = {}
    for warning in warnings:
        kinds.setdefault(warning.kind if isinstance(warning, Skipped) else type(warning), []).append(warning)
    return tuple(map(_group, kinds.values()))


def _short_line(group: Group) -> str:
    names = [name for name, _ in group.items]
    return _joined(group.line, names[:_MOST_NAMES], more=len(names[_MOST_NAMES:]))


def _full_line(group: Group) -> str:
    return _joined(group.line, [f"{name} ({detail})" if detail else name for name, detail in group.items])


def _joined(line: str, texts: Sequence[str], more: int = 0) -> str:
    if not texts:
        return line
    between = "; " if any(" " in text for text in texts) else ", "
    return f"{line}: {between.join(texts)}{f' and {more} more' if more else ''}"


def _group(same: Sequence[SweepWarning]) -> Group:
    """Return the group of these warnings, which are of one kind."""
    match same[0]:
        case Unfinished(ending=ending):
            return Group(
                "this sweep is still running, or was killed before it could record its end"
                if ending is None
                else f"this sweep is not complete: {ending}"
            )
        case Resumed():
            return _resumed([each for each in same if isinstance(each, Resumed)])
        case HostConditions(texts=texts):
            return _several(f"{len(texts)} conditions of this host disturb measurements", texts)
        case CpuTimeStolen(trials=trials, of=of, largest=largest, few_clean_seconds=few):
            took = f"gave more than {100 * DISTURBED:g} % of the CPU time to others, at most {100 * largest:.1f} %"
            return Group(
                f"in {trials} of {of} trials the hypervisor {'left too few clean seconds' if few else took}: "
                "figures are of the other trials, where a cell has any; use a quieter host"
            )
        case MachineDrifted(drifts=drifts):
            changes = [f"{each.workload} {each.change:+.1%}" for each in drifts]
            return _named("the machine drifted: the ceiling at the end of the sweep against the beginning", changes)
        case BlocksShifted(shifts=shifts):
            return _shifted(shifts)
        case NodesDiffer(machines=machines):
            return Group("the nodes are not of one kind: figures are of all of them", tuple(machines.items()))
        case NodesApart(changes=changes):
            apart = [f"{node} {change:+.1%}" for node, change in changes.items()]
            return _named("the nodes are not equally fast: the ceiling on each against their median", apart)
        case DriftUnknown():
            return Group("whether the machine drifted is not known: the ceiling was not measured")
        case NotSteady(servers=servers):
            unsteady, of = (sum(counts) for counts in zip(*servers.values(), strict=True))
            return Group(
                f"{unsteady} of {of} warm-ups ended before the server was steady",
                tuple((server, f"{count} of {each}") for server, (count, each) in servers.items()),
            )
        case OtherRelease(servers=servers):
            ran = [f"{server} ran as {package}" for server, package in servers.items()]
            return _named("the host's packages are of other releases than those listed", ran)
        case Damaged(lines=lines):
            return _several(f"{len(lines)} lines of the log are damaged and ignored", lines)
        case Skipped():
            return _skipped([each for each in same if isinstance(each, Skipped)])


def _named(line: str, names: Iterable[str]) -> Group:
    return Group(line, tuple((name, "") for name in names))


def _several(line: str, texts: Sequence[str]) -> Group:
    """Return the texts under a line, or the only text alone."""
    return Group(texts[0]) if len(texts) == 1 else _named(line, texts)


def _resumed(resumed: Sequence[Resumed]) -> Group:
    found = [(text, f"{each.at:%Y-%m-%d %H:%M}") for each in resumed for text in each.differences]
    if len(found) == 1:
        ((text, at),) = found
        return Group(f"resumed at {at} although {text}")
    return Group(f"resumed although {len(found)} things had changed", tuple(found))


def _shifted(shifts: Sequence[Shift]) -> Group:
    if len(shifts) > 1:
        changes = [f"block {each.block} {100 * each.change:+.1f} %" for each in shifts]
        return _named(f"{len(shifts)} blocks were not like the others, all servers together", changes)
    (shift,) = shifts
    word = "slower" if shift.change < 0 else "faster"
    return Group(
        f"block {shift.block} was not like the others: {shift.servers} servers together were "
        f"{100 * abs(shift.change):.1f} % {word} in it"
    )


def _skipped(skipped: Sequence[Skipped]) -> Group:
    reasons = {server: " ".join(text.split()) for each in skipped for server, text in each.servers.items()}
    if len(reasons) == 1:
        ((server, reason),) = reasons.items()
        return Group(f"skipped: {server}: {reason}")
    said = set(reasons.values())
    if len(said) == 1 and skipped[0].kind == SkipKind.OTHER:
        return _named(f"{len(reasons)} servers skipped, {said.pop()}", reasons)
    return Group(
        f"{len(reasons)} servers skipped, {_SKIPPED.get(skipped[0].kind, 'several reasons')}", tuple(reasons.items())
    )
