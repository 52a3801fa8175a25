"""Files of records of the benchmarks: a line of JSON for each."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

Row = TypeVar("Row", bound=msgspec.Struct)


def rows_in(file: Path, kind: type[Row]) -> list[Row]:
    """Return the records of a file, none where there is no file."""
    return msgspec.json.Decoder(kind).decode_lines(file.read_bytes()) if file.exists() else []


def add(file: Path, *rows: msgspec.Struct) -> None:
    """Append records to a file."""
    with file.open("ab") as records:
        records.write(msgspec.json.Encoder().encode_lines(rows))
