"""Sweeps that an earlier version made: recorded on 2026-11-22, format 1, in Docker. Every later version must read them,
make all of its reports of them, compare them, and either resume them or say why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli import Runner, cli, elsewhere

from ab_runner.model.load import Load
from ab_runner.model.protocol import WarmUp
from ab_runner.model.records import WarmUpRecord
from ab_runner.model.trial import COLD, RepeatedTrial, Trial
from ab_runner.store.layout import SWEEP_FILE, StoreError
from ab_runner.store.reader import read, read_sweep

__all__ = ["cli", "elsewhere"]

SWEEPS = Path(__file__).parents[1] / "recordings" / "sweeps"
QUICK, STANDARD = SWEEPS / "quick", SWEEPS / "standard"
FOLDERS = pytest.mark.parametrize("folder", [QUICK, STANDARD], ids=lambda folder: folder.name)


@FOLDERS
def test_every_line_is_read(folder: Path) -> None:
    stored = read(folder)
    assert stored.damage == ()
    assert len(stored.records) == len((folder / "trials.jsonl").read_text().splitlines())
    assert stored.ending == "finished"


def test_what_was_recorded_is_there() -> None:
    standard = read(STANDARD)
    trials = [record for record in standard.records if isinstance(record, Trial)]
    assert {trial.verdict.valid for trial in trials} == {True, False}
    assert any(isinstance(record, RepeatedTrial) and record.reason == COLD for record in standard.records)
    assert any(isinstance(record, WarmUpRecord) and record.loads for record in standard.records)
    assert all(server.caveats for server in standard.sweep.servers if server.id.startswith("quickserver"))
    assert {server.io_model for server in read(QUICK).sweep.servers} == {"event loop", "NIO reactor"}


def test_the_lengths_of_the_large_file_are_those_that_it_had(tmp_path: Path) -> None:
    content = (QUICK / SWEEP_FILE).read_text()
    data = json.loads(content)
    data["asked"]["protocol"] |= {"large_trial": {"requests": 10_000}, "large_warm_up": {"load": {"requests": 2_000}}}
    (tmp_path / SWEEP_FILE).write_text(json.dumps(data))
    protocol = read_sweep(tmp_path).request.protocol
    assert (protocol.trial_of("small"), protocol.trial_of("large")) == (Load(seconds=1), Load(requests=10_000))
    assert protocol.warm_up_of("small") == read_sweep(QUICK).request.protocol.warm_up
    assert protocol.warm_up_of("large") == WarmUp(Load(requests=2_000))
    data["asked"]["protocol"]["large_trial"] = {}
    (tmp_path / SWEEP_FILE).write_text(json.dumps(data))
    with pytest.raises(StoreError, match="a load must have either requests or seconds"):
        read_sweep(tmp_path)


@FOLDERS
@pytest.mark.parametrize("form", ["terminal", "markdown", "csv"])
def test_its_tables_are_shown(cli: Runner, folder: Path, form: str) -> None:
    code, stdout, stderr = cli("report", str(folder), "--format", form)
    assert (code, stderr) == (0, "")
    assert "lighttpd-1.4" in stdout


@FOLDERS
def test_its_page_and_its_charts_are_made(cli: Runner, folder: Path, tmp_path: Path) -> None:
    code, _, stderr = cli("report", str(folder), "--html", "--svg", "--out", str(tmp_path))
    assert (code, stderr) == (0, "")
    assert "lighttpd-1.4" in (tmp_path / "report.html").read_text()
    assert list((tmp_path / "charts").glob("*.svg"))


@FOLDERS
def test_it_is_exported(cli: Runner, folder: Path, tmp_path: Path) -> None:
    assert cli("export", str(folder), "--out", str(tmp_path / "trials.csv"))[0] == 0
    assert "lighttpd-1.4" in (tmp_path / "trials.csv").read_text()


def test_a_starved_and_a_cold_cell_are_told_as_such(cli: Runner) -> None:
    stdout = cli("report", str(STANDARD))[1]
    assert "269 of 1,000 connections served" in stdout
    assert "cold: the JIT took" in stdout


def test_it_is_compared_with_itself(cli: Runner) -> None:
    code, stdout, _ = cli("compare", str(STANDARD), str(STANDARD))
    assert code == 0
    assert "lighttpd-1.4" in stdout


@FOLDERS
def test_one_that_is_complete_has_nothing_to_resume(cli: Runner, folder: Path) -> None:
    code, _, stderr = cli("resume", str(folder))
    assert code == 0
    assert "is complete" in stderr
