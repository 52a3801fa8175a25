"""The real wrk against servers that the test runs and whose answers are known."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from e2e.conftest import MINUTES, Sweeper, answered, check_exit_code, verdicts
from support.builders import said_of
from support.executor import Here
from support.odd_servers import BODY, RIGHT, Connection, Delayed, Server, lying, running

from ab_runner.load.generator import Asked, Run, Target
from ab_runner.load.generator_registry import GENERATORS
from ab_runner.model.load import Load
from ab_runner.model.message import Verdict
from ab_runner.model.trial import Trial
from ab_runner.model.workload import Workload
from ab_runner.stats.little import served_share
from ab_runner.store.reader import read

pytestmark = pytest.mark.skipif(shutil.which("wrk") is None, reason="not installed: wrk")
WRK = GENERATORS["wrk"]
CLOSING = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
CONNECTIONS = 8


Make = Callable[..., Run]


@pytest.fixture
def made(tmp_path: Path) -> Make:
    """Makes a load of a second with wrk against one such server."""

    def make(server: Server, keep_alive: bool = True, seconds: float = 1, **changes: Any) -> Run:
        with running(server) as (port,):
            target = Target(
                url=f"http://127.0.0.1:{port}/small.html", keep_alive=keep_alive, idle_timeout=5, time_limit=30,
                executor=Here(tmp_path),
            )  # fmt: skip
            return WRK.run(msgspec.structs.replace(target, **changes), Load(seconds=seconds), CONNECTIONS)

    return make


def judged(run: Run, keep_alive: bool = True, answer: bytes = RIGHT) -> Verdict:
    assert run.outcome, run.output
    asked = Asked(
        load=Load(seconds=1), connections=CONNECTIONS, keep_alive=keep_alive, body_length=len(BODY),
        answer_length=len(answer), stays_open=answer == RIGHT,
    )  # fmt: skip
    return WRK.judge(run.outcome, asked, None)


def send(answer: bytes) -> Callable[[Connection, int], None]:
    return lambda connection, number: connection.send(answer)


def reason_of(run: Run, **changes: Any) -> str:
    return said_of(judged(run, **changes).reason) or ""


@pytest.mark.parametrize("keep_alive", [True, False])
def test_its_request_is_the_probes_byte_for_byte(made: Make, keep_alive: bool) -> None:
    heads: set[bytes] = set()

    def respond(connection: Connection, number: int) -> None:
        heads.add(connection.head)
        connection.send(RIGHT if keep_alive else CLOSING)

    server = Server(respond)
    run = made(server, keep_alive)
    port = run.command[-1].split(":")[2].split("/")[0]
    workload = Workload(name="small", path="/small.html", keep_alive=keep_alive)
    assert heads == {WRK.request_head(Here(Path()), f"127.0.0.1:{port}", workload)}
    assert judged(run, keep_alive, RIGHT if keep_alive else CLOSING) == Verdict(True)
    assert (server.connections == 1 + CONNECTIONS) == keep_alive, "the first one is a look whether there is a server"
    assert run.outcome is not None
    if not keep_alive:
        assert server.connections >= run.outcome.completed, "each request has a connection of its own"


def test_its_figures_are_those_of_the_server(made: Make) -> None:
    server = Server(Delayed(0.05))
    began = time.monotonic()
    run = made(server, processes=2)
    took = time.monotonic() - began
    found = run.outcome
    assert found is not None, run.output
    assert 0 <= server.requests - found.completed <= CONNECTIONS
    assert 0 <= found.received_bytes - found.completed * len(RIGHT) <= CONNECTIONS * len(RIGHT)
    assert 0.9 < found.seconds < took
    assert set(found.own_percentiles) == {"p50", "p90", "p99", "p99.9", "p100"}
    assert found.own_percentiles["p50"] >= 50
    assert found.own_percentiles["p50"] <= found.own_percentiles["p100"]


def test_connections_that_are_not_served_show_in_its_mean_latency(made: Make) -> None:
    served: set[Connection] = set()
    delayed = Delayed(0.02)

    def respond(connection: Connection, number: int) -> None:
        if connection in served or len(served) < CONNECTIONS // 4:
            served.add(connection)
            delayed(connection, number)

    found = made(Server(respond)).outcome
    assert found is not None
    assert found.own_mean is not None
    share = served_share(found.completed_per_second, found.own_mean / 1000, CONNECTIONS, found.seconds)
    assert 0.1 < share < 0.5, "a quarter of them is served"
    everyone = made(Server(Delayed(0.02))).outcome
    assert everyone is not None
    assert everyone.own_mean is not None
    assert served_share(everyone.completed_per_second, everyone.own_mean / 1000, CONNECTIONS, everyone.seconds) > 0.5


def test_a_time_that_is_no_whole_second_is_ended_early(made: Make) -> None:
    """On a busy machine the signal may come as late as wrk's own end: once of a few times is enough."""
    for _ in range(10):
        run = made(Server(send(RIGHT)), seconds=0.1)
        assert judged(run).valid
        assert run.outcome is not None
        assert run.exit_code == 0
        if run.outcome.seconds < 0.9:
            return
    raise AssertionError("wrk ran until its own end")


def test_what_it_finds_no_fault_with_is_no_valid_trial(made: Make) -> None:
    short = RIGHT.replace(BODY, BODY[:-1]).replace(b"%d" % len(BODY), b"%d" % (len(BODY) - 1))
    assert reason_of(made(Server(lying(lambda connection: connection.send(short), every=50)))).startswith("wrong total")
    assert reason_of(made(Server(send(RIGHT.replace(b"200 OK", b"503 No"))))).endswith(" failed: status")
    assert reason_of(made(Server(lying(lambda connection: connection.reset(), every=50)))).endswith(" failed: read")
    assert reason_of(made(Server(lambda connection, number: None))) == "none completed"
    assert reason_of(made(Server(send(b"SSH-2.0 hello\r\n")))).endswith(" failed: read")
    with_more = reason_of(made(Server(lying(lambda connection: connection.send(RIGHT + b"more"), every=50))))
    assert "failed: read" in with_more or with_more.startswith("wrong total")


def test_a_connection_that_is_not_said_to_be_closed_is_an_error_of_it(made: Make) -> None:
    assert "failed: read" in reason_of(made(Server(send(RIGHT)), keep_alive=False), keep_alive=False)


def test_without_a_server_it_says_so(tmp_path: Path, free_port: int) -> None:
    target = Target(
        url=f"http://127.0.0.1:{free_port}/", keep_alive=True, idle_timeout=1, time_limit=30, executor=Here(tmp_path)
    )
    run = WRK.run(target, Load(seconds=1), 1)
    assert said_of(run.failure) == "refused", run.output


@pytest.mark.process
@pytest.mark.usefixtures("host_tools")
def test_a_sweep_by_wrk_as_processes(sweeping: Sweeper, tmp_path: Path, free_port: int) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        "--runtime", "process", "--port", str(free_port), "--protocol", "quick", "--warmup", "1s", "--generator", "wrk",
        "--servers", "ceiling,tomcat-11", "--workloads", "echo,small,small-keepalive", "--concurrency", "1,10",
        "--out", str(folder),
    )  # fmt: skip
    output, _ = process.communicate(timeout=MINUTES)
    stored = read(folder)
    check_exit_code(process, stored, output)
    assert all(map(answered, verdicts(stored).values())), output
    trials = [record for record in stored.records if isinstance(record, Trial)]
    assert {each.command[0] for each in trials} == {"wrk"}
    assert "wrk's own percentiles" in (folder / "tables.md").read_text()
