"""Which node of a swarm has which block of a sweep. Pure.

A node has one block at a time and gets the next one as soon as it is free, so that no node waits while a block does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

FAILURES_AT_MOST = 2
"""Blocks in a row that may fail on a node before it gets no more."""


class Placing:
    """The blocks of a sweep that are to be measured, and the nodes that are ready for them."""

    def __init__(self, blocks: Iterable[int], homes: Mapping[int, str] | None = None) -> None:
        """`homes` has the node of each block that was begun before: there the rest is measured, elsewhere all of it."""
        self._waiting = list(blocks)
        self._homes = dict(homes or {})
        self._free: list[str] = []
        self._running: dict[str, int] = {}
        self._failures: dict[str, int] = {}

    @property
    def is_done(self) -> bool:
        """Whether every block has been measured."""
        return not self._waiting and not self._running

    @property
    def has_nodes(self) -> bool:
        """Whether any node is free or at work."""
        return bool(self._free or self._running)

    @property
    def waiting(self) -> tuple[int, ...]:
        """The blocks that no node has."""
        return tuple(self._waiting)

    def add(self, node: str) -> None:
        """A node is ready for blocks."""
        if node not in self._free and node not in self._running:
            self._free.append(node)

    def adopt(self, node: str, block: int) -> None:
        """A block that waits is at work on a node already."""
        self._waiting.remove(block)
        self._free = [each for each in self._free if each != node]
        self._running[node] = block

    def next(self) -> list[tuple[str, int]]:
        """Return which free nodes get which blocks from now on."""
        placed = []
        while self._free and self._waiting:
            node = self._free.pop(0)
            block = min(self._waiting, key=lambda each: self._rank(node, each))
            self._waiting.remove(block)
            self._running[node] = block
            placed.append((node, block))
        return placed

    def _rank(self, node: str, block: int) -> tuple[int, int]:
        """Return how little a node should have a block: those begun there come first, those begun elsewhere last."""
        home = self._homes.get(block)
        return (0 if home == node else 1 if home is None else 2), self._waiting.index(block)

    def begun(self, node: str, block: int) -> None:
        """A node has begun to measure its block, so that the rest of it belongs there."""
        self._homes[block] = node

    def done(self, node: str, is_ready: bool = True) -> None:
        """A node has measured its block. It is free, unless it is not ready for another one."""
        self._failures.pop(node, None)
        self._take_from(node)
        if is_ready:
            self.add(node)

    def failed(self, node: str) -> bool:
        """A node could not measure its block, which waits again: return whether the node gets no more. Otherwise it is
        to be added when it is ready again."""
        self._return(node)
        self._failures[node] = self._failures.get(node, 0) + 1
        return self._failures[node] >= FAILURES_AT_MOST

    def lose(self, node: str) -> int | None:
        """A node is gone: return the block that it had, which goes to another one; None if it had none."""
        self._free = [each for each in self._free if each != node]
        return self._return(node)

    def _return(self, node: str) -> int | None:
        block = self._take_from(node)
        if block is not None:
            self._waiting.insert(0, block)
        return block

    def _take_from(self, node: str) -> int | None:
        return self._running.pop(node, None)
