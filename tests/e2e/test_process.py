"""Real servers and the real ab as processes of this host."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest
from e2e.conftest import (
    MINUTES,
    Sweeper,
    answered,
    check_exit_code,
    check_store,
    finished_batch,
    listeners,
    server_states,
    servers_left,
    verdicts,
    wait_for_trials,
    wait_until,
)

from ab_runner.analysis.failures import FailureKind
from ab_runner.analysis.sweep_analysis import analyse
from ab_runner.model.message import Code, Message
from ab_runner.model.records import EndRecord, StartRecord, VerificationRecord
from ab_runner.model.trial import Cell, Trial
from ab_runner.runtime.jdks import installed, version_in
from ab_runner.store.reader import read

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("host_tools")]


def test_a_sweep_without_docker_ends_in_tables_and_leaves_nothing_running(
    sweeping: Sweeper, tmp_path: Path, free_port: int
) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "process", "--port", str(free_port), "--protocol", "quick", "--warmup", "1s", "--requests", "3000",
        "--servers", "ceiling,mina-0.9.2,tomcat-5.5.15,merecat*", "--workloads", "echo,small,small-keepalive",
        "--concurrency", "1,10", "--out", str(folder),
    )  # fmt: skip
    output, _ = process.communicate(timeout=MINUTES)
    stored = check_store(folder, starts=2)
    check_exit_code(process, stored, output)
    found = verdicts(stored)
    assert {server for server, *_ in found} >= {"mina-0.9.2", "tomcat-5.5.15"}
    assert [key for key, verdict in found.items() if not answered(verdict) and "merecat" not in key[0]] == []
    assert not listeners(free_port)
    assert servers_left(free_port) == []
    assert stored.sweep.request.jdk == installed()[0].version
    trials = {record.server: record.jdk for record in stored.records if isinstance(record, Trial)}
    assert (trials["mina-0.9.2"], trials["ceiling"]) == (installed()[0].version, None)
    for trial in stored.records:
        if isinstance(trial, Trial) and trial.level == 10:
            check_cpu_time(trial)
    starts = {record.server: record for record in stored.records if isinstance(record, StartRecord)}
    assert version_in(starts["mina-0.9.2"].environment["version"]) == installed()[0].version
    assert set(stored.sweep.skipped) <= {"merecat-2.31"}
    for skip in stored.sweep.skipped.values():
        assert "conflicts with apache2-utils: use Docker" in skip.detail
        assert skip.detail in output


def check_cpu_time(trial: Trial) -> None:
    """A request takes some ten microseconds of CPU time of ab, which runs below a shell, and of the server."""
    assert trial.usage is not None
    least = 2e-6 * trial.outcome.completed if trial.outcome else 0.0
    assert trial.usage.generator_cpu_seconds > least
    assert trial.usage.server_cpu_seconds > least


def test_an_interruption_ends_server_and_generator(sweeping: Sweeper, tmp_path: Path, free_port: int) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "process", "--port", str(free_port), "--protocol", "quick", "--duration", "3", "--warmup", "0",
        "--concurrency", "1,2,3,4", "--servers", "tomcat-5.5.15", "--workloads", "small", "--out", str(folder),
    )  # fmt: skip
    wait_for_trials(folder, 1, process)
    assert listeners(free_port)
    assert servers_left(free_port)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 130, output
    end = read(folder).records[-1]
    assert isinstance(end, EndRecord)
    assert end.reason == "interrupted"
    assert not listeners(free_port)
    assert servers_left(free_port) == []


def test_an_interrupted_sweep_goes_on_where_it_was(sweeping: Sweeper, tmp_path: Path, free_port: int) -> None:
    folder = tmp_path / "sweep"
    arguments = ("--port", str(free_port))
    process = sweeping(
        "--runtime", "process", *arguments, "--protocol", "quick", "--duration", "1", "--warmup", "0",
        "--concurrency", "1,2,3", "--servers", "ceiling", "--workloads", "echo,small", "--out", str(folder),
    )  # fmt: skip
    wait_for_trials(folder, 2, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = read(folder)
    assert 2 <= len(verdicts(before)) < 6
    with (folder / "trials.jsonl").open("a") as log:
        log.write('{"record":"tri')  # what a machine that loses its power leaves
    output, _ = sweeping("resume", str(folder), *arguments).communicate(timeout=MINUTES)
    after = read(folder)
    assert after.records[: len(before.records)] == before.records
    assert len(verdicts(after)) == 6
    assert all(map(answered, verdicts(after).values())), output
    assert len({record.raw for record in after.records if isinstance(record, Trial)}) == 6 + 4, (
        "two workloads before and after"
    )
    again = sweeping("resume", str(folder), *arguments)
    assert "is complete" in again.communicate(timeout=MINUTES)[0]
    assert again.returncode == 0


def test_the_servers_of_a_batch_run_together_on_ports_of_their_own_and_only_one_at_a_time_is_awake(
    sweeping: Sweeper, tmp_path: Path, free_port: int
) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "process", "--port", str(free_port), "--protocol", "standard", "--blocks", "1", "--warmup", "0",
        "--requests", "5000", "--concurrency", "1,2,3", "--servers", "mina-0.9.2,tomcat-5.5.15",
        "--workloads", "echo,small", "--out", str(folder),
    )  # fmt: skip
    wait_for_trials(folder, 2, process)
    ports = range(free_port, free_port + 3)
    assert all(map(server_states, ports)), "the ceiling runs too"
    wait_until(lambda: [set(server_states(port)) for port in ports].count({"T"}) >= 2, process)
    _, trials = finished_batch(process, folder, starts=3)
    assert len({trial.command[-1].split(":")[2].split("/")[0] for trial in trials}) == 3
    order = [trial.server for trial in trials if (trial.workload, trial.level) == ("small", 2)]
    assert sorted(order) == ["ceiling", "tomcat-5.5.15"]
    assert [servers_left(port) for port in ports] == [[], [], []]


def test_two_generators_make_one_trial(sweeping: Sweeper, tmp_path: Path, free_port: int) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "process", "--port", str(free_port), "--protocol", "quick", "--warmup", "0",
        "--generator-processes", "2", "--concurrency", "1,9", "--servers", "ceiling", "--workloads", "small",
        "--out", str(folder),
    )  # fmt: skip
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    trials = {r.level: r for r in check_store(folder, starts=3).records if isinstance(r, Trial) and r.block == 1}
    assert all(answered(trial.verdict) for trial in trials.values())
    assert {trial.outcome.connections for trial in trials.values() if trial.outcome} == {1, 9}
    raw = {path.name for path in (folder / "raw").glob("1-ceiling-*-small-*.csv")}
    assert raw == {"1-ceiling-2-small-c1.csv", "1-ceiling-2-small-c9.1.csv", "1-ceiling-2-small-c9.2.csv"}
    separate = sum(
        float(line.split()[3])
        for line in (folder / "raw" / trials[9].raw).read_text().splitlines()
        if line.startswith("Requests per second:")
    )
    check_cpu_time(trials[9])
    assert trials[9].outcome is not None
    assert trials[9].outcome.completed_per_second == pytest.approx(separate, abs=0.02)


SENDS = "static bool send_out("

LIES = """static bool send_out(struct connection *connection) {
    static unsigned long answers;
    struct iovec *out = &connection->out[0];
    char *wrong = ++answers % 200 == 0 && out->iov_len ? (char *)out->iov_base + out->iov_len - 1 : NULL;
    if (wrong) *wrong ^= 1;
    bool sent = send_truly(connection);
    if (wrong) *wrong ^= 1; // other answers are sent from the same bytes
    return sent;
}

enum next {"""


def test_a_server_that_lies_in_one_of_200_answers_has_no_figure(
    sweeping: Sweeper, tmp_path: Path, free_port: int, copy_of_toolkit: Path
) -> None:
    """ab finds no fault with it, and the samples of a trial of a second most likely miss it."""
    liar = copy_of_toolkit / "servers" / "liar"
    shutil.copytree(copy_of_toolkit / "servers" / "ceiling", liar)
    source = liar / "ceiling.c"
    text = source.read_text()
    assert text.count(SENDS) == text.count("enum next {") == 1
    source.write_text(text.replace(SENDS, "static bool send_truly(").replace("enum next {", LIES))
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "process", "--servers", "liar", "--workloads", "small-keepalive", "--protocol", "quick",
        "--warmup", "0", "--concurrency", "1,10", "--out", str(folder), "--port", str(free_port), root=copy_of_toolkit,
    )  # fmt: skip
    output, _ = process.communicate(timeout=MINUTES)
    (found,) = (
        record for record in read(folder).records if isinstance(record, VerificationRecord) and record.server == "liar"
    )
    assert found.compared >= 200
    assert abs(found.wrong - found.compared / 200) <= 1
    assert found.first_wrong == Message(Code.WRONG_BYTES)
    cells = analyse(read(folder)).cells
    for level in (1, 10):
        assert cells[Cell("liar", "small-keepalive", level)].failure_kind is FailureKind.WRONG_ANSWER
    assert "wrong answer" in output
