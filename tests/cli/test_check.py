"""What `./ab-runner check` prints, and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from support.cli import Runner

from ab_runner.conformance import check as room
from ab_runner.conformance.check import Result
from ab_runner.conformance.rules import RULES


def results_of(*made: Result) -> Callable[..., Iterator[Result]]:
    return lambda *asked: iter(made)


def test_the_command_says_what_was_asked_and_ends_with_1_if_something_is_wrong(
    cli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = RULES[:3]
    good = Result("a-1", first, None)
    monkeypatch.setattr(room, "check_servers", results_of(good, Result("a-1", second, "closed", "lacks keep-alive")))
    code, stdout, _ = cli("check", "a-1")
    assert code == 0
    assert stdout.splitlines() == [
        "a-1",
        f"  ok        {first.name}: {first.asks} → {first.says}",
        f"  declared  {second.name}: {second.asks} → {second.says}",
        "            came back: closed",
        "            server.toml: lacks keep-alive",
    ]
    wrong = (
        Result("b-1", second, "closed"),
        Result("b-1", third, None, "lacks x"),
        Result("c-1", None, "exited"),
    )
    monkeypatch.setattr(room, "check_servers", results_of(good, *wrong))
    code, stdout, stderr = cli("check", "a-1", "b-1", "c-1")
    assert (code, stderr) == (1, "3 results unlike what server.toml declares\n")
    assert "server.toml: lacks x; the rule is met, so remove this" in stdout
    assert "  WRONG     start: exited" in stdout


def test_an_unknown_server_is_named(cli: Runner) -> None:
    assert "no server 'tomkat' (did you mean" in cli.complaint("check", "tomkat")
