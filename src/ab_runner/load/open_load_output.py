"""What open-load printed, as figures or as a reason why there are none. Pure. docs/open-load.md has the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from ab_runner.load.exit_codes import by_exit_code
from ab_runner.model.limits import Amount, Count
from ab_runner.model.load import Arrivals, Beside, Outcome, Second
from ab_runner.model.message import Code, Message
from ab_runner.model.text import shown

_FORMAT = 2
_DETAIL_AT_MOST = 300
_NOT_RUN = 2


_Pairs = list[tuple[Count, Count]]


class _Requests(msgspec.Struct, frozen=True):
    planned: Count
    sent: Count
    refused: Count
    answered: Count
    failed: Count
    retried: Count


class _Times(msgspec.Struct, frozen=True):
    milliseconds: dict[str, Amount]
    microseconds: _Pairs


class _Connections(msgspec.Struct, frozen=True):
    opened: Count
    most_at_once: Count
    closed_while_free: Count
    left_open: Count
    unrequested_bytes: Count
    idle_closed: Count


class _PerSecond(msgspec.Struct, frozen=True):
    """A list for each, with an entry for each second; `lag` is empty of a closed load. `stolen` has a list for each
    CPU."""

    counted: list[bool]
    refused: list[Count]
    answered: list[Count]
    failed: list[Count]
    latency: list[_Pairs]
    lag: list[_Pairs]
    stolen: dict[Count, list[Amount]]


class _Options(msgspec.Struct, frozen=True):
    connections: str
    seconds: Amount
    at_most_seconds: Amount | None = None
    rate: Amount | None = None
    closed: Count | None = None


class _OfLoad(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one load: the main one, or the one beside it."""

    expected_bytes: Count | None
    requests: _Requests
    failed: dict[str, Count]
    refused: dict[str, Count]
    answered_per_second: Amount
    latency: _Times | None
    latency_from_sending: _Times | None = None
    lag: _Times | None
    per_second: _PerSecond
    connections: _Connections
    bytes_received: Count


class _Output(_OfLoad, frozen=True, kw_only=True):
    format: int
    version: str
    options: _Options
    seconds: Amount
    due_seconds: Amount
    counted_seconds: Amount
    beside: _OfLoad | None = None
    idle_opened: Count
    opened_before: Count = 0


def parse(stdout: str, stderr: str, exit_code: int) -> Outcome | Message:
    """Return what open-load printed. Never raises, whatever the text."""
    try:
        output = msgspec.json.decode(stdout, type=_Output)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _failure(stdout, stderr, exit_code)
    if output.format != _FORMAT:
        return Message(Code.NO_FIGURES, detail=f"open-load's format is {output.format}, not {_FORMAT}")
    return _outcome(output)


def _counts(times: _Times | None) -> dict[int, int]:
    return dict(times.microseconds) if times else {}


def _outcome(output: _Output) -> Outcome:
    answered = output.requests.answered
    failed = _failed(output)
    if output.options.rate is None:  # what found no connection: of an open load it is told apart
        failed.update(output.refused)
    length = output.expected_bytes
    return Outcome(
        generator="open-load",
        version=shown(output.version, 20),
        connections=output.options.closed or output.connections.most_at_once,
        seconds=output.seconds,
        is_timed=True,
        completed=answered,
        completed_per_second=output.answered_per_second,
        answered=answered,
        requests=output.requests.sent,
        failed=_shown(failed),
        failed_at_least=sum(failed.values()),
        retried=output.requests.retried,
        kept_alive=max(0, answered - output.connections.opened) if output.options.connections == "kept" else None,
        received_bytes=output.bytes_received,
        body_bytes=None if length is None else answered * length,
        body_length=length,
        latency=_counts(output.latency),
        arrivals=_arrivals(output, round(output.options.rate)) if output.options.rate is not None else None,
        per_second=tuple(_seconds(output.per_second)),
        beside=_beside(output.beside) if output.beside else None,
    )


def _beside(told: _OfLoad) -> Beside:
    failed = _failed(told)
    failed.update(told.refused)
    return Beside(
        planned=told.requests.planned,
        answered=told.requests.answered,
        failed=_shown(failed),
        latency=_counts(told.latency),
        per_second=tuple(_seconds(told.per_second)),
    )


def _shown(counts: Mapping[str, int]) -> dict[str, int]:
    return {shown(reason, 40): count for reason, count in counts.items()}


def _seconds(told: _PerSecond) -> Iterator[Second]:
    """Yield what is known of each second. Where lists have other lengths than the rest, it ends with the shortest."""
    lags = told.lag or [[]] * len(told.answered)
    lists = (told.answered, told.failed, told.refused, told.latency, lags, told.counted)
    for at, (answered, failed, refused, latency, lag, counted) in enumerate(zip(*lists, strict=False)):
        stolen = {cpu: seconds[at] for cpu, seconds in told.stolen.items() if any(seconds[at : at + 1])}
        yield Second(answered, failed + refused, dict(latency), dict(lag), counted, stolen)


def _failed(told: _OfLoad) -> Counter[str]:
    """Return the failed requests by reason. Bytes that no request had asked for make an answer wrong; how many answers,
    open-load does not say."""
    failed = Counter(told.failed)
    if told.connections.unrequested_bytes:
        failed["extra_bytes"] += 1
    return failed


def _arrivals(output: _Output, rate: int) -> Arrivals:
    lag = output.lag.milliseconds if output.lag else {}
    from_sending = output.latency_from_sending.milliseconds if output.latency_from_sending else {}
    counts_clean_seconds = output.options.at_most_seconds is not None
    return Arrivals(
        rate=rate,
        planned=output.requests.planned,
        refused=_shown(output.refused),
        lag_p99=lag.get("p99", 0.0),
        lag_longest=lag.get("max", 0.0),
        most_connections=output.connections.most_at_once,
        idle_opened=output.idle_opened,
        idle_closed=output.connections.idle_closed,
        lag=_counts(output.lag),
        due_seconds=output.due_seconds,
        clean_seconds=output.counted_seconds if counts_clean_seconds else None,
        clean_seconds_asked=output.options.seconds if counts_clean_seconds else None,
        mean_from_sending=from_sending.get("mean"),
        longest_from_sending=from_sending.get("max"),
        opened_before=output.opened_before,
    )


def _failure(stdout: str, stderr: str, exit_code: int) -> Message:
    lines = [line for line in (stderr or stdout).splitlines() if line.strip()]
    detail = shown(lines[-1], _DETAIL_AT_MOST) if lines else "nothing printed"
    if code := by_exit_code(exit_code):
        return Message(code, detail=detail)
    if exit_code == _NOT_RUN and "cannot reach" in detail:
        return Message(Code.REFUSED, detail=detail)
    return Message(Code.NO_FIGURES if exit_code in (0, 1) else Code.UNSAID, detail=detail)
