"""A machine that a test makes up, for commands that begin a sweep."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import pytest
from support.fakes import FakeRuntime

from ab_runner import paths
from ab_runner.host import facts
from ab_runner.host.machine import CpuSplit
from ab_runner.load.generator import Completed, Generator
from ab_runner.model.server import Server
from ab_runner.runtime import docker_commands
from ab_runner.runtime.base import RuntimeUnusable
from ab_runner.runtime.engine import Engine
from ab_runner.sweep.ready import runtime_choice


class MadeUp:
    """A machine with so many CPUs, and a runtime whose loads end with what `answer` returns. It fails when no
    `loads_left`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answer: Callable[[Sequence[str]], Completed]) -> None:
        self._monkeypatch = monkeypatch
        self._answer = answer
        self.loads_left = 1_000
        self.runtimes: list[FakeRuntime] = []
        self.generators: list[str] = []
        monkeypatch.setattr("ab_runner.host.cooldown.WAIT_SECONDS", 0)
        monkeypatch.setattr(docker_commands, "why_unusable", lambda on: None)
        monkeypatch.setattr(runtime_choice, "DockerRuntime", self._runtime)
        monkeypatch.setattr(runtime_choice, "engine_machine", lambda on: None)

    def has(self, cpus: int) -> None:
        self._monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(cpus)), raising=False)
        self._monkeypatch.setattr(facts, "_siblings", lambda cpu: {cpu})

    def _runtime(
        self, cpus: CpuSplit, network: str, jdk: int, generator: Generator, there: None, on: Engine, load_hosts: None
    ) -> FakeRuntime:
        made = FakeRuntime(paths.FIXTURES / "files", self._load)
        made.server_cpus, made.generator_cpus = cpus.server, cpus.generator
        self.runtimes.append(made)
        self.generators.append(generator.name)
        return made

    def _load(self, server: Server, command: Sequence[str]) -> Completed:
        self.loads_left -= 1
        if self.loads_left < 0:
            raise RuntimeUnusable("the engine is gone")
        return self._answer(command)
