"""The words of messages: why there is no valid result, and what a reader of a valid one should know. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from string import Formatter

import msgspec

from ab_runner.model.message import Code, Message, Value

_ANSWERS = "{answers_per_second:,.0f} answers/s"
_TEXTS: dict[str, str] = {
    Code.COLD: "cold: the JIT took {percent:.2g} % of the server's CPU time",
    Code.OVERLOADED: "overloaded",
    Code.FEW_CLEAN_SECONDS: "disturbed: the hypervisor took CPU time in most seconds",
    Code.GENERATOR_BEHIND: "open-load too slow",
    Code.NETWORK_FULL: "network too slow",
    Code.INCOMPLETE: "{completed} of {requests} completed",
    Code.WRONG_LENGTH: "wrong length {bytes}",
    Code.WRONG_TOTAL: "wrong total {bytes} bytes",
    Code.KEPT_ALIVE: "{percent:.1f} % kept alive",
    Code.IDLE_CONNECTIONS: "only {open:,} of {asked:,} idle connections",
    Code.OPENED_BEFORE: "only {open:,} of {asked:,} connections opened before the load",
    Code.SHORT: "short: {requests} requests per connection",
    Code.FEW_FOR_P99: "p99 from only {requests} requests",
    Code.SENT_TWICE: "{requests:,} of the requests sent twice: the server closed their connections",
    Code.ENDED_BY_RATE: "did not survive {requests:,} requests/s, and had to be started again",
    Code.PEAK_IS_BOUND: "open-load was the limit of the peak, so these are shares of less than the server's own",
    Code.EXITED: "{who} exited with {status!s}",
    Code.KILLED_BY: "{who} killed by {signal}",
    Code.RAN_OUT_OF_MEMORY: "{who} ran out of memory",
    Code.CONTAINER_STATE: "{who} is {state}",
    Code.LOAD_HOST_GONE: "load host {who} is gone",
    Code.NO_WHOLE_ANSWER: "no whole answer within {seconds:.0f} s",
    Code.DOES_NOT_CLOSE: "does not close the connection within {seconds:.0f} s",
    Code.STATUS: "status {status!s} instead of 200",
    Code.STATUS_OF_MISSING: "status {status!s} instead of 404 for a file that is not there",
    Code.BODY_LENGTH: "{bytes:,} bytes instead of {expected:,}",
    Code.TOO_EARLY: "an answer after {milliseconds:.1f} ms, which takes at least {least} ms",
    Code.GIVES_FILE_OUT: "gives out a file for {path}",
    Code.HEAD_TOO_LONG: "a head of more than {limit:,} bytes",
    Code.BODY_TOO_LONG: "a body of more than {limit:,} bytes",
}
"""The texts of codes that have values; any other code is its own text. A number with `!s` is a name: those of several
trials have no range."""
_STAGES = {
    "warm-up": "no warm-up: ",
    "peak": "no peak: ",
    "slo": "SLO met at no rate: ",
    "during trial": "wrong answer during the trial: ",
    "verification": "wrong answer after the trials: ",
}
"""What stands before a message of that stage."""
_STARTS = {"start": "does not start", "readiness": "does not get ready"}
"""What messages of that stage say; what they are about is the detail."""
_NO_ANSWER = frozenset(
    (Code.NO_CONNECTION, Code.CONNECTION_LOST, Code.CLOSES_WITHOUT_ANSWER, Code.CLOSES_WITHOUT_WHOLE_ANSWER,
     Code.NO_WHOLE_ANSWER, Code.DOES_NOT_CLOSE)
)  # fmt: skip
_BEHIND = (Code.OVERLOADED, Code.GENERATOR_BEHIND, Code.NETWORK_FULL)


class Sentence(msgspec.Struct, frozen=True):
    """A text, split at its first figure. `low` and `high` are the smallest and largest of that figure over the trials,
    and `values` are these two as numbers; both are empty in a text without a figure."""

    before: str
    low: str = ""
    high: str = ""
    after: str = ""
    values: tuple[float, float] = (0.0, 0.0)

    @property
    def range(self) -> str:
        """The range of its figure: `98.1 to 99.0`."""
        return self.low if self.low == self.high else f"{self.low} to {self.high}"

    @property
    def text(self) -> str:
        """The whole text, with the range of its figure if it is about several trials: `98.1 to 99.0 % kept alive`."""
        return f"{self.before}{self.range}{self.after}"


def _about(before: str, figure: str, after: str, value: Value) -> Sentence:
    """Return a sentence about one trial. A stored message may have a text where its number should be."""
    number = 0.0 if isinstance(value, str) else float(value)
    return Sentence(before, figure, figure, after, (number, number))


def sentence_of(message: Message) -> Sentence:
    """Return what a message says, without its detail."""
    if message.stage in _STARTS:
        return Sentence(_STARTS[message.stage])
    said = _plain(message)
    stage = _STAGES.get(message.stage, "")
    if message.stage == "after trial":
        stage = f"{'no' if message.code in _NO_ANSWER else 'wrong'} answer after the trial: "
    return msgspec.structs.replace(said, before=stage + said.before)


def detail_of(message: Message) -> Sentence:
    """Return what there is to say beyond `sentence_of`; an empty text if there is nothing."""
    if message.code in _BEHIND and not message.stage:
        return _filled(_ANSWERS, message.values)
    if message.stage in _STARTS:
        return Sentence(_with_detail(_full(message), message.detail))
    return Sentence(message.detail)


def full_text(message: Message) -> str:
    """Return all that its values say, which the detail follows."""
    if message.stage in _STARTS:
        return _STARTS[message.stage]
    return f"{sentence_of(message).text}{_of_behind(message)}"


def brief_text(message: Message) -> str:
    """Return what it says without the number of requests that failed: `timeout` of `368 failed: timeout`."""
    return _kinds(message.failed) if message.code == Code.FAILED and not message.stage else sentence_of(message).text


def whole_text(message: Message) -> str:
    """Return what it says, with its detail."""
    detail = "" if message.code in _BEHIND and not message.stage else detail_of(message).text
    return _with_detail(full_text(message), detail)


def summary_text(messages: Iterable[Message]) -> str:
    """Return what messages say, and after it their details; those that differ only in a figure say it once."""
    messages = list(messages)
    said, details = (
        "; ".join(each.text for each in together(map(of, messages)) if each.text) for of in (sentence_of, detail_of)
    )
    return _with_detail(said, details)


def together(sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """Return each sentence once. Sentences that differ only in their figure are merged, with the range of their
    figures."""
    same: dict[tuple[str, str], list[Sentence]] = {}
    for each in sentences:
        same.setdefault((each.before, each.after), []).append(each)
    return tuple(map(_range_of, same.values()))


def _range_of(same: Sequence[Sentence]) -> Sentence:
    """Return one of sentences that differ only in their figure."""
    low, high = min(same, key=lambda each: each.values[0]), max(same, key=lambda each: each.values[1])
    return Sentence(low.before, low.low, high.high, low.after, (low.values[0], high.values[1]))


def _full(message: Message) -> str:
    return f"{_plain(message).text}{_of_behind(message)}"


def _of_behind(message: Message) -> str:
    """Return `: 512 answers/s, 17 failed: timeout` of one that tells who did not keep up with an open load."""
    if message.code not in _BEHIND:
        return ""
    failed = f", {sum(message.failed.values()):,} failed: {_kinds(message.failed)}" if message.failed else ""
    return f": {_filled(_ANSWERS, message.values).text}{failed}"


def _with_detail(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail and detail != text else text


def _plain(message: Message) -> Sentence:
    """Return what a message says wherever it was found."""
    match message.code:
        case Code.COUNTED:
            return _counted(message.values)
        case Code.FAILED | Code.WRONG_ANSWERS:
            total = sum(message.failed.values())
            wrong = f"wrong answer{'' if total == 1 else 's'}"
            what = "failed" if message.code == Code.FAILED else wrong
            return _about("", f"{total:,}", f" {what}: {_kinds(message.failed)}", total)
        case Code.SOCKET_ERRORS:
            total = sum(message.failed.values())
            kinds = _kinds(message.failed)
            return _about("", f"{total:,}", f" socket errors, which the study allows: {kinds}", total)
        case Code.SLO_MISSED:
            value = message.values.get("milliseconds", "?")
            figure = value if isinstance(value, str) else f"{value:.3g}" if value < 100 else f"{value:.0f}"
            return _about(f"{message.values.get('percentile', '')} ", figure, " ms", value)
    text = _TEXTS.get(message.code)
    return _filled(text, message.values) if text else Sentence(message.code)


def _filled(text: str, values: Mapping[str, Value]) -> Sentence:
    """Return a text with its values, split at the first number. A stored message may lack a value."""
    before, figure, after = "", "", ""
    number: Value = 0
    for literal, name, form, conversion in Formatter().parse(text):
        before, after = (before, after + literal) if figure else (before + literal, after)
        if name is None:
            continue
        value = values.get(name, "?")
        shown = value if isinstance(value, str) else format(value, form or "")
        if figure or conversion or isinstance(value, str):
            before, after = (before, after + shown) if figure else (before + shown, after)
        else:
            figure, number = shown, value
    return _about(before, figure, after, number)


def _counted(counts: Mapping[str, Value]) -> Sentence:
    """Return `3 failed, 2 non-2xx`, split at its first figure."""
    (what, first), *others = counts.items() or [("failed", "?")]
    after = "".join(f", {count} {kind}" for kind, count in others)
    return _about("", str(first), f" {what}{after}", first)


def _kinds(found: Mapping[str, int]) -> str:
    """Return `2 timeout, 1 reset`, as they come; of one kind only `timeout`."""
    if len(found) == 1:
        return next(iter(found)).replace("_", " ")
    return ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in found.items())
