"""Processes whose parent has ended. On Linux the runner takes over those that come from below it, by prctl(2)'s
PR_SET_CHILD_SUBREAPER, so that it finds what has left its server's session."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Collection, Iterator
from contextlib import suppress

from ab_runner.host import procfs
from ab_runner.host.procfs import ProcessStat

_PR_SET_CHILD_SUBREAPER = 36
_SECONDS = 5.0
"""How long processes are killed that start new ones meanwhile."""


class Orphans:
    """Children of this process that it has not started itself."""

    def __init__(self) -> None:
        self._others: set[int] = set()
        """Children from before, which are none of ours to end."""

    def adopt(self) -> None:
        """From now on, what starts below this process becomes its child when its parent ends, where the system can do
        that."""
        self._others = {child.pid for child in _children()}
        _be_subreaper(True)

    def release(self) -> None:
        """From now on, orphans are children of the system's first process again."""
        _be_subreaper(False)

    def end(self, sessions: Collection[int]) -> bool:
        """Kill the orphans that are in none of these sessions nor in this process's own, with all that they started.
        Return False if some of them stay. `sessions` are those of children that this process itself has started."""
        spared = {os.getsid(0), *sessions}
        deadline = time.monotonic() + _SECONDS
        while left := [each for each in _children() if each.session not in spared and each.pid not in self._others]:
            if time.monotonic() >= deadline:
                return False
            for orphan in left:
                with suppress(ProcessLookupError):
                    os.kill(orphan.pid, signal.SIGKILL)
                with suppress(ChildProcessError):
                    os.waitpid(orphan.pid, 0)
        return True


def _be_subreaper(on: bool) -> None:
    with suppress(OSError, AttributeError):  # it is no Linux
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


def _children() -> Iterator[ProcessStat]:
    for pid in procfs.process_ids() if procfs.PROC.is_dir() else ():
        with suppress(OSError):  # it has just ended
            process = procfs.process_stat(pid)
            if process.parent == os.getpid():
                yield process
