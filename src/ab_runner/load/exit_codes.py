"""Why a generator ended, by its exit code as of a shell, where it says nothing of its own. Pure."""

from __future__ import annotations

from ab_runner.model.message import Code

EXIT_CODES: dict[int, Code] = {
    124: Code.OVER_TIME,
    125: Code.NOT_RUN,
    126: Code.NOT_RUN,
    127: Code.NOT_RUN,
    130: Code.INTERRUPTED,
    134: Code.CRASHED,
    137: Code.KILLED,
    139: Code.CRASHED,
    143: Code.KILLED,
}
"""124 is the `timeout` command's, 125 to 127 are Docker's and the shell's, 128 + N is the end by signal N."""


def by_exit_code(code: int) -> Code | None:
    """Return why a program ended by its exit code, which is negative where a signal ended it; None if that does not say
    it."""
    return EXIT_CODES.get(code if code >= 0 else 128 - code)
