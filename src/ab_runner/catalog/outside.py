"""Servers from outside the repository, in folders that a person names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ab_runner.catalog.server_file import SERVER_FILE
from ab_runner.catalog.servers import add, load
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.model.server import Server


def add_outside(servers: dict[str, Server], roots: Iterable[Path]) -> dict[str, Path]:
    """Add the servers of these folders to those of the repository, and return the folder of each by its id.
    DocumentError at the first mistake, or for an id that another server has or had."""
    folders: dict[str, Path] = {}
    for root in dict.fromkeys(each.resolve() for each in roots):
        if (root / SERVER_FILE).exists():
            raise DocumentError(f"{root} is the folder of one server; give the folder that it is in, {root.parent}")
        found = load(root, outside=True)
        add(servers, found, root, folders)
        folders |= {id: root / id for id in found}
    return folders
