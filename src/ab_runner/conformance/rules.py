"""What docs/adding-a-server.md asks of every server, each rule with its check.

A rule that a server cannot meet is declared in its server.toml, in `lacks` or `[exceptions]`. Then its check must
fail: a server that learns something must lose the word.
"""

from __future__ import annotations

import datetime
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from email.utils import format_datetime
from pathlib import Path

import msgspec

from ab_runner.catalog.server_file import Lack
from ab_runner.load import ab_command
from ab_runner.model.server import Server
from ab_runner.model.text import shown
from ab_runner.model.workload import Workload
from ab_runner.report.say.messages import whole_text
from ab_runner.runtime.base import STOP_SECONDS, RunningServer
from ab_runner.sweep.server import answers, probe

LONG_HEADER = 8_000
"""Bytes of a header of 8 KB; most servers bound the line with its name, or the whole head, by 8192."""
MANY = 1_000
_SHOWN_AT_MOST = 200
_SIGTERM_SECONDS = 5 * STOP_SECONDS
"""For machines that are five times slower than ours."""
_CLOSE_SECONDS = 1.0
"""How long a server that is said not to close a connection is waited for."""


class BrokenRule(Exception):
    """A server does not meet a rule; the text says what came back."""


class Subject(msgspec.Struct, frozen=True):
    """A server that runs, with its workloads in the order of its server.toml."""

    server: Server
    workloads: tuple[Workload, ...]
    fixtures: Path
    running: RunningServer

    @property
    def first(self) -> Workload:
        return self.workloads[0]

    @property
    def first_file(self) -> Workload:
        return next(each for each in self.workloads if each.fixture is not None)

    def request(self, workload: Workload, keep_alive: bool = False, header: str = "", method: str = "GET") -> bytes:
        """Return a request: in HTTP/1.0, as ab asks, if the server speaks that."""
        if "http-1.0" in self.server.lacks:
            version, connection = "1.1", "" if keep_alive else "Connection: close\r\n"
        else:
            version, connection = "1.0", "Connection: Keep-Alive\r\n" if keep_alive else ""
        lines = "".join(f"{line}\r\n" for line in workload.headers)
        return f"{method} {workload.path} HTTP/{version}\r\n{connection}{lines}{header}Host: localhost\r\n\r\n".encode()

    def question(self, workload: Workload, request: bytes) -> probe.Question:
        return probe.question(request, workload, self.fixtures)

    def open(self) -> socket.socket:
        """Return a new connection; ProbeError if there is none."""
        return answers.open_connection(self.running.connect)

    def exchange(
        self, connection: socket.socket, workload: Workload, request: bytes, unsent: bytes | None = None
    ) -> answers.Answer:
        """Return the right answer to a request, of which `unsent` is still to be sent, if not all. ProbeError if it is
        not the right one."""
        answer = answers.exchange(connection, request if unsent is None else unsent, probe.seconds_of(workload))
        probe.check_answer(answer, self.question(workload, request))
        return answer


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A requirement: what is asked of a server, what must come back, and the check, which raises BrokenRule or
    ProbeError. `lacks` and `exception` are the words by which a server declares that it does not meet it."""

    name: str
    asks: str
    says: str
    check: Callable[[Subject], None]
    lacks: tuple[Lack, ...] = ()
    exception: str | None = None
    of_files: bool = False
    """Whether it is asked of servers with files alone."""

    def concerns(self, workloads: Iterable[Workload]) -> bool:
        """Return whether it is asked of a server with these workloads."""
        return not self.of_files or any(each.fixture is not None for each in workloads)

    def declared(self, server: Server) -> str | None:
        """Return how the server declares that it does not meet the rule; None if it does not."""
        if words := [word for word in self.lacks if word in server.lacks]:
            return f"lacks {', '.join(words)}"
        return f"exception: {server.exceptions[self.exception]}" if self.exception in server.exceptions else None


def _exact(subject: Subject) -> None:
    for workload in subject.workloads:
        if not workload.keep_alive:
            head = ab_command.request_head(subject.running.host, workload.path, False, workload.headers)
            try:
                probe.check(subject.running.connect, subject.question(workload, head))
            except answers.ProbeError as error:
                raise BrokenRule(f"{workload.name} (GET {workload.path}): {whole_text(error.message)}") from error


def _kept(subject: Subject) -> None:
    alive, last = subject.request(subject.first, keep_alive=True), subject.request(subject.first)
    with subject.open() as connection:
        for _ in range(3):
            said = subject.exchange(connection, subject.first, alive).headers.get("connection", "")
            if said.lower() != "keep-alive":
                raise BrokenRule(f"Connection is {shown(said, _SHOWN_AT_MOST)!r}, not keep-alive")
        subject.exchange(connection, subject.first, last)
        _expect_closed(subject, connection)


def _kept_in_http_1_1(subject: Subject) -> None:
    workload = subject.first_file
    request = f"GET {workload.path} HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n".encode()
    with subject.open() as connection:
        for _ in range(3):
            answer = subject.exchange(connection, workload, request)
            if not answers.stays_open(request, answer):
                raise BrokenRule("the answer says that the connection is closed")


def _head(subject: Subject) -> None:
    workload = subject.first_file
    request = subject.request(workload, method="HEAD")
    answer = answers.ask(subject.running.connect, request)  # which ends where the server closes
    found = answer.status, answer.headers.get("content-length", ""), len(answer.body)
    length = len(subject.question(workload, request).expected)
    if found != (200, str(length), 0):
        raise BrokenRule(
            f"status {found[0]}, Content-Length {shown(found[1], _SHOWN_AT_MOST)!r} and {found[2]} bytes, "
            f"not 200, '{length}' and none"
        )


def _dates(subject: Subject) -> None:
    for workload in subject.workloads:
        for _ in range(2):  # the second perhaps from a cache
            answer = answers.ask(subject.running.connect, subject.request(workload))
        for name in ("date",) if workload.file is None else ("date", "last-modified"):
            if not _is_http_date(said := answer.headers.get(name, "")):
                raise BrokenRule(f"{workload.name}: {name} is {shown(said, _SHOWN_AT_MOST)!r}")


def _in_two_packets(subject: Subject) -> None:
    request = subject.request(subject.first)
    for at in (1, 10, len(request) - 2):
        with subject.open() as connection:
            connection.sendall(request[:at])
            time.sleep(0.05)
            subject.exchange(connection, subject.first, request, unsent=request[at:])


def _long_header(subject: Subject) -> None:
    request = subject.request(subject.first, header=f"X-Long: {'x' * LONG_HEADER}\r\n")
    with subject.open() as connection:
        subject.exchange(connection, subject.first, request)


def _many_connections(subject: Subject) -> None:
    request = subject.request(subject.first)
    with ExitStack() as opened:
        connections = [opened.enter_context(subject.open()) for _ in range(MANY)]
        for connection in connections:
            connection.sendall(request)
        for connection in connections:
            subject.exchange(connection, subject.first, request, unsent=b"")
            connection.close()  # httpd keeps a worker waiting for that


def _sigterm(subject: Subject) -> None:
    with subject.open() as connection:  # which has no say in it
        subject.exchange(connection, subject.first, subject.request(subject.first, keep_alive=True))
        if not subject.running.terminate(_SIGTERM_SECONDS):
            raise BrokenRule(f"it still runs after {_SIGTERM_SECONDS} s")


RULES: tuple[Rule, ...] = (
    Rule(
        name="answers",
        asks="GET in HTTP/1.0 as ab sends it, for each workload, for a missing file and for one outside DOCROOT",
        says="exact bytes and a closed connection; 404; no such file",
        check=_exact, lacks=("http-1.0", "close"),
    ),
    Rule(
        name="keep-alive", asks="three GETs in HTTP/1.0 with Connection: keep-alive, then one without",
        says="three answers with that header on an open connection, then a closed one",
        check=_kept, lacks=("keep-alive", "close"),
    ),
    Rule(
        name="http-1.1", asks="three GETs in HTTP/1.1 on one connection", says="a connection that stays open",
        check=_kept_in_http_1_1, of_files=True,
    ),
    Rule(
        name="head", asks="HEAD", says="Content-Length, no body, and a closed connection",
        check=_head, lacks=("head", "close"), of_files=True,
    ),
    Rule(
        name="dates", asks="GET for each workload, twice", says="Date, and for a file Last-Modified",
        check=_dates, exception="headers",
    ),
    Rule(name="packets", asks="GET in two packets", says="the same answer", check=_in_two_packets),
    Rule(
        name="long-header", asks="GET with a header of 8 KB", says="the same answer",
        check=_long_header, lacks=("long-header",),
    ),
    Rule(
        name="many-connections", asks=f"GET on {MANY:,} connections at once", says="an answer on each",
        check=_many_connections, lacks=("many-connections",),
    ),
    Rule(
        name="sigterm", asks="SIGTERM with a connection open",
        says=f"its end within {_SIGTERM_SECONDS} s ({STOP_SECONDS} s are required; slow machines get more)",
        check=_sigterm,
    ),
)  # fmt: skip
"""The last one ends the server."""


def _expect_closed(subject: Subject, connection: socket.socket) -> None:
    connection.settimeout(_CLOSE_SECONDS if "close" in subject.server.lacks else answers.TIMEOUT)
    try:
        if connection.recv(1):
            raise BrokenRule("more bytes come after the last answer")
    except TimeoutError:
        raise BrokenRule("the connection stays open after the last answer") from None
    except OSError:
        return  # a reset ends it too


def _is_http_date(text: str) -> bool:
    """Return whether this is an IMF-fixdate (RFC 9110, section 5.6.7). A day of one digit, as some old servers write
    it, is taken."""
    try:
        found = datetime.datetime.strptime(text, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=datetime.UTC)
    except ValueError:
        return False
    full = format_datetime(found, usegmt=True)
    return text in (full, full.replace(", 0", ", ", 1))
