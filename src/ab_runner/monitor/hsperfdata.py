"""The performance counters of a JVM, which jstat reads too. Pure: bytes in, what the JVM did out.

HotSpot keeps them in a file that it has mapped, /tmp/hsperfdata_USER/PID (-XX:+UsePerfData, on as shipped): a copy of
the file is a look at them, which costs the JVM nothing and needs no jcmd. The format is that of
hotspot/share/runtime/perfMemory.hpp in the JDK, version 2.0 since JDK 5.

The server can write to its JVM's file: whatever is in it, it is read in bounded time and memory, and never raises.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from msgspec.structs import astuple

from ab_runner.model.resources import JvmActivity

_MAGIC = 0xCAFEC0C0
_LITTLE_ENDIAN = 1
_ENTRIES_AT = 24
"""Where the head says where the entries begin and how many there are."""
_ENTRY = "iiicBBBi"
_TEXT_AT_MOST = 1024
"""Bytes of a text that are read; those that are used have a few dozen."""
NUMBER_AT_MOST = 1 << 53
"""Of bytes, seconds and collections: more is not what a JVM did."""
_LONG, _BYTE = b"J", b"B"
"""Types in JNI's letters; texts are vectors of bytes."""

_TICKS_PER_SECOND = "sun.os.hrt.frequency"
_COMPILING = "java.ci.totalTime"
_COLLECTIONS = re.compile(r"sun\.gc\.collector\.\d+\.invocations")
_PAUSES = re.compile(r"sun\.gc\.collector\.\d+\.time")
_SPACE = re.compile(r"(sun\.gc\.generation\.\d+\.space\.\d+)\.used")
EDEN = "eden"

Counters = dict[str, int | str]


def parse(data: bytes) -> Counters | None:
    """Return the counters by name; None if these bytes are not such a file, or not yet a whole one."""
    try:
        magic, byte_order = struct.unpack_from(">IB", data)
        return dict(_entries(data, "<" if byte_order == _LITTLE_ENDIAN else ">")) if magic == _MAGIC else None
    except (struct.error, ValueError):
        return None


def flags(data: bytes) -> str | None:
    """Return the flags that a JVM was started with, divided by spaces; None if these bytes do not say it."""
    found = (parse(data) or {}).get("java.rt.vmArgs")
    return found if isinstance(found, str) else None


def _entries(data: bytes, order: str) -> Iterator[tuple[str, int | str]]:
    at, count = struct.unpack_from(f"{order}ii", data, _ENTRIES_AT)
    for _ in range(count):
        length, name_at, elements, kind, _flags, _unit, _variability, value_at = struct.unpack_from(
            order + _ENTRY, data, at
        )
        if length < struct.calcsize(order + _ENTRY):
            raise ValueError(f"an entry of {length} bytes")
        if kind == _LONG and elements == 0:
            yield _text(data, at + name_at), struct.unpack_from(f"{order}q", data, at + value_at)[0]
        elif kind == _BYTE and elements > 0:
            yield _text(data, at + name_at), _text(data, at + value_at)
        at += length


def _text(data: bytes, at: int) -> str:
    return data[at : at + _TEXT_AT_MOST].partition(b"\0")[0].decode("utf-8", errors="replace")


def activity(before: Counters | None, after: Counters | None) -> JvmActivity | None:
    """Return what a JVM did between two looks at its counters; None where there are none of the same JVM.

    A collection's time is how long it stopped the application. HotSpot counts the pauses of a concurrent cycle as
    those of one more collector (G1 of JDK 8 does not count them), and no work that is done beside the application.
    A collection that is under way has its number already, but neither its time nor what it will leave.
    """
    if before is None or after is None or (frequency := number(after, _TICKS_PER_SECOND)) <= 0:
        return None
    collections, pauses = _sum(after, _COLLECTIONS), _sum(after, _PAUSES)
    compiling = number(after, _COMPILING) - number(before, _COMPILING)
    found = JvmActivity(
        gc_count=collections - _sum(before, _COLLECTIONS),
        gc_seconds=round((pauses - _sum(before, _PAUSES)) / frequency, 6),
        jit_seconds=round(compiling / frequency, 6),
        heap_after_gc_bytes=(_left_on_heap(after) or None) if collections else None,
    )
    return found if all(0 <= (value or 0) <= NUMBER_AT_MOST for value in astuple(found)) else None


def _left_on_heap(counters: Counters) -> int:
    """Return what the last collection left, which is all that is not in eden. (JDK 8 and 17 note from time to time what
    is in eden too, JDK 25 does not.)"""
    used = {match[1]: number(counters, name) for name in counters if (match := _SPACE.fullmatch(name))}
    return sum(value for space, value in used.items() if counters.get(f"{space}.name") != EDEN)


def _sum(counters: Counters, names: re.Pattern[str]) -> int:
    return sum(number(counters, name) for name in counters if names.fullmatch(name))


def number(counters: Counters, name: str) -> int:
    """Return a counter; 0 if it is not there, or a text."""
    value = counters.get(name, 0)
    return value if isinstance(value, int) else 0
