"""A store that is thrown away: for what a runtime leaves while a script measures."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ab_runner.runtime.base import Runtime
from ab_runner.store.layout import RAW_FOLDER
from ab_runner.store.writer import Store


@contextmanager
def begun(runtime: Runtime, sweep: str) -> Iterator[Store]:
    """Have a runtime begin a sweep in a store of its own, and end what it started after the block."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / RAW_FOLDER).mkdir()
        store = Store(Path(folder))
        try:
            runtime.begin(sweep, store.raw, store.scratch)
            yield store
        finally:
            runtime.close()
            store.close()
