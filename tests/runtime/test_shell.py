"""A shell in a container, with a docker command that starts one on this host."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ab_runner.runtime.engine import USUAL
from ab_runner.runtime.shell import Ran, Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    (tmp_path / "docker").write_text('#!/bin/sh\n[ "$1 $2 $3" = "exec --interactive box" ] && shift 3 && exec "$@"\n')
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    opened = Shell(USUAL, "box")
    yield opened
    opened.close()


def sh(script: str) -> list[str]:
    return ["sh", "-c", script]


def test_each_command_has_its_own_output_and_exit_code(shell: Shell) -> None:
    assert shell.run(["echo", "it's $HOME; exit 1"], 10) == Ran(0, b"it's $HOME; exit 1\n", b"")
    assert shell.run(sh("printf out; printf err >&2; exit 124"), 10) == Ran(124, b"out", b"err")
    assert shell.run(["true"], 10) == Ran(0, b"", b"")


def test_every_byte_comes_through_however_many_there_are(shell: Shell) -> None:
    every = "".join(f"\\{byte:03o}" for byte in range(256))
    assert shell.run(["printf", every], 10).stdout == bytes(range(256))
    assert shell.run(sh("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"), 10) == Ran(
        0, bytes(10**6), bytes(10**6)
    )


def test_a_command_does_not_eat_the_next_one(shell: Shell) -> None:
    assert shell.run(["cat"], 10) == Ran(0, b"", b"")
    assert shell.run(["echo", "still here"], 10).stdout == b"still here\n"


def test_a_command_that_takes_too_long_closes_the_shell(shell: Shell) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        shell.run(["sleep", "60"], 0.2)
    assert not shell.is_open()


def test_a_command_that_never_stops_printing_takes_too_long_too(shell: Shell) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        shell.run(["yes"], 0.2)


def test_a_command_that_prints_without_an_end_is_given_up_before_it_fills_the_memory(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ab_runner.runtime.shell._PRINTED_AT_MOST", 1 << 20)
    with pytest.raises(subprocess.TimeoutExpired):
        shell.run(["yes"], 60)
    assert not shell.is_open()


def test_an_interrupted_command_closes_the_shell(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*rest: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("select.select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        shell.run(["echo", "late"], 10)
    assert not shell.is_open()


def test_a_command_after_the_end_of_the_shell_fails(shell: Shell) -> None:
    shell._process.kill()
    assert shell.run(["true"], 10).exit_code == -9


def test_the_end_of_the_shell_is_the_end_of_the_command(shell: Shell) -> None:
    assert shell.run(sh('echo half; echo why >&2; kill -9 "$PPID"'), 10) == Ran(-9, b"half\n", b"why\n")
    assert not shell.is_open()
