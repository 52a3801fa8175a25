"""Real servers and the real ab, in containers."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from e2e.conftest import (
    MINUTES,
    ROOT,
    Sweeper,
    answered,
    check_store,
    containers_left,
    finished_batch,
    verdicts,
    wait_for_trials,
)
from support.builders import said_of
from support.workloads import workload_named

from ab_runner.catalog import artifacts
from ab_runner.catalog.servers import load
from ab_runner.model.records import EndRecord, StartRecord
from ab_runner.model.trial import Trial
from ab_runner.store.reader import read

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker", "fixture_files")]

SERVERS = load(ROOT / "servers")
LEVELS = (1, 100)

MAY_FAIL = {
    ("mina-0.9.2-threadpool", "echo"): "the variant that hangs",
    ("quickserver-1.4.7-nonblocking", "echo"): "hangs in some runs",
    ("tomcat-5.5.15-defaults", "large"): "the variant that truncates",
}
KNOWN_REASON = {
    (id, each): "no keep-alive"
    for id, server in SERVERS.items()
    for each in server.workloads
    if workload_named(each).keep_alive and "keep-alive" in server.lacks
} | {
    (id, each): "refuses HTTP/1.0"
    for id, server in SERVERS.items()
    for each in server.workloads
    if "http-1.0" in server.lacks
}


def test_a_sweep_of_all_servers_has_every_cell_with_a_figure_or_a_reason(sweeping: Sweeper, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "docker", "--protocol", "quick", "--warmup", "100", "--requests", "500", "--out", str(folder),
        "--concurrency", ",".join(map(str, LEVELS)),
    )  # fmt: skip
    output, _ = process.communicate(timeout=6 * MINUTES)
    assert process.returncode == 0, output
    able = {
        id: server
        for id, server in SERVERS.items()
        if artifacts.unavailable(server) is None and "docker" not in server.unavailable
    }
    stored = check_store(folder, starts=len(able))
    assert set(stored.sweep.skipped) == set(SERVERS) - set(able)
    found = verdicts(stored)
    assert set(found) == {(id, each, level) for id, s in able.items() for each in s.workloads for level in LEVELS}
    for (server, name, level), verdict in found.items():
        if (server, name) in KNOWN_REASON:
            assert said_of(verdict.reason) == KNOWN_REASON[server, name]
        elif (server, name) not in MAY_FAIL:
            assert answered(verdict), f"{server} {name} c={level}: {verdict.reason}"
    for table in ("echo: requests per second", "large: requests per second"):
        assert table in output
    again = subprocess.check_output([ROOT / "ab-runner", "report", "--all", folder], text=True)
    assert "large: time per request" in again
    assert containers_left(stored.sweep.id) == ""


def test_the_servers_of_a_batch_run_together_and_only_one_at_a_time_is_awake(sweeping: Sweeper, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "docker", "--protocol", "standard", "--blocks", "1", "--warmup", "0", "--concurrency", "1,2,3",
        "--servers", "lighttpd-1.4,jdk-httpserver", "--workloads", "small", "--out", str(folder),
    )  # fmt: skip
    wait_for_trials(folder, 2, process)
    paused = ["docker", "ps", "--quiet", "--filter", "status=paused"]
    name = f"--filter=name=ab-runner-{read(folder).sweep.id}"
    assert len(subprocess.check_output([*paused, name], text=True).split()) >= 2
    stored, trials = finished_batch(process, folder, starts=3)
    rows = [{each.server for each in trials if each.level == level} for level in (1, 2, 3)]
    assert rows == [{"lighttpd-1.4", "jdk-httpserver"}, {"lighttpd-1.4", "jdk-httpserver", "ceiling"}, rows[0]]
    assert containers_left(stored.sweep.id) == ""


def test_a_sweep_across_a_bridge_names_the_server_by_its_address(sweeping: Sweeper, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "docker", "--network", "bridge", "--protocol", "quick", "--warmup", "0", "--concurrency", "10",
        "--servers", "mina-0.9.2,lighttpd-1.4", "--workloads", "echo,small", "--out", str(folder),
    )  # fmt: skip
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    found = verdicts(check_store(folder, starts=2))
    assert [verdict for verdict in found.values() if not answered(verdict)] == []
    assert "http://127.0.0.1" not in (folder / "trials.jsonl").read_text()


def test_a_sweep_on_another_jdk_runs_on_it_and_records_it(
    sweeping: Sweeper, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JDK", "25")  # is for a person's `docker compose up`
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "docker", "--jdk", "17", "--protocol", "quick", "--warmup", "0", "--requests", "100",
        "--servers", "mina-0.9.2,lighttpd-1.4", "--workloads", "echo,small", "--concurrency", "1", "--out", str(folder),
    )  # fmt: skip
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    stored = check_store(folder, starts=2)
    assert [key for key, verdict in verdicts(stored).items() if not answered(verdict)] == []
    trials = {record.server: record.jdk for record in stored.records if isinstance(record, Trial)}
    assert (trials["mina-0.9.2"], trials["lighttpd-1.4"], stored.sweep.request.jdk) == (17, None, 17)
    starts = {record.server: record for record in stored.records if isinstance(record, StartRecord)}
    assert 'openjdk version "17.' in starts["mina-0.9.2"].environment["version"]
    assert "JVM servers on JDK 17 (build 17." in " ".join(output.split())  # a terminal breaks the line


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_no_container_and_a_readable_folder(
    sweeping: Sweeper, tmp_path: Path, number: int
) -> None:
    folder = tmp_path / "sweep"
    process = sweeping("--runtime", "docker", "--servers", "lighttpd-1.4", "--duration", "3", "--warmup", "0",
                       "--protocol", "quick", "--concurrency", "1,2,3,4,5,6", "--out", str(folder))  # fmt: skip
    wait_for_trials(folder, 1, process)
    process.send_signal(number)
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 130, output
    stored = read(folder)
    end = stored.records[-1]
    assert isinstance(end, EndRecord)
    assert end.reason == "interrupted"
    assert any(verdict.valid for verdict in verdicts(stored).values())
    assert "this sweep is not complete: interrupted" in output
    assert containers_left(stored.sweep.id) == ""
