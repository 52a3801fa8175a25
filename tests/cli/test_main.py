"""The commands are put together as they are needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from support.cli import Runner

from ab_runner.cli.main import COMMANDS
from ab_runner.cli.main import cli as commands

SRC = Path(__file__).parents[2] / "src"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_that_of_its_module_and_has_help(name: str, cli: Runner) -> None:
    code, stdout, stderr = cli(name, "--help")
    assert (code, stderr) == (0, "")
    assert stdout.startswith(f"Usage: ./ab-runner {name} ")


def test_the_help_has_a_whole_sentence_for_every_command() -> None:
    context = click.Context(commands)
    for name in COMMANDS:
        command = commands.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str(limit=60).endswith("."), name


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("from ab_runner.cli import main", {"rich", "scipy", "numpy", "jinja2", "vl_convert"}),
        (
            "from ab_runner.cli import list, server_tables; from ab_runner.sweep.ready import availability",
            {"scipy", "numpy", "jinja2", "vl_convert", "http.client"},
        ),
    ],
    ids=["main", "list"],
)
def test_what_starts_at_once_loads_nothing_that_takes_its_time(code: str, unwanted: set[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"],
        capture_output=True, text=True, check=True, env={"PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert unwanted & set(done.stdout.split()) == set()


def test_ctrl_c_while_an_extension_module_is_loaded_is_an_interruption(
    cli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> None:
        raise ImportError("initialization failed") from KeyboardInterrupt()

    monkeypatch.setattr("ab_runner.cli.main.import_module", load)
    assert cli("report") == (130, "", "ab-runner: interrupted\n")


def test_a_module_that_cannot_be_loaded_is_no_interruption(cli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> None:
        raise ImportError("no such file")

    monkeypatch.setattr("ab_runner.cli.main.import_module", load)
    with pytest.raises(ImportError, match="no such file"):
        cli("report")
