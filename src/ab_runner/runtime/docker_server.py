"""The containers of a server, its generator and its agent: what runs in them, commands, and their end."""

from __future__ import annotations

import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ab_runner.host.facts import SYSCTLS, cpu_list
from ab_runner.host.safe_files import create
from ab_runner.load.generator import Completed
from ab_runner.model.message import Code, Message
from ab_runner.model.server import Server
from ab_runner.monitor.accounting import Cgroup
from ab_runner.monitor.watch import Accounts, accounts_of
from ab_runner.runtime import engine, perf_files
from ab_runner.runtime.agent import IN_CONTAINER, Agent, AgentAccounts
from ab_runner.runtime.base import (
    INTERRUPT_SECONDS,
    OVER_TIME,
    PORT,
    TAKEN_AT_MOST,
    RuntimeUnusable,
    StartError,
    end_of,
    last_lines,
    version_command,
    with_printed,
)
from ab_runner.runtime.docker_commands import ENGINE_SECONDS, checked, down, run, why_unusable
from ab_runner.runtime.shell import Shell

AGENT = "agent"
"""Its service in compose.yaml."""
_FOLDER = "/tmp"
"""The generator's, which is in memory."""
_TAKE = f'[ -f "$0" ] && [ ! -L "$0" ] && head -c {TAKEN_AT_MOST + 1} "$0" && rm "$0"'
"""For sh: prints a file, which must be a regular one, and removes it."""
FIXTURES_IN_CONTAINER = "/srv/www"
_FACTS = (
    "{{.State.Pid}}|{{.Id}}|{{.Image}}|{{.HostConfig.Memory}}|{{.HostConfig.PidsLimit}}|"
    "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
)
"""What `docker inspect` is asked about a container."""
_ANSWER_SECONDS = 5.0
"""Longest time that a JVM's counters may take."""
_TAKE_SECONDS = 30.0
"""Longest time that a file of the generator's may take."""
_ENGINE_BACK_SECONDS = 120.0
"""How long a sweep waits for an engine that is restarted."""


class DockerServer:
    """The containers of a server, its generator and its agent, under the names that Compose gives them."""

    def __init__(self, project: str, server: Server, generator: str, log: Path) -> None:
        """`generator` is its service in compose.yaml."""
        self.host = ""
        self.environment: dict[str, str] = {}
        self.accounts: Accounts | None = None
        self.generator_folder = _FOLDER
        self.generator_fixtures = FIXTURES_IN_CONTAINER
        self._project = project
        self._container = f"{project}-{server.id}-1"
        self._generator = f"{project}-{generator}-1"
        self._beside = f"{project}-{AGENT}-1"
        self._is_removed = False
        self._shells: dict[str, Shell] = {}
        """Of containers, by their names."""
        self._server = server
        self._log = log
        self._address = ("127.0.0.1", PORT)
        self._agent: Agent | None = None

    def look_around(self, server_cpus: tuple[int, ...], generator_cpus: tuple[int, ...]) -> None:
        """Find its address, what really runs in it, and its accounts. StartError if it has ended already or cannot be
        reached, subprocess.CalledProcessError if there is no such container."""
        self._shell(self._generator)  # opens while the server is asked, as does the next
        agent = self._agent = Agent(["docker", "exec", "--interactive", self._beside, *IN_CONTAINER])
        lines = checked("docker", "inspect", "--format", _FACTS, self._container, self._generator).splitlines()
        (pid, container, image, memory, pids, ip), (generator_pid, generator, *_) = (line.split("|") for line in lines)
        self._address = (ip or "127.0.0.1", PORT)  # without a network there is loopback alone
        self.host = f"{self._address[0]}:{PORT}"
        self.environment = {
            "image": image,
            "version": self._version(),
            "memory limit": memory,
            "pids limit": pids,
            **self._sysctls(),
        }
        try:
            agent.ask(type(None), "here")
        except OSError as error:
            raise self.start_error(f"the agent beside it does not answer: {error.strerror}") from error
        if not self._server.is_jvm and self._container in self._shells:
            self._shells.pop(self._container).close()  # the memory of a small server would be a shell's as well
        cpus = server_cpus, generator_cpus
        try:  # a control group has all that its processes ever used; it can be seen on this kernel alone
            groups = Cgroup(int(pid), container), Cgroup(int(generator_pid), generator)
            for group in groups:
                group.look()
            self._measure_by("control group", accounts_of(groups[0], groups[1].cpu_seconds, *cpus))
        except OSError:
            with suppress(OSError):  # this system does not show them
                self._measure_by("processes", AgentAccounts(agent, container, generator, *cpus))

    def _measure_by(self, meter: str, accounts: Accounts) -> None:
        self.environment["meter"], self.accounts = meter, accounts

    def connect(self, seconds: float) -> socket.socket:
        """Return a new connection from where the generator is. OSError if there is none within so many seconds."""
        assert self._agent is not None, "it has looked around"
        return self._agent.connect(self._address, seconds)

    def perf_data(self) -> bytes:
        """Return a copy of its JVM's performance counters; empty if there are none."""
        if self._server.is_jvm:
            with suppress(subprocess.TimeoutExpired):
                return self._shell(self._container).run(perf_files.IN_CONTAINER, _ANSWER_SECONDS).stdout
        return b""

    def generate(self, command: Sequence[str], time_limit: float) -> Completed:
        """Run a command in the generator's container, for `time_limit` seconds at the most."""
        bounded = ["timeout", "--signal=INT", f"--kill-after={INTERRUPT_SECONDS}", f"{time_limit:.0f}", *command]
        try:
            done = self._shell(self._generator).run(bounded, time_limit + 30)
        except subprocess.TimeoutExpired:
            return Completed(OVER_TIME, "", "the Docker engine did not answer in time")
        return Completed(done.exit_code, _text(done.stdout), _text(done.stderr))

    def take(self, name: str) -> bytes | None:
        """Return a regular file of a plausible size that the generator left, and remove it; None without one."""
        try:
            done = self._shell(self._generator).run(["sh", "-c", _TAKE, f"{_FOLDER}/{name}"], _TAKE_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout if done.exit_code == 0 and len(done.stdout) <= TAKEN_AT_MOST else None

    def pause(self) -> None:
        """Freeze the server's container."""
        self._change("pause")

    def resume(self) -> None:
        """Let the server's container run again."""
        self._change("unpause")

    def _change(self, verb: str) -> None:
        if engine.post(f"/containers/{self._container}/{verb}"):
            return
        done = run("docker", verb, self._container)
        if done.returncode and self.ended() is None:
            raise RuntimeUnusable(f"docker {verb} {self._container} failed: {last_lines(done.stderr)}")

    def use_cpus(self, cpus: Sequence[int]) -> None:
        """Let it run on these CPUs and no others. RuntimeUnusable if that does not work while it runs."""
        done = run("docker", "update", "--cpuset-cpus", cpu_list(cpus), self._container)
        if done.returncode and self.ended() is None:
            raise RuntimeUnusable(
                f"{self._container} cannot be moved to CPU {cpu_list(cpus)}: {last_lines(done.stderr)}"
            )

    def _shell(self, container: str) -> Shell:
        """Return the container's shell. One that was closed, because something took too long, is opened again."""
        shell = self._shells.get(container)
        if shell is None or not shell.is_open():
            if shell is not None:
                shell.close()
            shell = self._shells[container] = Shell(container)
        return shell

    def _version(self) -> str:
        """Return what really runs, nothing of a server from outside. StartError if the command for it fails, as all do
        where the server has ended already."""
        command = version_command(self._server, "/server")
        if not command:
            return ""
        done = self._shell(self._container).run(command, ENGINE_SECONDS)
        said = _text(done.stdout + done.stderr).strip()
        if done.exit_code:
            raise self.start_error(last_lines(said))
        return said

    def start_error(self, detail: str) -> StartError:
        """Return why it does not start: it has ended, or this."""
        if (end := self.ended()) and end.code in (Code.EXITED, Code.RAN_OUT_OF_MEMORY):
            return StartError(with_printed(msgspec.structs.replace(end, stage="start"), self.printed()))
        return StartError(Message(Code.DOES_NOT_START, detail=detail))

    def ended(self) -> Message | None:
        """Return why there can be no further load; None while server, generator and agent are there."""
        template = "{{.State.Status}} {{.State.OOMKilled}} {{.State.ExitCode}}"
        containers = self._container, self._generator, self._beside
        try:
            states = checked("docker", "inspect", "--format", template, *containers)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return Message(Code.CONTAINERS_GONE if why_unusable() is None else Code.NO_ENGINE)
        ends = map(_end_of, ("server", "generator", "agent"), states.splitlines())
        return next(filter(None, ends), None)

    def printed(self) -> str:
        """Return the last lines that the server has printed; empty if there are none."""
        with tempfile.TemporaryFile() as log:
            done = run("docker", "logs", "--tail", "5", self._container, output=log)
            return end_of(log) if done.returncode == 0 else ""

    def terminate(self, seconds: float) -> bool:
        """Send the server SIGTERM, and return whether it ends within so many seconds."""
        run("docker", "kill", "--signal", "TERM", self._container)
        try:
            return run("docker", "wait", self._container, seconds=seconds).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def stop(self) -> None:
        """Remove the containers and keep the server's log. RuntimeUnusable if that does not work."""
        with suppress(OSError, subprocess.TimeoutExpired), create(self._log) as log:
            run("docker", "logs", self._container, output=log)
        for shell in self._shells.values():
            shell.close()
        if self._agent is not None:
            self._agent.close()
        self.remove(_ENGINE_BACK_SECONDS)

    def remove(self, seconds: float = 1) -> None:
        """Remove the containers, unless they are gone, and try for so long to do it. RuntimeUnusable if that does not
        work."""
        if not self._is_removed:
            down(self._project, seconds)
            self._is_removed = True

    def _sysctls(self) -> dict[str, str]:
        """Return the network's settings as they are inside; a kernel need not have all of them. They are looked up in
        the generator's container where it shares the server's network: an image from outside need not have a shell."""
        shares, is_ours = self._address[0] == "127.0.0.1", not self._server.is_from_outside
        if not shares and not is_ours:
            return {}
        names = {"/proc/sys/" + name.replace(".", "/"): name for name in SYSCTLS}
        shell = self._shell(self._container if is_ours else self._generator)
        found = shell.run(["grep", "-H", ".", *names], ENGINE_SECONDS)
        pairs = (line.partition(":") for line in _text(found.stdout).splitlines())
        return {names[path]: " ".join(value.split()) for path, _, value in pairs if path in names}


def _text(output: bytes) -> str:
    return output.decode(errors="backslashreplace")


def _end_of(who: str, state: str) -> Message | None:
    status, out_of_memory, code = state.split()
    if status == "running":
        return None
    if status != "exited":
        return Message(Code.CONTAINER_STATE, {"state": status, "who": who})
    if out_of_memory == "true":
        return Message(Code.RAN_OUT_OF_MEMORY, {"who": who})
    return Message(Code.EXITED, {"status": int(code), "who": who})
