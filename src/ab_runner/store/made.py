"""The complete sweeps of a study that a folder of results has."""

from __future__ import annotations

from pathlib import Path

from ab_runner.model.protocol import SweepRequest
from ab_runner.store.layout import StoreError
from ab_runner.store.reader import read, read_sweep, sweeps_in


def requests_made(results: Path, study: str) -> list[SweepRequest]:
    """Return what the complete sweeps of a study were asked for. A published one is the same as the sweep that it was
    made of, and one that cannot be read is left out."""
    made: dict[str, SweepRequest] = {}
    try:
        folders = sweeps_in(results)
    except OSError:
        return []
    for folder in folders:
        try:
            sweep = read_sweep(folder)
            if sweep.request.study == study and read(folder).ending == "finished":
                made[sweep.id] = sweep.request
        except StoreError:
            continue
    return list(made.values())
