"""A generator in a container: its commands, and the files that they leave."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from ab_runner.load.generator import Completed
from ab_runner.model.message import Code, Message
from ab_runner.monitor.watch import Accounts
from ab_runner.runtime.agent import AGENT, IN_CONTAINER, Agent
from ab_runner.runtime.base import INTERRUPT_SECONDS, OVER_TIME, TAKEN_AT_MOST
from ab_runner.runtime.docker_commands import down
from ab_runner.runtime.engine import Engine
from ab_runner.runtime.shell import Shell

STATE = "{{.State.Status}} {{.State.OOMKilled}} {{.State.ExitCode}}"
"""What `docker inspect` is asked about whether a container runs."""
FIXTURES_IN_CONTAINER = "/srv/www"
_FOLDER = "/tmp"
"""The generator's, which is in memory."""
_TAKE = f'[ -f "$0" ] && [ ! -L "$0" ] && head -c {TAKEN_AT_MOST + 1} "$0" && rm "$0"'
"""For sh: prints a file, which must be a regular one, and removes it."""
_TAKE_SECONDS = 30.0
"""Longest time that a file of the generator's may take."""


class GeneratorContainer:
    """A container on an engine that runs the commands of a generator, its agent, and the shells of containers beside
    it, under the names that Compose gives them."""

    def __init__(self, on: Engine, project: str, generator: str) -> None:
        """`generator` is its service in compose.yaml."""
        self.generator_folder = _FOLDER
        self.generator_fixtures = FIXTURES_IN_CONTAINER
        self.accounts: Accounts | None = None
        self._on = on
        self._project = project
        self._generator = f"{project}-{generator}-1"
        self._beside = f"{project}-{AGENT}-1"
        self._agent: Agent | None = None
        self._is_removed = False
        self._shells: dict[str, Shell] = {}
        """Of containers, by their names."""

    def _open_agent(self) -> Agent:
        """Return the agent beside it, and open its shell meanwhile."""
        self._shell(self._generator)
        self._agent = Agent(self._on.docker("exec", "--interactive", self._beside, *IN_CONTAINER))
        return self._agent

    def generate(self, command: Sequence[str], time_limit: float) -> Completed:
        """Run a command in the generator's container, for `time_limit` seconds at the most."""
        bounded = ["timeout", "--signal=INT", f"--kill-after={INTERRUPT_SECONDS}", f"{time_limit:.0f}", *command]
        try:
            done = self._shell(self._generator).run(bounded, time_limit + 30)
        except subprocess.TimeoutExpired:
            return Completed(OVER_TIME, "", "the Docker engine did not answer in time")
        return Completed(done.exit_code, text_of(done.stdout), text_of(done.stderr))

    def take(self, name: str) -> bytes | None:
        """Return a regular file of a plausible size that the generator left, and remove it; None without one."""
        try:
            done = self._shell(self._generator).run(["sh", "-c", _TAKE, f"{_FOLDER}/{name}"], _TAKE_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout if done.exit_code == 0 and len(done.stdout) <= TAKEN_AT_MOST else None

    def _shell(self, container: str) -> Shell:
        """Return the container's shell. One that was closed, because something took too long, is opened again."""
        shell = self._shells.get(container)
        if shell is None or not shell.is_open():
            if shell is not None:
                shell.close()
            shell = self._shells[container] = Shell(self._on, container)
        return shell

    def hang_up(self) -> None:
        """End all connections to the containers; may be called twice."""
        for shell in self._shells.values():
            shell.close()
        if self._agent is not None:
            self._agent.close()

    def remove(self, seconds: float = 1) -> None:
        """Remove the containers, unless they are gone, and try for so long to do it. RuntimeUnusable if that does not
        work."""
        if not self._is_removed:
            down(self._on, self._project, seconds)
            self._is_removed = True


def text_of(output: bytes) -> str:
    """Return what was printed, whatever it is."""
    return output.decode(errors="backslashreplace")


def end_of_container(who: str, state: str) -> Message | None:
    """Return how `who` ended, by what `STATE` prints of its container; None while it runs."""
    status, out_of_memory, code = state.split()
    if status == "running":
        return None
    if status != "exited":
        return Message(Code.CONTAINER_STATE, {"state": status, "who": who})
    if out_of_memory == "true":
        return Message(Code.RAN_OUT_OF_MEMORY, {"who": who})
    return Message(Code.EXITED, {"status": int(code), "who": who})
