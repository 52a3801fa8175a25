"""studies/*: each published comparison in a folder of its own, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from ab_runner import paths
from ab_runner.catalog import study_conclusions, study_figures
from ab_runner.catalog.catalog import Catalog
from ab_runner.catalog.server_file import ID_AT_MOST, ID_RULE, is_id
from ab_runner.catalog.servers import CatalogError, suggestion
from ab_runner.catalog.study_conclusions import CONCLUSIONS_FILE, Claim, Conclusion, Conclusions, Names
from ab_runner.catalog.study_figures import FIGURES_FILE, Figure
from ab_runner.catalog.toml_files import DocumentError, explained, read_toml
from ab_runner.catalog.workloads import load_workloads, unknown_workload
from ab_runner.errors import UserError
from ab_runner.model.limits import CONNECTIONS_AT_MOST
from ab_runner.model.protocol import PROTOCOLS, RUNTIMES
from ab_runner.model.server import JDKS, Server, current_id
from ab_runner.model.text import shown

STUDY_FILE = "study.toml"
README = "README.md"
FILES = (STUDY_FILE, FIGURES_FILE, CONCLUSIONS_FILE, README)
UNVERIFIED = "unverified"
"""What is written where something is not known for certain."""

Line = Annotated[str, Meta(pattern=r"^[^\x00-\x20][^\x00-\x1f]*\Z", max_length=300)]


class Run(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """[run]: how the study is run here, in the options of a sweep."""

    servers: Names
    """Ids, patterns and sets."""
    workloads: Names
    concurrency: Annotated[tuple[Annotated[int, Meta(ge=1, le=CONNECTIONS_AT_MOST)], ...], Meta(min_length=1)]
    protocol: str = "standard"
    runtime: str = RUNTIMES[0]
    jdk: int | None = None


class About(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
    run: Run
    stand_ins: dict[str, Names]
    """Published server → servers here, the preferred one first."""


class Study(Struct, frozen=True, kw_only=True):
    """A published comparison. `stand_ins` are those of `about`, with the former ids of each behind it, which older
    sweeps have."""

    id: str
    about: About
    stand_ins: Mapping[str, tuple[str, ...]]
    figures: tuple[Figure, ...]
    concluded: Conclusions

    @property
    def year(self) -> int:
        return int(self.about.date[:4])

    @property
    def name(self) -> str:
        """Its title and its year."""
        return f"{self.about.title}, {self.year}"

    @property
    def readme(self) -> str:
        """The file that describes it, as it is named at the top of the repository."""
        return f"{paths.STUDIES.name}/{self.id}/{README}"

    @property
    def conclusions(self) -> tuple[Conclusion, ...]:
        return self.concluded.conclusions

    def sides(self, claim: Claim) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the published servers on either side of a claim."""
        return self.concluded.sides(claim)

    def stands_for(self, server: Server) -> str | None:
        """Return the published server that a server of a sweep stands for. An older sweep says so itself."""
        return next((name for name, ids in self.stand_ins.items() if server.id in ids), server.published)


def study_ids() -> list[str]:
    """Return the ids of all studies: the folders with a description."""
    return sorted(path.parent.name for path in paths.STUDIES.glob(f"*/{STUDY_FILE}"))


def read_study(id: str, servers: Mapping[str, Server]) -> Study:
    """Return the study of this id, whose stand-ins are among these servers, or were. UserError if there is none,
    DocumentError at the first mistake, with file, key and reason."""
    folder, ids = paths.STUDIES / id, study_ids()
    if id not in ids and not (is_id(id) and folder.is_dir()):
        raise UserError(f"no study {id!r}{suggestion(id, ids)}; ./ab-runner study lists all")
    if not is_id(id) or len(id) > ID_AT_MOST:
        rule = f"{ID_RULE}, with at most {ID_AT_MOST} characters"
        raise DocumentError(f"{folder}: a study's folder is named in {rule}, not {shown(id, ID_AT_MOST)!r}")
    if missing := next((name for name in FILES if not (folder / name).is_file()), None):
        raise DocumentError(f"{folder / missing}: there is no such file; a study has {', '.join(FILES)}")
    path = folder / STUDY_FILE
    try:
        about = msgspec.convert(read_toml(path), About)
    except msgspec.ValidationError as error:
        raise DocumentError(f"{path}: {explained(error)}") from error
    figures = study_figures.read(folder / FIGURES_FILE)
    if wrong := next(chain(_wrong_in_run(about.run), _wrong_names(about, figures)), None):
        raise DocumentError(f"{path}: {wrong}")
    concluded = study_conclusions.read(folder / CONCLUSIONS_FILE, figures)
    stand_ins = {name: tuple(_all_ids(ids, servers)) for name, ids in about.stand_ins.items()}
    return Study(id=id, about=about, stand_ins=stand_ins, figures=figures, concluded=concluded)


def load_study(id: str, catalog: Catalog) -> Study:
    """Return the study, to be run with the servers of the catalog. DocumentError also where it names one that is not
    among them."""
    study = read_study(id, catalog.servers)
    path = paths.STUDIES / id / STUDY_FILE
    try:
        catalog.named(study.about.run.servers)
    except CatalogError as error:
        raise DocumentError(f"{path}: run.servers: {error}") from error
    for published, names in study.about.stand_ins.items():
        for name in names:
            if current_id(name, catalog.servers.values()) not in catalog.servers:
                known = suggestion(name, catalog.servers)
                raise DocumentError(f"{path}: stand_ins.{published}: no server {name!r}{known}")
    return study


def load_studies(catalog: Catalog) -> list[Study]:
    """Return all studies by their ids. DocumentError at the first mistake, or if there is none."""
    found = [load_study(id, catalog) for id in study_ids()]
    if not found:
        raise DocumentError(f"{paths.STUDIES}: no study in it; restore it with git")
    return found


def _all_ids(names: Iterable[str], servers: Mapping[str, Server]) -> Iterator[str]:
    """Yield the ids of these servers, each with those that it had before."""
    for name in names:
        id = current_id(name, servers.values())
        yield from (id, *(servers[id].former_ids if id in servers else ()))


def _wrong_in_run(run: Run) -> Iterator[str]:
    """Yield what is wrong with the options of a run."""
    for key, value, known in (
        ("protocol", run.protocol, PROTOCOLS),
        ("runtime", run.runtime, RUNTIMES),
        ("jdk", run.jdk, (None, *JDKS)),
    ):
        if value not in known:
            yield f"run.{key}: {value!r} is none of {', '.join(repr(each) for each in known if each)}"
    workloads = load_workloads(paths.WORKLOADS)
    yield from (f"run.workloads: {wrong}" for name in run.workloads if (wrong := unknown_workload(name, workloads)))


def _wrong_names(about: About, figures: Sequence[Figure]) -> Iterator[str]:
    """Yield what is wrong with the names of the stand-ins and of what they stand for."""
    published = sorted({figure.server for figure in figures})
    seen: set[str] = set()
    for name, ids in about.stand_ins.items():
        if name not in published:
            yield f"stand_ins: no server {name!r} in {FIGURES_FILE}{suggestion(name, published)}"
        for id in ids:
            if id in seen:
                yield f"stand_ins.{name}: {id!r} is listed twice; a server stands for one published server"
            seen.add(id)
