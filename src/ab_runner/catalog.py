"""servers/*/server.toml → `Server`, checked. A mistake in one of them is a `CatalogError` with file, key and reason."""

from __future__ import annotations

import datetime
import difflib
import re
import tomllib
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

import msgspec

from ab_runner.model import IoModel, Kind, Lack, Needs, Server, WorkloadName

SERVER_FILE = "server.toml"
_ID = re.compile(r"[a-z0-9][a-z0-9.-]*")


class CatalogError(ValueError):
    """A server.toml that is not as it should be, or a name that no server has."""


class _ServerToml(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The file as written, before the folder's name is added to it."""

    format: Literal[1]
    summary: str
    family: str
    version: str
    released: datetime.date
    io_model: IoModel
    workloads: tuple[WorkloadName, ...]
    kind: Kind
    program: str | None = None
    published: str | None = None
    cannot: tuple[str, ...] = ()
    lacks: tuple[Lack, ...] = ()
    environment: dict[str, str] = {}
    needs: Needs | None = None


def load(servers_dir: Path) -> dict[str, Server]:
    """All servers by id, ordered by family, era and id. CatalogError at the first file that is wrong."""
    read = [_read(path) for path in sorted(servers_dir.glob(f"*/{SERVER_FILE}"))]
    if not read:
        raise CatalogError(f"{servers_dir}: no */{SERVER_FILE} in it")
    read.sort(key=lambda server: (server.family, server.released, server.id))
    servers = {server.id: server for server in read}
    return {server.id: _with_program(server, servers, servers_dir) for server in read}


def _read(path: Path) -> Server:
    name = path.parent.name
    if not _ID.fullmatch(name):
        raise CatalogError(
            f"{path}: a server's folder is named in small letters, digits, dots and dashes, not {name!r}"
        )
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        toml = msgspec.convert(data, _ServerToml)
    except OSError as error:
        raise CatalogError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"{path}: not TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise CatalogError(f"{path}: {_explain(error)}") from error
    if not toml.workloads:
        raise CatalogError(f"{path}: workloads: empty; name at least one")
    if (toml.needs is None) != (toml.kind != "debian" or toml.program is not None):
        raise CatalogError(f"{path}: needs: exactly the debian servers with a build of their own have this table")
    fields = {field: getattr(toml, field) for field in toml.__struct_fields__ if field != "format"}
    return Server(**{**fields, "id": name, "program": toml.program or name})


def _explain(error: msgspec.ValidationError) -> str:
    """msgspec's "Expected `int`, got `str` - at `$.format`" as "format: expected `int`, got `str`"."""
    reason, _, place = str(error).partition(" - at `$")
    reason = reason[0].lower() + reason[1:]
    key = place.rstrip("`").lstrip(".")
    return f"{key}: {reason}" if key else reason


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
    return msgspec.structs.replace(server, needs=program.needs)


def select(servers: dict[str, Server], patterns: Sequence[str]) -> list[Server]:
    """The servers that any of the shell patterns matches, in the catalog's order; CatalogError if one matches none."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in servers):
            raise CatalogError(f"no server {pattern!r}{suggestion(pattern, servers)}; `./ab-runner list` shows all")
    return [server for name, server in servers.items() if any(fnmatchcase(name, pattern) for pattern in patterns)]


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean a, b?` with the nearest of the known names, or nothing where none is near."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"; did you mean {', '.join(near)}?" if near else ""
