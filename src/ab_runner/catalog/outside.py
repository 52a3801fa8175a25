"""Servers from outside the repository, in folders that a person names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ab_runner import paths
from ab_runner.catalog.server_file import SERVER_FILE
from ab_runner.catalog.servers import load
from ab_runner.catalog.toml_files import DocumentError
from ab_runner.model.server import Server, current_id


def add_outside(servers: dict[str, Server], roots: Iterable[Path]) -> dict[str, Path]:
    """Add the servers of these folders to those of the repository, and return the folder of each by its id.
    DocumentError at the first mistake, or for an id that another server has or had."""
    folders: dict[str, Path] = {}
    for root in dict.fromkeys(each.resolve() for each in roots):
        if (root / SERVER_FILE).exists():
            raise DocumentError(f"{root} is the folder of one server; give the folder that it is in, {root.parent}")
        for id, server in load(root, outside=True).items():
            for name in (id, *server.former_ids):
                if (taken := current_id(name, servers.values())) in servers:
                    owner = folders.get(taken, paths.SERVERS / taken)
                    raise DocumentError(f"{root / id / SERVER_FILE}: the id {name} is taken by {owner}")
            servers[id], folders[id] = server, root / id
    return folders
