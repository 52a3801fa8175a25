"""Load from other hosts: their engines are prepared as that of the servers is, and for each start of a server each of
them has a generator, with an agent beside it."""

from __future__ import annotations

import ipaddress
import socket
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import replace

from ab_runner.catalog import docker_templates
from ab_runner.errors import UserError
from ab_runner.host.safe_files import write_whole
from ab_runner.model.message import Code, Message
from ab_runner.model.sweep import LoadHost
from ab_runner.runtime.agent import AGENT, AgentAccounts
from ab_runner.runtime.base import StartError, last_lines
from ab_runner.runtime.docker_builds import compose, copy_images, fill_fixtures
from ab_runner.runtime.docker_commands import OURS, checked, remove_left_over, why_unusable
from ab_runner.runtime.docker_generator import (
    FIXTURES_IN_CONTAINER,
    STATE,
    GeneratorContainer,
    end_of_container,
)
from ab_runner.runtime.engine import Engine
from ab_runner.runtime.engine_machine import EngineMachine, machine_of
from ab_runner.runtime.link import links

OVERRIDE = "load.compose.yaml"
"""In a sweep's folder of raw output: what its load hosts change in compose.yaml."""
CLIENT_SYSCTLS = {"net.ipv4.ip_local_port_range": "10000 65535", "net.ipv4.tcp_tw_reuse": 1}
"""Of a network namespace that a generator has for itself, as docker/service.yaml has them for servers."""
_LOOK_SECONDS = 15.0
"""Longest time that an engine may take to say what its containers do. One that is gone may not answer at all."""


def address_of(server: Engine, given: str | None) -> str:
    """Return the IPv4 address at which load hosts find the server's host: the one that is given, as a name too, or that
    of its engine's endpoint. UserError where neither is an address that another host can reach."""
    name = given or urlsplit(server.endpoint).hostname or ""
    try:
        found = ipaddress.IPv4Address(socket.gethostbyname(name)) if name else None
    except (OSError, UnicodeError):
        raise UserError(
            f"{name} has no IPv4 address here: give that of the server's host with --server-address"
        ) from None
    if found is None or found.is_loopback or found.is_unspecified:
        which = f"{name} is no address" if name else f"{server.endpoint or 'its engine'} does not tell the address"
        raise UserError(f"{which} of the server's host for load hosts: give one with --server-address")
    return str(found)


class LoadHosts:
    """The load hosts of a sweep."""

    def __init__(self, engines: Sequence[Engine], address: str) -> None:
        """`address` is that of the server's host."""
        self.address = address
        self.about: tuple[LoadHost, ...] = ()
        """What is known of them. Only after `prepare`."""
        self.links_together = 0.0
        """Bytes per second to all of them at once, from then on too."""
        self._engines = engines

    def prepare(self, server: Engine, images: Sequence[str], fixtures: str, volume: str) -> None:
        """Copy these images from the servers' engine, fill the volume by the image `fixtures`, and learn what the hosts
        are and what the links to them carry. RuntimeUnusable or UserError if that does not work."""
        for host in self._engines:
            copy_images(images, server, host)
            fill_fixtures(host, fixtures, volume, FIXTURES_IN_CONTAINER)
        with ThreadPoolExecutor() as pool:
            machines = list(pool.map(machine_of, self._engines))
        alone, self.links_together = links(server, self.address, self._engines)
        self.about = tuple(map(_about, self._engines, machines, alone))

    def open_files(self, generator_image: str) -> int:
        """Return how many files a generator may open on each of them."""
        asked = ("run", "--rm", "--network", "none", "--entrypoint", "sh", generator_image, "-c", "ulimit -n")
        return min(int(checked(host, *asked)) for host in self._engines)

    def begin(self, services: str, generator: str, volume: str, raw: Path) -> None:
        """Have generators by these services of compose.yaml, and remove what killed sweeps left."""
        self._services = services
        self._generator = generator
        self._override = raw / OVERRIDE
        override = docker_templates.fill(
            "load.yaml", generator=generator, label=OURS, sysctls=CLIENT_SYSCTLS, fixtures=volume,
            fixtures_in_container=FIXTURES_IN_CONTAINER,
        )  # fmt: skip
        write_whole(self._override, override.encode())
        for host in self._engines:
            remove_left_over(host)

    def generators(self, project: str) -> tuple[GeneratorOnHost, ...]:
        """Return the generators of one start of a server, which are not started yet."""
        return tuple(GeneratorOnHost(host, project, self._generator) for host in self._engines)

    def start(self, generators: Sequence[GeneratorOnHost]) -> None:
        """Start the generators of one start of a server. StartError if one does not start."""
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda each: each.start(self._services, self._override), generators))


def _about(host: Engine, found: EngineMachine, link: float) -> LoadHost:
    return LoadHost(
        name=host.context,
        engine=checked(host, "version", "--format", "{{.Server.Version}}"),
        machine=replace(found.machine, sysctls=found.machine.sysctls | found.conntrack),
        conditions=found.conditions,
        link=link,
    )


class GeneratorOnHost(GeneratorContainer):
    """The generator on one load host for one start of a server, and the agent beside it."""

    def __init__(self, on: Engine, project: str, generator: str) -> None:
        """`generator` is its service in compose.yaml. `accounts` are those of the generator, as of a server too, so
        that the load is on while it works."""
        super().__init__(on, project, generator)
        self.name = on.context
        self._service = generator

    def start(self, services: str, override: Path) -> None:
        """Start both. StartError if that does not work."""
        options = ["--file", str(override), "--project-name", self._project]
        try:
            done = compose(self._on, services, *options, "up", "--detach", "--no-build", self._service, AGENT)
            if done.returncode:
                raise self._start_error(last_lines(done.stderr, 1))
            agent = self._open_agent()
            container = checked(self._on, "inspect", "--format", "{{.Id}}", self._generator)
            agent.ask(type(None), "here")
        except (OSError, subprocess.SubprocessError) as error:
            raise self._start_error(str(error)) from error
        with suppress(OSError):  # this system does not show them
            self.accounts = AgentAccounts(agent, container, container, (), ())

    def _start_error(self, detail: str) -> StartError:
        if why_unusable(self._on) is not None:
            return StartError(self._gone)
        return StartError(Message(Code.DOES_NOT_START, detail=f"load host {self.name}: {detail}"))

    @property
    def _gone(self) -> Message:
        return Message(Code.LOAD_HOST_GONE, {"who": self.name})

    @property
    def is_connected(self) -> bool:
        """Return whether its agent can still be asked."""
        return self._agent is not None and self._agent.is_alive()

    def connect(self, address: tuple[str, int], seconds: float) -> socket.socket:
        """Return a new connection from beside the generator. OSError if there is none within so many seconds."""
        assert self._agent is not None, "it has started"
        return self._agent.connect(address, seconds)

    def ended(self) -> Message | None:
        """Return that there can be no further load from this host; None while both containers are there, and the
        connection to the agent. Both end at once with their engine, which may be back by now."""
        containers = self._generator, self._beside
        try:
            states = checked(self._on, "inspect", "--format", STATE, *containers, seconds=_LOOK_SECONDS)
        except subprocess.SubprocessError:
            return self._gone
        who = (f"{each} on {self.name}" for each in ("generator", "agent"))
        ends = [end for end in map(end_of_container, who, states.splitlines()) if end is not None]
        if len(ends) == 1:
            return ends[0]
        return self._gone if ends or (self._agent is not None and not self._agent.is_alive()) else None
