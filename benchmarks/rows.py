"""Files of records of the benchmarks: a line of JSON for each."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

Row = TypeVar("Row", bound=msgspec.Struct)


def rows_in(file: Path, kind: type[Row], *, missing_ok: bool = False) -> list[Row]:
    """Return the records of a file. Where there is no file: none if it may be missing, else FileNotFoundError."""
    content = b"" if missing_ok and not file.exists() else file.read_bytes()
    return msgspec.json.Decoder(kind).decode_lines(content)


def add(file: Path, *rows: msgspec.Struct) -> None:
    """Append records to a file."""
    with file.open("ab") as records:
        records.write(msgspec.json.Encoder().encode_lines(rows))
