"""study.toml: what a person may write, checked strictly. A mistake is a `DocumentError` with file, key and reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ab_runner import paths
from ab_runner.catalog.server_file import GENERATORS, ID_AT_MOST, ID_RULE, SET_BY_RUNNER, Variable, is_id
from ab_runner.catalog.servers import suggestion
from ab_runner.catalog.study_conclusions import CONCLUSIONS_FILE, Names
from ab_runner.catalog.study_figures import FIGURES_FILE
from ab_runner.catalog.toml_files import DocumentError, explained, key_and_reason, read_toml
from ab_runner.catalog.workloads import unknown_workload, workloads_with
from ab_runner.errors import UserError
from ab_runner.model.axis import HIGHEST_RATE, OpenLoad
from ab_runner.model.limits import BLOCKS_AT_MOST, CONNECTIONS_AT_MOST
from ab_runner.model.load import ArrivalKind, SecondLoad
from ab_runner.model.protocol import PROTOCOLS, RUNTIMES, SweepName
from ab_runner.model.server import JDKS, Server
from ab_runner.model.text import shown
from ab_runner.model.workload import Workload

STUDY_FILE = "study.toml"
README = "README.md"
FILES = (STUDY_FILE, FIGURES_FILE, CONCLUSIONS_FILE, README)
UNVERIFIED = "unverified"
"""What is written where something is not known for certain."""
TOLERANT = "wrk"
"""The generator whose failures are counted one by one, so that a share of them can be allowed."""
T = TypeVar("T")
_OF_OPEN_LOADS = ("requests", "arrivals", "connections", "opened_before", "beside")
"""Keys that only sweeps with an open load have."""
_UNITS = {"m": 2**20, "g": 2**30}

Line = Annotated[str, Meta(pattern=r"^[^\x00-\x20][^\x00-\x1f]*\Z", max_length=300)]
Flag = Annotated[str, Meta(pattern=r"^-[!-~]+\Z", max_length=200)]
"""An option of java's. start-jvm divides what it is given at spaces."""
Memory = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,4}[mg]\Z")]
Time = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,4}(s|m)\Z")]
Connections = Annotated[int, Meta(ge=1, le=CONNECTIONS_AT_MOST)]
Rate = Annotated[int, Meta(ge=1, le=HIGHEST_RATE)]


class BesideTable(SecondLoad, frozen=True, forbid_unknown_fields=True):
    """`beside` of an open load."""

    rate: Rate


class SettingsTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[settings], of all servers of the study, and a table of [settings_of], of those that a pattern matches, which has
    precedence, the last one most."""

    jdk: int | None = None
    jvm_flags: Annotated[tuple[Flag, ...], Meta(max_length=50)] | None = None
    """In place of the toolkit's heap and collector."""
    memory: Memory | None = None
    """What its container may have."""
    environment: dict[Variable, str] = {}

    def of(self, server: Server) -> Server:
        """Return the server with these settings."""
        return replace(
            server,
            jdk=(self.jdk or server.jdk) if server.is_jvm else None,
            jvm_flags=(server.jvm_flags if self.jvm_flags is None else self.jvm_flags) if server.is_jvm else None,
            memory=server.memory if self.memory is None else int(self.memory[:-1]) * _UNITS[self.memory[-1]],
            environment=server.environment | self.environment,
        )


class SweepTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[sweeps.NAME]: one sweep of the study, mostly in the options of `run`. Its load is closed, over `concurrency`
    connections, or open, with requests at a `rate`."""

    servers: Names
    """Ids, patterns and sets."""
    workloads: Names
    concurrency: Annotated[tuple[Connections, ...], Meta(min_length=1)] | None = None
    rate: Annotated[tuple[Rate, ...], Meta(min_length=1)] | None = None
    requests: Annotated[int, Meta(ge=1)] | None = None
    """Of each trial, at the only rate, in place of a duration."""
    arrivals: ArrivalKind = "poisson"
    connections: Connections | None = None
    """The most that an open load may have at once."""
    opened_before: Annotated[int, Meta(ge=0, le=CONNECTIONS_AT_MOST)] = 0
    """Connections that are opened before the first request is due."""
    beside: BesideTable | None = None
    protocol: str = "standard"
    blocks: Annotated[int, Meta(ge=1, le=BLOCKS_AT_MOST)] | None = None
    duration: Time | None = None
    warmup: Annotated[str, Meta(pattern=r"^(none|[1-9][0-9]{0,8}|[1-9][0-9]{0,4}(s|m))\Z")] | None = None
    warmup_workload: str | None = None
    """What warms servers up in place of the workloads that are measured."""
    warmup_connections: Connections | None = None
    generator: str | None = None
    server_cpus: Annotated[int, Meta(ge=1)] | None = None
    share_cpus: bool = False
    runtime: str = RUNTIMES[0]
    timeout: Annotated[int, Meta(ge=1, le=3600)] | None = None
    """Seconds after which the generator counts a request as failed. None: as the protocol has it."""
    settings_of: dict[str, SettingsTable] = {}
    """In this sweep, in place of the study's."""

    @property
    def open_load(self) -> OpenLoad | None:
        """The load whose levels are its rates; None if it is closed."""
        if self.rate is None:
            return None
        return OpenLoad(
            axis="rate",
            is_exact=True,
            arrivals=self.arrivals,
            connections=self.connections,
            opened_before=self.opened_before,
            beside=self.beside and SecondLoad(self.beside.workload, self.beside.rate),
        )


class StudyFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of study.toml. A text is `UNVERIFIED` where it is not known."""

    format: Literal[1]
    title: Line
    author: Line
    date: Annotated[str, Meta(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?\Z")]
    """As published: a year, a month or a day."""
    machine: Line
    generator: Line
    summary: Line
    """What it compares."""
    source: Annotated[str, Meta(pattern=r"^https?://[!-~]+\Z", max_length=1000)] | None = None
    scaled: Line | None = None
    """What is smaller here than it was, and by how much."""
    failures_at_most: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    """The share of requests that may fail in a trial that counts, and in a published figure that does."""
    sweeps: Annotated[dict[SweepName, SweepTable], Meta(min_length=1)]
    settings: SettingsTable = SettingsTable()
    settings_of: dict[str, SettingsTable] = {}
    stand_ins: dict[str, Names]
    """Published server → servers here, the preferred one first."""
    variants: tuple[Line, ...] = ()
    """What distinguishes the first, the second and further stand-ins of each, by each of which conclusions are
    judged."""

    def with_settings(self, servers: Mapping[str, Server], sweep: SweepName | None) -> dict[str, Server]:
        """Return these servers as the study runs them, in this one of its sweeps."""
        tables = [*self.settings_of.items(), *(self.sweeps[sweep].settings_of.items() if sweep in self.sweeps else ())]

        def as_set(server: Server) -> Server:
            for settings in (self.settings, *(each for pattern, each in tables if fnmatchcase(server.id, pattern))):
                server = settings.of(server)
            return server

        return {id: as_set(server) for id, server in servers.items()}

    @property
    def set_patterns(self) -> Iterator[tuple[str, str]]:
        """Yield each pattern of servers that has settings, behind its place."""
        yield from (("settings_of", pattern) for pattern in self.settings_of)
        for name, sweep in self.sweeps.items():
            yield from ((f"sweeps.{name}.settings_of", pattern) for pattern in sweep.settings_of)


_DEFAULTS = {each.name: each.default for each in msgspec.structs.fields(SweepTable)}


def study_ids() -> list[str]:
    """Return the ids of all studies: the folders with a description."""
    return sorted(path.parent.name for path in paths.STUDIES.glob(f"*/{STUDY_FILE}"))


def read_study_file(id: str) -> StudyFile:
    """Return what study.toml says of the study of this id. UserError if there is none, DocumentError at the first
    mistake; whether its servers exist is not looked at."""
    folder, ids = paths.STUDIES / id, study_ids()
    if id not in ids and not (is_id(id) and folder.is_dir()):
        raise UserError(f"no study {id!r}{suggestion(id, ids)}; ./ab-runner study lists all")
    if not is_id(id) or len(id) > ID_AT_MOST:
        rule = f"{ID_RULE}, with at most {ID_AT_MOST} characters"
        raise DocumentError(f"{folder}: a study's folder is named in {rule}, not {shown(id, ID_AT_MOST)!r}")
    if missing := next((name for name in FILES if not (folder / name).is_file()), None):
        raise DocumentError(f"{folder / missing}: there is no such file; a study has {', '.join(FILES)}")
    path = folder / STUDY_FILE
    data = read_toml(path)
    for key, kind in (("sweeps", SweepTable), ("settings_of", SettingsTable)):
        for name, table in _tables(data.get(key)):
            _converted(path, f"{key}.{shown(name, ID_AT_MOST)}", table, kind)  # the whole would not say of which
    found = _converted(path, "", data, StudyFile)
    if wrong := next(_mistakes(id, found), None):
        raise DocumentError(f"{path}: {wrong}")
    return found


def _tables(value: object) -> Iterable[tuple[str, object]]:
    return value.items() if isinstance(value, dict) else ()


def _converted(path: Path, within: str, data: object, kind: type[T]) -> T:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        key, _ = key_and_reason(error)
        place = f"{within}{'.' if key else ': '}" if within else ""
        raise DocumentError(f"{path}: {place}{explained(error)}") from error


def _mistakes(id: str, found: StudyFile) -> Iterator[str]:
    workloads = workloads_with(id)
    for name, sweep in found.sweeps.items():
        place = f"sweeps.{name}"
        yield from _none_of(f"{place}.protocol", sweep.protocol, PROTOCOLS)
        yield from _none_of(f"{place}.runtime", sweep.runtime, RUNTIMES)
        if sweep.generator is not None:
            yield from _none_of(f"{place}.generator", sweep.generator, GENERATORS)
        if found.failures_at_most and sweep.generator != TOLERANT:
            yield f"failures_at_most: only trials by {TOLERANT} may have failures, and {place}.generator is another"
        for workload in sweep.workloads:
            if wrong := unknown_workload(workload, workloads):
                yield f"{place}.workloads: {wrong}"
        if sweep.warmup_workload and (wrong := unknown_workload(sweep.warmup_workload, workloads)):
            yield f"{place}.warmup_workload: {wrong}"
        yield from _mistakes_of_load(place, sweep, workloads)
    of_sweeps = (
        (f"sweeps.{name}.settings_of.{server}", each)
        for name, sweep in found.sweeps.items()
        for server, each in sweep.settings_of.items()
    )
    for place, settings in (
        ("settings", found.settings),
        *((f"settings_of.{server}", each) for server, each in found.settings_of.items()),
        *of_sweeps,
    ):
        if settings.jdk is not None:
            yield from _none_of(f"{place}.jdk", settings.jdk, JDKS)
        if taken := next((name for name in settings.environment if name in SET_BY_RUNNER), None):
            yield f"{place}.environment: {taken} is set by the runner; remove it"


def _mistakes_of_load(place: str, sweep: SweepTable, workloads: Mapping[str, Workload]) -> Iterator[str]:
    if (sweep.concurrency is None) == (sweep.rate is None):
        yield f"{place}: must have either concurrency, of a closed load, or rate, of an open one"
    if sweep.rate is None:
        if only := next((key for key in _OF_OPEN_LOADS if getattr(sweep, key) != _DEFAULTS[key]), None):
            yield f"{place}.{only}: only with rate, of an open load"
        return
    if only := next((key for key in ("generator", "share_cpus") if getattr(sweep, key)), None):
        yield f"{place}.{only}: only with concurrency, of a closed load"
    if sweep.requests is not None and (len(sweep.rate) > 1 or sweep.duration is not None):
        yield f"{place}.requests: only with one rate, and without duration"
    if sweep.opened_before:
        yield from _mistakes_of_opened_before(place, sweep, workloads)
    if sweep.beside is not None:
        yield from _mistakes_of_beside(place, sweep, sweep.beside.workload, workloads)


def _mistakes_of_opened_before(place: str, sweep: SweepTable, workloads: Mapping[str, Workload]) -> Iterator[str]:
    if sweep.connections is None:
        yield f"{place}.opened_before: only with connections, the most that the load may have"
    elif sweep.opened_before > sweep.connections:
        yield f"{place}.opened_before: more than connections, {sweep.connections:,}"
    if closed := next((name for name in sweep.workloads if not workloads[name].keep_alive), None):
        yield f"{place}.opened_before: only with keep_alive; {closed} has a new connection for each request"


def _mistakes_of_beside(place: str, sweep: SweepTable, beside: str, workloads: Mapping[str, Workload]) -> Iterator[str]:
    """Yield why open-load cannot make both loads: it sends the same lines of the head in both."""
    if wrong := unknown_workload(beside, workloads):
        yield f"{place}.beside: {wrong}"
        return
    if workloads[beside].constant is None:
        yield f"{place}.beside: the right answer of {beside} must be a constant"
    for key in ("keep_alive", "headers"):
        for name in sweep.workloads:
            if getattr(workloads[name], key) != getattr(workloads[beside], key):
                yield f"{place}.beside: {beside} must have the {key} of {name}, because open-load asks for both alike"


def _none_of(place: str, value: object, known: Iterable[object]) -> Iterator[str]:
    if value not in known:
        yield f"{place}: {value!r} is none of {', '.join(map(repr, known))}"
