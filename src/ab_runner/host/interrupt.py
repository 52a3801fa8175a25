"""SIGINT, SIGTERM and SIGHUP as an exception that comes at a safe moment, and only once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(BaseException):
    """The user or the system ends the process. It is not an Exception, so no error handler swallows it."""


_held = 0
_pending = False
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def install() -> None:
    """Make SIGINT, SIGTERM and SIGHUP raise `Interrupted`."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup means it
            signal.signal(number, _on_signal)


def _on_signal(number: int, frame: FrameType | None) -> None:
    """The first signal counts; what follows is clean-up, which a second one must not cut short."""
    global _pending
    for each in _SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    if _held:
        _pending = True
    else:
        raise Interrupted


@contextmanager
def fatal() -> Iterator[None]:
    """Let Ctrl-C end the process at once until the end of the block: for loading modules, some of which swallow the
    exception that it would be, so that the sweep would go on."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.getsignal(signal.SIGINT)
    if handler is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def held() -> Iterator[None]:
    """Hold an interruption back until the end of the block: for starting something and noting that it was started.
    Signals are handled in the main thread, so that nothing interrupts another one."""
    global _held, _pending
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _held += 1
    try:
        yield
    finally:
        _held -= 1
        if _pending and not _held:
            _pending = False
            raise Interrupted
