"""In processes of their own, because signals belong to a whole process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ab_runner.host import interrupt

PREPARE = """\
import os, signal, sys
from ab_runner.host import interrupt
interrupt.install()
"""


def outcome(script: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(Path(interrupt.__file__).parents[2])}
    command = [sys.executable, "-c", PREPARE + script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_is_an_exception_and_a_second_one_does_not_disturb_the_clean_up(name: str) -> None:
    script = f"""
try:
    os.kill(os.getpid(), signal.{name})
except interrupt.Interrupted:
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)
    print("cleaned up")
"""
    assert outcome(script) == "cleaned up"


def test_a_signal_in_a_block_that_is_held_comes_at_its_end() -> None:
    script = """
try:
    with interrupt.held():
        with interrupt.held():
            os.kill(os.getpid(), signal.SIGINT)
        print("held")
except interrupt.Interrupted:
    print("then interrupted")
"""
    assert outcome(script).split("\n") == ["held", "then interrupted"]


def test_while_modules_are_loaded_ctrl_c_ends_the_process_at_once_and_is_an_exception_again_after_it() -> None:
    script = """
if os.fork() == 0:
    with interrupt.fatal():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except BaseException:
            print("swallowed")
    os._exit(0)
print(os.waitstatus_to_exitcode(os.wait()[1]))
try:
    with interrupt.fatal():
        pass
    os.kill(os.getpid(), signal.SIGINT)
except interrupt.Interrupted:
    print("interrupted")
"""
    assert outcome(script).split("\n") == ["-2", "interrupted"]


def test_a_hangup_that_was_ignored_stays_ignored() -> None:
    """As under nohup."""
    script = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
interrupt.install()
os.kill(os.getpid(), signal.SIGHUP)
print("still here")
"""
    assert outcome(script) == "still here"
