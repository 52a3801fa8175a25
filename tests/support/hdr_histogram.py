"""Reads a compressed HdrHistogram, by code that has nothing in common with what wrote it.

The format is that of HdrHistogram 2 for Java (`encodeIntoCompressedByteBuffer`): a zlib stream with a header and the
counts as ZigZag LEB128 numbers, of which a negative one stands for so many empty buckets."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator

_COMPRESSED = 0x1C849314
_PLAIN = 0x1C849313


def counts(text: str) -> list[tuple[int, int]]:
    """Return the highest value of each bucket that has counts, and its count, in ascending order."""
    data = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack_from(">II", data)
    assert (cookie, length) == (_COMPRESSED, len(data) - 8)
    plain = zlib.decompress(data[8:])
    cookie, length, offset, digits, lowest, _highest, ratio = struct.unpack_from(">IIIIQQd", plain)
    assert (cookie, length, offset, lowest, ratio) == (_PLAIN, len(plain) - 40, 0, 1, 1.0)
    sub_buckets = 1 << (2 * 10**digits - 1).bit_length()
    return [(_highest_value(index, sub_buckets), count) for index, count in _indexed(plain[40:])]


def quantile(buckets: list[tuple[int, int]], share: float) -> int:
    """Return the value that this share of all values does not exceed."""
    left = max(1.0, share * sum(count for _, count in buckets))
    for value, count in buckets:
        left -= count
        if left <= 1e-6:
            return value
    raise AssertionError("the counts end before the quantile")


def _indexed(data: bytes) -> Iterator[tuple[int, int]]:
    index = 0
    for number in _numbers(data):
        if number > 0:
            yield index, number
        index += 1 if number >= 0 else -number


def _numbers(data: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in data:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield (number >> 1) ^ -(number & 1)
            number = shift = 0


def _highest_value(index: int, sub_buckets: int) -> int:
    """The first bucket has all its sub-buckets, each later one the upper half of them, twice as wide as before."""
    half = sub_buckets // 2
    if index < sub_buckets:
        return index
    width = index // half - 1
    return ((half + index % half + 1) << width) - 1
