"""Which hosts load may come from."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from support.builders import sweep

from ab_runner.errors import UserError
from ab_runner.runtime import docker_commands
from ab_runner.runtime.engine import Engine
from ab_runner.sweep.ready import runtime_choice

ENDPOINTS = {"lab2": "ssh://lab2", "lab3": "ssh://lab3", "again": "ssh://lab2", "server": "ssh://lab1"}


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("lab2", "lab3", "again"), "load hosts lab2 and again are one host"),
        (("lab2", "server"), "load host server is the server's host"),
    ],
)
def test_hosts_under_two_names_are_refused(names: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime_choice, "engine_of", lambda name: Engine(name, ENDPOINTS[name]))
    monkeypatch.setattr(docker_commands, "why_unusable", lambda on: None)
    request = replace(sweep().request, load_hosts=names)
    with pytest.raises(UserError, match=says):
        runtime_choice._load_hosts(request, Engine("lab1", "ssh://lab1"))
