"""Runs the commands of a generator, and keeps the files that they leave."""

from __future__ import annotations

from collections.abc import Sequence

from ab_runner.load.generator import Completed
from ab_runner.runtime.base import RunningGenerator
from ab_runner.store.writer import Store


class KeepingExecutor:
    """The `Executor` of a generator beside a server or on a load host. It keeps files in the sweep's folder. `cpus`:
    those that the generator is pinned to; empty where it is not."""

    def __init__(self, generator: RunningGenerator, store: Store, cpus: tuple[int, ...] = ()) -> None:
        self._generator = generator
        self._store = store
        self.cpus = cpus
        self.folder = generator.generator_folder
        self.fixtures = generator.generator_fixtures

    def execute(self, command: Sequence[str], time_limit: float) -> Completed:
        """Run a command for at most this many seconds, and return how it ended."""
        return self._generator.generate(command, time_limit)

    def take(self, name: str) -> str | None:
        """Return the text of a file that a command left, and keep it; None if there is none."""
        content = self._generator.take(name)
        if content is None:
            return None
        self._store.keep(name, content)
        return content.decode("utf-8", errors="replace")
