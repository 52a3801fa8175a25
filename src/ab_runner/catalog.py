"""servers/*/server.toml → `Server`, checked. A mistake in one is a `DocumentError` with file, key and reason."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args, get_origin, get_type_hints

import msgspec

from ab_runner.documents import DocumentError, explained, key_and_reason, read_toml
from ab_runner.model import Server
from ab_runner.refusal import Refusal

SERVER_FILE = "server.toml"
_ID = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")
ID_RULE = "small letters and digits, with single dots and dashes between them"
"""Names of images allow no more."""


class CatalogError(Refusal):
    """A name or a property that no server has."""


def load(servers_dir: Path) -> dict[str, Server]:
    """All servers by id, ordered by family, era and id. DocumentError at the first file that is wrong."""
    read = [_read(path) for path in sorted(servers_dir.glob(f"*/{SERVER_FILE}"))]
    if not read:
        raise DocumentError(f"{servers_dir}: no */{SERVER_FILE} in it")
    read.sort(key=lambda server: (server.family, server.released, server.id))
    servers = {server.id: server for server in read}
    return {server.id: _with_program(server, servers, servers_dir) for server in read}


def is_id(name: str) -> bool:
    return _ID.fullmatch(name) is not None


def _read(path: Path) -> Server:
    name = path.parent.name
    if not is_id(name):
        raise DocumentError(f"{path}: a server's folder is named in {ID_RULE}, not {name!r}")
    data = read_toml(path)
    del data["format"]
    if "id" in data:
        raise DocumentError(f"{path}: id: is the folder's name, and not written here")
    try:
        server = msgspec.convert({"program": name} | data | {"id": name}, Server)
    except msgspec.ValidationError as error:
        raise DocumentError(f"{path}: {_explain(error)}") from error
    if not server.workloads:
        raise DocumentError(f"{path}: workloads: empty; name at least one")
    if both := sorted(set(server.workloads) & set(server.untestable)):
        raise DocumentError(f"{path}: untestable: {both[0]!r} is among the workloads too")
    if server.artifacts and (server.kind != "jvm" or server.program != name):
        raise DocumentError(f"{path}: artifacts: only jvm servers with a build of their own have them")
    if (server.needs is None) != (server.kind != "debian" or server.program != name):
        raise DocumentError(f"{path}: needs: exactly the debian servers with a build of their own have this table")
    if "jdk_at_least" in data and server.kind != "jvm":
        raise DocumentError(f"{path}: jdk_at_least: only jvm servers have this key")
    return server


def _explain(error: msgspec.ValidationError) -> str:
    """With the values that there are, where it is one that there is not."""
    key, reason = key_and_reason(error)
    return explained(error) + (f"; there are {', '.join(map(repr, _choices(key)))}" if "enum value" in reason else "")


def _choices(key: str) -> Iterable[str]:
    """The values that a key such as `io_model` or `workloads[0]` may have."""
    kind = get_type_hints(Server)[key.partition("[")[0]]
    return get_args(get_args(kind)[0]) if get_origin(kind) in (tuple, dict) else get_args(kind)


def _with_program(server: Server, servers: dict[str, Server], servers_dir: Path) -> Server:
    """A variant is built as its program is, and needs what its program needs."""
    path = servers_dir / server.id / SERVER_FILE
    program = servers.get(server.program)
    if program is None:
        raise DocumentError(
            f"{path}: program: there is no server {server.program!r}{suggestion(server.program, servers)}"
        )
    if program.program != program.id or program.kind != server.kind:
        raise DocumentError(f"{path}: program: {server.program!r} must be of the same kind and have a build of its own")
    return msgspec.structs.replace(server, needs=program.needs, artifacts=program.artifacts)


def select(servers: dict[str, Server], patterns: Sequence[str]) -> list[Server]:
    """The servers that any of the shell patterns matches, in the catalog's order; CatalogError if one matches none."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in servers):
            raise CatalogError(
                f"no server {pattern!r}{_pattern_suggestion(pattern, servers)}; ./ab-runner list shows all"
            )
    return [server for name, server in servers.items() if any(fnmatchcase(name, pattern) for pattern in patterns)]


def _pattern_suggestion(pattern: str, servers: Iterable[str]) -> str:
    """A family's name alone is short of a star."""
    starred = f"{pattern}*"
    if any(fnmatchcase(name, starred) for name in servers):
        return f" (did you mean {starred!r}?)"
    return suggestion(pattern, servers)


def suggestion(name: str, known: Iterable[str]) -> str:
    """` (did you mean a, b?)` with the nearest of the known names, or nothing where none is near."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f" (did you mean {', '.join(near)}?)" if near else ""
