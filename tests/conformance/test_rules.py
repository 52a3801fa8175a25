"""What `./ab-runner check` finds of servers that meet their requirements, and of those that do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.builders import server
from support.fakes import FakeRuntime, FakeServer, Handler
from support.workloads import workload_named

from ab_runner.conformance import check as room
from ab_runner.conformance import rules
from ab_runner.conformance.check import Result, check_server
from ab_runner.conformance.rules import RULES
from ab_runner.load.generator import Completed
from ab_runner.model.message import Code, Message
from ab_runner.model.server import Server

BODY = b"x" * 100
Findings = dict[str, Result]


class Good(Handler):
    """Answers as it must: in HTTP/1.0 and 1.1, kept or not."""

    timeout = 1
    """Seconds: its threads are waited for when the server ends."""
    kept = "keep-alive"
    body = BODY
    date = "Mon, 23 Nov 2026 10:00:00 GMT"

    def do_GET(self) -> None:
        self.answer(self.body)

    def do_HEAD(self) -> None:
        self.answer(b"")

    def answer(self, sent: bytes) -> None:
        asked = self.headers.get("Connection", "").lower()
        keeps = asked == "keep-alive" or (self.request_version == "HTTP/1.1" and asked != "close")
        self.close_connection = not keeps
        is_there = self.path == "/small.html"
        self.wfile.write(
            f"HTTP/1.1 {'200 OK' if is_there else '404 Not Found'}\r\n"
            f"Connection: {self.kept if keeps else 'close'}\r\nDate: {self.date}\r\nLast-Modified: {self.date}\r\n"
            f"Content-Length: {len(self.body) if is_there else 0}\r\n\r\n".encode()
        )
        self.wfile.write(sent if is_there else b"")


def no_load(server: Server, command: Sequence[str]) -> Completed:
    raise AssertionError("a check makes no load")


def serving(handler: type[Handler]) -> type[FakeServer]:
    return type("Serving", (FakeServer,), {"handler": handler})


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Findings]:
    """What is found of a server of small files, by rule."""
    monkeypatch.setattr(room, "READY_SECONDS", 1.0)
    monkeypatch.setattr(rules, "MANY", 3)  # a simple server's backlog is 5
    (tmp_path / "small.html").write_bytes(BODY)

    def found(handler: type[Handler], server_type: type[FakeServer] | None = None, **changes: Any) -> Findings:
        runtime = FakeRuntime(tmp_path, no_load, server_type=server_type or serving(handler))
        one = server("good-1", workloads=("small", "small-keepalive"), **changes)
        workloads = tuple(map(workload_named, one.workloads))
        findings = list(check_server(runtime, one, workloads, tmp_path))
        assert not any(each.alive for each in runtime.running)
        return {each.rule.name if each.rule else "start": each for each in findings}

    return found


def test_a_server_that_meets_all_requirements_has_no_complaint(found: Callable[..., Findings]) -> None:
    findings = found(Good)
    assert list(findings) == [rule.name for rule in RULES]
    assert [each.complaint for each in findings.values()] == [None] * len(RULES)
    assert all(each.as_declared for each in findings.values())


@pytest.mark.parametrize(
    ("rule", "changes", "complaint"),
    [
        ("answers", {"body": b"y" * 100}, "small (GET /small.html): wrong bytes"),
        ("keep-alive", {"kept": "Maybe"}, "Connection is 'Maybe', not keep-alive"),
        ("http-1.1", {"kept": "close"}, "the answer says that the connection is closed"),
        ("dates", {"date": "yesterday"}, "small: date is 'yesterday'"),
        ("head", {"do_HEAD": Good.do_GET}, "status 200, Content-Length '100' and 100 bytes, not 200, '100' and none"),
    ],
)
def test_a_broken_rule_is_named_with_what_came_back(
    found: Callable[..., Findings], rule: str, changes: dict[str, Any], complaint: str
) -> None:
    finding = found(type("Bad", (Good,), changes))[rule]
    assert (finding.complaint, finding.as_declared) == (complaint, False)


def test_what_is_declared_must_be_so(found: Callable[..., Findings]) -> None:
    findings = found(Good, lacks=("head",), exceptions={"headers": "It has no Date."})
    wrong = {name: each.declared for name, each in findings.items() if not each.as_declared}
    assert wrong == {"head": "lacks head", "dates": "exception: It has no Date."}
    without = found(type("NoDate", (Good,), {"date": "never"}), exceptions={"headers": "It has no Date."})
    assert without["dates"].as_declared


class Immortal(FakeServer):
    handler = Good

    def terminate(self, seconds: float) -> bool:
        return False


def test_a_server_that_ignores_sigterm_is_found(found: Callable[..., Findings]) -> None:
    assert found(Good, Immortal)["sigterm"].complaint == "it still runs after 10 s"


class Dead(FakeServer):
    def ended(self) -> Message | None:
        return Message(Code.EXITED, {"status": 3, "who": "server"})


def test_a_server_that_has_ended_is_asked_nothing(found: Callable[..., Findings]) -> None:
    findings = found(Good, Dead)
    assert list(findings) == ["start"]
    assert findings["start"].complaint == "server exited with 3"
    assert not findings["start"].as_declared


def test_a_server_that_answers_nonsense_breaks_rules_and_nothing_else(found: Callable[..., Findings]) -> None:
    class Nonsense(Good):
        def answer(self, sent: bytes) -> None:
            self.wfile.write(b"HTTP/1.1 200 \x1b[31m\r\nContent-Length: -1\r\n\r\n")
            self.close_connection = True

    assert "start" in found(Nonsense)
