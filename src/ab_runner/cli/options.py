"""What a person types, checked and turned into what a sweep is asked to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from ab_runner.catalog.server_file import ID_RULE, is_id
from ab_runner.catalog.servers import suggestion
from ab_runner.load.ab import MAX_CONCURRENCY
from ab_runner.model.load import Load
from ab_runner.model.protocol import WARM_UP_CONCURRENCY, Protocol, WarmUp
from ab_runner.model.workload import WORKLOADS

DEFAULT_CONCURRENCY = "1,10,100,500,1000"
LONGEST_TRIAL = 86_400
"""Seconds: a day. ab itself knows no shorter time than a second."""

LONGEST_ID = 63


class Concurrency(click.ParamType[tuple[int, ...]]):
    """`1,10,100` → (1, 10, 100), rising and each once."""

    name = "N,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        levels = set()
        for part in filter(None, (part.strip() for part in value.split(","))):
            if not re.fullmatch(r"-?[0-9]{1,9}", part):
                self.fail(f"{part[:20]!r} is not a whole number; write it like {DEFAULT_CONCURRENCY}", param, ctx)
            if int(part) < 1:
                self.fail(f"{part} is too small; ab needs at least 1", param, ctx)
            if int(part) > MAX_CONCURRENCY:
                self.fail(f"{part} is too large; ab takes {MAX_CONCURRENCY:,} at the most", param, ctx)
            levels.add(int(part))
        if not levels:
            self.fail(f"names no concurrency; write it like {DEFAULT_CONCURRENCY}", param, ctx)
        return tuple(sorted(levels))


class Names(click.ParamType[tuple[str, ...]]):
    """`a,b` → ("a", "b"); with `choices` each must be one of them."""

    name = "NAME,…"

    def __init__(self, what: str, choices: Sequence[str] = ()) -> None:
        self._what = what
        self._choices = choices

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(name.strip() for name in value.split(",") if name.strip())
        if not names:
            self.fail(f"names no {self._what}", param, ctx)
        for name in names:
            if self._choices and name not in self._choices:
                known = f"; there are {', '.join(self._choices)}"
                self.fail(f"there is no {self._what} {name!r}{suggestion(name, self._choices) or known}", param, ctx)
        return tuple(each for each in self._choices if each in names) or names


class NewId(click.ParamType[str]):
    """The id of a server to be made, no longer than the name of a host can be."""

    name = "ID"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not is_id(value):
            self.fail(f"an id is written in {ID_RULE}, like mina-0.9.2, not {value[:60]!r}", param, ctx)
        if len(value) > LONGEST_ID:
            self.fail(f"an id has {LONGEST_ID} characters at the most, not {len(value)}", param, ctx)
        return str(value)


class Years(click.ParamType[tuple[range, ...]]):
    """`2006,2020-` → (range(2006, 2007), range(2020, 10000))."""

    name = "YEARS,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[range, ...]:
        if isinstance(value, tuple):
            return value
        spans = tuple(self._span(part.strip(), param, ctx) for part in value.split(",") if part.strip())
        if not spans:
            self.fail("names no year; write it like 2006 or 2004-2008", param, ctx)
        return spans

    def _span(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> range:
        found = re.fullmatch(r"([0-9]{4})?(-?)([0-9]{4})?", text)
        if found is None or text == "-" or (not found[2] and found[3]):
            self.fail(f"{text[:20]!r} is neither a year nor like 2004-2008, -2008 or 2020-", param, ctx)
        first = int(found[1] or 0)
        last = int(found[3] or 9999) if found[2] else first
        if first > last:
            self.fail(f"{text} ends before it begins", param, ctx)
        return range(first, last + 1)


WORKLOAD_NAMES = [each.name for each in WORKLOADS]


class Amount(click.ParamType[Load]):
    """`10s` → ten seconds, `20000` → so many requests, `0` → none."""

    name = "N|Ss"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Load:
        if isinstance(value, Load):
            return value
        found = re.fullmatch(r"([0-9]{1,9})(s?)", value.strip())
        if found is None:
            self.fail(f"{value[:20]!r} is neither a number of requests (20000) nor a time (10s)", param, ctx)
        number = int(found[1])
        return Load(seconds=number) if found[2] else Load(requests=number)


class Whole(click.IntRange):
    """A whole number within a range, called what it is."""

    name = "whole number"


class Seconds(click.ParamType[int]):
    """`5` or `5s` → 5."""

    name = "S"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"([0-9]{1,9})s?", value.strip())
        if found is None or not 1 <= int(found[1]) <= LONGEST_TRIAL:
            self.fail(f"{value[:20]!r} is not a number of whole seconds from 1 to {LONGEST_TRIAL:,}", param, ctx)
        return int(found[1])


class Percentage(click.ParamType[float]):
    """`3%` or `3` → 0.03."""

    name = "P%"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"([0-9]{1,2}(?:\.[0-9]{1,3})?)%?", value.strip())
        if found is None or float(found[1]) == 0:
            self.fail(f"{value[:20]!r} is not a percentage above 0 and below 100; write it like 3%", param, ctx)
        return float(found[1]) / 100


class Span(click.ParamType[int]):
    """`90s`, `30m`, `2h` → seconds."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"([0-9]{1,6})([smh])", value.strip())
        if found is None:
            self.fail(f"{value[:20]!r} is not a time; write it like 90s, 30m or 2h", param, ctx)
        return int(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


def with_overrides(
    protocol: Protocol, requests: int | None, seconds: int | None, warm_up: Load | None, blocks: int | None
) -> Protocol:
    """The protocol with what the user set instead. click.UsageError for both --requests and --duration."""
    if requests is not None and seconds is not None:
        raise click.UsageError(
            "--requests and --duration exclude each other: a trial is either a number of requests or a time"
        )
    changes: dict[str, Any] = {}
    if requests is not None or seconds is not None:
        load = Load(requests=requests, seconds=seconds)
        changes |= {"trial": load, "large_trial": load}
    if blocks is not None:
        changes["blocks"] = blocks
    if warm_up is not None:
        changes |= {"warm_up": WarmUp(warm_up), "large_warm_up": WarmUp(warm_up)}
    return msgspec.structs.replace(protocol, **changes)


def check_requests(protocol: Protocol, workloads: Sequence[str], concurrency: Sequence[int]) -> None:
    """ab refuses fewer requests than connections."""
    for load in {protocol.trial_of(workload) for workload in workloads}:
        if load.requests is not None and load.requests < max(concurrency):
            raise click.UsageError(
                f"{load.requests:,} requests are fewer than the concurrency {max(concurrency):,}: "
                "ask for at least as many, or for a time with --duration"
            )
    warm_up = protocol.warm_up.load.requests
    if warm_up is not None and 0 < warm_up < WARM_UP_CONCURRENCY:
        least = f"warm-up runs at concurrency {WARM_UP_CONCURRENCY}, so {WARM_UP_CONCURRENCY} requests are the least"
        raise click.UsageError(f"--warmup {warm_up}: {least} (or 0)")


def check_generators(protocol: Protocol, generators: int) -> None:
    """Runs of a number of requests end at different times, and then their rates do not add up."""
    if generators > 1 and any(load.requests is not None for load in (protocol.trial, protocol.large_trial)):
        raise click.UsageError(
            "--generators needs trials of the same length in time: give --duration, or a protocol other than 2006"
        )
