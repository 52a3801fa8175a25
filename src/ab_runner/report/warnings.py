"""The warnings of a sweep as lines: one short line for each kind, or every detail. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ab_runner.analysis.drift import Shift
from ab_runner.analysis.reasons import Skip
from ab_runner.analysis.warnings import (
    BlocksShifted,
    CpuTimeStolen,
    Damaged,
    DriftUnknown,
    HostConditions,
    MachineDrifted,
    NotSteady,
    OtherRelease,
    Resumed,
    Skipped,
    SweepWarning,
    Unfinished,
)
from ab_runner.host.preflight import STOLEN_AT_MOST

_MOST_NAMES = 5
"""If there are more names than this, a short line shows how many more."""
_SKIPPED: dict[Skip, tuple[str, str]] = {
    Skip.ARTIFACT: ("artifacts missing", "./ab-runner artifacts fetch"),
    Skip.JDK: ("the JDK is too old", "--jdk names a newer one"),
    Skip.NOT_INSTALLED: ("not installed", "./ab-runner doctor says what to install"),
}
"""Why servers are skipped, and what to do."""


def warning_lines(warnings: Iterable[SweepWarning], everything: bool = False) -> tuple[str, ...]:
    """Return a line for each warning; with `everything` a line for each detail of it."""
    lines = _all_lines if everything else _short_lines
    return tuple(line for warning in warnings for line in lines(warning))


def _names_text(names: Sequence[str]) -> str:
    """Return the names; if there are many, the first ones and how many more there are."""
    if len(names) <= _MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_NAMES])} and {len(names) - _MOST_NAMES} more"


def _all_lines(warning: SweepWarning) -> Iterator[str]:
    match warning:
        case Unfinished():
            if warning.ending is None:
                yield "this sweep is still running, or was killed before it could record its end"
            else:
                yield f"this sweep is not complete: {warning.ending}"
        case Resumed():
            yield from (f"resumed at {warning.at:%Y-%m-%d %H:%M} although {each}" for each in warning.differences)
        case HostConditions():
            yield from warning.texts
        case CpuTimeStolen():
            yield (
                f"in {warning.trials} of {warning.of} trials the hypervisor gave more than {100 * STOLEN_AT_MOST:g} % "
                f"of the CPU time to others, at most {100 * warning.largest:.1f} %: their rates may be too low; "
                "use a quieter host"
            )
        case MachineDrifted():
            changes = ", ".join(f"{each.workload} {each.change:+.1%}" for each in warning.drifts)
            yield f"the machine drifted: the ceiling at the end of the sweep against the beginning: {changes}"
        case BlocksShifted():
            yield from map(_shift_line, warning.shifts)
        case DriftUnknown():
            yield "whether the machine drifted is not known: the ceiling was not measured at its beginning and end"
        case NotSteady():
            found = [f"{server} ({unsteady} of {of})" for server, (unsteady, of) in warning.servers.items()]
            yield f"warm-ups that ended before the server was steady: {', '.join(found)}"
        case OtherRelease():
            ran = [f"{server} ran as {package}" for server, package in warning.servers.items()]
            yield f"the host's packages are of other releases than those listed: {', '.join(ran)}"
        case Damaged():
            yield from warning.lines
        case Skipped():
            yield from (f"skipped: {server}: {' '.join(text.split())}" for server, text in warning.servers.items())


def _short_lines(warning: SweepWarning) -> Iterator[str]:
    match warning:
        case Resumed() if len(warning.differences) > 1:
            yield f"resumed at {warning.at:%Y-%m-%d %H:%M} although {_and_more(warning.differences, 'difference')}"
        case HostConditions():
            yield "; ".join(warning.texts)
        case BlocksShifted() if len(warning.shifts) > 1:
            changes = ", ".join(f"{each.block} ({100 * each.change:+.1f} %)" for each in warning.shifts)
            yield f"blocks that were not like the others, all servers together: {changes}"
        case NotSteady() if len(warning.servers) > _MOST_NAMES:
            unsteady, of = (sum(counts) for counts in zip(*warning.servers.values(), strict=True))
            names = _names_text(list(warning.servers))
            yield f"warm-ups that ended before the server was steady: {unsteady} of {of}, of {names}"
        case Damaged():
            yield _and_more(warning.lines, "line")
        case Skipped() if len(warning.servers) > 1:
            text = " ".join(next(iter(warning.servers.values())).split())
            what, remedy = _SKIPPED.get(warning.skip, (text, ""))
            names = _names_text(list(warning.servers))
            yield f"{len(warning.servers)} servers skipped: {what} ({names}){f'; {remedy}' if remedy else ''}"
        case _:
            yield from _all_lines(warning)


def _and_more(texts: Sequence[str], what: str) -> str:
    """Return the first text, and how many more there are."""
    more = len(texts) - 1
    return f"{texts[0]} (and {more} more {what}{'' if more == 1 else 's'})" if more else texts[0]


def _shift_line(shift: Shift) -> str:
    word = "slower" if shift.change < 0 else "faster"
    return (
        f"block {shift.block} was not like the others: {shift.servers} servers together were "
        f"{100 * abs(shift.change):.1f} % {word} in it"
    )
