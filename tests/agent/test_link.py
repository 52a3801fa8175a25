"""The transfer that measures a link, over loopback."""

from __future__ import annotations

import socket
import threading

import pytest
from support.free_ports import first_of_free_ports
from support.waiting import until

from ab_runner.agent import link


def test_what_comes_in_a_second_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "SENDS_SECONDS", 3.0)
    monkeypatch.setattr(link, "_SECONDS", 0.2)
    port, threads = first_of_free_ports(1), threading.active_count()
    sender = threading.Thread(target=link.send, args=(port,))
    sender.start()
    assert link.receive("127.0.0.1", port) > 1e6
    sender.join(timeout=10)
    assert not sender.is_alive(), "it ends by itself"
    until(lambda: threading.active_count() <= threads)


def test_where_nobody_sends_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "_CONNECT_SECONDS", 0.3)
    with pytest.raises(OSError, match="refused"):
        link.receive("127.0.0.1", first_of_free_ports(1))


def test_a_link_over_which_nothing_arrives_is_an_error_and_has_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(OSError, match="no bytes arrive"):
        link.receive("127.0.0.1", silent.getsockname()[1])
