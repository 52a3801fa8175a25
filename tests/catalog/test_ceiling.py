"""The ceiling, driven hard at the edges of the protocol: as it is built for use, and with the compiler's sanitizers."""

from __future__ import annotations

import itertools
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.free_ports import first_of_free_ports
from support.raw_client import Address, RawClient, to
from support.waiting import AT_MOST

from ab_runner.host.machine import raise_open_files

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no cc on this host")

SERVERS = Path(__file__).parents[2] / "servers"
SMALL = random.Random(100).randbytes(100)
LARGE = random.Random(947_111).randbytes(947_111)
ALIVE = b"GET /small.html HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
LAST = b"GET /small.html HTTP/1.0\r\nHost: a\r\n\r\n"
MAX_HEAD = 16 * 1024


class Ceiling:
    def __init__(self, binary: Path, docroot: Path, **environment: str) -> None:
        self.address: Address = ("127.0.0.1", first_of_free_ports(1))
        self.process = subprocess.Popen(
            [binary], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={"PORT": str(self.address[1]), "DOCROOT": str(docroot), **environment},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.ready_line = self.process.stdout.readline()

    def client(self) -> RawClient:
        return RawClient(to(self.address))

    def stop(self) -> tuple[int, str]:
        """Its exit code, and what it said after the ready line."""
        self.process.send_signal(signal.SIGTERM)
        stdout, stderr = self.process.communicate(timeout=AT_MOST)
        return self.process.returncode, stdout + stderr


@pytest.fixture(
    scope="module",
    params=["", "-g -fsanitize=address,undefined -fno-sanitize-recover=all"],
    ids=["as built", "sanitized"],
)
def binary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    for source in (SERVERS / "ceiling").glob("*.[ch]"):
        shutil.copy(source, folder)
    environment = os.environ | {"CFLAGS": request.param}
    command = [SERVERS / "shared" / "build-c", folder]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode and "san" in done.stderr and request.param:
        pytest.skip(f"no sanitizers here: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    return folder / "target" / "server"


@pytest.fixture(scope="module")
def docroot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    docroot = folder / "www"
    (docroot / "sub").mkdir(parents=True)
    (docroot / "small.html").write_bytes(SMALL)
    (docroot / "large.bin").write_bytes(LARGE)
    (docroot / "empty.bin").write_bytes(b"")
    (docroot / "sub" / "other.bin").write_bytes(LARGE[:20_000])
    (folder / "secret.txt").write_text("secret")
    (docroot / "link.txt").symlink_to(folder / "secret.txt")
    return docroot


@pytest.fixture(scope="module")
def ceiling(binary: Path, docroot: Path) -> Iterator[Ceiling]:
    """One server for most tests. At the end it must be there still and have said nothing."""
    raise_open_files()
    ceiling = Ceiling(binary, docroot)
    assert ceiling.ready_line == f"ready on port {ceiling.address[1]}\n"
    yield ceiling
    assert ceiling.stop() == (0, "")


# --- requests and answers


def test_a_head_may_be_split_anywhere(ceiling: Ceiling) -> None:
    for at in range(1, len(LAST)):
        with ceiling.client() as client:
            client.send(LAST[:at])
            time.sleep(0.002)
            client.send(LAST[at:])
            assert client.answer().body == SMALL
            assert client.is_closed()


def test_a_head_may_come_byte_by_byte(ceiling: Ceiling) -> None:
    with ceiling.client() as client:
        for byte in ALIVE + LAST:
            client.send(bytes([byte]))
            time.sleep(0.0005)
        assert [client.answer().body, client.answer().body] == [SMALL, SMALL]
        assert client.is_closed()


def test_pipelined_requests_may_be_split_anywhere(ceiling: Ceiling) -> None:
    echo = b"GET /echo HTTP/1.1\r\nHost: a\r\n\r\n"
    stream = ALIVE + echo + LAST
    for at in range(1, len(stream)):
        with ceiling.client() as client:
            client.send(stream[:at])
            time.sleep(0.001)
            client.send(stream[at:])
            assert [client.answer().body for _ in range(3)] == [SMALL, echo, SMALL]
            assert client.is_closed()


def test_what_comes_after_a_last_request_is_not_answered(ceiling: Ceiling) -> None:
    with ceiling.client() as client:
        client.send(ALIVE * 3 + LAST + ALIVE)
        assert [client.answer().body for _ in range(4)] == [SMALL] * 4
        assert client.is_closed()


def test_a_client_that_reads_late_gets_every_pipelined_answer(ceiling: Ceiling) -> None:
    count = 20_000
    stream = memoryview(ALIVE * count + LAST)
    with ceiling.client() as client:
        received = bytearray()
        client.socket.setblocking(False)
        blocked = 0
        while stream and blocked < 3:  # until the server will not read any more, as nobody reads its answers
            try:
                stream = stream[client.socket.send(stream) :]
                blocked = 0
            except BlockingIOError:
                blocked += 1
                time.sleep(0.1)
        deadline = time.monotonic() + AT_MOST
        while time.monotonic() < deadline:
            try:
                if stream:
                    stream = stream[client.socket.send(stream) :]
            except BlockingIOError:
                pass
            try:
                data = client.socket.recv(1 << 20)
            except BlockingIOError:
                time.sleep(0.001)
                continue
            if not data:
                break
            received += data
    assert not stream
    assert received.count(b"HTTP/1.1 200 OK\r\n") == count + 1
    assert received.count(SMALL) == count + 1


@pytest.mark.parametrize(
    ("version", "connection", "stays"),
    [
        ("1.0", None, False),
        ("1.0", "Keep-Alive", True),
        ("1.0", "keep-alive", True),
        ("1.0", "TE ,\tKEEP-ALIVE ", True),
        ("1.0", "close", False),
        ("1.0", "keep-alive, close", False),
        ("1.0", "not-keep-alive", False),
        ("1.0", "", False),
        ("1.0", ",,", False),
        ("1.1", None, True),
        ("1.1", "close", False),
        ("1.1", "Close", False),
        ("1.1", "closed", True),
    ],
)
def test_a_connection_stays_if_both_want_it(
    ceiling: Ceiling, version: str, connection: str | None, stays: bool
) -> None:
    header = "" if connection is None else f"cOnnection:{connection}\r\n"
    for path, body in (("/small.html", SMALL), ("/large.bin", LARGE), ("/sub/other.bin", LARGE[:20_000])):
        with ceiling.client() as client:
            for _ in range(3 if stays else 1):
                client.send(f"GET {path} HTTP/{version}\r\nHost: a\r\n{header}\r\n".encode())
                answer = client.answer()
                assert answer.body == body
                assert answer.headers["connection"] == ("keep-alive" if stays else "close")
            if not stays:
                assert client.is_closed()


def test_a_connection_with_a_body_does_not_stay(ceiling: Ceiling) -> None:
    for header in ("Content-Length: 5", "Transfer-Encoding: chunked"):
        with ceiling.client() as client:
            client.send(f"GET /small.html HTTP/1.1\r\n{header}\r\n\r\nGET /".encode())
            assert client.answer().headers["connection"] == "close"
            assert client.is_closed()


@pytest.mark.parametrize("path", ["/small.html", "/large.bin", "/sub/other.bin", "/empty.bin", "/echo", "/missing"])
def test_head_gets_the_head_that_get_would(ceiling: Ceiling, path: str) -> None:
    for word in ("keep-alive", "close"):
        answers = []
        for method in ("HEAD", "GET"):
            with ceiling.client() as client:
                # A header makes up for the shorter word: an echo tells the length of the request.
                padding = "X: 12" if method == "HEAD" else "X: 123"
                client.send(f"{method} {path} HTTP/1.1\r\nConnection: {word}\r\n{padding}\r\n\r\n".encode())
                answers.append(client.answer(head_only=method == "HEAD"))
                if word == "close":
                    assert client.is_closed()
                else:
                    client.send(LAST)
                    assert client.answer().body == SMALL
        head, get = answers
        assert (head.status, head.headers) == (get.status, get.headers)
        assert int(get.headers["content-length"]) == len(get.body)


@pytest.mark.parametrize(
    "path",
    ["/", "/missing.html", "/small.htm", "/small.html/", "/small.htmlx", "//small.html", "/sub", "/sub/", "/link.txt",
     "/../secret.txt", "/sub/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/..\\secret.txt",
     "../secret.txt", "secret.txt", "small.html", "/small.html\0", "\0", "/small\0html", "http://a/../secret.txt",
     "http://a", "http://", "http:///", "?", "/?small.html", "*", "/" + "x" * 8000, "/\xff\xfe"],
)  # fmt: skip
def test_what_is_not_there_is_not_found(ceiling: Ceiling, path: str) -> None:
    with ceiling.client() as client:
        client.send(f"GET {path} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".encode("latin-1"))
        answer = client.answer()
        assert (answer.status, answer.body) == (404, b"404 Not Found\n")
        client.send(LAST)
        assert client.answer().body == SMALL


@pytest.mark.parametrize(
    "target", ["/small.html?", "/small.html?a=/large.bin", "http://a/small.html", "HTTP://a:1/small.html?x"]
)
def test_a_target_may_have_a_query_and_a_host(ceiling: Ceiling, target: str) -> None:
    with ceiling.client() as client:
        client.send(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        assert client.answer().body == SMALL


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (b"\r\n\r\n", 400),
        (b"GET\r\n\r\n", 400),
        (b"GET /small.html\r\n\r\n", 400),
        (b"GET  HTTP/1.0\r\n\r\n", 400),
        (b" HTTP/1.0\r\n\r\n", 400),
        (b"GET /small.html HTTP/1.2\r\n\r\n", 400),
        (b"GET /small.html HTTP/2.0\r\n\r\n", 400),
        (b"GET /small.html HTTP/1.\x00\r\n\r\n", 400),
        (b"GET /small.html http/1.0\r\n\r\n", 400),
        (b"GET /small.html HTTP/1.0\rX: y\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\r\n\r\n", 400),
        (b"POST /small.html HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 405),
        (b"GETX /small.html HTTP/1.1\r\n\r\n", 405),
        (b"HEADER /small.html HTTP/1.1\r\n\r\n", 405),
        (b"GET /small.html HTTP/1.0\r\nConnection: close\r\r\n\r\n", 200),
        (b"GET /small.html HTTP/1.0\r\n:\r\nConnection\r\nConnection:\r\n\r\n", 200),
    ],
)
def test_what_is_no_request_is_refused_and_the_connection_closed(
    ceiling: Ceiling, request_head: bytes, status: int
) -> None:
    with ceiling.client() as client:
        client.send(request_head)
        answer = client.answer()
        assert answer.status == status
        assert ("allow" in answer.headers) == (status == 405)
        assert client.is_closed()


@pytest.mark.parametrize("length", [8192 + 40, MAX_HEAD - 1, MAX_HEAD])
def test_a_long_head_is_taken_in_one_packet_and_in_many(ceiling: Ceiling, length: int) -> None:
    rest = b"GET /echo HTTP/1.0\r\nConnection: keep-alive\r\nX-Long: \r\n\r\n"
    head = rest[:-4] + b"x" * (length - len(rest)) + rest[-4:]
    with ceiling.client() as client:
        client.send(head)
        assert client.answer().body == head
        for start in range(0, length, 1000):
            client.send(head[start : start + 1000])
            time.sleep(0.002)
        assert client.answer().body == head
        client.send(head + LAST)
        assert [client.answer().body, client.answer().body] == [head, SMALL]


@pytest.mark.parametrize("length", [MAX_HEAD + 1, 100_000])
def test_a_head_that_is_too_long_ends_the_connection(ceiling: Ceiling, length: int) -> None:
    rest = b"GET /small.html HTTP/1.0\r\nX-Long: \r\n\r\n"
    with ceiling.client() as client:
        try:
            client.send(rest[:-4] + b"x" * (length - len(rest)) + rest[-4:])
        except (ConnectionResetError, BrokenPipeError):
            return
        assert client.is_closed()


def test_noise_does_no_harm(ceiling: Ceiling) -> None:
    noise = random.Random(1)
    words = ["GET ", "HEAD ", "/", "small.html", " ", "HTTP/1.0", "HTTP/1.1", "\r\n", "\r", "\n", ":", ",",
             "Connection", "keep-alive", "close", "?", "http://", "\0", "\xff", "\r\n\r\n"]  # fmt: skip
    for _ in range(300):
        with ceiling.client() as client:
            try:
                client.send("".join(noise.choices(words, k=noise.randrange(1, 40))).encode("latin-1"))
                client.socket.shutdown(socket.SHUT_WR)
                client.rest()
            except (ConnectionResetError, BrokenPipeError):
                pass
    with ceiling.client() as client:
        client.send(LAST)
        assert client.answer().body == SMALL


# --- connections


def test_a_thousand_connections_at_once_are_all_answered(ceiling: Ceiling) -> None:
    clients = [ceiling.client() for _ in range(1000)]
    for part in (ALIVE[:20], ALIVE[20:] + LAST[:1], LAST[1:]):
        for client in clients:
            client.send(part)
    for client in clients:
        assert [client.answer().body, client.answer().body] == [SMALL, SMALL]
        assert client.is_closed()
        client.socket.close()


def test_a_silent_connection_is_answered_when_it_speaks(ceiling: Ceiling) -> None:
    with ceiling.client() as client:
        time.sleep(1.5)  # longer than accepting is put off for its first bytes
        client.send(LAST)
        assert client.answer().body == SMALL


def test_a_slow_reader_gets_every_byte_and_holds_up_nobody(ceiling: Ceiling) -> None:
    with RawClient(to(ceiling.address, receive_buffer=4096)) as slow:
        slow.send(b"GET /large.bin HTTP/1.1\r\n\r\n" * 2 + b"GET /large.bin HTTP/1.0\r\n\r\n")
        for _ in range(20):
            time.sleep(0.01)
            with ceiling.client() as quick:
                quick.send(LAST)
                assert quick.answer().body == SMALL
        assert [slow.answer().body == LARGE for _ in range(3)] == [True] * 3
        assert slow.is_closed()


def test_a_client_that_stops_sending_is_answered_first(ceiling: Ceiling) -> None:
    with ceiling.client() as client:
        client.send(ALIVE + b"GET /large.bin HTTP/1.1\r\n\r\nGET /sm")
        client.socket.shutdown(socket.SHUT_WR)
        assert [client.answer().body, client.answer().body] == [SMALL, LARGE]
        assert client.is_closed()


def test_clients_that_hang_up_do_no_harm(ceiling: Ceiling) -> None:
    for stream in (b"", b"GET /sm", LAST, b"GET /large.bin HTTP/1.1\r\n\r\n" * 50):
        for pause, half_first in itertools.product((0.0, 0.02), (False, True)):
            client = ceiling.client()
            client.send(stream)
            if half_first:  # then it is told by SIGPIPE
                client.socket.shutdown(socket.SHUT_WR)
            time.sleep(pause)
            client.reset()
    with ceiling.client() as client:
        client.send(LAST)
        assert client.answer().body == SMALL


def test_more_connections_than_open_files_wait_their_turn(binary: Path, docroot: Path) -> None:
    limited = Ceiling(binary, docroot)
    try:
        resource.prlimit(limited.process.pid, resource.RLIMIT_NOFILE, (20, 20))
        clients = [limited.client() for _ in range(60)]
        for client in clients:
            client.send(ALIVE)
        assert clients[0].answer().body == SMALL
        before = cpu_seconds(limited.process.pid)
        time.sleep(0.5)
        assert cpu_seconds(limited.process.pid) - before < 0.1, "it does not wait but asks all the time"
        clients[0].socket.close()
        for client in clients[1:]:
            assert client.answer().body == SMALL
            client.socket.close()
    finally:
        assert limited.stop() == (0, "")


def cpu_seconds(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


# --- start and end


def test_it_knows_only_what_was_there_when_it_started(binary: Path, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("old")
    ceiling = Ceiling(binary, tmp_path)
    (tmp_path / "a.html").write_text("changed")
    (tmp_path / "b.html").write_text("new")
    with ceiling.client() as client:
        client.send(b"GET /a.html HTTP/1.1\r\n\r\nGET /b.html HTTP/1.1\r\n\r\n")
        first, second = client.answer(), client.answer()
    assert (first.body, first.headers["content-type"], second.status) == (b"old", "text/html", 404)
    assert ceiling.stop() == (0, "")


def test_it_ends_whatever_it_is_doing(binary: Path, docroot: Path) -> None:
    ceiling = Ceiling(binary, docroot)
    with ceiling.client() as idle, RawClient(to(ceiling.address, receive_buffer=4096)) as slow:
        idle.send(ALIVE[:10])
        slow.send(b"GET /large.bin HTTP/1.0\r\n\r\n" * 10)
        time.sleep(0.05)
        assert ceiling.stop() == (0, "")


def test_a_port_can_be_used_again_at_once_but_not_twice(binary: Path, docroot: Path) -> None:
    first = Ceiling(binary, docroot)
    port = str(first.address[1])
    with first.client() as client:
        client.send(LAST)
        assert client.answer().body == SMALL
    second = Ceiling(binary, docroot, PORT=port)
    stderr = second.process.communicate(timeout=AT_MOST)[1]
    assert (second.process.returncode, stderr) == (
        2,
        f"ceiling: cannot listen on port {port}: Address already in use\n",
    )
    first.stop()
    third = Ceiling(binary, docroot, PORT=port)
    assert third.ready_line
    assert third.stop() == (0, "")


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "0"), ("PORT", "65536"), ("PORT", "-1"), ("PORT", "80a"), ("PORT", "99999999999"),
     ("PORT", " 80"), ("PORT", "080"), ("BACKLOG", "0"), ("BACKLOG", "many"), ("BACKLOG", "1000001"),
     ("DOCROOT", "/does/not/exist"), ("DOCROOT", "/etc/passwd")],
)  # fmt: skip
def test_a_bad_setting_is_named_in_one_line(binary: Path, docroot: Path, name: str, value: str) -> None:
    ceiling = Ceiling(binary, docroot, **{name: value})
    stdout, stderr = ceiling.process.communicate(timeout=AT_MOST)
    assert (ceiling.process.returncode, ceiling.ready_line + stdout) == (2, "")
    assert stderr.startswith(f"ceiling: {name} ")
    assert value in stderr
    assert stderr.count("\n") == 1


def test_it_tells_its_version(binary: Path) -> None:
    assert subprocess.check_output([binary, "--version"], text=True).startswith("ceiling 1, built by cc ")
