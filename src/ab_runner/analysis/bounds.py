"""Whether a ratio of rates is a bound, because the load generator was the limit of one of them. Pure."""

from __future__ import annotations

from typing import Literal

Bound = Literal["", "≥", "≤"]
"""`≥`: the true ratio may be larger. `≤`: it may be smaller."""


def bound_of_ratio(first: bool, second: bool) -> Bound:
    """Return the kind of bound of a ratio of two rates. `first` and `second`: that rate is a lower bound."""
    return "" if first == second else "≥" if first else "≤"
