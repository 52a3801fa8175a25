"""studies/*: each published comparison in a folder of its own, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ab_runner import paths
from ab_runner.catalog import study_conclusions, study_figures
from ab_runner.catalog.catalog import Catalog, load_catalog
from ab_runner.catalog.servers import CatalogError, suggestion
from ab_runner.catalog.study_conclusions import CONCLUSIONS_FILE, Claim, Conclusion, Conclusions
from ab_runner.catalog.study_figures import FIGURES_FILE, LEVELS, Figure
from ab_runner.catalog.study_file import README, STUDY_FILE, StudyFile, read_study_file, study_ids
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.catalog.workloads import workloads_with
from ab_runner.model.axis import Axis
from ab_runner.model.server import Server, current_id


class Study(Struct, frozen=True, kw_only=True):
    """A published comparison. `stand_ins` are those of `about`, with the former ids of each behind it, which older
    sweeps have."""

    id: str
    about: StudyFile
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
    def is_open(self) -> bool:
        """Whether its figures are of open loads."""
        return any(figure.is_open for figure in self.figures)

    def is_of_load(self, axis: Axis) -> bool:
        """Return whether sweeps with these levels can be compared with its figures."""
        return axis == ("rate" if self.is_open else "connections")

    @property
    def readme(self) -> str:
        """The file that describes it, as it is named at the top of the repository."""
        return f"{paths.STUDIES.name}/{self.id}/{README}"

    @property
    def conclusions(self) -> tuple[Conclusion, ...]:
        return self.concluded.conclusions

    @property
    def variants(self) -> dict[str, Study]:
        """The study with the stand-ins of each of its variants alone, by the variant's name; empty if it has none."""
        return {
            name: replace(
                self, stand_ins={of: ids[at : at + 1] for of, ids in self.about.stand_ins.items() if len(ids) > at}
            )
            for at, name in enumerate(self.about.variants)
        }

    def sides(self, claim: Claim) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the published servers on either side of a claim."""
        return self.concluded.sides(claim)

    def stands_for(self, server: Server) -> str | None:
        """Return the published server that a server of a sweep stands for. An older sweep says so itself."""
        return next((name for name, ids in self.stand_ins.items() if server.id in ids), server.published)


def read_study(id: str, servers: Mapping[str, Server]) -> Study:
    """Return the study of this id, whose stand-ins are among these servers, or were. UserError if there is none,
    DocumentError at the first mistake, with file, key and reason."""
    about, folder = read_study_file(id), paths.STUDIES / id
    figures = study_figures.read(folder / FIGURES_FILE, workloads_with(id), about.failures_at_most)
    if wrong := next(_wrong_names(about, figures), None):
        raise DocumentError(f"{folder / STUDY_FILE}: {wrong}")
    loads = {sweep.rate is not None for sweep in about.sweeps.values()}
    if alone := next((figure for figure in figures if figure.is_open not in loads), None):
        level = LEVELS[alone.is_open]
        raise DocumentError(f"{folder / FIGURES_FILE}: {level}: no sweep in {STUDY_FILE} has {level}")
    has_beside = any(sweep.beside for sweep in about.sweeps.values())
    concluded = study_conclusions.read(folder / CONCLUSIONS_FILE, figures, has_beside)
    stand_ins = {name: tuple(_all_ids(ids, servers)) for name, ids in about.stand_ins.items()}
    return Study(id=id, about=about, stand_ins=stand_ins, figures=figures, concluded=concluded)


def load_study(id: str, catalog: Catalog) -> Study:
    """Return the study, to be run with the servers of the catalog, which has its own. DocumentError also where it names
    one that is not among them."""
    study = read_study(id, catalog.servers)
    path = paths.STUDIES / id / STUDY_FILE
    for name, sweep in study.about.sweeps.items():
        try:
            catalog.named(sweep.servers)
        except CatalogError as error:
            raise DocumentError(f"{path}: sweeps.{name}.servers: {error}") from error
    for published, names in study.about.stand_ins.items():
        for name in names:
            if current_id(name, catalog.servers.values()) not in catalog.servers:
                known = suggestion(name, catalog.servers)
                raise DocumentError(f"{path}: stand_ins.{published}: no server {name!r}{known}")
    return study


def load_studies() -> list[tuple[Study, Catalog]]:
    """Return all studies by their ids, each with the catalog that it runs with. DocumentError at the first mistake, or
    if there is none."""
    catalogs = {id: load_catalog(study=id) for id in study_ids()}
    if not catalogs:
        raise DocumentError(f"{paths.STUDIES}: no study in it; restore it with git")
    return [(load_study(id, catalog), catalog) for id, catalog in catalogs.items()]


def _all_ids(names: Iterable[str], servers: Mapping[str, Server]) -> Iterator[str]:
    """Yield the ids of these servers, each with those that it had before."""
    for name in names:
        id = current_id(name, servers.values())
        yield from (id, *(servers[id].former_ids if id in servers else ()))


def _wrong_names(about: StudyFile, figures: Sequence[Figure]) -> Iterator[str]:
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
