"""The complete sweeps of a study that a folder of results has."""

from __future__ import annotations

from pathlib import Path

from ab_runner.model.protocol import SweepRequest
from ab_runner.model.records import FINISHED
from ab_runner.store.reader import read, readable_sweeps


def requests_made(results: Path, study: str) -> list[SweepRequest]:
    """Return what the complete sweeps of a study were asked for. A published one is the same as the sweep that it was
    made of, and one that cannot be read is left out."""
    made = {
        sweep.id: sweep.request
        for sweep, folder in readable_sweeps(results)
        if sweep.request.study == study and read(folder).ending == FINISHED
    }
    return list(made.values())
