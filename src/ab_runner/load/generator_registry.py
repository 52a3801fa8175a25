"""All generators: each module of this folder whose name ends in `_generator` has one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ab_runner.load.generator import Generator
from ab_runner.model.protocol import SweepRequest


def _found() -> dict[str, Generator]:
    modules = sorted(path.stem for path in Path(__file__).parent.glob("*_generator.py"))
    found: list[Generator] = [import_module(f"{__package__}.{module}").GENERATOR for module in modules]
    return {generator.name: generator for generator in found}


GENERATORS = _found()
"""All of them by name."""
DEFAULT = GENERATORS["ab"]
"""What makes closed loads."""
OPEN = GENERATORS["open-load"]
"""What makes open loads."""


def generator_of(request: SweepRequest) -> Generator:
    """Return what makes the load of that sweep."""
    return OPEN if request.open else DEFAULT
