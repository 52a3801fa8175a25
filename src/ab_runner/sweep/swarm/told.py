"""What a job on a node tells the runner, as lines of its log. Pure.

Lines are short, because log drivers cut long ones: a message is compressed and goes over as many as it needs. It has a
number, by which one that is read twice is heard once.
"""

from __future__ import annotations

import base64
import binascii
import zlib

import msgspec
from msgspec import Struct

from ab_runner.model.records import Record
from ab_runner.sweep.events import PhaseStarted

_MARK = "ab-runner"
_PART = 8_000
"""Characters of a line; Docker's log drivers cut lines of more than 16 KiB."""
_MESSAGE_AT_MOST = 64 << 20
"""Bytes; the longest line of a store's log has half of it."""


class RecordTold(Struct, frozen=True, tag="record"):
    """A record for the log of the sweep."""

    record: Record


class FileTold(Struct, frozen=True, tag="file"):
    """A file for the folder raw/ of the sweep."""

    name: str
    content: bytes


class PhaseTold(Struct, frozen=True, tag="phase"):
    """What the job does now."""

    phase: PhaseStarted


class EndTold(Struct, frozen=True, tag="end"):
    """The job has ended: `FINISHED`, or why not."""

    reason: str


Told = RecordTold | FileTold | PhaseTold | EndTold
_DECODER = msgspec.json.Decoder(Told)


def lines_of(number: int, told: Told) -> list[str]:
    """Return the lines of a message. `number` counts a job's messages from 1."""
    text = base64.b64encode(zlib.compress(msgspec.json.encode(told, enc_hook=dict))).decode()
    parts = [text[at : at + _PART] for at in range(0, len(text), _PART)]
    return [f"{_MARK} {number} {len(parts) - at} {part}" for at, part in enumerate(parts, 1)]


class Hearing:
    """Makes messages of the lines of one job's log, which may begin anew at any time."""

    def __init__(self) -> None:
        self.said = ""
        """The last line that is no message: an error of Python or of the engine."""
        self._heard = 0
        self._number = 0
        self._left = 0
        self._parts: list[str] = []

    def hear(self, line: str) -> Told | None:
        """Return the message that a line completes; None if it completes none, or one that was heard before. ValueError
        if one before it is missing, or it is none that a job tells."""
        words = line.split(" ")
        if len(words) != 4 or words[0] != _MARK or not (words[1].isdecimal() and words[2].isdecimal()):
            self.said = line.strip() or self.said
            return None
        number, left = int(words[1]), int(words[2])
        if number != self._number or left != self._left - 1:  # another message, or the same from its beginning
            self._number, self._parts = number, []
        self._left = left
        self._parts.append(words[3].strip())
        if left or number <= self._heard:
            return None
        if number > self._heard + 1:
            raise ValueError(f"message {self._heard + 1} of its log is missing")
        self._heard = number
        return _message("".join(self._parts))


def _message(text: str) -> Told:
    """Return a message. ValueError for what is none."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(base64.b64decode(text, validate=True), _MESSAGE_AT_MOST)
        found: Told = _DECODER.decode(content)
    except (zlib.error, binascii.Error, msgspec.MsgspecError) as error:
        raise ValueError(f"a job tells what it should not: {error}") from None
    return found
