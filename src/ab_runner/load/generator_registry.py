"""All generators: each module of this folder whose name ends in `_generator` has one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ab_runner.errors import UserError
from ab_runner.load.generator import Generator
from ab_runner.model.protocol import DEFAULT_GENERATOR, SweepRequest


def _found() -> dict[str, Generator]:
    modules = sorted(path.stem for path in Path(__file__).parent.glob("*_generator.py"))
    found: list[Generator] = [import_module(f"{__package__}.{module}").GENERATOR for module in modules]
    return {generator.name: generator for generator in found}


GENERATORS = _found()
"""All of them by name."""
DEFAULT = GENERATORS[DEFAULT_GENERATOR]
"""What makes closed loads, unless another one is asked for."""
OPEN = GENERATORS["open-load"]
"""What makes open loads."""


def generator_of(request: SweepRequest) -> Generator:
    """Return what makes the load of that sweep. UserError if it is none of ours."""
    if request.load_by not in GENERATORS:
        raise UserError(f"there is no generator {request.load_by!r}; there are {', '.join(GENERATORS)}")
    return GENERATORS[request.load_by]
