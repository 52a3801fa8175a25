"""The generators that there are: the one place that names them."""

from __future__ import annotations

from ab_runner.load.ab_generator import Ab
from ab_runner.load.generator import Generator

DEFAULT: Generator = Ab()
"""What makes the load of every sweep."""
