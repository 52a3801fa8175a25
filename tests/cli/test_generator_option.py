"""--generator, with a runtime without load: from the option to tables, page, export and a resumed sweep."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from support.cli import Runner
from support.made_up import MadeUp

from ab_runner.load.generator import Completed
from ab_runner.model.trial import Trial
from ab_runner.report.say.reproduce import command
from ab_runner.store.reader import read
from ab_runner.sweep.server import answers

ASKED = (
    "--servers", "jdk-httpserver", "--workloads", "small-keepalive", "--concurrency", "10,100", "--protocol", "quick",
    "--warmup", "1s", "--generator", "wrk",
)  # fmt: skip


class ByWrk(MadeUp):
    """A machine of three CPUs, on which wrk finds 200 requests for each connection. `extra` is how many bytes more were
    received."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(monkeypatch, self._found)
        self.has(3)
        self.extra = 0
        self.commands: list[Sequence[str]] = []

    def _found(self, command: Sequence[str]) -> Completed:
        self.commands.append(command)
        head = b"GET /small.html HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: keep-alive\r\n\r\n"
        answer = answers.ask(self.runtimes[-1].running[-1].connect, head)
        requests = 200 * int(command[command.index("-c") + 1])
        figures = {
            "requests": requests, "microseconds": 1_000_000,
            "bytes": requests * (len(answer.head) + len(answer.body)) + self.extra,
            "connect": 0, "read": 0, "write": 0, "timeout": 0, "status": 0,
            "mean": 1.3, "milliseconds": {"p50": 1.25, "p90": 2, "p99": 3, "p99.9": 4, "p100": 5.5},
        }  # fmt: skip
        return Completed(0, f"Running 1s test\n{msgspec.json.encode(figures).decode()}\n", "")


@pytest.fixture
def by_wrk(monkeypatch: pytest.MonkeyPatch) -> ByWrk:
    return ByWrk(monkeypatch)


def trials_of(folder: Path) -> list[Trial]:
    return [record for record in read(folder).records if isinstance(record, Trial) and record.block == 1]


def test_a_sweep_by_wrk_ends_in_tables_page_and_export(cli: Runner, by_wrk: ByWrk, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    code, stdout, stderr = cli(*ASKED, "--generator-processes", "2", "--out", str(folder))
    assert code == 0, stderr
    assert by_wrk.generators == ["wrk"]
    found = trials_of(folder)
    assert [(each.level, each.verdict.valid, each.samples is not None) for each in found] == [
        (10, True, True), (100, True, True),
    ]  # fmt: skip
    assert [each.outcome and each.outcome.rate for each in found] == [2_000, 20_000]
    assert [each.command[:5] for each in found] == [("wrk", "-t", "2", "-c", "10"), ("wrk", "-t", "2", "-c", "100")]
    assert "servers on 1 CPU (CPU 2), wrk on 2 CPUs (CPU 0, 1)" in stdout
    code, stdout, _ = cli("report", "--all", str(folder))
    assert stdout.count("1.25 / 2.00 / 3.00 / 4.00 / 5.50") == 2
    note = "wrk's own percentiles, not of requests that were recorded; medians of the trials"
    assert note in " ".join(stdout.split())
    page = (folder / "report.html").read_text()
    for said in (
        "HTTP servers under wrk", "wrk waits for each answer", "These are wrk&#39;s own percentiles",
        "--generator wrk --workloads", "--generator-processes 2",
    ):  # fmt: skip
        assert said in page
    assert " ab " not in stdout
    assert cli("export", str(folder), "--out", str(tmp_path / "trials.csv"))[0] == 0
    rows = list(csv.DictReader((tmp_path / "trials.csv").read_text().splitlines()))
    assert {(row["p50_ms"], row["html_bytes"], row["kept_alive"]) for row in rows} == {("", "", "")}
    assert "--generator wrk" in command(read(folder).sweep.request)


def test_wrong_bytes_are_the_cells_reason(cli: Runner, by_wrk: ByWrk, tmp_path: Path) -> None:
    by_wrk.extra = -1
    assert cli(*ASKED, "--out", str(tmp_path / "sweep"))[0] in (0, 1)
    reasons = [each.verdict.reason and each.verdict.reason.code for each in trials_of(tmp_path / "sweep")]
    assert reasons == ["wrong total", "wrong total"]


def test_a_connection_that_is_not_closed_is_the_cells_reason(cli: Runner, by_wrk: ByWrk, tmp_path: Path) -> None:
    """The little server closes without saying so, and its head has as many bytes either way."""
    asked = ["small" if each == "small-keepalive" else each for each in ASKED]
    cli(*asked, "--out", str(tmp_path / "sweep"))
    reasons = [each.verdict.reason and each.verdict.reason.code for each in trials_of(tmp_path / "sweep")]
    assert reasons == ["connections are not closed", "connections are not closed"]


def test_a_resumed_sweep_has_the_same_generator(cli: Runner, by_wrk: ByWrk, tmp_path: Path) -> None:
    by_wrk.loads_left = 4
    folder = tmp_path / "sweep"
    assert cli(*ASKED, "--out", str(folder))[0] == 1
    by_wrk.loads_left = 1_000
    assert cli("resume", str(folder))[0] == 0
    assert by_wrk.generators == ["wrk", "wrk"]
    assert {each.command[0] for each in trials_of(folder)} == {"wrk"}
    assert read(folder).sweep.request.generator == "wrk"


def test_a_dry_run_names_the_generator_unless_it_is_ab(cli: Runner, by_wrk: ByWrk) -> None:
    assert "load by wrk" in cli(*ASKED, "--dry-run")[1].splitlines()
    assert "load by" not in cli(*ASKED[:-2], "--dry-run")[1]


def test_the_number_of_processes_must_divide_the_connections_of_wrk(cli: Runner, by_wrk: ByWrk) -> None:
    assert cli(*ASKED, "--generator-processes", "2", "--dry-run")[0] == 0
    assert "--generator-processes 3: wrk divides connections evenly, and 10 cannot be divided so" in cli.complaint(
        *ASKED, "--generator-processes", "3", "--dry-run"
    )
