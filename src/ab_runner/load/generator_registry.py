"""All generators: each module of this folder whose name ends in `_generator` has one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ab_runner.load.generator import Generator


def _found() -> dict[str, Generator]:
    modules = sorted(path.stem for path in Path(__file__).parent.glob("*_generator.py"))
    found: list[Generator] = [import_module(f"{__package__}.{module}").GENERATOR for module in modules]
    return {generator.name: generator for generator in found}


GENERATORS = _found()
"""All of them by name."""
DEFAULT = GENERATORS["ab"]
"""What makes the load of every sweep."""
