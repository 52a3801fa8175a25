"""The runner's way into a container, with docker/sockets.py as a process of this host."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ab_runner.runtime.sockets import NAME, SocketSource

SCRIPT = Path(__file__).parents[2] / "docker" / "sockets.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Its path is longer than the address of a Unix socket may be, as that of a sweep may be."""
    folder = tmp_path / ("x" * 100)
    folder.mkdir()
    return folder


@pytest.fixture
def maker(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, str(SCRIPT), NAME], cwd=folder)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        yield listener


def test_there_are_as_many_connections_as_are_asked_for(
    folder: Path, maker: subprocess.Popen[bytes], listener: socket.socket
) -> None:
    source = SocketSource(folder, 10)
    connections = [source.connect(listener.getsockname(), 5) for _ in range(50)]
    for connection in connections:
        accepted, peer = listener.accept()
        assert peer == connection.getsockname()
        accepted.sendall(b"hello")
        accepted.close()
        with connection:
            assert connection.recv(5) == b"hello"
    source.close()
    source.close()


def test_a_refused_connection_is_an_error_and_the_next_one_works(
    folder: Path, maker: subprocess.Popen[bytes], listener: socket.socket
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        closed = unused.getsockname()
    source = SocketSource(folder, 10)
    with pytest.raises(ConnectionRefusedError):
        source.connect(closed, 5)
    source.connect(listener.getsockname(), 5).close()
    source.close()


def test_a_container_that_has_ended_gives_an_error(
    folder: Path, maker: subprocess.Popen[bytes], listener: socket.socket
) -> None:
    source = SocketSource(folder, 10)
    maker.kill()
    maker.wait()
    with pytest.raises(OSError, match=r"Broken pipe|makes no sockets|reset"):
        source.connect(listener.getsockname(), 5)
    source.close()


def test_a_container_that_never_answers_is_not_waited_for(folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        SocketSource(folder, 0.1)


def test_what_is_no_tcp_socket_does_no_harm(
    folder: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with socket.create_server(NAME, family=socket.AF_UNIX) as hostile, Path("file").open("w") as file:
        source = SocketSource(folder, 10)
        runner, _ = hostile.accept()
        with runner:
            for passed in (hostile.fileno(), file.fileno()):
                socket.send_fds(runner, [b"+"], [passed])
                with pytest.raises(OSError, match=r"Invalid argument|not a socket|non-socket"):
                    source.connect(listener.getsockname(), 5)
        source.close()
