"""How much memory a JVM allocated between two looks at its counters. Pure.

HotSpot counts no allocated bytes. It counts collections, and each of them finds eden full and leaves it empty. Threads
allocate from buffers of their own (TLABs), whose ends are wasted; how much that is, the last collection tells.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ab_runner.monitor.hsperfdata import EDEN, NUMBER_AT_MOST, Counters, number

_YOUNG, _FULL = (f"sun.gc.collector.{each}.invocations" for each in (0, 1))
"""Collections of the young generation and of all, by the serial, the parallel and the G1 collector."""
_SPACE = re.compile(r"(sun\.gc\.generation\.\d+\.space\.\d+)\.name")
_WASTE = tuple(f"sun.gc.tlab.{each}" for each in ("gcWaste", "fastWaste", "slowWaste", "refillWaste"))
"""In words, whatever the counters' unit says; not every JDK has all."""
_WORD = 8
_G1_ERROR = 0.1
"""The share by which a sum may be off with G1: it changes eden's size, before JDK 22 eden's capacity has 5 % that are
not used, and the ends of its regions stay empty where objects are large."""


class Allocated(NamedTuple):
    """`bytes` that were allocated, give or take `error` bytes, and those that one collection finds: the `eden`."""

    bytes: int
    error: int
    eden: int


def allocated(before: Counters | None, after: Counters | None) -> Allocated | None:
    """Return what a JVM allocated between two looks; None where that is not known, as with a collector that has no
    eden. A full collection may have found anything in eden, or nothing."""
    if before is None or after is None:
        return None
    names = (_SPACE.fullmatch(name) for name, value in after.items() if value == EDEN)
    space = next((match[1] for match in names if match), None)
    if space is None:
        return None
    young, full = (number(after, each) - number(before, each) for each in (_YOUNG, _FULL))
    waste = _WORD * sum(number(after, each) for each in _WASTE)
    eden = number(before, f"{space}.capacity") - waste
    total = max(0, young * eden + number(after, f"{space}.used") - number(before, f"{space}.used"))
    is_g1 = str(after.get("sun.gc.collector.0.name")).startswith("G1")
    error = full * eden + (round(_G1_ERROR * total) if is_g1 else 0)
    found = Allocated(total, error, eden)
    return found if min(young, full) >= 0 < eden and max(found) <= NUMBER_AT_MOST else None
