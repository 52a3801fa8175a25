"""The recorded runs of ab, for tests: `golden("close")` gives what ab printed, as the arguments of ab_output.parse."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
CASES: dict[str, dict[str, Any]] = tomllib.loads((HERE / "cases.toml").read_text())


class Output(NamedTuple):
    stdout: str
    stderr: str
    exit_code: int
    percentiles_csv: str | None


@cache
def golden(name: str) -> Output:
    """What one case of cases.toml printed."""
    csv = HERE / f"{name}.csv"
    return Output(
        (HERE / f"{name}.out").read_text(),
        (HERE / f"{name}.err").read_text(),
        CASES[name]["exit"],
        csv.read_text() if csv.exists() else None,
    )
