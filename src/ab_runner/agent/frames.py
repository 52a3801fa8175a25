"""What runner and agent send to each other: frames, each a head with its kind, a number and the length of its content.

A frame is of one relayed connection, or of one call; `number` says of which. Pure.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

CONTENT_AT_MOST = 16 << 20
"""Bytes; what was read in the longest trial has two million."""
_HEAD = struct.Struct(">BII")


class Kind(IntEnum):
    """What a frame is for."""

    OPEN = 1
    """To the agent: connect to this address, written as `HOST PORT`."""
    OPENED = 2
    """From the agent: the connection is there."""
    DATA = 3
    """To both: bytes of a connection."""
    TAKEN = 4
    """To both: so many of them have been passed on, so that as many may follow; a decimal number."""
    END = 5
    """From the agent: the server sends no more."""
    CLOSE = 6
    """To both: the connection is gone; an error's number, 0 where there was none."""
    CALL = 7
    """To the agent: a request in JSON."""
    ANSWER = 8
    """From the agent: the answer to it in JSON."""
    FAILED = 9
    """From the agent: why there is no answer, as text."""
    EVENT = 10
    """From the agent: something that a call asked to be told of, in JSON."""


class Frame(NamedTuple):
    """One frame."""

    kind: Kind
    number: int
    content: bytes = b""


class FrameError(ConnectionError):
    """What came is no frame: whoever sends does not speak this protocol."""


def encode(frame: Frame) -> bytes:
    """Return a frame as it is sent."""
    if len(frame.content) > CONTENT_AT_MOST:
        raise FrameError(f"a frame of {len(frame.content):,} bytes")
    return _HEAD.pack(frame.kind, frame.number, len(frame.content)) + frame.content


def count(frame: Frame) -> int:
    """Return the number that the frame's content is. FrameError if it is none."""
    if not (frame.content.isdigit() and len(frame.content) < 10):
        raise FrameError(f"no number: {frame.content[:20]!r}")
    return int(frame.content)


class Decoder:
    """Makes frames of the bytes that come, in whatever pieces."""

    def __init__(self) -> None:
        self._left = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are whole with these bytes. FrameError if they are no frames."""
        self._left += data
        while len(self._left) >= _HEAD.size:
            kind, number, length = _HEAD.unpack_from(self._left)
            if kind not in _KINDS or length > CONTENT_AT_MOST:
                raise FrameError(f"no frame: {bytes(self._left[:20])!r}")
            end = _HEAD.size + length
            if len(self._left) < end:
                return
            content = bytes(self._left[_HEAD.size : end])
            del self._left[:end]
            yield Frame(Kind(kind), number, content)


_KINDS = frozenset(Kind)
