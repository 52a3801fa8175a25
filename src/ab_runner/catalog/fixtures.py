"""fixtures/SHA256SUMS: the files that servers serve."""

from __future__ import annotations

from ab_runner import paths


def digests() -> dict[str, str]:
    """Return the sha256 of each file by its name, from the list that the files are checked against."""
    lines = (line.split() for line in (paths.FIXTURES / "SHA256SUMS").read_text().splitlines())
    return {name: digest for digest, name in lines}
