"""The catalog: the servers of the repository and those from outside, and the sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ab_runner import paths
from ab_runner.catalog.server_file import SERVER_FILE
from ab_runner.catalog.servers import add, load, renamed_lines, select, suggestion
from ab_runner.catalog.sets import ServerSet, expand, load_sets
from ab_runner.catalog.study_file import STUDY_FILE, read_study_file
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.catalog.workloads import workloads_with
from ab_runner.model.server import REFERENCE, Server
from ab_runner.model.workload import Workload


class Catalog(Struct, frozen=True):
    """All servers by id: those of the repository first. `root` is its folder servers/; `outside` has the folders of the
    servers from outside."""

    root: Path
    servers: dict[str, Server]
    sets: dict[str, ServerSet]
    outside: dict[str, Path] = {}

    @property
    def reference(self) -> Server:
        """The server that every sweep measures again and again."""
        return self.servers[REFERENCE]

    def named(self, patterns: Sequence[str], tell: Callable[[str], None] = lambda line: None) -> list[Server]:
        """Return the servers of these ids, patterns and sets; all where there are none. Tell of former ids.
        CatalogError for one that names none."""
        chosen = select(self.servers, expand(patterns, self.sets) or ("*",))
        for line in renamed_lines(self.servers, patterns):
            tell(line)
        return chosen


def load_catalog(outside: Iterable[Path] = (), study: str | None = None, sweep: str | None = None) -> Catalog:
    """Return the catalog of the repository, and of folders from outside, which have a folder for each server as
    servers/ has. With a `study` it has the servers of that too, and all of them as the study runs them, in this one of
    its sweeps. DocumentError at the first mistake, or where two servers have one id."""
    servers = load(paths.SERVERS)
    sets = load_sets(paths.SERVERS, servers)
    if study is not None:
        _add_study(servers, study, sweep)
    folders = _add_outside(servers, outside)
    return Catalog(paths.SERVERS, servers, sets, folders)


def _add_study(servers: dict[str, Server], study: str, sweep: str | None) -> None:
    """Add the servers of a study, and have all run as it says. DocumentError for an id that another server has or
    had, and for a setting of a server that there is not."""
    described, folder = read_study_file(study), paths.servers_of_study(study)
    if any(folder.glob(f"*/{SERVER_FILE}")):
        add(servers, load(folder, study=study), folder, {})
    for place, pattern in described.set_patterns:
        if not any(fnmatchcase(id, pattern) for id in servers):
            unknown = f"no server {pattern!r}{suggestion(pattern, servers)}"
            raise DocumentError(f"{paths.STUDIES / study / STUDY_FILE}: {place}: {unknown}")
    servers |= described.with_settings(servers, sweep)
    if constants := [each for each in workloads_with(study).values() if each.constant and not each.not_before_ms]:
        servers[REFERENCE] = _with_constants(servers[REFERENCE], constants)


def _add_outside(servers: dict[str, Server], roots: Iterable[Path]) -> dict[str, Path]:
    """Add the servers of these folders, and return the folder of each by its id. DocumentError at the first mistake, or
    for an id that another server has or had."""
    folders: dict[str, Path] = {}
    for root in dict.fromkeys(each.resolve() for each in roots):
        if (root / SERVER_FILE).exists():
            raise DocumentError(f"{root} is the folder of one server; give the folder that it is in, {root.parent}")
        found = load(root, outside=True)
        add(servers, found, root, folders)
        folders |= {id: root / id for id in found}
    return folders


def _with_constants(reference: Server, new: Sequence[Workload]) -> Server:
    """Return the reference with these workloads, whose answers are texts that may come at once. It ignores queries."""
    lines = "\n".join(f"{each.path.partition('?')[0]} {each.constant}" for each in new)
    return replace(
        reference,
        workloads=(*reference.workloads, *(each.name for each in new)),
        environment=reference.environment | {"CONSTANTS": lines},
    )
