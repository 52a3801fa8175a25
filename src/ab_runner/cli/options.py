"""The types of options and arguments: the user's input, checked and converted to a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast, get_args

import click

from ab_runner import paths
from ab_runner.catalog.server_file import ID_AT_MOST, ID_RULE, is_id
from ab_runner.catalog.servers import suggestion
from ab_runner.catalog.workloads import workloads_with
from ab_runner.cli.durations import parse_duration
from ab_runner.model.axis import HIGHEST_RATE, OpenLoad, Percentile
from ab_runner.model.limits import CONNECTIONS_AT_MOST
from ab_runner.model.load import Load
from ab_runner.model.protocol import NO_WARM_UP, REGISTRY_PATTERN, RUNTIMES, WarmUp
from ab_runner.store.layout import LATEST

DEFAULT_CONCURRENCY = "1,10,100,500,1000"
LONGEST_TRIAL = 86_400
"""The longest time in seconds: a day. The shortest is one second, which is ab's own limit."""
PEAK_SHARE_AT_MOST = 200
IDLE_AT_MOST = 50_000
"""A client has 55,000 local ports."""
_LIKE_RATES = "write it like 1000,2000 or 50%,90%"


class Numbers(click.ParamType[tuple[int, ...]]):
    """`1,10,100` → (1, 10, 100), rising and each once. `what` they are, and an example, are for messages."""

    name = "N,…"

    def __init__(self, what: str, like: str, least: int = 0, most: int = 9_999_999) -> None:
        self._what = what
        self._like = like
        self._least = least
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        numbers = set()
        for part in _parts(value):
            if not re.fullmatch(r"-?[0-9]{1,9}", part):
                self.fail(f"{part[:20]!r} is not a whole number; write it like {self._like}", param, ctx)
            if int(part) < self._least:
                self.fail(f"{part} is too small; the least is {self._least}", param, ctx)
            if int(part) > self._most:
                self.fail(f"{part} is too large; the most is {self._most:,}", param, ctx)
            numbers.add(int(part))
        if not numbers:
            self.fail(f"names no {self._what}; write it like {self._like}", param, ctx)
        return tuple(sorted(numbers))


CONCURRENCY = Numbers("concurrency", DEFAULT_CONCURRENCY, least=1, most=CONNECTIONS_AT_MOST)
LEVELS = Numbers("level", "10,100")
"""Of a sweep, whatever they count."""
IDLE_CONNECTIONS = Numbers("idle connections", "15000", most=IDLE_AT_MOST)


def _parts(value: str) -> list[str]:
    return [part for part in map(str.strip, value.split(",")) if part]


class Rates(click.ParamType[tuple[str, tuple[int, ...]]]):
    """`1000,2000` → ("rate", (1000, 2000)), in requests per second; `50%,90%` → ("peak", (50, 90)), of each server's
    peak."""

    name = "N,…|P%,…"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[int, ...]]:
        if isinstance(value, tuple):
            return value
        parts = _parts(value)
        for part in parts:
            if not re.fullmatch(r"[0-9]{1,9}%?", part):
                self.fail(f"{part[:20]!r} is neither a rate nor a percentage; {_LIKE_RATES}", param, ctx)
        shares = [part.endswith("%") for part in parts]
        if not parts or any(shares) != all(shares):
            self.fail(f"names {'no rate' if not parts else 'rates and percentages'}; {_LIKE_RATES}", param, ctx)
        most = PEAK_SHARE_AT_MOST if shares[0] else HIGHEST_RATE
        numbers = sorted({int(part.rstrip("%")) for part in parts})
        if not 1 <= numbers[0] <= numbers[-1] <= most:
            self.fail(f"must be from 1 to {most:,}{' %' if shares[0] else ' requests/s'}", param, ctx)
        return "peak" if shares[0] else "rate", tuple(numbers)


class Slo(click.ParamType[tuple[str, tuple[int, ...]]]):
    """`p99=10ms,50ms` → ("p99", (10, 50))."""

    name = "P=TIME,…"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, tuple[int, ...]]:
        if isinstance(value, tuple):
            return value
        percentile, _, times = value.replace(" ", "").partition("=")
        if percentile not in get_args(Percentile):
            known = ", ".join(get_args(Percentile))
            self.fail(f"{value[:30]!r} names no percentile of {known}; write it like p99=10ms", param, ctx)
        bounds = [part for part in times.split(",") if part]
        for part in bounds:
            if not re.fullmatch(r"[1-9][0-9]{0,4}ms", part):
                self.fail(f"{part[:20]!r} is not a whole number of milliseconds up to 99,999, like 10ms", param, ctx)
        if not bounds:
            self.fail(f"{value[:30]!r} names no time; write it like p99=10ms", param, ctx)
        return percentile, tuple(sorted({int(part.removesuffix("ms")) for part in bounds}))


def study_here() -> str | None:
    """Return the id of the study that the command at hand runs; None if it is another command."""
    context = click.get_current_context(silent=True)
    return context.obj if context and isinstance(context.obj, str) else None


def workload_names() -> list[str]:
    """Return the names of all workloads, with those of the study that is run. DocumentError if a file has a mistake."""
    return list(workloads_with(study_here()))


class Names(click.ParamType[tuple[str, ...]]):
    """`a,b` → ("a", "b"); with `choices` each must be one of them."""

    name = "NAME,…"

    def __init__(self, what: str, choices: Callable[[], Sequence[str]] = tuple) -> None:
        self._what = what
        self._choices = choices

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        names = tuple(_parts(value))
        if not names:
            self.fail(f"names no {self._what}", param, ctx)
        choices = self._choices()
        for name in names:
            if choices and name not in choices:
                known = f"; there are {', '.join(choices)}"
                self.fail(f"there is no {self._what} {name!r}{suggestion(name, choices) or known}", param, ctx)
        return tuple(each for each in choices if each in names) or names


class RegistryName(click.ParamType[str]):
    """A registry as Docker names it."""

    name = "HOST[:PORT][/PATH]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if len(value) > 255 or not re.fullmatch(REGISTRY_PATTERN, value):
            self.fail(f"{value[:60]!r} is no registry; write it like registry.example:5000", param, ctx)
        return str(value)


class NewId(click.ParamType[str]):
    """The id of what is to be made, no longer than the name of a host can be. `what` it is called, and an example, are
    for messages."""

    name = "ID"

    def __init__(self, what: str, like: str) -> None:
        self._what = what
        self._like = like

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not is_id(value):
            self.fail(f"{self._what} is written in {ID_RULE}, like {self._like}, not {value[:60]!r}", param, ctx)
        if len(value) > ID_AT_MOST:
            self.fail(f"{self._what} has at most {ID_AT_MOST} characters, not {len(value)}", param, ctx)
        return str(value)


class WarmUpOption(click.ParamType[WarmUp]):
    """`10s` or `2m` → a time, `20000` → a number of requests, `0` → none at first, `none` → none at all."""

    name = "N|TIME|none"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> WarmUp:
        if isinstance(value, WarmUp):
            return value
        if value.strip() == "none":
            return NO_WARM_UP
        # A number alone is seconds in other options, and was always a number of requests here.
        if re.fullmatch(r"[0-9]{1,9}", value.strip()):
            return WarmUp(Load(requests=int(value)))
        seconds = parse_duration(value)
        if seconds is None:
            self.fail(f"{value[:20]!r} is neither a number of requests (20000) nor a time (10s) nor none", param, ctx)
        return WarmUp(Load(seconds=seconds))


class Whole(click.IntRange):
    """A whole number within a range; help texts call it `WHOLE NUMBER`."""

    name = "whole number"


class Duration(click.ParamType[int]):
    """`90`, `90s`, `2m` or `1h` → seconds, of a trial."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        seconds = parse_duration(value)
        if seconds is None or not 1 <= seconds <= LONGEST_TRIAL:
            allowed = f"a number of whole seconds from 1 to {LONGEST_TRIAL:,}"
            self.fail(f"{value[:20]!r} is not {allowed}, written like 90, 90s, 2m or 1h", param, ctx)
        return seconds


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


def trial_load(requests: int | None, seconds: float | None) -> Load | None:
    """Return the load that --requests or --duration asks for; None for neither. UsageError for both."""
    if requests is not None and seconds is not None:
        raise click.UsageError(
            "--requests and --duration exclude each other: a trial is either a number of requests or a time"
        )
    return None if requests is None and seconds is None else Load(requests=requests, seconds=seconds)


def open_load(
    rate: tuple[str, tuple[int, ...]] | None,
    slo: tuple[str, tuple[int, ...]] | None,
    idle: tuple[int, ...] | None,
    concurrency: tuple[int, ...] | None,
) -> tuple[OpenLoad | None, tuple[int, ...]]:
    """Return the open load that --rate or --slo asks for, None for a closed one, and the levels of the sweep.
    UsageError for options that do not go together."""
    if rate is not None and slo is not None:
        raise click.UsageError("--rate and --slo exclude each other: --slo searches for the rate")
    if rate is None and idle is not None:
        raise click.UsageError("--idle needs --rate: --rate 2000 --idle 15000")
    if concurrency is not None and (rate is not None or slo is not None):
        given = "--slo" if rate is None else "--rate"
        raise click.UsageError(f"--concurrency excludes {given}: an open load opens the connections that it needs")
    if slo is not None:
        return OpenLoad(axis="slo", percentile=cast("Percentile", slo[0])), slo[1]
    if rate is None:
        return None, concurrency or tuple(map(int, DEFAULT_CONCURRENCY.split(",")))
    axis, rates = rate
    if idle is None:
        return OpenLoad(axis="peak" if axis == "peak" else "rate", reference_at_all_levels=True), rates
    if axis == "peak" or len(rates) > 1:
        raise click.UsageError("--idle needs one --rate in requests per second: --rate 2000 --idle 15000")
    if not any(idle):
        raise click.UsageError("--idle names no idle connections; write it like 15000")
    compared = tuple(sorted({0, *idle}))  # without idle connections there would be nothing to compare with
    return OpenLoad(axis="idle", rate=rates[0], reference_at_all_levels=True), compared


def latest_sweep() -> Path:
    """Return what a command reads that is given no sweep."""
    return paths.RESULTS / LATEST


table_format = click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown", "csv"]),
    default="terminal",
    show_default=True,
    help="How the tables are written.",
)

runtime = click.option(
    "--runtime",
    type=click.Choice(RUNTIMES),
    default="auto",
    show_default=True,
    help="docker: containers, pinned and isolated. process: this host's Java, Maven, generator and native servers. "
    "auto: docker if an engine answers, else process.",
)
servers_from = click.option(
    "--servers-from",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    metavar="DIR",
    help="A folder with servers of your own, each in a folder with a server.toml. May be given several times.",
)
port_of_processes = click.option(
    "--port",
    type=Whole(1, 65535),
    default=8080,
    show_default=True,
    help="process only: the port on 127.0.0.1.",
)
