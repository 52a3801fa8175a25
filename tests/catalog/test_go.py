"""The server in Go, as the script of its kind builds it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.free_ports import first_of_free_ports
from support.raw_client import Address, RawClient, to
from support.waiting import AT_MOST

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="no go on this host")

SERVERS = Path(__file__).parents[2] / "servers"
SMALL = b"small" * 20
ALIVE = b"GET /small.html HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
LAST = b"GET /small.html HTTP/1.0\r\n\r\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    for source in ("main.go", "go.mod"):
        shutil.copy(SERVERS / "go-1.24" / source, folder)
    command = [SERVERS / "shared" / "build-go", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "target" / "server"


@pytest.fixture
def address(program: Path, tmp_path: Path) -> Iterator[Address]:
    docroot = tmp_path / "www"
    docroot.mkdir()
    (docroot / "small.html").write_bytes(SMALL)
    (tmp_path / "secret.txt").write_text("secret")
    port = first_of_free_ports(1)
    environment = {"ADDRESS": "127.0.0.1", "PORT": str(port), "DOCROOT": str(docroot)}
    process = subprocess.Popen([program], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == f"ready on port {port}\n"
    yield "127.0.0.1", port
    process.terminate()
    process.communicate(timeout=AT_MOST)


def test_it_keeps_a_connection_on_request_and_closes_it_otherwise(address: Address) -> None:
    with RawClient(to(address)) as client:
        client.send(ALIVE)
        kept = client.answer()
        assert (kept.status, kept.body, kept.headers["connection"]) == (200, SMALL, "keep-alive")
        client.send(LAST)
        assert client.answer().body == SMALL
        assert client.is_closed()


@pytest.mark.parametrize("path", [b"/missing.html", b"/../secret.txt", b"/..%2fsecret.txt", b"/%2e%2e/secret.txt"])
def test_it_serves_nothing_else(address: Address, path: bytes) -> None:
    with RawClient(to(address)) as client:
        client.send(b"GET " + path + b" HTTP/1.0\r\n\r\n")
        answer = client.answer()
        assert answer.status == 404
        assert b"secret\n" not in answer.body


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"PORT": "0"}, "PORT must be a whole number from 1 to 65535, not '0'\n"),
        ({"ADDRESS": "localhost"}, "ADDRESS must be an IP address, not 'localhost'\n"),
        ({"DOCROOT": "www"}, "DOCROOT must be the absolute path of a folder, not 'www'\n"),
    ],
)
def test_a_setting_that_it_cannot_use_is_named(program: Path, changes: dict[str, str], complaint: str) -> None:
    environment = {"DOCROOT": "/", **changes}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=AT_MOST, check=False)
    assert (done.returncode, done.stderr) == (2, complaint)


def test_it_says_which_go_compiled_it(program: Path) -> None:
    assert subprocess.check_output([program, "--version"], text=True).startswith("go 1.")
