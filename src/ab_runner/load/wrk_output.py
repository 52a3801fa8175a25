"""What wrk's script printed, as an outcome or as a reason why there is none, and whether the trial is valid. Pure.

What is said here about wrk comes from its source, src/wrk.c, stats.c and script.c of 4.1.0. It looks at no body, and
counts as wrong only statuses above 399. A connection that breaks is opened again, and counted as a socket error. An
answer that does not come is counted nowhere; one that comes after --timeout is, and is missing in the percentiles.
The requests that it makes up for slow answers (stats_correct) are longer than the run's length times the connections
over the requests, which no mean of real ones exceeds. So its mean is never too small: by Little's law it can hide that
connections were starved, and never feigns it. But the time to connect is in no latency.
"""

from __future__ import annotations

import msgspec

from ab_runner.load.exit_codes import by_exit_code
from ab_runner.load.generator import Asked
from ab_runner.load.trial_validity import short, wrong_total
from ab_runner.model.limits import Amount, Count
from ab_runner.model.load import Outcome
from ab_runner.model.message import Code, Message, Verdict
from ab_runner.model.text import shown

PERCENTILES = (50, 90, 99, 99.9, 100)
SCRIPT = """\
wrk.format = function() return {head} end
function done(summary, latency)
  local errors, found = summary.errors, {{}}
  for _, share in ipairs({{{percentiles}}}) do
    local time = share == 100 and latency.max or latency:percentile(share)
    found[#found + 1] = string.format('"p%g":%.3f', share, time / 1000)
  end
  io.write(string.format(
    '{{"requests":%.0f,"microseconds":%.0f,"bytes":%.0f,"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d,' ..
    '"mean":%.3f,"milliseconds":{{%s}}}}\\n', summary.requests, summary.duration, summary.bytes, errors.connect,
    errors.read, errors.write, errors.timeout, errors.status, latency.mean / 1000, table.concat(found, ",")))
end
"""
"""Makes wrk send this head, byte for byte, and print exact figures instead of rounded ones. wrk asks for the request
once for each thread, so the script costs nothing under load."""
_MOST_FIGURES = 1 << 12
"""Characters of the line with the figures; it has some 200."""
_DETAIL_AT_MOST = 300


class _Figures(msgspec.Struct, frozen=True):
    """One run's figures. `bytes` are all that were received in answers, whole or not."""

    requests: Count
    microseconds: Count
    bytes: Count
    connect: Count
    read: Count
    write: Count
    timeout: Count
    status: Count
    mean: Amount
    milliseconds: dict[str, Amount]


_NAMES = tuple(f"p{each:g}" for each in PERCENTILES)
_SOCKET_ERRORS = ("connect", "read", "write", "timeout")
_PHRASES: dict[str, Code] = {
    "Connection refused": Code.REFUSED,
    "Cannot assign requested address": Code.NO_FREE_PORT,
    "Too many open files": Code.TOO_FEW_FILES,
    "Cannot allocate memory": Code.OUT_OF_MEMORY,
    "Usage: wrk": Code.BAD_ARGUMENTS,
}
"""In what it says when it ends with another exit code."""


def parse(stdout: str, stderr: str, exit_code: int, connections: int, keep_alive: bool) -> Outcome | Message:
    """Return what wrk found over so many connections, kept or not. Never raises, whatever the text."""
    if exit_code:
        return Message(
            by_exit_code(exit_code) or _by_phrase(stdout + stderr), detail=_last_line(stderr) or _last_line(stdout)
        )
    try:
        figures = msgspec.json.decode(_last_line(stdout, _MOST_FIGURES), type=_Figures)
    except (msgspec.MsgspecError, UnicodeError):
        return Message(Code.NO_FIGURES, detail=_last_line(stdout) or _last_line(stderr) or "nothing printed")
    return _outcome(figures, connections, keep_alive)


def judge(outcome: Outcome, asked: Asked) -> Verdict:
    """Return whether a run of wrk is valid and, if not, why.

    wrk compares nothing, so that all answers together must have as many bytes as so many right ones. Of a run that the
    time ends, each connection may have received a part of one more, as may each that broke.
    """
    errors = {kind: count for kind, count in outcome.failed.items() if kind in _SOCKET_ERRORS}
    reason = (
        _failed(outcome, sum(errors.values()) - int(asked.failures_at_most * outcome.requests))
        or wrong_total(outcome, asked, sum(errors.values()))
        or (Message(Code.NOT_CLOSED) if asked.stays_open and not asked.keep_alive else None)
    )
    if reason is not None:
        return Verdict(False, reason)
    tolerated = [Message(Code.SOCKET_ERRORS, failed=errors)] if errors else []
    return Verdict(True, notes=(*tolerated, *short(outcome, asked)))


def _failed(outcome: Outcome, too_many: int) -> Message | None:
    if too_many > 0 or "status" in outcome.failed:
        return Message(Code.FAILED, failed=dict(sorted(outcome.failed.items(), key=lambda each: -each[1])))
    return None if outcome.completed and outcome.completed_per_second else Message(Code.NONE_COMPLETED)


def _outcome(figures: _Figures, connections: int, keep_alive: bool) -> Outcome:
    seconds = figures.microseconds / 1e6
    broken = figures.connect + figures.read + figures.write
    failed = {
        "status": figures.status,
        "connect": figures.connect,
        "read": figures.read,
        "write": figures.write,
        "timeout": figures.timeout,
    }
    return Outcome(
        generator="wrk",
        version="",
        connections=connections,
        seconds=seconds,
        is_timed=True,
        completed=figures.requests,
        completed_per_second=round(figures.requests / seconds, 2) if seconds else 0.0,
        answered=figures.requests,
        requests=figures.requests + broken,
        failed={kind: count for kind, count in failed.items() if count},
        # An answer with such a status may have been late too.
        failed_at_least=broken + max(figures.status, figures.timeout),
        received_bytes=figures.bytes,
        own_percentiles={name: figures.milliseconds[name] for name in _NAMES if name in figures.milliseconds}
        if figures.requests
        else {},
        own_mean=figures.mean if keep_alive and figures.requests else None,
    )


def _by_phrase(text: str) -> Code:
    return next((code for phrase, code in _PHRASES.items() if phrase in text), Code.UNSAID)


def _last_line(text: str, at_most: int = _DETAIL_AT_MOST) -> str:
    lines = text.strip().splitlines()
    return shown(lines[-1].strip(), at_most) if lines else ""
