"""Settings for all tests: property tests always try the same examples, and none has a deadline. Signals are heard."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# A job in the background and nohup have these ignored, and so would the sweeps have that tests interrupt.
for _number, _action in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _action)

settings.register_profile("deterministic", derandomize=True, deadline=None)
settings.load_profile("deterministic")


WITHOUT_SWEEPS = tuple(f"tests/e2e/test_{name}.py" for name in ("browser", "compose_up", "open_load_program"))
LONGEST = "tests/test_docs.py"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, or one worker would wait for it at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


class SweepsOnOneWorker(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """What sweeps runs on one worker, one after the other: two sweeps at once refuse each other. So does what reads the
    published sweeps, which are analysed once in a process."""

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(LONGEST):
            return LONGEST
        sweeps = nodeid.startswith("tests/e2e/") and not nodeid.startswith(WITHOUT_SWEEPS)
        return "sweeps" if sweeps else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> SweepsOnOneWorker:
    """Groups by a mark (--dist loadgroup) have no effect with pytest 9.2 and pytest-xdist 3.8."""
    return SweepsOnOneWorker(config, log)
