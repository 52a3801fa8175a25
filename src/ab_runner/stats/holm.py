"""Several tests at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float], wrong: float) -> list[bool]:
    """Which of these tests are certain, so that any of them is wrong with a probability of `wrong` at the most.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979)."""
    certain = [False] * len(p_values)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for number, position in enumerate(order):
        if p_values[position] > wrong / (len(order) - number):
            break
        certain[position] = True
    return certain
