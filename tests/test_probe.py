"""Against servers that really listen: one that behaves, and ones that each do one thing wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import server
from fakes import FakeRuntime, FakeServer, recorded
from golden.ab import misbehave
from golden.ab.outputs import golden

from ab_runner import probe
from ab_runner.ab import parse
from ab_runner.model import LoadReport, Workload, workload

FIXTURE = misbehave.BODY
HOST = "127.0.0.1:8080"


@pytest.fixture
def fixtures(tmp_path: Path) -> Path:
    (tmp_path / "small.html").write_bytes(FIXTURE)
    return tmp_path


@pytest.fixture
def good(fixtures: Path) -> Iterator[FakeServer]:
    running = FakeRuntime(fixtures, lambda server, command: recorded("close")).start(server("a-1"), "1")
    yield running
    running.stop()


def complaint(mode: str, fixtures: Path, asked: Workload) -> str:
    with misbehave.serving(mode) as port, pytest.raises(probe.ProbeError) as caught:
        probe.check(("127.0.0.1", port), HOST, asked, fixtures)
    return str(caught.value)


@pytest.mark.parametrize("name", ["small", "small-keepalive"])
def test_a_server_that_answers_as_it_must_passes_with_the_length_of_its_body(
    good: FakeServer, fixtures: Path, name: str
) -> None:
    assert probe.check(good.address, HOST, workload(name), fixtures) == len(FIXTURE)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("not-found", "status 404 instead of 200"),
        ("refuses-http-1-0", probe.REFUSES_HTTP_1_0),
        ("closes-without-data", "closes without an answer"),
        ("short-body", "bytes instead of 100"),
        ("never-closes", "does not close the connection"),
        ("well-behaved", "instead of 404 for a file that is not there"),
    ],
)
def test_a_wrong_answer_is_named(mode: str, expected: str, fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "TIMEOUT", 0.2)
    assert expected in complaint(mode, fixtures, workload("small"))


def test_other_bytes_of_the_right_length_are_wrong(good: FakeServer, fixtures: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "small.html").write_bytes(b"z" * len(FIXTURE))
    with pytest.raises(probe.ProbeError, match="wrong bytes"):
        probe.check(good.address, HOST, workload("small"), other)


@pytest.mark.parametrize("mode", ["says-keep-alive-then-closes", "open-without-header"])
def test_a_server_that_does_not_keep_alive_as_ab_needs_it_is_found_out(mode: str, fixtures: Path) -> None:
    assert complaint(mode, fixtures, workload("small-keepalive")) == probe.NO_KEEP_ALIVE


def test_a_server_that_gives_out_what_lies_outside_is_found_out(
    fixtures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document root of `/` stands for a server that can be talked into leaving its own."""
    monkeypatch.setattr(probe, "_TRAVERSALS", ("/etc/passwd",))
    running = FakeRuntime(Path("/"), lambda server, command: recorded("close")).start(server("a-1"), "1")
    try:
        with pytest.raises(probe.ProbeError, match="gives out a file for /etc/passwd"):
            probe._check_guarded(running.address)
    finally:
        running.stop()


def test_waiting_ends_at_once_when_the_server_has_ended(fixtures: Path) -> None:
    with pytest.raises(probe.ProbeError, match="exited with 1"):
        probe.wait_until_ready(("127.0.0.1", 1), workload("small"), 60, lambda: "exited with 1")


def test_a_server_that_never_gets_ready_is_given_up_with_its_last_answer(fixtures: Path) -> None:
    with misbehave.serving("not-found") as port, pytest.raises(probe.ProbeError, match="it answers 404"):
        probe.wait_until_ready(("127.0.0.1", port), workload("small"), 0.1, lambda: None)


def test_a_server_that_refuses_http_1_0_is_up_and_not_waited_for() -> None:
    with misbehave.serving("refuses-http-1-0") as port:
        probe.wait_until_ready(("127.0.0.1", port), workload("small"), 60, lambda: None)
        assert probe.is_alive(("127.0.0.1", port), workload("small"))


def test_ab_and_the_probe_send_the_same_request() -> None:
    """The echo server's answer is as long as the request, so the probe must ask exactly as ab does."""
    report = parse(*golden("echo"))
    assert isinstance(report, LoadReport)
    assert report.document_length == len(probe.request_head("/small.html", host="127.0.0.1:18200"))
