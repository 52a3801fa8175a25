"""A curve in a line of text."""

from __future__ import annotations

from collections.abc import Sequence

_HEIGHTS = "▁▂▃▄▅▆▇█"
NO_FIGURE = "·"


def sparkline(figures: Sequence[float | None]) -> str:
    """Return a character for each figure, scaled from zero to the largest of them."""
    most = max((figure for figure in figures if figure is not None), default=0)
    return "".join(NO_FIGURE if figure is None else _height(figure / most) for figure in figures)


def _height(share: float) -> str:
    return _HEIGHTS[min(int(share * len(_HEIGHTS)), len(_HEIGHTS) - 1)]
