"""Golden files: texts of reports, as they were when somebody read them last."""

from __future__ import annotations

import os
from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "golden" / "report"


def golden(name: str, text: str) -> str:
    """Return the golden file of that name. To take over a change that is wanted, run with AB_RUNNER_WRITE_GOLDEN=1,
    which makes it of this text, and read the diff."""
    path = _FOLDER / name
    if "AB_RUNNER_WRITE_GOLDEN" in os.environ:
        path.write_text(text)
    return path.read_text()
