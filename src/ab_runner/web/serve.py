"""A small local web server: all sweeps of a folder, their reports, and the progress of a running one."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from ab_runner.analysis.overview import Entry, entry
from ab_runner.analysis.sessions import analysis_of, as_one
from ab_runner.errors import UserError
from ab_runner.host import safe_files
from ab_runner.report.formats.files import page_text
from ab_runner.report.html import Served, comparison, overview
from ab_runner.report.tables.compare_sweeps import compare_all
from ab_runner.store.layout import RAW_FOLDER
from ab_runner.store.log import log_path
from ab_runner.store.reader import is_being_written, read, sweeps_in

Made = TypeVar("Made")

_RAW_AT_MOST = 64 << 20
"""Bytes of a file in raw/ that is given out, which takes as much memory."""
ADDRESS = "127.0.0.1"
_NAMES = (ADDRESS, "localhost")
"""What a browser may call this host: a page from elsewhere whose name was made to lead here calls it otherwise."""
_OUR_SITES = ("none", "same-origin")
"""Where a browser may say that a request comes from: the reader, or one of these pages. Making a page takes CPU time,
and a page from elsewhere could have it made during a sweep."""
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing comes from, or goes to, anywhere else. Each page has a policy of its own too, which allows its own scripts
alone; both hold. Who may frame a page can be said here only."""
_ALWAYS = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", _POLICY),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
)


def serve(results: Path, port: int, tell: Callable[[str], object]) -> None:
    """Serve a folder of sweeps until it is interrupted. UserError if there is no such folder or the port is taken."""
    if not results.is_dir():
        raise UserError(f"{results}: no such folder; give the folder that contains the sweeps")
    try:
        server = server_for(results, port)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"port {port}: {reason}; choose another with --port") from error
    tell(f"http://{ADDRESS}:{server.server_port}/ shows the sweeps of {results}; Ctrl-C stops it")
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            tell("")


def server_for(results: Path, port: int) -> ThreadingHTTPServer:
    """Return a web server that listens already."""
    return ThreadingHTTPServer((ADDRESS, port), partial(_Handler, Site(results)))


class Response(msgspec.Struct, frozen=True):
    content: bytes
    kind: str = "text/html; charset=utf-8"
    status: HTTPStatus = HTTPStatus.OK
    more: tuple[tuple[str, str], ...] = ()
    """Headers that only this answer has."""


class Site:
    """What is served, by its path. A page is kept until the sweep has new records: a sweep may be running on this
    machine, and making pages would disturb it."""

    def __init__(self, results: Path) -> None:
        self._results = results
        self._entries: dict[str, tuple[str, Entry]] = {}
        self._pages: dict[str, tuple[str, bytes]] = {}
        """Both by the name of a sweep's folder, with the tag of the state that they are of."""
        self._one_by_one = Lock()

    def answer(self, target: str, head_only: bool = False) -> Response:
        """Return the answer to a request; `target` is that of its first line. Whatever is wrong with it is an answer
        too."""
        try:
            with self._one_by_one:
                return self._answer(target, head_only)
        except UserError as error:
            return _line(str(error), HTTPStatus.CONFLICT)
        except ValueError as error:
            return _line(f"this is not a valid address: {error}", HTTPStatus.BAD_REQUEST)
        except OSError as error:
            return _line(f"cannot be read: {error}", HTTPStatus.INTERNAL_SERVER_ERROR)
        except Exception as error:  # somebody else's sweep may hold values that nothing here was made for
            return _line(f"cannot be shown: {error!r}", HTTPStatus.INTERNAL_SERVER_ERROR)

    def _answer(self, target: str, head_only: bool) -> Response:
        parts = urlsplit(target)
        name, slash, rest = map(unquote, parts.path.removeprefix("/").partition("/"))
        if not name:
            return _html(overview.render(str(self._results), *self._overview()))
        if name == "compare" and not slash:
            return self._comparison(parse_qs(parts.query).get("sweep", []))
        folder = self._sweeps().get(name)
        if folder is None:
            return _line(f"there is no sweep {name!r} here", HTTPStatus.NOT_FOUND)
        if not slash:
            return Response(b"", status=HTTPStatus.MOVED_PERMANENTLY, more=(("Location", f"{parts.path}/"),))
        return _raw(folder, rest) if rest else self._report(folder, head_only)

    def _sweeps(self) -> dict[str, Path]:
        """Return the folders of sweeps by their names."""
        return {path.name: path for path in sweeps_in(self._results)}

    def _overview(self) -> tuple[list[Entry], list[str]]:
        """Return the sweeps, the newest first, and a line for each that cannot be read."""
        found: list[Entry] = []
        trouble: list[str] = []
        for name, folder in self._sweeps().items():
            try:
                name.encode()  # fails for bytes that are no text, which no address could name either
                found.append(self._entry(name, folder))
            except UserError as error:
                trouble.append(str(error))
            except Exception as error:  # whatever is wrong with one folder must not hide the others
                trouble.append(f"{folder}: cannot be shown: {error!r}")
        return sorted(found, key=lambda each: each.started, reverse=True), sorted(trouble)

    def _entry(self, name: str, folder: Path) -> Entry:
        tag, is_running = _state(folder)
        now = datetime.datetime.now(datetime.UTC)
        return _kept(self._entries, name, tag, lambda: entry(name, read(folder), is_running, now))

    def _report(self, folder: Path, head_only: bool) -> Response:
        tag, is_running = _state(folder)
        more = (("ETag", f'"{tag}"'),)
        if head_only:
            return Response(b"", more=more)
        page = _kept(self._pages, folder.name, tag, lambda: _page(folder, Served(tag, is_running)))
        return Response(page, more=more)

    def _comparison(self, names: list[str]) -> Response:
        sweeps = self._sweeps()
        for name in names:
            if name not in sweeps:
                return _line(f"there is no sweep {name!r} here", HTTPStatus.NOT_FOUND)
        named = [(name, as_one(read(sweeps[name]))) for name in names]
        named.sort(key=lambda each: each[1].sweep.started)
        compared = compare_all(named, slower=None, anyway=True)
        return _html(comparison.render([analysis for _, analysis in named], compared))


def _page(folder: Path, served: Served) -> bytes:
    return page_text(analysis_of(read(folder)), served).encode()


def _kept(made: dict[str, tuple[str, Made]], name: str, tag: str, make: Callable[[], Made]) -> Made:
    """Return what was made for that tag, or make it now."""
    if name not in made or made[name][0] != tag:
        made[name] = tag, make()
    return made[name][1]


def _state(folder: Path) -> tuple[str, bool]:
    """Return a tag of the sweep's log, and whether the sweep is running."""
    is_running = is_being_written(folder)
    try:
        status = log_path(folder).lstat()
    except FileNotFoundError:
        return f"none-{is_running}", is_running
    return f"{status.st_size}-{status.st_mtime_ns}-{is_running}", is_running


def _raw(folder: Path, rest: str) -> Response:
    """Return what ab or a server printed, which reports point to."""
    files = {f"{RAW_FOLDER}/{path.name}": path for path in safe_files.real_folder(folder / RAW_FOLDER).glob("*")}
    if rest not in files:
        return _line(f"{folder.name} has no {rest!r}", HTTPStatus.NOT_FOUND)
    return Response(safe_files.read(files[rest], _RAW_AT_MOST), "text/plain; charset=utf-8")


def _html(text: str) -> Response:
    return Response(text.encode(errors="backslashreplace"))


def _line(text: str, status: HTTPStatus) -> Response:
    return Response(
        f"{' '.join(text.split())}\n".encode(errors="backslashreplace"), "text/plain; charset=utf-8", status
    )


class _Handler(BaseHTTPRequestHandler):
    server_version = "ab-runner"
    sys_version = ""
    timeout = 30
    """Seconds that a request may take to come."""

    def __init__(self, site: Site, *rest: Any) -> None:
        self._site = site
        super().__init__(*rest)

    def handle(self) -> None:
        with suppress(ConnectionError):  # whoever asked has gone
            super().handle()

    def do_GET(self) -> None:
        head_only = self.command == "HEAD"
        host = self.headers.get("Host", "").partition(":")[0]
        if host not in _NAMES:
            answer = _line(f"{host!r} is not a name of this server; use {ADDRESS}", HTTPStatus.FORBIDDEN)
        elif self.headers.get("Sec-Fetch-Site", "none") not in _OUR_SITES:
            answer = _line("a page from elsewhere asked for this; open it by its address", HTTPStatus.FORBIDDEN)
        else:
            answer = self._site.answer(self.path, head_only)
        self.send_response(answer.status)
        for name, value in (("Content-Type", answer.kind), *_ALWAYS, *answer.more):
            self.send_header(name, value)
        if not head_only:
            self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        if not head_only:
            self.wfile.write(answer.content)

    do_HEAD = do_GET

    def log_message(self, format: str, *values: object) -> None:
        """Log nothing: a page sends a request every other second."""
