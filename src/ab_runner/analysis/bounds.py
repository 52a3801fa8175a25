"""What a ratio of rates bounds, where the load generator was the limit of one of them. Pure."""

from __future__ import annotations

from typing import Literal

Bound = Literal["", "≥", "≤"]
"""`≥`: the true ratio may be larger. `≤`: it may be smaller."""


def bound_of_ratio(first: bool, second: bool) -> Bound:
    """Return the bound that a ratio is, of rates of which the first, or the second, is a lower bound."""
    return "" if first == second else "≥" if first else "≤"
