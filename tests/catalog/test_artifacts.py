"""The cache of files that no registry has, against a real web server that breaks off, drips and lies."""

from __future__ import annotations

import hashlib
import http.server
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from support import builders

from ab_runner.catalog import artifacts
from ab_runner.catalog.artifacts import ArtifactError
from ab_runner.catalog.catalog import Catalog
from ab_runner.cli.main import main
from ab_runner.model.server import Artifact
from ab_runner.sweep.ready.prepare import provide

CONTENT = bytes(range(256)) * 1000


class Origin:
    """Serves `content`, at most `cut` bytes of a body; with a `pause` it sends them one by one."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.cut: int | None = None
        self.pause: float | None = None
        self.asked: list[str | None] = []
        origin = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                origin.answer(self)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/a.jar"

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        self.asked.append(request.headers.get("Range"))
        if not self.content:
            request.send_error(404)
            return
        request.send_response(200)
        request.send_header("Content-Length", str(len(self.content)))
        request.end_headers()
        body = self.content[: self.cut]
        if self.pause is None:
            request.wfile.write(body)
            return
        for byte in body:
            try:
                request.wfile.write(bytes([byte]))
            except OSError:  # the client has hung up
                return
            time.sleep(self.pause)


@pytest.fixture
def origin() -> Iterator[Origin]:
    origin = Origin()
    thread = threading.Thread(target=origin.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield origin
    origin.server.shutdown()
    origin.server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ab-runner" / "artifacts"


def artifact(url: str) -> Artifact:
    return Artifact("a.jar", hashlib.sha256(CONTENT).hexdigest(), len(CONTENT), "Apache-2.0", url)


def names(folder: Path) -> list[str]:
    """Return what is in a folder, be it there or not."""
    return sorted(each.name for each in folder.glob("*"))


def test_a_fetched_file_is_kept_under_its_name_and_readable_for_servers(origin: Origin, cache: Path) -> None:
    wanted = artifact(origin.url)
    assert artifacts.state_of(wanted) == "missing"
    artifacts.fetch(wanted)
    assert artifacts.state_of(wanted) == "present"
    assert names(cache) == ["a.jar"]
    assert artifacts.path_of(wanted).read_bytes() == CONTENT
    assert artifacts.path_of(wanted).stat().st_mode & 0o777 == 0o644


def test_a_download_that_broke_off_leaves_nothing_and_the_next_attempt_begins_anew(origin: Origin, cache: Path) -> None:
    wanted = artifact(origin.url)
    origin.cut = 100_000
    with pytest.raises(ArtifactError, match=r"ended after 100,000 of 256,000 bytes"):
        artifacts.fetch(wanted)
    assert artifacts.state_of(wanted) == "missing"
    assert names(cache) == []
    origin.cut = None
    artifacts.fetch(wanted)
    assert origin.asked == [None, None]
    assert artifacts.path_of(wanted).read_bytes() == CONTENT


def test_a_download_that_takes_too_long_is_given_up(
    origin: Origin, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifacts, "_DOWNLOAD_SECONDS", 0.1)
    origin.pause = 0.01
    with pytest.raises(ArtifactError, match=rf"{origin.url} cannot be fetched: too slow, [0-9]+ of 256,000 bytes"):
        artifacts.fetch(artifact(origin.url))
    assert names(cache) == []


@pytest.mark.parametrize("wrong", [CONTENT[::-1], CONTENT + b"x"], ids=["other bytes", "more bytes"])
def test_a_wrong_file_is_not_kept_and_does_not_spoil_the_next_attempt(
    origin: Origin, cache: Path, wrong: bytes
) -> None:
    wanted = artifact(origin.url)
    origin.content = wrong
    with pytest.raises(ArtifactError, match=r"serves another file \(sha256 [0-9a-f]{64}\) than a\.jar"):
        artifacts.fetch(wanted)
    assert names(cache) == []
    origin.content = CONTENT
    artifacts.fetch(wanted)
    assert artifacts.state_of(wanted) == "present"


def test_a_download_of_a_wrong_file_that_broke_off_does_not_spoil_the_next_attempt(origin: Origin, cache: Path) -> None:
    wanted = artifact(origin.url)
    origin.content, origin.cut = CONTENT[::-1], 1000
    with pytest.raises(ArtifactError, match="ended after"):
        artifacts.fetch(wanted)
    assert names(cache) == []
    origin.content, origin.cut = CONTENT, None
    artifacts.fetch(wanted)
    assert artifacts.state_of(wanted) == "present"


def test_a_cache_that_cannot_be_written_is_named_with_the_reason(origin: Origin, cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.touch()
    with pytest.raises(ArtifactError, match=rf"a\.jar cannot be stored in {cache}: File exists"):
        artifacts.fetch(artifact(origin.url))


def test_an_error_names_the_address_and_what_went_wrong(origin: Origin) -> None:
    origin.content = b""
    with pytest.raises(ArtifactError, match=rf"{origin.url} answers 404 Not Found"):
        artifacts.fetch(artifact(origin.url))
    with pytest.raises(ArtifactError, match=r"http://127\.0\.0\.1:1/a\.jar cannot be fetched: .*refused"):
        artifacts.fetch(artifact("http://127.0.0.1:1/a.jar"))


def test_a_file_that_was_damaged_in_the_cache_is_fetched_again(origin: Origin) -> None:
    wanted = artifact(origin.url)
    artifacts.fetch(wanted)
    artifacts.path_of(wanted).write_bytes(CONTENT[:-1])
    assert artifacts.state_of(wanted) == "damaged"
    artifacts.fetch(wanted)
    assert artifacts.state_of(wanted) == "present"


def test_a_file_from_elsewhere_is_known_by_its_sha256_alone(tmp_path: Path) -> None:
    wanted = artifact("https://example.org/a.jar")
    file = tmp_path / "renamed"
    file.write_bytes(CONTENT)
    file.chmod(0o600)
    assert artifacts.add(file, [wanted]) == wanted
    assert artifacts.state_of(wanted) == "present"
    assert artifacts.path_of(wanted).stat().st_mode & 0o777 == 0o644


def test_a_file_that_no_server_needs_is_refused_with_those_that_are_needed(tmp_path: Path, cache: Path) -> None:
    file = tmp_path / "a.jar"
    file.write_bytes(b"other")
    with pytest.raises(ArtifactError, match=r"sha256 [0-9a-f]{64} matches no file that a server needs; .* a\.jar"):
        artifacts.add(file, [artifact("https://example.org/a.jar")])
    assert not cache.exists()


def test_a_file_of_a_cache_whose_names_had_the_sha256_is_taken_by_add(cache: Path) -> None:
    wanted = artifact("https://example.org/a.jar")
    cache.mkdir(parents=True)
    earlier = cache / f"{wanted.sha256}-a.jar"
    earlier.write_bytes(CONTENT)
    artifacts.add(earlier, [wanted])
    assert artifacts.state_of(wanted) == "present"


@pytest.mark.parametrize(("content", "state"), [(CONTENT, "present"), (CONTENT[::-1], "missing")])
def test_a_file_under_its_former_name_is_used_if_it_is_the_right_one(cache: Path, content: bytes, state: str) -> None:
    wanted = artifact("https://example.org/a.jar")
    cache.mkdir(parents=True)
    (cache / f"{wanted.sha256}-a.jar").write_bytes(content)
    assert artifacts.state_of(wanted) == state
    assert artifacts.path_of(wanted).exists() == (state == "present")


def test_several_files_are_added_at_once(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = artifact("https://example.org/a.jar")
    server = builders.server("a-1", artifacts=(wanted,))
    monkeypatch.setattr("ab_runner.cli.artifacts.load_catalog", lambda: Catalog(Path(), {server.id: server}, {}))
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(CONTENT)
    monkeypatch.setattr("sys.argv", ["ab-runner", "artifacts", "add", str(tmp_path / "one"), str(tmp_path / "two")])
    assert main() == 0
    assert artifacts.state_of(wanted) == "present"


def test_a_sweep_fetches_what_is_missing_and_says_how_to_get_what_it_cannot(origin: Origin) -> None:
    here = artifact(origin.url)
    gone = msgspec.structs.replace(here, file="b.jar", sha256="0" * 64, url="http://127.0.0.1:1/b.jar")
    servers = [
        builders.server("cindy-1", artifacts=(here,)),
        builders.server("cindy-2", artifacts=(gone,)),
        builders.server("cindy-2-nio", artifacts=(gone,)),
        builders.server("tomcat-5"),
    ]
    told: list[str] = []
    skipped = provide(servers, told.append)
    assert told == ["fetching a.jar, b.jar"]
    assert list(skipped) == ["cindy-2", "cindy-2-nio"]
    for part in (
        "./ab-runner artifacts fetch",
        "./ab-runner artifacts add FILE",
        "http://127.0.0.1:1/b.jar",
        "refused",
    ):
        assert part in skipped["cindy-2"].detail
    assert artifacts.unavailable(servers[0]) is None
    assert "needs b.jar" in str(artifacts.unavailable(servers[1]))
