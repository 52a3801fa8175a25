"""The runner's way to a server's surroundings, with the agent as a process of this host."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
from support.agents import agent_command, files_of_the_image
from support.waiting import until

from ab_runner.agent.relay import WINDOW
from ab_runner.host import facts, machine
from ab_runner.host.cooldown import Settled
from ab_runner.monitor.accounting import Session, children_cpu_seconds
from ab_runner.monitor.readings import Reading, Watched
from ab_runner.monitor.watch import accounts_of
from ab_runner.runtime.agent import Agent, AgentAccounts, decode
from ab_runner.runtime.engine_machine import EngineMachine

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
SESSIONS = """
from ab_runner.agent import program
from ab_runner.monitor.accounting import Session
program.ContainerProcesses = lambda id: Session(int(id))
program.main()
"""
"""The agent, with sessions in the place of containers."""
BURN = "print(flush=True)\nwhile True: pass"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return files_of_the_image(tmp_path_factory.mktemp("agent"))


@pytest.fixture
def agent(files: Path) -> Iterator[Agent]:
    started = Agent(agent_command(files))
    yield started
    started.close()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        listener.settimeout(10)
        yield listener


def pair(agent: Agent, listener: socket.socket) -> tuple[socket.socket, socket.socket]:
    """A connection by the agent, and the server's end of it."""
    connection = agent.connect(listener.getsockname(), 10)
    accepted, _ = listener.accept()
    accepted.settimeout(10)
    return connection, accepted


def read_all(connection: socket.socket) -> bytes:
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def test_bytes_go_both_ways_and_the_servers_end_comes_after_its_last_one(agent: Agent, listener: socket.socket) -> None:
    connection, server = pair(agent, listener)
    with connection, server:
        connection.sendall(b"GET")
        assert server.recv(100) == b"GET"
        server.sendall(b"200 OK")
        server.close()
        assert read_all(connection) == b"200 OK"


def test_many_connections_are_relayed_at_once(agent: Agent, listener: socket.socket) -> None:
    pairs = [pair(agent, listener) for _ in range(50)]
    for number, (connection, _) in enumerate(pairs):
        connection.sendall(str(number).encode())
    for number, (connection, server) in enumerate(pairs):
        assert server.recv(100) == str(number).encode()
        server.close()
        assert connection.recv(100) == b""
        connection.close()


def test_a_large_answer_comes_whole_and_does_not_hold_up_others(agent: Agent, listener: socket.socket) -> None:
    large = os.urandom(10 * WINDOW)
    slow, its_server = pair(agent, listener)

    def serve() -> None:
        its_server.sendall(large)
        its_server.close()

    sender = threading.Thread(target=serve)
    sender.start()
    quick, server = pair(agent, listener)
    server.sendall(b"quick")
    assert quick.recv(100) == b"quick", "while nobody reads the other one"
    assert read_all(slow) == large
    sender.join()
    for each in (slow, quick, server):
        each.close()


def test_a_server_that_sends_without_an_end_is_not_read_without_an_end(agent: Agent, listener: socket.socket) -> None:
    connection, server = pair(agent, listener)
    with connection, server:
        server.setblocking(False)
        sent = refused = 0
        while refused < 20 and sent < 100 << 20:
            try:
                sent += server.send(bytes(1 << 20))
                refused = 0
            except BlockingIOError:
                refused += 1
                time.sleep(0.02)
        assert WINDOW <= sent < 100 << 20


def test_a_connection_that_is_closed_here_is_closed_there(agent: Agent, listener: socket.socket) -> None:
    connection, server = pair(agent, listener)
    with server:
        connection.shutdown(socket.SHUT_RDWR)  # as spot checks do from another thread
        connection.close()
        assert server.recv(100) == b""


def test_a_connection_that_the_server_resets_is_lost_here_too(agent: Agent, listener: socket.socket) -> None:
    connection, server = pair(agent, listener)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    server.close()
    with connection, pytest.raises(ConnectionResetError):
        connection.recv(100)


def test_a_refused_connection_is_an_error_and_the_next_one_works(agent: Agent, listener: socket.socket) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        closed = unused.getsockname()
    with pytest.raises(ConnectionRefusedError):
        agent.connect(closed, 10)
    pair(agent, listener)[0].close()


def fill(agent: Agent, address: tuple[str, int], connections: ExitStack) -> None:
    """Connect until the backlog is full."""
    for _ in range(20):
        connections.enter_context(agent.connect(address, 0.2))


def test_a_server_that_accepts_nothing_is_not_waited_for(agent: Agent) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        began = time.monotonic()
        with ExitStack() as waiting, pytest.raises(TimeoutError):
            fill(agent, full.getsockname(), waiting)
        assert time.monotonic() - began < 5


def test_an_agent_that_has_gone_is_an_error_with_what_it_said() -> None:
    gone = Agent(["sh", "-c", "echo 'no such container' >&2"])
    until(lambda: not gone._thread.is_alive())
    for use in (
        lambda: gone.connect(("127.0.0.1", 1), 10),
        lambda: gone.ask(Settled, "settle", ports=1, connections=1),
    ):
        with pytest.raises(ConnectionError, match="no such container"):
            use()
    gone.close()
    gone.close()


def test_what_speaks_another_protocol_is_no_agent() -> None:
    other = Agent(["sh", "-c", "echo 'HTTP/1.1 400 Bad Request'; exec cat"])
    until(lambda: not other._thread.is_alive())
    with pytest.raises(ConnectionError):
        other.connect(("127.0.0.1", 1), 10)
    other.close()


FLOOD = """
from ab_runner.agent.frames import Frame, Kind, encode
import sys
sys.stdin.buffer.read1()
out = sys.stdout.buffer
out.write(encode(Frame(Kind.OPENED, 1)))
for _ in range(100):
    out.write(encode(Frame(Kind.DATA, 1, bytes(1 << 16))))
out.flush()
sys.stdin.buffer.read()
"""
"""An agent that sends what nobody asked for."""


def test_an_agent_that_sends_more_than_it_may_is_given_up(files: Path) -> None:
    flooding = Agent(agent_command(files, "-c", FLOOD))
    connection = flooding.connect(("127.0.0.1", 1), 10)
    until(lambda: not flooding._thread.is_alive())
    connection.close()
    flooding.close()


def test_a_call_that_cannot_be_answered_says_why(agent: Agent) -> None:
    with pytest.raises(OSError, match="nothing is measured"):
        agent.ask(Settled, "settle", ports=1, connections=1)
    with pytest.raises(OSError, match="container none-of-them has ended"):
        AgentAccounts(agent, "none-of-them", "nor-this-one", (), ())


@pytest.mark.parametrize("said", [b"", b"[]", b'[["x"], {}, {}]', b"[[], {}, {}, []]", b"\xff", b"NaN"])
def test_what_an_agent_should_not_say_is_an_error(said: bytes) -> None:
    with pytest.raises(OSError, match="says what it should not"):
        decode(said, Watched)


def test_it_tells_the_facts_of_its_machine(files: Path) -> None:
    said = subprocess.check_output([*agent_command(files), "facts"])
    found = msgspec.json.decode(said, type=EngineMachine)
    assert found.machine == machine.describe()
    assert list(found.cores) == facts.cores()
    assert found.conditions.busy_cores >= 0


@pytest.fixture
def burner() -> Iterator[subprocess.Popen[bytes]]:
    """A process that takes all the CPU time that it gets."""
    command = [sys.executable, "-c", BURN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


@pytest.fixture
def beside(files: Path, burner: subprocess.Popen[bytes]) -> Iterator[AgentAccounts]:
    """The accounts of the burner, who is server and generator in one, as an agent tells them."""
    started = Agent(agent_command(files, "-c", SESSIONS))
    yield AgentAccounts(started, str(burner.pid), str(burner.pid), (), ())
    started.close()


@linux
def test_the_agent_reads_of_a_process_what_is_read_here(beside: AgentAccounts, burner: subprocess.Popen[bytes]) -> None:
    session = Session(burner.pid)
    here = accounts_of(session, lambda: children_cpu_seconds(session), (), ())
    assert (beside.server_cpus, beside.generator_cpus) == (here.server_cpus, here.generator_cpus)
    ours, theirs = here.watch(0.05), beside.watch(0.05)
    time.sleep(1)
    found, told = ours.end(), theirs.end()
    used = [each.readings[-1].server_cpu - each.readings[0].server_cpu for each in (found, told)]
    took = [each.readings[-1].at - each.readings[0].at for each in (found, told)]
    assert used[1] / took[1] == pytest.approx(used[0] / took[0], rel=0.05)
    assert told.readings[0].memory == pytest.approx(found.readings[0].memory, rel=0.01)
    assert told.readings[0].stolen.keys() == found.readings[0].stolen.keys()
    assert told.before.keys() == found.before.keys() == {burner.pid}
    assert 5 <= len(told.readings) <= 25


@linux
def test_each_second_is_told_when_it_begins_and_no_more_after_the_end(beside: AgentAccounts) -> None:
    heard: list[Reading] = []
    watch = beside.watch(0.05, heard.append)
    until(lambda: len(heard) >= 3)
    told = watch.end()
    number = len(heard)
    assert heard == [reading for reading in told.readings if reading in heard], "they are looks of the trial"
    assert [int(each.at - told.readings[0].at) for each in heard[:3]] == [0, 1, 2]
    time.sleep(0.2)
    assert len(heard) == number


@linux
def test_a_trial_is_watched_after_one_that_was_never_ended(beside: AgentAccounts) -> None:
    beside.watch(0.01)
    watch = beside.watch(0.01)
    time.sleep(0.1)
    assert watch.end().readings


@linux
def test_what_earlier_trials_left_is_told(beside: AgentAccounts) -> None:
    settled = beside.settle(28_000, 1)
    assert settled.runnable is not None
    assert settled.time_wait is not None
    assert 0 <= settled.waited < 5


@linux
def test_a_server_that_ends_is_read_until_then(beside: AgentAccounts, burner: subprocess.Popen[bytes]) -> None:
    watch = beside.watch(0.01)
    time.sleep(0.3)
    burner.kill()
    burner.wait()
    told = watch.end()
    assert len(told.readings) > 1
    assert told.after == {}
    assert beside.settle(1, 1).time_wait is None


def test_without_its_agent_nothing_is_read(files: Path, burner: subprocess.Popen[bytes]) -> None:
    started = Agent(agent_command(files, "-c", SESSIONS))
    accounts = AgentAccounts(started, str(burner.pid), str(burner.pid), (), ())
    watch = accounts.watch(0.01)
    started.close()
    assert watch.end() == Watched([], {}, {})
    assert accounts.settle(1, 1) == Settled(None, None, 0.0)
