"""Sweeps with an open load: real servers and the real open-load, in containers and as processes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from e2e.conftest import MINUTES, Sweeper, answered, check_exit_code, containers_left, servers_left, verdicts

from ab_runner.analysis.disturbed import is_disturbed
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.message import Code, Verdict
from ab_runner.model.trial import STEP, Cell, SupportingTrial, Trial
from ab_runner.store.reader import Stored, read
from ab_runner.sweep.trial.capacity import FURTHER

BEHIND = (Code.OVERLOADED, Code.GENERATOR_BEHIND)
"""All answers were right, and more than the allowed hundredth came after the second that a trial takes: that is one
pause of ten milliseconds on a busy machine, however fast the server is."""
FAST = ("--protocol", "quick", "--duration", "1s", "--warmup", "1s")


def finished(process: subprocess.Popen[str], folder: Path) -> tuple[Stored, list[Trial], str]:
    """Wait for the end of a sweep, and return it, its trials, and what it printed."""
    output, _ = process.communicate(timeout=MINUTES)
    stored = read(folder)
    check_exit_code(process, stored, output)
    assert stored.damage == ()
    trials = [record for record in stored.records if isinstance(record, Trial)]
    for trial in trials:
        assert (folder / "raw" / trial.raw).read_text().startswith("$ open-load ")
        if all_answered(trial.verdict):
            assert trial.outcome is not None
            seconds, arrivals = trial.outcome.per_second, trial.outcome.arrivals
            assert sum(trial.outcome.latency.values()) == sum(each.answered for each in seconds if each.counted)
            assert arrivals is not None
            assert len(seconds) == arrivals.due_seconds, "a second, or several where the hypervisor takes CPU time"
            assert arrivals.planned == arrivals.rate * len(seconds)
            assert trial.outcome.completed == arrivals.planned == sum(each.answered for each in seconds)
    return stored, trials, output


def all_answered(verdict: Verdict) -> bool:
    """Was every answer right, be it in time or not?"""
    reason = verdict.reason
    return answered(verdict) or (reason is not None and reason.code in BEHIND and not reason.failed)


@pytest.mark.docker
@pytest.mark.usefixtures("docker", "fixture_files")
def test_latencies_at_rates_of_servers_that_ab_can_and_cannot_measure(sweeping: Sweeper, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        *FAST, "--runtime", "docker", "--rate", "200,400", "--out", str(folder),
        "--servers", "lighttpd-1.4,helidon-4,mina-0.9.2", "--workloads", "echo,small,small-keepalive",
    )  # fmt: skip
    stored, _, output = finished(process, folder)
    found = verdicts(stored)
    assert {level for _, _, level in found} == {200, 400}
    assert {key: verdict.reason for key, verdict in found.items() if not all_answered(verdict)} == {}
    assert ("helidon-4", "small-keepalive", 200) in found, "it refuses HTTP/1.0 alone"
    assert "small: median latency in ms" in output
    assert "400/s" in output
    assert containers_left(stored.sweep.id) == ""
    cells = analyse(stored).cells
    for key in (key for key, verdict in found.items() if verdict.valid):
        cell = cells[Cell(*key)]
        assert cell.is_disturbed or cell.figure is not None
        assert cell.figure is None or 0.01 < cell.figure < 10_000, "milliseconds"


@pytest.mark.docker
@pytest.mark.usefixtures("docker", "fixture_files")
def test_the_capacity_of_a_server_is_between_a_rate_that_it_keeps_and_one_that_it_does_not(
    sweeping: Sweeper, tmp_path: Path
) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        *FAST, "--runtime", "docker", "--slo", "p99=50ms", "--servers", "merecat-2.31", "--workloads", "small",
        "--out", str(folder),
    )  # fmt: skip
    stored, trials, output = finished(process, folder)
    (trial,) = (trial for trial in trials if trial.server == "merecat-2.31")
    assert trial.search is not None
    tried = [record.trial for record in stored.records if isinstance(record, SupportingTrial) and record.role == STEP]
    tried = [each for each in tried if each.server == "merecat-2.31"]
    assert len(trial.search.steps) == sum(not is_disturbed(each) for each in tried), output
    met = [step.rate for step in trial.search.steps if step.reason is None]
    assert trial.search.met == max(met, default=0)
    if trial.verdict.valid and trial.search.missed is not None and len(trial.search.steps) == len(tried):
        above = [step.rate for step in trial.search.steps if step.rate > trial.search.met]
        assert trial.search.missed == min(above)
        assert len(trial.search.steps) >= 2 + FURTHER
        assert trial.search.missed <= 2.02 * trial.search.met, "the next rate tried is at most twice as high"
    assert trial.peak is not None
    assert "requests/s at which half of the trials have p99 within the bound" in output
    assert containers_left(stored.sweep.id) == ""


@pytest.mark.process
def test_idle_connections_beside_a_server_as_a_process(sweeping: Sweeper, tmp_path: Path, free_port: int) -> None:
    if shutil.which("cargo") is None or shutil.which("mvn") is None:
        pytest.skip("cargo or mvn is not installed")
    folder = tmp_path / "sweep"
    process = sweeping(
        *FAST, "--runtime", "process", "--port", str(free_port), "--rate", "100", "--idle", "300",
        "--servers", "jdk-httpserver", "--workloads", "small", "--out", str(folder),
    )  # fmt: skip
    stored, trials, output = finished(process, folder)
    assert [verdict.reason for verdict in verdicts(stored).values() if not all_answered(verdict)] == []
    opened = {trial.level: trial.outcome.arrivals.idle_opened for trial in trials
              if trial.server == "jdk-httpserver" and trial.outcome and trial.outcome.arrivals}  # fmt: skip
    assert opened == {0: 0, 300: 300}
    assert "300 idle" in output
    assert servers_left(free_port) == []
