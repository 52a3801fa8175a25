"""The quick look at the Docker engine, at an engine of our own: a socket that answers what it is told to."""

from __future__ import annotations

import json
import platform
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ab_runner.runtime import engine

OK = b"HTTP/1.0 200 OK\r\nApi-Version: 1.45\r\n\r\nOK"


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The docker command and its plugins, in a folder that sockets have short names in."""
    plugins = tmp_path / "settings" / "cli-plugins"
    plugins.mkdir(parents=True)
    for command in (tmp_path / "docker", plugins / "docker-compose", plugins / "docker-buildx"):
        command.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path / "settings"))
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.delenv("DOCKER_CONTEXT", raising=False)
    monkeypatch.setattr(engine, "USUAL_SOCKET", "usual")
    monkeypatch.setattr(engine, "PLUGIN_FOLDERS", ())
    return tmp_path


@contextmanager
def answering(path: str, answer: bytes = OK) -> Iterator[list[bytes]]:
    """An engine at that socket; what it is asked is in the list."""
    asked: list[bytes] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def serve() -> None:
            with suppress(OSError):  # nobody asked
                connection, _ = listener.accept()
                with connection:
                    asked.append(connection.recv(1000))
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield asked
        finally:
            listener.shutdown(socket.SHUT_RDWR)  # wakes who waits in accept
            thread.join()


def test_an_engine_that_answers_is_usable() -> None:
    with answering("usual") as asked:
        assert engine.is_usable()
    assert asked == [b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n"]


def test_one_that_does_not_answer_as_it_should_is_not() -> None:
    assert not engine.is_usable(), "there is none"
    with answering("usual", b"HTTP/1.0 503 Service Unavailable\r\n\r\n"):
        assert not engine.is_usable()


@pytest.mark.parametrize(("status", "done"), [("204 No Content", True), ("409 Conflict", False), ("nonsense", False)])
def test_what_the_engine_is_to_do_is_done_if_it_says_so(status: str, done: bool) -> None:
    with answering("usual", f"HTTP/1.0 {status}\r\n\r\n".encode()) as asked:
        assert engine.post("/containers/a/pause") is done
    assert asked == [b"POST /containers/a/pause HTTP/1.0\r\nHost: docker\r\n\r\n"]


def test_without_an_engine_that_is_known_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not engine.post("/containers/a/pause")
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    assert not engine.post("/containers/a/pause")


def version(kernel: str) -> bytes:
    return b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + json.dumps({"KernelVersion": kernel}).encode()


@pytest.mark.parametrize(("kernel", "elsewhere"), [(platform.release(), False), ("6.10.14-linuxkit", True)])
def test_an_engine_of_another_kernel_is_elsewhere(kernel: str, elsewhere: bool) -> None:
    """As that of Docker Desktop, whose socket is one of this host."""
    with answering("usual", version(kernel)) as asked:
        assert engine.is_elsewhere() is elsewhere
    assert asked == [b"GET /version HTTP/1.0\r\nHost: docker\r\n\r\n"]


def test_an_engine_that_is_reached_in_another_way_is_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "ssh://lab1")
    assert engine.is_elsewhere()
    monkeypatch.delenv("DOCKER_HOST")
    monkeypatch.setenv("DOCKER_CONTEXT", "lab1")
    assert engine.is_elsewhere()


@pytest.mark.parametrize("answer", [OK, version(""), b"HTTP/1.0 200 OK\r\n\r\n[]", b"nonsense"])
def test_an_engine_that_does_not_say_where_it_is_is_here(answer: bytes) -> None:
    with answering("usual", answer):
        assert not engine.is_elsewhere()


@pytest.mark.parametrize(
    "name", ["docker", "settings/cli-plugins/docker-compose", "settings/cli-plugins/docker-buildx"]
)
def test_without_the_command_or_one_of_its_plugins_it_is_not(installed: Path, name: str) -> None:
    (installed / name).unlink()
    with answering("usual"):
        assert not engine.is_usable()


def test_the_socket_that_DOCKER_HOST_names_is_the_one_that_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix://other")
    monkeypatch.setenv("DOCKER_CONTEXT", "elsewhere")
    with answering("other"):
        assert engine.is_usable()
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    with answering("usual"):
        assert not engine.is_usable()


@pytest.mark.parametrize(
    ("settings", "usable"),
    [
        ('{"currentContext": "default", "auths": {}}', True),
        ('{"auths": {}}', True),
        ('{"currentContext": "rootless"}', False),
        ("{", False),
    ],
)
def test_another_context_is_for_the_docker_command_to_find(installed: Path, settings: str, usable: bool) -> None:
    (installed / "settings" / "config.json").write_text(settings)
    with answering("usual"):
        assert engine.is_usable() == usable


def test_a_context_that_a_variable_names_is_for_the_docker_command_to_find(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONTEXT", "rootless")
    with answering("usual"):
        assert not engine.is_usable()
