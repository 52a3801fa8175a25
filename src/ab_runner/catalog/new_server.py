"""Makes a new server: in the repository its folder, its line in servers/pom.xml and its service in compose.yaml;
elsewhere its server.toml."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Mapping
from pathlib import Path

from ab_runner import paths
from ab_runner.catalog import compose
from ab_runner.catalog.catalog import load_catalog
from ab_runner.catalog.server_file import TAKEN
from ab_runner.catalog.servers import SHARED
from ab_runner.catalog.template import DESCRIPTION, OUTSIDE, description, files_of, with_module
from ab_runner.errors import UserError
from ab_runner.host.safe_files import write_whole
from ab_runner.model.server import current_id


def make(id: str) -> Path:
    """Make the server whole or not at all, and return its folder. UserError where the id is taken or something cannot
    be written, DocumentError for another server's mistake."""
    folder = paths.SERVERS / id
    _check_free(id, folder, paths.SERVERS / SHARED / id)  # Maven knows the modules of both by this name
    pom = paths.SERVERS / "pom.xml"
    before = pom.read_text(encoding="utf-8")
    source = _source()
    files = [source / "pom.xml", source / DESCRIPTION, *(source / "src").rglob("*.java")]
    template = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8") for path in files}
    try:
        _write(folder, files_of(id, template, datetime.date.today()))
        write_whole(pom, with_module(before, id).encode())
        write_whole(paths.ROOT / "compose.yaml", compose.render(load_catalog().servers.values()).encode())
    except (OSError, UserError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        write_whole(pom, before.encode())
        if isinstance(error, UserError):
            raise
        raise UserError(f"{error.filename} cannot be written: {error.strerror}") from None
    return folder


def make_outside(id: str, root: Path) -> Path:
    """Make a server outside the repository, in a folder of `root`, and return that. UserError where the id is taken or
    something cannot be written."""
    folder = root / id
    if root.resolve() == paths.SERVERS:
        raise UserError(f"{root} has the servers of the repository; leave out --in, or name another folder")
    _check_free(id, folder)
    text = (_source() / OUTSIDE).read_text(encoding="utf-8")
    try:
        _write(folder, {"server.toml": description(id, text, datetime.date.today())})
    except OSError as error:
        raise UserError(f"{error.filename} cannot be written: {error.strerror}") from None
    return folder


def _source() -> Path:
    return paths.SERVERS / SHARED / "template"


def _check_free(id: str, *folders: Path) -> None:
    """Raise UserError if a server or a service has this id, or one of these folders is there."""
    if found := next((folder for folder in folders if folder.exists()), None):
        raise UserError(f"the id {id} is taken: {found} is there; choose another")
    if id in compose.TOOLS:
        raise UserError(f"the id {id} is taken: compose.yaml has a service of that name; choose another")
    if id in TAKEN or not id[0].isalpha():
        raise UserError(f"no server can be called {id!r}; begin the name with its family")
    servers = load_catalog().servers
    owner = current_id(id, servers.values())
    if owner in servers:
        whose = "a server has it" if owner == id else f"{owner} had it before"
        raise UserError(f"the id {id} is taken: {whose}; choose another")


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
