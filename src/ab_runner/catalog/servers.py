"""All servers: read from servers/*/server.toml, and chosen by pattern."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from ab_runner import paths
from ab_runner.catalog.server_file import SERVER_FILE, read_server
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.catalog.workloads import workloads_with
from ab_runner.errors import UserError
from ab_runner.model.server import Artifact, Server, current_id

SHARED = "shared"
"""The one folder in servers/ that is not a server: it has files that several servers share, and the template of new
ones."""


class CatalogError(UserError):
    """Raised for a name that no server has."""


def load(servers_dir: Path, outside: bool = False, study: str | None = None) -> dict[str, Server]:
    """Return all servers of a folder by id, ordered by family, release date and id; `outside` says whether it is not
    the repository's, and `study` whose it is. DocumentError at the first mistake."""
    workloads = workloads_with(study)
    read = [read_server(path, workloads, outside, study) for path in sorted(servers_dir.glob(f"*/{SERVER_FILE}"))]
    if not read:
        raise DocumentError(f"{servers_dir}: no */{SERVER_FILE} in it")
    read.sort(key=lambda server: (server.family, server.released, server.id))
    servers = {server.id: server for server in read}
    _check_artifacts(read, servers_dir)
    _check_former_ids(servers, servers_dir)
    return {server.id: _with_program(server, servers, servers_dir) for server in read}


def _check_artifacts(servers: Iterable[Server], servers_dir: Path) -> None:
    """Raise DocumentError where two different files have one name: the cache has one file of a name."""
    known: dict[str, Artifact] = {}
    for server in servers:
        for artifact in server.artifacts:
            if known.setdefault(artifact.file, artifact).sha256 != artifact.sha256:
                path = servers_dir / server.id / SERVER_FILE
                raise DocumentError(f"{path}: artifacts: another server has a {artifact.file} with another sha256")


def _check_former_ids(servers: Mapping[str, Server], servers_dir: Path) -> None:
    """Raise DocumentError where a former id does not lead to one server."""
    owners: dict[str, str] = {}
    for server in servers.values():
        for former in server.former_ids:
            place = f"{servers_dir / server.id / SERVER_FILE}: former_ids"
            if former in servers:
                raise DocumentError(f"{place}: {former!r} is the id of a server")
            if former in owners:
                raise DocumentError(f"{place}: {former!r} is a former id of {owners[former]!r}")
            owners[former] = server.id


def _with_program(server: Server, servers: dict[str, Server], servers_dir: Path) -> Server:
    """Return the server with what its program needs: a variant is built as its program is."""
    path = servers_dir / server.id / SERVER_FILE
    program = servers.get(server.program)
    if program is None:
        raise DocumentError(
            f"{path}: program: there is no server {server.program!r}{suggestion(server.program, servers)}"
        )
    if program.program != program.id or program.kind != server.kind:
        raise DocumentError(f"{path}: program: {server.program!r} must be of the same kind and have a build of its own")
    return msgspec.structs.replace(server, needs=program.needs, artifacts=program.artifacts)


def folder_of(server: Server) -> Path:
    """Return the folder of a server of the repository, or of a study."""
    return (paths.servers_of_study(server.study) if server.study else paths.SERVERS) / server.id


def add(servers: dict[str, Server], more: Mapping[str, Server], folder: Path, outside: Mapping[str, Path]) -> None:
    """Add the servers that this folder has. DocumentError for an id that another server has or had; `outside` has the
    folders of those from outside."""
    for id, server in more.items():
        for name in (id, *server.former_ids):
            if (taken := current_id(name, servers.values())) in servers:
                owner = outside.get(taken) or folder_of(servers[taken])
                raise DocumentError(f"{folder / id / SERVER_FILE}: the id {name} is taken by {owner}")
        servers[id] = server


def select(servers: dict[str, Server], patterns: Sequence[str]) -> list[Server]:
    """Return the servers that any of the shell patterns matches, in the catalog's order; a former id is a pattern too.
    CatalogError if one matches none."""
    patterns = [current_id(pattern, servers.values()) for pattern in patterns]
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in servers):
            raise CatalogError(
                f"no server {pattern!r}{_pattern_suggestion(pattern, servers)}; ./ab-runner list shows all, and "
                "--servers-from adds your own"
            )
    return [server for name, server in servers.items() if any(fnmatchcase(name, pattern) for pattern in patterns)]


def renamed_lines(servers: dict[str, Server], patterns: Iterable[str]) -> Iterator[str]:
    """Yield a line for each of the patterns that is a former id, for the person who wrote it."""
    for pattern in patterns:
        if (id := current_id(pattern, servers.values())) != pattern:
            yield f"{pattern} is now {id}"


def _pattern_suggestion(pattern: str, servers: Iterable[str]) -> str:
    """Return a hint at the likely pattern: a family's name alone lacks a star."""
    starred = f"{pattern}*"
    if any(fnmatchcase(name, starred) for name in servers):
        return f" (did you mean {starred!r}?)"
    return suggestion(pattern, servers)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean a, b?)` with the nearest known names, or an empty text where none is near."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f" (did you mean {', '.join(near)}?)" if near else ""
