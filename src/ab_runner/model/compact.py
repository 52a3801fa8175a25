"""Numbers by number in little memory. A log can have 100,000 trials, and most of what one says is its latencies."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence


class Compact(Mapping[int, int]):
    """A mapping that does not change. A pair takes 16 bytes, or 8 where no key is left out; in a dict about 100. Keys
    come in rising order."""

    __slots__ = ("_keys", "_values")

    def __init__(self, pairs: Mapping[int, int]) -> None:
        keys = sorted(pairs)
        without_gaps = bool(keys) and keys[-1] - keys[0] < len(keys)
        self._keys: Sequence[int] = range(keys[0], keys[-1] + 1) if without_gaps else array("q", keys)
        self._values = array("q", (pairs[key] for key in keys))

    def __getitem__(self, key: int) -> int:
        at = bisect_left(self._keys, key)
        if at == len(self._keys) or self._keys[at] != key:
            raise KeyError(key)
        return self._values[at]

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
