"""servers/sets.toml → sets of servers under a name, checked. A person writes them as `@core`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from ab_runner.catalog.server_file import ID_RULE, is_id
from ab_runner.catalog.servers import CatalogError, suggestion
from ab_runner.catalog.toml_files import DocumentError, explained, read_toml
from ab_runner.model.server import Server, current_id

SETS_FILE = "sets.toml"
MARK = "@"
"""What the name of a set begins with where a server's id could stand too."""


class ServerSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of sets.toml; its key is the name of the set."""

    summary: str
    servers: tuple[str, ...]


def load_sets(servers_dir: Path, catalog: Mapping[str, Server]) -> dict[str, ServerSet]:
    """Return the sets by name, none if there is no such file, with the ids of today. DocumentError at the first that is
    wrong, or that has a server that is not in the catalog."""
    path = servers_dir / SETS_FILE
    if not path.exists():
        return {}
    tables = read_toml(path)
    del tables["format"]
    return {name: _checked(f"{path}: {name}", name, table, catalog) for name, table in tables.items()}


def _checked(place: str, name: str, table: object, catalog: Mapping[str, Server]) -> ServerSet:
    if not is_id(name):
        raise DocumentError(f"{place}: a set is named in {ID_RULE}")
    try:
        found = msgspec.convert(table, ServerSet)
    except msgspec.ValidationError as error:
        raise DocumentError(f"{place}: {explained(error)}") from error
    if not found.servers:
        raise DocumentError(f"{place}: servers: empty; name at least one")
    servers = tuple(current_id(server, catalog.values()) for server in found.servers)
    for position, server in enumerate(servers):
        if server not in catalog:
            raise DocumentError(f"{place}: servers[{position}]: no server {server!r}{suggestion(server, catalog)}")
        if server in servers[:position]:
            raise DocumentError(f"{place}: servers[{position}]: {server!r} is listed twice")
    return msgspec.structs.replace(found, servers=servers)


def expand(patterns: Sequence[str], sets: Mapping[str, ServerSet]) -> list[str]:
    """Return the patterns with the ids of its servers in place of each set. CatalogError if there is no such set."""
    return [each for pattern in patterns for each in _members(pattern, sets)]


def _members(pattern: str, sets: Mapping[str, ServerSet]) -> Sequence[str]:
    if not pattern.startswith(MARK):
        return (pattern,)
    found = sets.get(pattern.removeprefix(MARK))
    if found is None:
        known = ", ".join(f"{MARK}{name}" for name in sets) or "none"
        raise CatalogError(f"no set {pattern!r}; there are {known}")
    return found.servers
