from __future__ import annotations

import pytest
from support.executor import Kept

from ab_runner.load.generator import Completed, Target
from ab_runner.load.generator_registry import GENERATORS
from ab_runner.model.load import Load
from ab_runner.model.workload import Workload

WRK = GENERATORS["wrk"]


REFUSED = Completed(1, "", "unable to connect to 127.0.0.1:8080 Connection refused\n")


def made(load: Load, keep_alive: bool = True) -> tuple[str, ...]:
    """The whole command of a run over 100 connections."""
    executor = Kept(REFUSED)
    target = Target(
        url="http://127.0.0.1:8080/small.html", keep_alive=keep_alive, idle_timeout=10, time_limit=20,
        executor=executor, fixture="small.html", processes=2,
    )  # fmt: skip
    run = WRK.run(target, load, 100)
    assert " ".join(run.command) == (
        "wrk -t 2 -c 100 -d 1s --timeout 10s -s /raw/wrk.lua http://127.0.0.1:8080/small.html"
    )
    assert run.failure is not None
    assert run.output.startswith("$ wrk -t 2 ")
    assert executor.command[-len(run.command) :] == run.command
    return executor.command[: -len(run.command)]


def test_it_runs_for_whole_seconds_with_a_script_that_is_written_first() -> None:
    shell, option, code, path, script = made(Load(seconds=1))
    assert (shell, option, path) == ("sh", "-c", "/raw/wrk.lua")
    assert 'exec "$@"' in code
    head = r"GET /small.html HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: keep-alive\r\n\r\n"
    assert script.startswith(f'wrk.format = function() return "{head}" end')
    assert "{50, 90, 99, 99.9, 100}" in script


@pytest.mark.parametrize("seconds", [0.0625, 0.5])
def test_other_times_are_ended_early(seconds: float) -> None:
    assert made(Load(seconds=seconds))[-4:] == ("timeout", "--preserve-status", "--signal=INT", f"{seconds:g}")


@pytest.mark.parametrize(
    ("keep_alive", "line"), [(True, r"Connection: keep-alive\r\n"), (False, r"Connection: close\r\n")]
)
def test_its_script_sends_the_head_that_the_probe_sends(keep_alive: bool, line: str) -> None:
    script = made(Load(seconds=1), keep_alive)[4]
    workload = Workload(name="small", path="/small.html", keep_alive=keep_alive)
    head = WRK.request_head(Kept(REFUSED), "127.0.0.1:8080", workload)
    said = head.decode().replace("\r\n", r"\r\n")
    assert said == rf"GET /small.html HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n{line}\r\n"
    assert f'return "{said}" end' in script


def test_a_head_with_the_host_alone_has_no_line_about_the_connection() -> None:
    workload = Workload(name="test", path="/api/test", keep_alive=True, host_only=True)
    assert WRK.request_head(Kept(REFUSED), "h:1", workload) == b"GET /api/test HTTP/1.1\r\nHost: h:1\r\n\r\n"


@pytest.mark.parametrize(
    ("connections", "at_most", "threads"), [(1, 1, 1), (1, 4, 1), (10, 4, 2), (10, 5, 5), (100, 3, 2), (7, 3, 1)]
)
def test_every_thread_has_the_same_number_of_connections(connections: int, at_most: int, threads: int) -> None:
    assert WRK.processes(connections, at_most) == threads
