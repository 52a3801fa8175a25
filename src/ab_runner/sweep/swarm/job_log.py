"""Follows the log of a job."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread
from typing import Protocol

import msgspec

_PAUSE_SECONDS = 1.0
"""Before a log is read again."""


class Lines(Protocol):
    """The lines of a job's log, from its beginning."""

    def __iter__(self) -> Iterator[str]: ...
    def close(self) -> None: ...


class LogLine(msgspec.Struct, frozen=True):
    """A line of a job's log; None after the last one."""

    service: str
    text: str | None


class JobLog:
    """The log of a job. Each line is handed to `put`, which may wait, by a thread of its own."""

    def __init__(self, service: str, follow: Callable[[], Lines], put: Callable[[LogLine], None]) -> None:
        self._service, self._follow, self._put = service, follow, put
        self._is_closed = False
        self._listen()

    def read_again(self) -> None:
        """Read it from its beginning, after a pause."""
        self._lines.close()

        def again() -> None:
            time.sleep(_PAUSE_SECONDS)
            if not self._is_closed:
                self._listen()
                if self._is_closed:
                    self._lines.close()

        Thread(target=again, daemon=True).start()

    def close(self) -> None:
        self._is_closed = True
        self._lines.close()

    def _listen(self) -> None:
        self._lines = lines = self._follow()

        def listen() -> None:
            with suppress(OSError, ValueError):  # it was closed
                for line in lines:
                    self._put(LogLine(self._service, line))
            self._put(LogLine(self._service, None))

        Thread(target=listen, daemon=True).start()
