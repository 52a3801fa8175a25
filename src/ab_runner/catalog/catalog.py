"""The catalog: the servers of the repository and those from outside, and the sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from ab_runner import paths
from ab_runner.catalog.outside import add_outside
from ab_runner.catalog.servers import load, renamed_lines, select
from ab_runner.catalog.sets import ServerSet, expand, load_sets
from ab_runner.model.server import REFERENCE, Server


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


def load_catalog(outside: Iterable[Path] = ()) -> Catalog:
    """Return the catalog of the repository, and of folders from outside, which have a folder for each server as
    servers/ has. DocumentError at the first mistake, or where two servers have one id."""
    servers = load(paths.SERVERS)
    sets = load_sets(paths.SERVERS, servers)
    folders = add_outside(servers, outside)
    return Catalog(paths.SERVERS, servers, sets, folders)
