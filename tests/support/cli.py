"""The command line, run within the test process."""

from __future__ import annotations

from pathlib import Path

import pytest

from ab_runner import paths
from ab_runner.cli.main import main
from ab_runner.host import interrupt, sweep_lock


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results would go to a folder of the test's, and signals stay pytest's."""
    monkeypatch.setattr(paths, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(sweep_lock, "LOCK", tmp_path / "lock")
    monkeypatch.setattr(interrupt, "install", lambda: None)


class Runner:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        self._monkeypatch.setattr("sys.argv", ["ab-runner", *arguments])
        try:
            code = main()
        except SystemExit as exit:
            code = int(exit.code or 0)
        return code, *self._capsys.readouterr()

    def complaint(self, *arguments: str) -> str:
        """The one line of a refusal."""
        code, _, stderr = self(*arguments)
        lines = stderr.splitlines()
        assert code == 2
        assert len(lines) == 1, stderr
        assert lines[0].startswith("ab-runner: ")
        return lines[0]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(monkeypatch, capsys)
