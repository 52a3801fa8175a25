"""When a trial is cold: the server's JIT compiler was still at work. Pure."""

from __future__ import annotations

from ab_runner.model.message import Code, Message
from ab_runner.model.resources import Usage

COLD = 0.05
"""The JIT compiler's share of the server's CPU time above which a single trial, or window of the warm-up, is of a
server that is not warm. One late method takes less."""
COLD_OF_TIME = 0.01
"""The share of an open load's time that the JIT compiler must take besides: at a low rate the server needs so little
CPU time that a single compilation is a large share of it."""


def cold(usage: Usage | None, open_seconds: float | None = None) -> Message | None:
    """Return why a trial's figure is not that of a warm server; None if it is, or if that is not known. `open_seconds`
    is how long an open load took, with its lead-in; None of a closed one."""
    share = usage.jit_share if usage else None
    if usage is None or share is None:
        return None
    if open_seconds is not None and (usage.jit_cpu_seconds or 0.0) <= COLD_OF_TIME * open_seconds:
        return None
    return Message(Code.COLD, {"percent": round(100 * share, 4)}) if share > COLD else None
