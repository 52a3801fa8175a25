"""A generator and a workload that the toolkit does not have, registered here alone: a sweep with both goes from its
options to its tables, page and export."""

from __future__ import annotations

import http.client
import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from support.builders import said_of
from support.cli import Runner
from support.fakes import FakeRuntime, FakeServer, Handler, recorded

from ab_runner import paths
from ab_runner.cli import run
from ab_runner.load import generator_registry
from ab_runner.load.generator import Asked, Completed, Executor, Run, Target
from ab_runner.load.trial_validity import wrong_length
from ab_runner.model.load import Limit, Load, Outcome
from ab_runner.model.message import Code, Message, Verdict
from ab_runner.model.trial import NotMeasured, Trial
from ab_runner.model.workload import Workload
from ab_runner.runtime import docker_commands
from ab_runner.store.layout import SWEEP_FILE
from ab_runner.store.reader import read
from ab_runner.sweep.ready import runtime_choice

WORKLOAD = """
[workloads.wait-20ms]
path = "/wait"
headers = ["X-Wait: 20"]
constant = "waited"
not_before_ms = 20
summary = "a word, after 20 ms; a connection per request"
"""
SERVER = """format = 1
summary = "waits"
family = "{family}"
version = "1"
released = 2026-01-05
io_model = "event loop"
kind = "c"
workloads = ["wait-20ms"]
"""
THERE = paths.WORKLOADS, paths.SERVERS
REQUESTS = 5
"""Of a run of the generator, one after the other."""


class Plain:
    """A generator as simple as can be: it prints the latency of each request."""

    name = "plain"
    package = None
    compares_answers = False
    can_ask_host_only = False
    counts_requests = False
    version_command = ("plain", "--version")

    def processes(self, connections: int, at_most: int) -> int:
        return 1

    def request_head(self, executor: Executor, host: str, workload: Workload) -> bytes:
        lines = "".join(f"{line}\r\n" for line in workload.headers)
        return f"GET {workload.path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{lines}\r\n".encode()

    def run(self, target: Target, load: Load, concurrency: int) -> Run:
        command = ("plain", *target.headers, target.url)
        began = time.monotonic()
        done = target.executor.execute(command, target.time_limit)
        return Run(
            command=command, exit_code=done.exit_code, result=self._found(json.loads(done.stdout), concurrency),
            seconds=time.monotonic() - began, output=done.stdout,
        )  # fmt: skip

    def _found(self, latencies: list[int], connections: int) -> Outcome | Message:
        seconds, number = sum(latencies) / 1e6, len(latencies)
        if not number:
            return Message(Code.NO_FIGURES)
        return Outcome(
            generator=self.name, version="1", connections=connections, seconds=seconds, is_timed=True, completed=number,
            completed_per_second=number / seconds, answered=float(number), requests=number, received_bytes=100 * number,
            body_bytes=6 * number, body_length=6, latency=Counter(latencies),
        )  # fmt: skip

    def limit(self, outcome: Outcome, by_cpu: Limit | None) -> Limit | None:
        return by_cpu

    def judge(self, outcome: Outcome, asked: Asked, limit: Limit | None) -> Verdict:
        reason = wrong_length(outcome, asked)
        return Verdict(reason is None, reason)


class Waiting(Handler):
    """Answers after as many milliseconds as it is asked for; `hasty` ones do not."""

    hasty = False

    def do_GET(self) -> None:
        if not self.hasty:
            time.sleep(int(self.headers.get("X-Wait", "0")) / 1000)
        self.send_response(200)
        self.send_header("Content-Length", "6")
        self.end_headers()
        self.wfile.write(b"waited")


class Hasty(Waiting):
    hasty = True


class Server(FakeServer):
    """The generator's program runs in it. A `sly` server answers too early under load alone."""

    def __init__(self, runtime: FakeRuntime, server: object) -> None:
        self.handler = Hasty if "hasty" in str(server) else Waiting
        super().__init__(runtime, server)  # type: ignore[arg-type]

    def generate(self, command: Sequence[str], time_limit: float) -> Completed:
        name, value = command[1].split(": ")
        latencies = []
        for _ in range(REQUESTS):
            began = time.monotonic()
            connection = http.client.HTTPConnection(*self.address)
            connection.request("GET", "/wait", headers={name: "3" if self.server.family == "sly" else value})
            assert connection.getresponse().read() == b"waited"
            connection.close()
            latencies.append(round(1e6 * (time.monotonic() - began)))
        return Completed(0, json.dumps(latencies), "")


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The generator, the workload, and servers that declare it."""
    monkeypatch.setitem(generator_registry.GENERATORS, Plain.name, Plain())
    (option,) = (each for each in run.command.params if each.name == "generator")
    monkeypatch.setattr(option, "type", click.Choice([Plain.name]))
    workloads = tmp_path / "workloads.toml"
    workloads.write_text(paths.WORKLOADS.read_text() + WORKLOAD)
    monkeypatch.setattr(paths, "WORKLOADS", workloads)
    for id in ("ceiling", "patient-1", "hasty-1", "sly-1"):
        (tmp_path / "servers" / id).mkdir(parents=True)
        (tmp_path / "servers" / id / "server.toml").write_text(SERVER.format(family=id.removesuffix("-1")))
    monkeypatch.setattr(paths, "SERVERS", tmp_path / "servers")
    monkeypatch.setattr("ab_runner.host.cooldown.WAIT_SECONDS", 0)
    monkeypatch.setattr(docker_commands, "why_unusable", lambda on: None)
    monkeypatch.setattr(
        runtime_choice,
        "DockerRuntime",
        lambda *rest: FakeRuntime(paths.FIXTURES / "files", lambda *_: recorded("close"), server_type=Server),
    )
    monkeypatch.setattr(runtime_choice, "engine_machine", lambda on: None)


def test_a_sweep_with_a_new_generator_and_a_new_workload_has_tables_a_page_and_an_export(
    cli: Runner, tmp_path: Path
) -> None:
    folder = tmp_path / "sweep"
    code, stdout, _ = cli(
        "--workloads", "wait-20ms", "--servers", "*-1", "--concurrency", "1", "--protocol", "quick", "--duration", "1s",
        "--warmup", "0", "--generator", "plain", "--out", str(folder),
    )  # fmt: skip
    assert code == 0
    stored = read(folder)
    assert stored.damage == ()
    assert json.loads((folder / SWEEP_FILE).read_text())["workloads"] == [
        {
            "name": "wait-20ms", "path": "/wait", "headers": ["X-Wait: 20"], "constant": "waited", "not_before_ms": 20,
            "summary": "a word, after 20 ms; a connection per request",
        }
    ]  # fmt: skip
    found = {record.server: record for record in stored.records if isinstance(record, Trial | NotMeasured)}
    patient, sly, hasty = found["patient-1"], found["sly-1"], found["hasty-1"]
    assert isinstance(patient, Trial)
    assert patient.outcome is not None
    assert patient.verdict == Verdict(True)
    assert (patient.outcome.generator, patient.outcome.completed) == ("plain", REQUESTS)
    assert min(patient.outcome.latency) >= 20_000
    assert patient.samples is not None
    assert isinstance(sly, Trial)
    assert isinstance(hasty, NotMeasured)
    for reason in (sly.verdict.reason, hasty.reason):
        assert (said_of(reason) or "").endswith("ms, which takes at least 20 ms")
    _check_reports(cli, folder, stdout)


def _check_reports(cli: Runner, folder: Path, shown: str) -> None:
    title = "wait-20ms: requests per second (a word, after 20 ms; a connection per request)"
    assert title in shown
    assert title in cli("report", str(folder), "--format", "markdown")[1]
    assert "an answer after" in shown
    page = (folder / "report.html").read_text()
    assert 'id="wait-20ms"' in page
    assert "A word, after 20 ms; a connection per request." in page
    assert cli("export", str(folder), "--out", str(folder / "all.csv"))[0] == 0
    rows = (folder / "all.csv").read_text().splitlines()
    assert sum(",wait-20ms," in row for row in rows) == len(rows) - 1 >= 4
    assert "wait-20ms" in cli("compare", str(folder), str(folder))[1]


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
@pytest.mark.parametrize(("generator", "load"), [("ab", "--concurrency"), ("open-load", "--rate")])
def test_a_generator_that_names_the_connection_refuses_a_workload_whose_requests_do_not(
    cli: Runner, tmp_path: Path, generator: str, load: str, dry: tuple[str, ...]
) -> None:
    text = paths.WORKLOADS.read_text().replace('constant = "waited"', 'constant = "waited"\nhost_only = true')
    paths.WORKLOADS.write_text(text.replace('path = "/wait"', 'path = "/wait"\nkeep_alive = true'))
    command = ("--workloads", "wait-20ms", load, "10", "--out", str(tmp_path / "sweep"))
    expected = f"wait-20ms: {generator} asks for kept connections in each request; measure it with wrk"
    assert expected in cli.complaint(*command, *dry)
    assert not (tmp_path / "sweep").exists()


def test_where_the_workload_is_gone_the_sweep_is_shown_as_before_and_cannot_be_resumed(
    cli: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "sweep"
    command = ("--workloads", "wait-20ms", "--servers", "patient-1", "--concurrency", "1", "--duration", "1s")
    assert cli(*command, "--protocol", "quick", "--warmup", "0", "--generator", "plain", "--out", str(folder))[0] == 0
    log = folder / "trials.jsonl"
    log.write_text("".join(line for line in log.read_text().splitlines(True) if '"block":-1' not in line))
    there = cli("report", str(folder), "--all")
    monkeypatch.setattr(paths, "WORKLOADS", THERE[0])
    monkeypatch.setattr(paths, "SERVERS", THERE[1])
    assert cli("report", str(folder), "--all") == there
    assert "no workload 'wait-20ms'; there are 'echo', " in cli.complaint("resume", str(folder))
