"""Makes a new server: its folder, its line in servers/pom.xml and its service in compose.yaml."""

from __future__ import annotations

import datetime
import shutil
from pathlib import Path

from ab_runner import paths
from ab_runner.catalog import compose
from ab_runner.catalog.servers import SHARED, load
from ab_runner.catalog.template import DESCRIPTION, files_of, with_module
from ab_runner.errors import UserError
from ab_runner.host.safe_files import write_whole
from ab_runner.model.server import current_id


def make(id: str) -> Path:
    """Make the server whole or not at all, and return its folder. UserError where the id is taken or something cannot
    be written, DocumentError for another server's mistake."""
    folder = paths.SERVERS / id
    for taken in (folder, paths.SERVERS / SHARED / id):  # Maven knows the modules of both by this name
        if taken.exists():
            raise UserError(f"the id {id} is taken: {taken} is there; choose another")
    if id in compose.TOOLS:
        raise UserError(f"the id {id} is taken: compose.yaml has a service of that name; choose another")
    if (owner := current_id(id, load(paths.SERVERS).values())) != id:
        raise UserError(f"the id {id} is taken: {owner} had it before; choose another")
    pom = paths.SERVERS / "pom.xml"
    before = pom.read_text(encoding="utf-8")
    try:
        _fill(folder)
        write_whole(pom, with_module(before, id).encode())
        write_whole(paths.ROOT / "compose.yaml", compose.render(load(paths.SERVERS).values()).encode())
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        write_whole(pom, before.encode())
        raise UserError(f"{error.filename} cannot be written: {error.strerror}") from None
    return folder


def _fill(folder: Path) -> None:
    source = paths.SERVERS / SHARED / "template"
    files = [source / "pom.xml", source / DESCRIPTION, *(source / "src").rglob("*.java")]
    template = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8") for path in files}
    for name, text in files_of(folder.name, template, datetime.date.today()).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
