"""Records and sweeps of format 1, as those of today. Its reasons and notes are texts; here alone they are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from ab_runner.load.ab_outcome import outcome_of
from ab_runner.load.ab_output import AbFigures
from ab_runner.model.limits import Count
from ab_runner.model.load import Arrivals, Load, Outcome
from ab_runner.model.message import Code, Message, Skip, SkipKind, Value, Verdict
from ab_runner.model.protocol import Lengths, Protocol, SweepRequest, WarmUp
from ab_runner.model.records import AnswerRecord, EndRecord, Record, ResumeRecord, StartRecord, WarmUpRecord
from ab_runner.model.sweep import Sweep
from ab_runner.model.trial import COLD, NotMeasured, RepeatedTrial, Search, Step, Trial
from ab_runner.model.workload import Workload

_WORKLOADS = (
    Workload(
        name="echo", path="/echo", echo=True, summary="the request's head comes back; a connection per request"
    ),
    Workload(
        name="small", path="/small.html", fixture="small.html",
        summary="a file of 100 bytes; a connection per request",
    ),
    Workload(
        name="small-keepalive", path="/small.html", fixture="small.html", keep_alive=True,
        summary="a file of 100 bytes; connections kept open",
    ),
    Workload(
        name="large", path="/large.bin", fixture="large.bin",
        summary="a file of 947,111 bytes; a connection per request",
    ),
)  # fmt: skip
"""All that there were; sweeps had their names alone."""
_OPEN_LOAD = "open-load "


class _Verdict(Struct, frozen=True):
    valid: bool
    reason: str | None = None
    notes: tuple[str, ...] = ()


class _Error(Struct, frozen=True):
    reason: str
    detail: str
    completed: Count | None = None


class _Step(Step, frozen=True, kw_only=True):
    reason: str | None  # type: ignore[assignment]


class _Search(Search, frozen=True, kw_only=True):
    steps: tuple[_Step, ...]


class _Report(AbFigures, frozen=True, kw_only=True):
    """The figures of ab; open-load filled in those that it has."""

    failed: Mapping[str, Count] = {}
    retried: Count = 0
    arrivals: Arrivals | None = None


class _Trial(Trial, frozen=True, kw_only=True, tag="trial", tag_field="record"):
    outcome: None = None
    report: _Report | None
    milliseconds: Mapping[Count, Count] = {}
    microseconds: Mapping[Count, Count] = {}
    lag_microseconds: Mapping[Count, Count] = {}
    error: _Error | None
    verdict: _Verdict  # type: ignore[assignment]
    search: _Search | None = None


class _RepeatedTrial(Struct, frozen=True, kw_only=True, tag="repeated-trial", tag_field="record"):
    trial: _Trial
    reason: str


class _ColdTrial(Struct, frozen=True, kw_only=True, tag="cold-trial", tag_field="record"):
    """What the first versions have instead of a repeated trial that was cold."""

    trial: _Trial


class _NotMeasured(NotMeasured, frozen=True, kw_only=True, tag="not-measured", tag_field="record"):
    reason: str  # type: ignore[assignment]
    detail: str = ""


class _StartRecord(StartRecord, frozen=True, kw_only=True, tag="start", tag_field="record"):
    error: str | None = None  # type: ignore[assignment]


class _WarmUpRecord(WarmUpRecord, frozen=True, kw_only=True, tag="warm-up", tag_field="record"):
    error: str | None = None  # type: ignore[assignment]


class _Protocol(Protocol, frozen=True, kw_only=True):
    large_warm_up: WarmUp
    large_trial: Load


class _Request(SweepRequest, frozen=True, kw_only=True):
    protocol: _Protocol


class _Sweep(Sweep, frozen=True, kw_only=True):
    request: _Request = msgspec.field(name="asked")
    skipped: dict[str, str] = msgspec.field(name="left_out", default_factory=dict)  # type: ignore[assignment]


_Record = (
    _StartRecord
    | AnswerRecord
    | _WarmUpRecord
    | _Trial
    | _RepeatedTrial
    | _ColdTrial
    | _NotMeasured
    | ResumeRecord
    | EndRecord
)
_RECORDS = msgspec.json.Decoder(_Record)


def sweep_of(content: bytes) -> Sweep:
    """Return the sweep of a sweep.json of format 1. msgspec.DecodeError if there is none."""
    sweep = msgspec.json.decode(content, type=_Sweep)
    skipped = {server: skip_of(text) for server, text in sweep.skipped.items()}
    workloads = tuple(each for each in _WORKLOADS if each.name in sweep.request.workloads)
    changes = {"skipped": skipped, "workloads": workloads, "request": _request(sweep.request)}
    return Sweep(**_fields(sweep) | changes)


def _request(request: _Request) -> SweepRequest:
    old = request.protocol
    large = {"large": Lengths(old.large_warm_up, old.large_trial)}
    protocol = Protocol(**_fields(old, "large_warm_up", "large_trial") | {"by_workload": large})
    return SweepRequest(**_fields(request) | {"protocol": protocol})


def record_of(line: bytes) -> Record:
    """Return the record of a line of format 1. msgspec.DecodeError if there is none."""
    record: _Record = _RECORDS.decode(line)
    match record:
        case _Trial():
            return _trial(record)
        case _RepeatedTrial(trial=trial, reason=reason):
            return RepeatedTrial(trial=_trial(trial), reason=reason)
        case _ColdTrial(trial=trial):
            return RepeatedTrial(trial=_trial(trial), reason=COLD)
        case _NotMeasured():
            reason_now = message_of(record.reason, record.detail)
            return NotMeasured(**_fields(record, "detail") | {"reason": reason_now})
        case _StartRecord():
            reason, _, detail = (record.error or "").partition(": ")
            return StartRecord(**_fields(record) | {"error": message_of(reason, detail) if reason else None})
        case _WarmUpRecord():
            return WarmUpRecord(**_fields(record) | {"error": message_of(record.error) if record.error else None})
        case AnswerRecord() | ResumeRecord() | EndRecord():
            return record


def _trial(trial: _Trial) -> Trial:
    verdict, error = trial.verdict, trial.error
    reason = None
    if not verdict.valid:
        reason = message_of(verdict.reason or "failed", error.detail if error else "")
        if error and error.completed is not None:
            reason = msgspec.structs.replace(reason, values={**reason.values, "completed": error.completed})
    changes = {
        "verdict": Verdict(verdict.valid, reason, tuple(map(message_of, verdict.notes))),
        "search": trial.search and _search(trial.search),
    }
    old = ("error", "report", "milliseconds", "microseconds", "lag_microseconds")
    return Trial(**_fields(trial, *old) | changes | {"outcome": trial.report and _outcome(trial, trial.report)})


def _outcome(trial: _Trial, report: _Report) -> Outcome:
    if not report.tool.startswith(_OPEN_LOAD):
        return outcome_of(report, trial.milliseconds, "-t" in trial.command)
    return Outcome(
        generator="open-load",
        version=report.tool.removeprefix(_OPEN_LOAD),
        connections=report.concurrency,
        seconds=report.seconds,
        is_timed=True,
        completed=report.complete,
        completed_per_second=report.requests_per_second,
        answered=report.answered,
        requests=report.complete + report.failures.at_least,
        failed=report.failed,
        failed_at_least=report.failures.at_least,
        retried=report.retried,
        kept_alive=report.keep_alive,
        received_bytes=report.total_bytes,
        body_bytes=report.html_bytes,
        body_length=report.document_length,
        latency=trial.microseconds,
        arrivals=report.arrivals and msgspec.structs.replace(report.arrivals, lag=trial.lag_microseconds),
    )


def _search(search: _Search) -> Search:
    steps = (
        Step(**_fields(step) | {"reason": message_of(step.reason) if step.reason else None}) for step in search.steps
    )
    return Search(met=search.met, missed=search.missed, steps=tuple(steps))


def _fields(struct: Struct, *without: str) -> dict[str, Any]:
    return {name: getattr(struct, name) for name in struct.__struct_fields__ if name not in without}


# --- texts ---------------------------------------------------------------------------------------------------------

_STAGES = {
    "SLO met at no rate: ": "slo",
    "no peak: ": "peak",
    "wrong answer during the trial: ": "during trial",
    "wrong answer after the trial: ": "after trial",
    "no answer after the trial: ": "after trial",
}
_N, _R = r"([\d,]+)", r"([\d.,]+(?:e[+-]\d+)?)"


def _number(text: str) -> int | float:
    plain = text.replace(",", "")
    return int(plain) if plain.lstrip("-").isdigit() else float(plain)


def _value(text: str) -> Value:
    try:
        return _number(text)
    except ValueError:
        return text


def _values(*names: str) -> Callable[[re.Match[str]], dict[str, Value]]:
    """Return what makes values of these names from a match, the first from its first group."""
    return lambda found: {name: _value(text) for name, text in zip(names, found.groups(), strict=True)}


_CODES: tuple[tuple[Code, re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (code, re.compile(pattern), names)
    for code, pattern, names in (
        (Code.COLD, rf"cold: the JIT took {_R} % of the server's CPU time", ("percent",)),
        (Code.INCOMPLETE, rf"{_N} of {_N} completed", ("completed", "requests")),
        (Code.WRONG_LENGTH, rf"wrong length {_N}", ("bytes",)),
        (Code.WRONG_TOTAL, r"wrong total (-?\d+) bytes", ("bytes",)),
        (Code.KEPT_ALIVE, rf"{_R} % kept alive", ("percent",)),
        (Code.IDLE_CONNECTIONS, rf"only {_N} of {_N} idle connections", ("open", "asked")),
        (Code.SHORT, rf"short: {_R} requests per connection", ("requests",)),
        (Code.FEW_FOR_P99, rf"p99 from only {_N} requests", ("requests",)),
        (Code.SENT_TWICE, rf"{_N} of the requests sent twice: the server closed their connections", ("requests",)),
        (Code.PEAK_IS_BOUND, r"open-load was the limit of the peak, so these are shares of .*", ()),
        (Code.SLO_MISSED, rf"(p[\d.]+) {_R} ms", ("percentile", "milliseconds")),
        (Code.EXITED, r"(server|generator) exited with (-?\d+)", ("who", "status")),
        (Code.KILLED_BY, r"(server|generator) killed by (\w+)", ("who", "signal")),
        (Code.RAN_OUT_OF_MEMORY, r"(server|generator) ran out of memory", ("who",)),
        (Code.CONTAINER_STATE, r"(server|generator) is (\w+)", ("who", "state")),
        (Code.NO_WHOLE_ANSWER, rf"no whole answer within {_N} s", ("seconds",)),
        (Code.DOES_NOT_CLOSE, rf"does not close the connection within {_N} s", ("seconds",)),
        (Code.STATUS_OF_MISSING, r"status (\d+) instead of 404 for a file that is not there", ("status",)),
        (Code.STATUS, r"status (\d+) instead of 200", ("status",)),
        (Code.BODY_LENGTH, rf"{_N} bytes instead of {_N}", ("bytes", "expected")),
        (Code.GIVES_FILE_OUT, r"gives out a file for (.+)", ("path",)),
        (Code.HEAD_TOO_LONG, rf"a head of more than {_N} bytes", ("limit",)),
        (Code.BODY_TOO_LONG, rf"a body of more than {_N} bytes", ("limit",)),
        (Code.BODY_TOO_LONG, rf"Content-Length [\d,]+ is more than {_N}", ("limit",)),
    )
)
_WITH_DETAIL = (
    Code.NO_CONNECTION, Code.CONNECTION_LOST, Code.NOT_HTTP, Code.NOT_A_HEADER, Code.NOT_A_LENGTH,
)  # fmt: skip
_BEHIND = {"overloaded": Code.OVERLOADED, "open-load too slow": Code.GENERATOR_BEHIND}
_BEHIND_TEXT = re.compile(rf"(overloaded|open-load too slow): {_N} answers/s(?:, {_N} failed: (.+))?")
_FAILED_TEXT = re.compile(rf"{_N} failed: (.+)")
_WRONG_TEXT = re.compile(rf"{_N} wrong answers?: (.+)")
_COUNTED_TEXT = re.compile(r"\d+ (?:failed|non-2xx|write errors)(?:, \d+ (?:failed|non-2xx|write errors))*")
_COUNTED = re.compile(r"(\d+) (failed|non-2xx|write errors)")


def message_of(text: str, detail: str = "") -> Message:
    """Return the message that a text of format 1 gives. One that is not known is its own code."""
    for preface, stage in _STAGES.items():
        if text.startswith(preface):
            return msgspec.structs.replace(_plain(text.removeprefix(preface), detail), stage=stage)
    return _plain(text, detail)


def _plain(text: str, detail: str) -> Message:
    text = text.splitlines()[0] if text else "failed"
    if found := _BEHIND_TEXT.fullmatch(text):
        failed = _kinds(found[4], found[3]) if found[3] else {}
        return Message(_BEHIND[found[1]], {"answers_per_second": _number(found[2])}, failed, detail=detail)
    for code, pattern in ((Code.FAILED, _FAILED_TEXT), (Code.WRONG_ANSWERS, _WRONG_TEXT)):
        if found := pattern.fullmatch(text):
            return Message(code, failed=_kinds(found[2], found[1]), detail=detail)
    if _COUNTED_TEXT.fullmatch(text):
        return Message(Code.COUNTED, {kind: int(count) for count, kind in _COUNTED.findall(text)}, detail=detail)
    for code, pattern, names in _CODES:
        if found := pattern.fullmatch(text):
            return Message(code, _values(*names)(found), detail=detail)
    for code in _WITH_DETAIL:
        if text.startswith(f"{code}: "):
            return Message(code, detail=text.removeprefix(f"{code}: "))
    return Message(text, detail=detail)


def _kinds(text: str, total: str) -> Mapping[str, int]:
    """Return the counts of `2 timeout, 1 reset`. Of a single kind there may be no count, but the total."""
    parts = text.split(", ")
    if len(parts) == 1 and not re.match(rf"{_N} ", parts[0]):
        return {parts[0].replace(" ", "_"): int(_number(total))}
    counts = (part.partition(" ") for part in parts)
    return {kind.replace(" ", "_"): int(_number(count)) for count, _, kind in counts}


_SKIPS = (
    (SkipKind.ARTIFACT, re.compile(r"artifacts fetch")),
    (SkipKind.JDK, re.compile(r"^needs Java \d")),
    (SkipKind.NOT_INSTALLED, re.compile(r"^\S+ is not installed")),
)


def skip_of(text: str) -> Skip:
    """Return why a server was skipped, by the text of format 1."""
    return Skip(next((kind for kind, pattern in _SKIPS if pattern.search(text)), SkipKind.OTHER), text)
