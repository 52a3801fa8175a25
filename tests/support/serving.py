"""A folder of sweeps, and its web server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ab_runner.model.records import Record
from ab_runner.store.reader import Stored
from ab_runner.store.writer import Store
from ab_runner.web.serve import server_for


def keep(folder: Path, stored: Stored, *more: Record) -> Store:
    """The sweep as it is while it is being written."""
    store = Store.make(folder, stored.sweep)
    for record in (*stored.records, *more):
        store.append(record)
    return store


def kept(folder: Path, stored: Stored) -> str:
    """The folder of a sweep that was written."""
    keep(folder, stored).close()
    return str(folder)


@contextmanager
def serving(results: Path) -> Iterator[int]:
    """At that port, until the block ends."""
    server = server_for(results, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
