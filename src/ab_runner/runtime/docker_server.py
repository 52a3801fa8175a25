"""The containers of a server, its generator and its agent: what runs in them, commands, and their end."""

from __future__ import annotations

import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from ab_runner.host.facts import SYSCTLS, cpu_list
from ab_runner.host.safe_files import create
from ab_runner.model.message import Code, Message
from ab_runner.model.server import Server
from ab_runner.monitor.accounting import Cgroup
from ab_runner.monitor.watch import Accounts, accounts_of
from ab_runner.runtime import engine, perf_files
from ab_runner.runtime.agent import AgentAccounts
from ab_runner.runtime.base import (
    PORT,
    RuntimeUnusable,
    StartError,
    each_is_tried,
    end_of,
    last_lines,
    version_command,
    with_printed,
)
from ab_runner.runtime.docker_commands import ENGINE_SECONDS, checked, run, why_unusable
from ab_runner.runtime.docker_generator import STATE, GeneratorContainer, end_of_container, text_of
from ab_runner.runtime.engine import Engine
from ab_runner.runtime.load_hosts import GeneratorOnHost

_FACTS = (
    "{{.State.Pid}}|{{.Id}}|{{.Image}}|{{.HostConfig.Memory}}|{{.HostConfig.PidsLimit}}|"
    "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}|"
    "{{range $port, $places := .NetworkSettings.Ports}}{{range $places}}{{.HostPort}}{{end}}{{end}}"
)
"""What `docker inspect` is asked about a container. At most one of its ports is published."""
_ANSWER_SECONDS = 5.0
"""Longest time that a JVM's counters may take."""
_ENGINE_BACK_SECONDS = 120.0
"""How long a sweep waits for an engine that is restarted."""


class DockerServer(GeneratorContainer):
    """The containers of a server, its generator and its agent, under the names that Compose gives them. Where load
    comes from other hosts, the generator beside it makes none."""

    def __init__(
        self,
        on: Engine,
        project: str,
        server: Server,
        generator: str,
        log: Path,
        published_at: str = "",
        load_hosts: Sequence[GeneratorOnHost] = (),
    ) -> None:
        """`generator` is its service in compose.yaml. `published_at` is the address at which `load_hosts` find the
        server; without them it has none."""
        super().__init__(on, project, generator)
        self.host = ""
        self.environment: dict[str, str] = {}
        self.load_hosts = load_hosts
        self._container = f"{project}-{server.id}-1"
        self._server = server
        self._log = log
        self._published_at = published_at
        self._address = ("127.0.0.1", PORT)

    def look_around(self, server_cpus: tuple[int, ...], generator_cpus: tuple[int, ...]) -> None:
        """Find its address, what really runs in it, and its accounts. StartError if it has ended already or cannot be
        reached, subprocess.CalledProcessError if there is no such container."""
        agent = self._open_agent()  # while the server is asked
        lines = checked(self._on, "inspect", "--format", _FACTS, self._container, self._generator).splitlines()
        server, (generator_pid, generator, *_) = (line.split("|") for line in lines)
        pid, container, image, memory, pids, ip, port = server
        self._address = (ip or "127.0.0.1", PORT)  # without a network there is loopback alone
        if self._published_at:
            if not port.isdigit():
                raise self.start_error(f"its port is not published at {self._published_at}")
            self._address = (self._published_at, int(port))
        self.host = f"{self._address[0]}:{self._address[1]}"
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
        """Return a new connection from where the generator is, of several hosts from the first one. OSError if there is
        none within so many seconds."""
        if self.load_hosts:
            return self.load_hosts[0].connect(self._address, seconds)
        assert self._agent is not None, "it has looked around"
        return self._agent.connect(self._address, seconds)

    def perf_data(self) -> bytes:
        """Return a copy of its JVM's performance counters; empty if there are none."""
        if self._server.is_jvm:
            with suppress(subprocess.TimeoutExpired):
                return self._shell(self._container).run(perf_files.IN_CONTAINER, _ANSWER_SECONDS).stdout
        return b""

    def pause(self) -> None:
        """Freeze the server's container."""
        self._change("pause")

    def resume(self) -> None:
        """Let the server's container run again."""
        self._change("unpause")

    def _change(self, verb: str) -> None:
        if engine.post(f"/containers/{self._container}/{verb}", self._on):
            return
        done = run(self._on, verb, self._container)
        if done.returncode and self.ended() is None:
            raise RuntimeUnusable(f"docker {verb} {self._container} failed: {last_lines(done.stderr)}")

    def use_cpus(self, cpus: Sequence[int]) -> None:
        """Let it run on these CPUs and no others. RuntimeUnusable if that does not work while it runs."""
        done = run(self._on, "update", "--cpuset-cpus", cpu_list(cpus), self._container)
        if done.returncode and self.ended() is None:
            raise RuntimeUnusable(
                f"{self._container} cannot be moved to CPU {cpu_list(cpus)}: {last_lines(done.stderr)}"
            )

    def _version(self) -> str:
        """Return what really runs, nothing of a server from outside. StartError if the command for it fails, as all do
        where the server has ended already."""
        command = version_command(self._server, "/server")
        if not command:
            return ""
        done = self._shell(self._container).run(command, ENGINE_SECONDS)
        said = text_of(done.stdout + done.stderr).strip()
        if done.exit_code:
            raise self.start_error(last_lines(said))
        return said

    def start_error(self, detail: str) -> StartError:
        """Return why it does not start: it has ended, or this."""
        if (end := self.ended()) and end.code in (Code.EXITED, Code.RAN_OUT_OF_MEMORY):
            return StartError(with_printed(msgspec.structs.replace(end, stage="start"), self.printed()))
        return StartError(Message(Code.DOES_NOT_START, detail=detail))

    def ended(self) -> Message | None:
        """Return why there can be no further load; None while server, generator, agent and load hosts are there."""
        containers = self._container, self._generator, self._beside
        try:
            states = checked(self._on, "inspect", "--format", STATE, *containers)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return Message(Code.CONTAINERS_GONE if why_unusable(self._on) is None else Code.NO_ENGINE)
        ends = map(end_of_container, ("server", "generator", "agent"), states.splitlines())
        return next(filter(None, (*ends, *(host.ended() for host in self.load_hosts))), None)

    def printed(self) -> str:
        """Return the last lines that the server has printed; empty if there are none."""
        with tempfile.TemporaryFile() as log:
            done = run(self._on, "logs", "--tail", "5", self._container, output=log)
            return end_of(log) if done.returncode == 0 else ""

    def terminate(self, seconds: float) -> bool:
        """Send the server SIGTERM, and return whether it ends within so many seconds."""
        run(self._on, "kill", "--signal", "TERM", self._container)
        try:
            return run(self._on, "wait", self._container, seconds=seconds).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def stop(self) -> None:
        """Remove the containers and keep the server's log. RuntimeUnusable if that does not work."""
        if not self._is_removed:
            with suppress(OSError, subprocess.TimeoutExpired), create(self._log) as log:
                run(self._on, "logs", self._container, output=log)
        self.hang_up()
        for host in self.load_hosts:
            host.hang_up()
        self.remove(_ENGINE_BACK_SECONDS)

    def remove(self, seconds: float = 1) -> None:
        """Remove the containers on all hosts, unless they are gone, and try for so long to do it. RuntimeUnusable if
        that does not work on one of them; on the others it is done."""
        each_is_tried(partial(super().remove, seconds), *(partial(host.remove, seconds) for host in self.load_hosts))

    def _sysctls(self) -> dict[str, str]:
        """Return the network's settings as they are inside; a kernel need not have all of them. They are looked up in
        the generator's container where it shares the server's network: an image from outside need not have a shell."""
        shares, is_ours = self._address[0] in ("127.0.0.1", self._published_at), not self._server.is_from_outside
        if not shares and not is_ours:
            return {}
        names = {"/proc/sys/" + name.replace(".", "/"): name for name in SYSCTLS}
        shell = self._shell(self._container if is_ours else self._generator)
        found = shell.run(["grep", "-H", ".", *names], ENGINE_SECONDS)
        pairs = (line.partition(":") for line in text_of(found.stdout).splitlines())
        return {names[path]: " ".join(value.split()) for path, _, value in pairs if path in names}
