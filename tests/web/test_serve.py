"""The local page with all sweeps; e2e/test_browser.py opens it."""

from __future__ import annotations

import http.client
import json
import os
import socket
import struct
from collections.abc import Callable, Iterator
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import quote

import pytest
from support.builders import NOON
from support.evil_sweep import EVIL, evil_sweep
from support.serving import keep, serving
from support.small_sweep import STORED

from ab_runner.cli.main import main
from ab_runner.model.records import ResumeRecord
from ab_runner.store.reader import Stored, read
from ab_runner.web import serve
from ab_runner.web.serve import ADDRESS


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    store = keep(folder / "one", STORED)
    store.keep_raw("x.txt", "This is ApacheBench")
    store.close()
    keep(folder / "evil <b>", evil_sweep()).close()
    (folder / "published").mkdir()
    (folder / "latest").symlink_to("one")
    return folder


@pytest.fixture
def port(results: Path) -> Iterator[int]:
    with serving(results) as port:
        yield port


def get(port: int, path: str, host: str = ADDRESS, method: str = "GET") -> tuple[HTTPResponse, str]:
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=30)
    connection.request(method, path, headers={"Host": f"{host}:{port}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def test_every_sweep_is_listed_once_with_its_state(port: int) -> None:
    answer, text = get(port, "/")
    assert answer.status == 200
    assert text.count('href="one/"') == 1
    assert "latest" not in text.partition("<main")[2]
    assert 'href="published' not in text
    assert "not complete" in text, "nothing was measured of large"


def test_a_name_with_special_characters_is_text_and_leads_to_its_report(port: int) -> None:
    _, text = get(port, "/")
    assert "evil &lt;b&gt;" in text
    assert "<b>" not in text
    answer, page = get(port, f"/{quote('evil <b>')}/")
    assert answer.status == 200
    assert EVIL not in page


def test_a_report_is_the_page_that_the_sweep_would_write_and_its_raw_output_is_there(port: int) -> None:
    answer, text = get(port, "/one/")
    assert answer.status == 200
    assert STORED.sweep.id in text
    assert get(port, "/one/raw/x.txt")[1] == "This is ApacheBench"
    answer, _ = get(port, "/one")
    assert (answer.status, answer.headers["Location"]) == (301, "/one/")


@pytest.mark.parametrize(
    "path",
    ["/two/", "/latest/", "/..", "/../", "/%2e%2e/", "/one/sweep.json", "/one/raw/../sweep.json",
     "/one/raw/%2e%2e%2fsweep.json", "/one/raw/%2e%2e/sweep.json", "/one/raw/", "//etc/passwd", "/one/raw/%00"],
)  # fmt: skip
def test_nothing_else_is_given_out(port: int, path: str) -> None:
    answer, text = get(port, path)
    assert answer.status == 404, text
    assert text.count("\n") == 1


def test_what_is_no_address_is_told_so(port: int) -> None:
    assert get(port, "http://[/")[0].status == 400


def test_whoever_goes_away_while_it_is_answered_leaves_no_traceback(
    port: int, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        with socket.create_connection((ADDRESS, port)) as connection:
            connection.sendall(f"GET /one/ HTTP/1.0\r\nHost: {ADDRESS}\r\n\r\n".encode())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert get(port, "/")[0].status == 200
    assert capfd.readouterr().err == ""


def test_only_this_host_by_its_own_names_is_answered(port: int) -> None:
    """Else a page from elsewhere could read results by a name that it made lead to 127.0.0.1."""
    assert get(port, "/", host="evil.example")[0].status == 403
    assert get(port, "/", host="localhost")[0].status == 200


def test_a_running_sweep_is_followed(port: int, results: Path) -> None:
    half = Stored(STORED.sweep, STORED.records[:2])
    store = keep(results / "two", half)
    text = get(port, "/")[1]
    assert 'aria-label="Running: two"' in text
    assert "ceiling small c=100: 40,000 rps" in text
    before, _ = get(port, "/two/", method="HEAD")
    store.append(STORED.records[2])
    after, _ = get(port, "/two/", method="HEAD")
    assert before.headers["ETag"] != after.headers["ETag"]
    assert "jetty-12.1 small c=1: ≥ 5,000 rps" in get(port, "/")[1]
    assert 'data-running="yes"' in get(port, "/two/")[1]
    store.close()
    ended, text = get(port, "/two/")
    assert ended.headers["ETag"] != after.headers["ETag"]
    assert 'data-running="no"' in text
    text = get(port, "/")[1]
    assert "Running" not in text
    assert "ended unexpectedly" in text


def test_a_sweep_that_was_resumed_and_killed_broke_off(port: int, results: Path) -> None:
    keep(results / "three", STORED, ResumeRecord(at=NOON, differences=())).close()
    assert "ended unexpectedly" in get(port, "/")[1]


def test_sweeps_are_compared_the_older_first_and_what_cannot_be_is_a_line(port: int, results: Path) -> None:
    keep(results / "two", STORED).close()
    answer, text = get(port, "/compare?sweep=two&sweep=one")
    assert answer.status == 200
    assert text.count("<svg") == 1
    answer, text = get(port, "/compare?sweep=one")
    assert (answer.status, text) == (409, "compare needs 2 to 26 sweeps, and was given 1\n")
    assert get(port, "/compare?sweep=one&sweep=none")[0].status == 404


def test_a_sweep_that_cannot_be_read_is_named_and_the_others_are_listed(port: int, results: Path) -> None:
    keep(results / "no log", STORED).close()
    (results / "no log" / "trials.jsonl").unlink()
    assert "trials.jsonl is missing" in get(port, f"/{quote('no log')}/")[1]
    (results / "broken").mkdir()
    (results / "broken" / "sweep.json").write_text("{")
    _, text = get(port, "/")
    assert "broken/sweep.json" in text
    assert 'href="one/"' in text
    assert get(port, "/broken/")[0].status in (409, 500)


def test_nothing_is_given_out_through_a_link_or_from_what_is_no_file(port: int, results: Path, tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "id").write_text("secret")
    raw = results / "one" / "raw"
    (raw / "link").symlink_to(tmp_path / "keys" / "id")
    os.mkfifo(raw / "fifo")
    with (raw / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    keep(results / "two", STORED).close()
    (results / "two" / "raw").rmdir()
    (results / "two" / "raw").symlink_to(tmp_path / "keys")
    (results / "linked").symlink_to(results / "one")
    for path in ("one/raw/link", "one/raw/fifo", "one/raw/sparse", "two/raw/id", "linked/", "linked/raw/x.txt"):
        answer, text = get(port, f"/{path}")
        assert answer.status in (404, 500), path
        assert "secret" not in text
        assert text.count("\n") == 1


def without_a_time_zone(folder: Path) -> None:
    path = folder / "sweep.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"started": "2026-01-01T00:00:00"}))


def with_a_linked(name: str) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        (folder / name).rename(folder / "elsewhere")
        (folder / name).symlink_to("elsewhere")

    return plant


def with_a_fifo_as(name: str) -> Callable[[Path], None]:
    def plant(folder: Path) -> None:
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return plant


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (without_a_time_zone, "started"),
        (with_a_linked("sweep.json"), "bad/sweep.json: cannot be read: it is a symbolic link"),
        (with_a_linked("trials.jsonl"), "bad/trials.jsonl: cannot be read: it is a symbolic link"),
        (with_a_fifo_as("sweep.json"), "bad/sweep.json: cannot be read: it is not a regular file"),
        (with_a_fifo_as("trials.jsonl"), "bad/trials.jsonl: cannot be read: it is not a regular file"),
    ],
)
def test_a_bad_folder_shows_its_problem_and_the_list_has_the_others(
    port: int, results: Path, spoil: Callable[[Path], None], expected: str
) -> None:
    keep(results / "bad", STORED).close()
    spoil(results / "bad")
    answer, text = get(port, "/")
    assert answer.status == 200
    assert expected in text
    assert 'href="one/"' in text
    answer, text = get(port, "/bad/")
    assert answer.status == 409
    assert expected in text


def test_a_sweep_that_nothing_here_was_made_for_is_a_line_and_the_others_are_listed(
    port: int, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(results / "bad", STORED).close()

    def failing(folder: Path) -> Stored:
        if folder.name == "bad":
            raise MemoryError
        return read(folder)

    monkeypatch.setattr(serve, "read", failing)
    _, text = get(port, "/")
    assert "bad: cannot be shown: MemoryError()" in text
    assert 'href="one/"' in text
    answer, text = get(port, "/bad/")
    assert (answer.status, text) == (500, "cannot be shown: MemoryError()\n")


def test_a_folder_whose_name_is_no_text_is_shown_as_it_can_be(port: int, results: Path) -> None:
    keep(results / os.fsdecode(b"\xff"), STORED).close()
    answer, text = get(port, "/")
    assert answer.status == 200
    assert r"\udcff: cannot be shown" in text
    assert 'href="one/"' in text


def test_a_folder_without_sweeps_says_how_to_make_one(tmp_path: Path) -> None:
    with serving(tmp_path) as port:
        assert "There is no sweep yet" in get(port, "/")[1]


def test_a_taken_port_and_a_missing_folder_are_one_line(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["ab-runner", "serve", "--port", str(port), str(tmp_path)])
    assert main() == 2
    assert f"port {port}: address already in use; choose another with --port" in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["ab-runner", "serve", str(tmp_path / "none")])
    assert main() == 2
    assert capsys.readouterr().err.count("\n") == 1
