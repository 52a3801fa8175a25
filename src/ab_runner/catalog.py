"""servers/*/server.toml → `Server`, checked. A mistake in one of them is a `CatalogError` with file, key and reason."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args, get_origin, get_type_hints

import msgspec

from ab_runner.model import FORMAT, Server

SERVER_FILE = "server.toml"
_ID = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")
ID_RULE = "small letters and digits, with single dots and dashes between them"
"""Names of images allow no more."""


class CatalogError(ValueError):
    """A server.toml that is not as it should be, or a name that no server has."""


def load(servers_dir: Path) -> dict[str, Server]:
    """All servers by id, ordered by family, era and id. CatalogError at the first file that is wrong."""
    read = [_read(path) for path in sorted(servers_dir.glob(f"*/{SERVER_FILE}"))]
    if not read:
        raise CatalogError(f"{servers_dir}: no */{SERVER_FILE} in it")
    read.sort(key=lambda server: (server.family, server.released, server.id))
    servers = {server.id: server for server in read}
    return {server.id: _with_program(server, servers, servers_dir) for server in read}


def is_id(name: str) -> bool:
    return _ID.fullmatch(name) is not None


def _read(path: Path) -> Server:
    name = path.parent.name
    if not is_id(name):
        raise CatalogError(f"{path}: a server's folder is named in {ID_RULE}, not {name!r}")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CatalogError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"{path}: not TOML: {error}") from error
    if data.pop("format", None) != FORMAT:
        raise CatalogError(f"{path}: format: must be {FORMAT}, the one that this toolkit reads")
    if "id" in data:
        raise CatalogError(f"{path}: id: is the folder's name, and not written here")
    try:
        server = msgspec.convert({"program": name} | data | {"id": name}, Server)
    except msgspec.ValidationError as error:
        raise CatalogError(f"{path}: {_explain(error)}") from error
    if not server.workloads:
        raise CatalogError(f"{path}: workloads: empty; name at least one")
    if both := sorted(set(server.workloads) & set(server.untestable)):
        raise CatalogError(f"{path}: untestable: {both[0]!r} is among the workloads too")
    if server.artifacts and (server.kind != "jvm" or server.program != name):
        raise CatalogError(f"{path}: artifacts: only jvm servers with a build of their own have them")
    if (server.needs is None) != (server.kind != "debian" or server.program != name):
        raise CatalogError(f"{path}: needs: exactly the debian servers with a build of their own have this table")
    if "jdk_at_least" in data and server.kind != "jvm":
        raise CatalogError(f"{path}: jdk_at_least: only jvm servers have this key")
    return server


def _explain(error: msgspec.ValidationError) -> str:
    """msgspec's "Expected `int`, got `str` - at `$.format`" as "format: expected `int`, got `str`"."""
    reason, _, place = str(error).partition(" - at ")  # `$.format`, or `key` in `$.untestable`
    reason = reason[0].lower() + reason[1:]
    key = place.rpartition("`$")[2].rstrip("`").lstrip(".")
    if "enum value" in reason:
        reason += f"; there are {', '.join(map(repr, _choices(key)))}"
    return f"{key}: {reason}" if key else reason


def _choices(key: str) -> Iterable[str]:
    """The values that a key such as `io_model` or `workloads[0]` may have."""
    kind = get_type_hints(Server)[key.partition("[")[0]]
    return get_args(get_args(kind)[0]) if get_origin(kind) in (tuple, dict) else get_args(kind)


def _with_program(server: Server, servers: dict[str, Server], servers_dir: Path) -> Server:
    """A variant is built as its program is, and needs what its program needs."""
    path = servers_dir / server.id / SERVER_FILE
    program = servers.get(server.program)
    if program is None:
        raise CatalogError(
            f"{path}: program: there is no server {server.program!r}{suggestion(server.program, servers)}"
        )
    if program.program != program.id or program.kind != server.kind:
        raise CatalogError(f"{path}: program: {server.program!r} must be of the same kind and have a build of its own")
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
