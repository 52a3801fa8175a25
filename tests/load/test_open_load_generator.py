from __future__ import annotations

import re

import msgspec
import pytest
from support.executor import Kept

from ab_runner.errors import UserError
from ab_runner.load.generator import Completed, GeneratorError, Target
from ab_runner.load.generator_registry import DEFAULT, OPEN, generator_of
from ab_runner.model.axis import OpenLoad
from ab_runner.model.load import Load, SecondLoad
from ab_runner.model.protocol import PROTOCOLS, SweepRequest
from ab_runner.model.workload import Workload


def command(load: Load, concurrency: int = 100, keep_alive: bool = False, fixture: str | None = "small.html") -> str:
    executor = Kept(Completed(2, "", "open-load: cannot reach it"))
    target = Target(
        url="http://127.0.0.1:8080/small.html", keep_alive=keep_alive, idle_timeout=10, time_limit=20,
        executor=executor, fixture=fixture, echo=fixture is None, processes=2,
    )  # fmt: skip
    outcome = OPEN.run(target, load, concurrency)
    assert outcome.command == executor.command
    assert outcome.failure is not None
    return " ".join(executor.command)


@pytest.mark.parametrize(
    ("load", "keep_alive", "fixture", "expected"),
    [
        (
            Load(seconds=5, rate=2_000, most_connections=900, idle=300, seed=7, lead_in=0.5), False, "small.html",
            "--rate 2000 --seed 7 --max-connections 900 --seconds 5 --lead-in 0.5 --connections new "
            "--expect /srv/www/small.html --timeout 10 --idle 300",
        ),
        (
            Load(seconds=0.5), True, "small.html",
            "--closed 100 --seconds 0.5 --lead-in 0 --connections kept --expect /srv/www/small.html "
            "--timeout 10 --idle 0",
        ),
        (
            Load(seconds=1, rate=10), False, None,
            "--rate 10 --seed 1 --seconds 1 --lead-in 0 --connections new --expect-echo --timeout 10 --idle 0",
        ),
        (
            Load(seconds=0.5, rate=40_000, most_connections=900, arrivals="constant", opened_before=800), True, None,
            "--rate 40000 --seed 1 --arrivals constant --max-connections 900 --open 800 --seconds 0.5 --lead-in 0 "
            "--connections kept --expect-echo --timeout 10 --idle 0",
        ),
    ],
)  # fmt: skip
def test_its_command_line(load: Load, keep_alive: bool, fixture: str | None, expected: str) -> None:
    rest = " --threads 2 --json http://127.0.0.1:8080/small.html"
    assert command(load, keep_alive=keep_alive, fixture=fixture) == f"open-load {expected}{rest}"


def test_what_it_prints_of_a_trial_of_minutes_is_kept_whole() -> None:
    executor = Kept(Completed(0, "x" * (300 * 40_000), ""))
    target = Target(url="http://h:1/", keep_alive=True, idle_timeout=10, time_limit=400, executor=executor, echo=True)
    assert "x" * (300 * 40_000) in OPEN.run(target, Load(seconds=300), 100).output


def test_a_constant_is_written_down_to_be_compared_with() -> None:
    executor = Kept(Completed(2, "", "open-load: cannot reach it"))
    target = Target(
        url="http://h:1/", keep_alive=True, idle_timeout=10, time_limit=20, executor=executor, constant="Hello, World!"
    )
    run = OPEN.run(target, Load(seconds=1, rate=10), 1)
    assert "--expect /raw/expected --timeout" in " ".join(run.command)
    assert executor.command[3:5] == ("/raw/expected", "Hello, World!")
    assert executor.command[5:] == run.command


def test_a_load_beside_has_a_path_and_a_right_answer_of_its_own() -> None:
    executor = Kept(Completed(2, "", "open-load: cannot reach it"))
    beside = Workload(name="b", path="/b?x=1", keep_alive=True, constant="B")
    target = Target(
        url="http://h:1/a", keep_alive=True, idle_timeout=10, time_limit=20, executor=executor, constant="A",
        beside=beside,
    )  # fmt: skip
    run = OPEN.run(target, Load(seconds=1, rate=10, beside=SecondLoad("b", 7)), 1)
    assert "--expect /raw/expected --beside 7=/b?x=1 --beside-expect /raw/expected-beside --timeout" in " ".join(
        run.command
    )
    assert executor.command[3:5] == ("/raw/expected-beside", "B")
    assert executor.command[8:10] == ("/raw/expected", "A")
    assert executor.command[10:] == run.command


@pytest.mark.parametrize(("keep_alive", "connections"), [(True, "kept"), (False, "new")])
def test_the_head_of_its_requests_is_the_one_that_it_prints(keep_alive: bool, connections: str) -> None:
    executor = Kept(Completed(0, "GET /small.html HTTP/1.1\r\nHost: h:1\r\n\r\n", ""))
    workload = Workload(name="small", path="/small.html", keep_alive=keep_alive)
    head = OPEN.request_head(executor, "h:1", workload)
    assert head == b"GET /small.html HTTP/1.1\r\nHost: h:1\r\n\r\n"
    expected = ("open-load", "--print-head", "--connections", connections, "http://h:1/small.html")
    assert executor.command == expected


@pytest.mark.parametrize(
    ("done", "said"),
    [
        (Completed(2, "", "open-load: 'http://h:x/' has a port\nmore\n"), "open-load: 'http://h:x/' has a port"),
        (Completed(124, "GET / HTTP/1.1\r\n\r\n", ""), "exit code 124"),
        (Completed(0, "GET / HTTP/1.1\r\n", ""), "exit code 0"),
        (Completed(0, "x" * 20_000 + "\r\n\r\n", ""), "exit code 0"),
    ],
)
def test_a_head_that_is_not_printed_whole_is_an_error(done: Completed, said: str) -> None:
    with pytest.raises(GeneratorError, match=f"^{re.escape(said)}$"):
        OPEN.request_head(Kept(done), "h:x", Workload(name="a", path="/", keep_alive=True))


def test_headers_are_lines_of_its_requests_and_what_is_no_file_it_does_not_compare() -> None:
    lines = ("Accept-Encoding: gzip", "X-A: b")
    executor = Kept(Completed(0, "GET / HTTP/1.1\r\n\r\n", ""))
    OPEN.request_head(executor, "h:1", Workload(name="a", path="/", keep_alive=True, headers=lines))
    assert executor.command[2:-1] == ("--connections", "kept", "--header", lines[0], "--header", lines[1])
    target = Target(
        url="http://h:1/", keep_alive=True, idle_timeout=10, time_limit=20, executor=executor, headers=lines
    )  # fmt: skip
    said = " ".join(OPEN.run(target, Load(seconds=1, rate=10), 1).command)
    assert f"--header {lines[0]} --header {lines[1]} --timeout" in said
    assert "--expect" not in said


def test_a_sweep_has_one_generator() -> None:
    closed = SweepRequest(
        protocol=PROTOCOLS["quick"], servers=("a-1",), workloads=("small",), levels=(1,), runtime="docker",
        network="loopback", seed=1,
    )  # fmt: skip
    opened = SweepRequest(
        protocol=PROTOCOLS["quick"], servers=("a-1",), workloads=("small",), levels=(1,), runtime="docker",
        network="loopback", seed=1, open=OpenLoad(axis="rate"),
    )  # fmt: skip
    assert (generator_of(closed), generator_of(opened)) == (DEFAULT, OPEN)
    by_wrk = msgspec.structs.replace(closed, generator="wrk")
    assert (generator_of(by_wrk).name, by_wrk.load_by) == ("wrk", "wrk")
    assert generator_of(msgspec.structs.replace(opened, generator="wrk")) == OPEN, "open loads are its own"


def test_a_generator_of_a_newer_version_is_named() -> None:
    later = SweepRequest(
        protocol=PROTOCOLS["quick"], servers=("a-1",), workloads=("small",), levels=(1,), runtime="docker",
        network="loopback", seed=1, generator="h2load",
    )  # fmt: skip
    with pytest.raises(UserError, match="there is no generator 'h2load'; there are ab, open-load, wrk"):
        generator_of(later)
