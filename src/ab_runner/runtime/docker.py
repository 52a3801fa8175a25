"""Servers and the generator in containers, the generator in the server's network namespace.

What a server's container is, the templates of compose.yaml say, for `docker compose up` and for a sweep alike. A sweep
renders them for its own servers, adds an override for each start (pinned CPUs, no network or an internal one, the
generator and the agent beside it) and keeps both with its raw output. No file of this machine is mounted, because the
engine may be on another one. All of it goes through the docker command line: Compose has no other interface, and
contexts are honoured there.
"""

from __future__ import annotations

import itertools
import shlex
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from ab_runner.catalog import artifacts, docker_templates
from ab_runner.catalog.compose import render
from ab_runner.host.facts import cpu_list
from ab_runner.host.machine import CpuSplit
from ab_runner.host.safe_files import write_whole
from ab_runner.load.generator import Generator
from ab_runner.load.generator_registry import DEFAULT
from ab_runner.model.message import Code, Message, Skip, SkipKind
from ab_runner.model.server import DEFAULT_JDK, Server
from ab_runner.runtime.agent import AGENT
from ab_runner.runtime.base import (
    PORT,
    RuntimeUnusable,
    StartError,
    build_failures,
    cannot_run_in,
    check_built,
    each_is_tried,
    last_lines,
    needs_newer_jdk,
    processors,
)
from ab_runner.runtime.docker_builds import build, compose, fill_fixtures, fill_libraries, make_base_images
from ab_runner.runtime.docker_commands import OURS, checked, remove_left_over
from ab_runner.runtime.docker_generator import FIXTURES_IN_CONTAINER
from ab_runner.runtime.docker_images import Image, UnusableImage, image_called
from ab_runner.runtime.docker_server import DockerServer
from ab_runner.runtime.engine import USUAL, Engine
from ab_runner.runtime.engine_machine import EngineMachine
from ab_runner.runtime.load_hosts import CLIENT_SYSCTLS, LoadHosts

COMPOSE_FILE = "compose.yaml"
"""In a sweep's folder of raw output: its servers' services. Beside it is an override for each start."""
FIXTURES = "fixtures"
"""The service that makes them."""
RUNNER = "runner"
"""The service whose image runs blocks on the nodes of a swarm."""
_FIXTURES_VOLUME = "ab-runner-fixtures"
"""Stays on the engine, as images do; each sweep has it checked."""
_LIBRARIES_IN_CONTAINER = "/server/lib"
_BASE_OF_JDK_8 = "debian:sid-slim"
"""The one base image that docker/base-images leaves out unless it is named."""


def image_of(server: Server, jdk: int | None) -> str:
    """Return the name of a server's image, as docker/services/ has it. `jdk` is that of the sweep."""
    if server.image:
        return server.image
    if not server.is_jvm:
        return f"ab-runner/{server.program}"
    folder = f"{server.study}/" if server.study else ""
    return f"ab-runner/{folder}{server.program}:jdk{server.jdk or jdk}"


class DockerRuntime:
    """Runs servers and the generator in containers, by Compose."""

    name = "docker"
    starts_ahead = True

    def __init__(
        self,
        cpus: CpuSplit,
        network: str,
        jdk: int = DEFAULT_JDK,
        generator: Generator = DEFAULT,
        there: EngineMachine | None = None,
        on: Engine = USUAL,
        load_hosts: LoadHosts | None = None,
        builds: bool = True,
    ) -> None:
        """`network` is loopback, bridge, or hosts where load comes from `load_hosts`. `there` is the engine's machine,
        where that is another one than this. Unless it `builds`, the engine has all images already."""
        self._builds = builds
        self.there = there
        self.load_hosts = load_hosts
        self._on = on
        self.jdk: int | None = jdk
        self.network = network
        self.server_cpus = cpus.server
        self.generator_cpus = cpus.generator
        self._generator = generator
        self._generator_image = f"ab-runner/{generator.name}"
        self._sweep_id = ""
        self._running: list[DockerServer] = []
        self._numbers = itertools.count(1)
        """Of the starts, in whatever thread they are made."""
        self.unbuilt: dict[str, str] = {}
        """Servers whose images could not be built, with the reason."""
        self._services = ""
        """The compose.yaml of this sweep: of the generators alone before `prepare`."""
        self._images: dict[str, Image] = {}
        """Of servers from outside."""
        self._libraries: dict[str, str] = {}
        """The volumes of servers with files that no registry has."""

    def unavailable(self, server: Server) -> Skip | None:
        """Return why this server cannot run here; None if it can."""
        if server.is_from_outside:
            return self._unavailable_image(server)
        return cannot_run_in(self.name, server) or needs_newer_jdk(server, self.jdk)

    def _unavailable_image(self, server: Server) -> Skip | None:
        if not server.image:
            return Skip(SkipKind.OTHER, "it is a command, which needs --runtime process")
        try:
            self._images[server.id] = image_called(self._on, server.image)
        except UnusableImage as error:
            return Skip(SkipKind.OTHER, str(error))
        return None

    def program_of(self, server: Server) -> str:
        """Return the id of the image of a server from outside."""
        return self._images[server.id].id

    def prepare_generator(self) -> int:
        """Build the images beside those of servers, make the fixtures, have both on load hosts too, and return how many
        files the generator may open."""
        self._services = render((), of_sweep=True)
        self._make_base_images()
        services = (self._generator.name, AGENT, FIXTURES)
        if reason := self._build(services):
            raise RuntimeUnusable(f"the image of {' or '.join(services)} does not build: {reason}")
        fixtures = f"ab-runner/{FIXTURES}"
        fill_fixtures(self._on, fixtures, _FIXTURES_VOLUME, FIXTURES_IN_CONTAINER)
        try:
            image_called(self._on, self._generator_image)
        except UnusableImage as error:
            raise RuntimeUnusable(f"{error} (is DOCKER_DEFAULT_PLATFORM set?)") from None
        if self.load_hosts is not None:
            images = (self._generator_image, f"ab-runner/{AGENT}", fixtures)
            self.load_hosts.prepare(self._on, images, fixtures, _FIXTURES_VOLUME)
            return self.load_hosts.open_files(self._generator_image)
        return int(self._in_generator_image("ulimit -n"))

    def prepare(self, servers: Sequence[Server], say: Callable[[str], None]) -> dict[str, str]:
        """Build the servers' images. Return those that could not be built, with the reason; they do not start."""
        say("building images (minutes at first, then seconds)")
        self._services = render(servers, of_sweep=True)
        failures = self._without_jdk_8(servers) | self.unbuilt
        images: dict[tuple[str | None, str, int | None], list[str]] = {}
        for server in sorted(servers, key=lambda each: each.id):
            if not server.is_from_outside and server.id not in failures:
                images.setdefault((server.study, server.program, server.jdk), []).append(server.id)
        failures |= build_failures({ids[0]: ids for ids in images.values()}, self._build)
        failures |= self._fill_libraries([server for server in servers if server.id not in failures])
        self.unbuilt |= failures
        return failures

    def _fill_libraries(self, servers: Sequence[Server]) -> dict[str, str]:
        """Make the volumes of those servers that need files that no registry has. Return these where that fails, with
        the reason."""
        failures: dict[str, str] = {}
        for server in servers:
            if server.artifacts:
                files = [artifacts.path_of(each) for each in server.artifacts]
                try:
                    found = image_called(self._on, image_of(server, self.jdk)).id
                    self._libraries[server.id] = fill_libraries(self._on, found, _LIBRARIES_IN_CONTAINER, files)
                except (UnusableImage, subprocess.CalledProcessError) as error:
                    failures[server.id] = f"{', '.join(file.name for file in files)}: {error}"
        return failures

    def _without_jdk_8(self, servers: Sequence[Server]) -> dict[str, str]:
        """Make the base image of JDK 8 if one of the servers needs it. Return these where it cannot be made, with the
        reason."""
        need = [server.id for server in servers if server.is_jvm and (server.jdk or self.jdk) == 8]
        try:
            if need:
                self._make_base_images(_BASE_OF_JDK_8)
        except RuntimeUnusable as error:
            return dict.fromkeys(need, str(error))
        return {}

    def _make_base_images(self, *images: str) -> None:
        if self._builds:
            make_base_images(self._on, *images)

    def _build(self, services: Sequence[str]) -> str:
        return build(self._on, self._services, services, self.jdk) if self._builds else ""

    def images_of(self, servers: Sequence[Server]) -> tuple[str, ...]:
        """Return the names of the images that a sweep of these servers needs."""
        tools = (self._generator_image, f"ab-runner/{AGENT}", f"ab-runner/{FIXTURES}")
        built = (image_of(server, self.jdk) for server in servers if server.id not in self.unbuilt)
        return tuple(dict.fromkeys((*tools, *built)))

    def build_runner(self) -> None:
        """Build the image of jobs. RuntimeUnusable if that does not work."""
        if reason := self._build((RUNNER,)):
            raise RuntimeUnusable(f"the image of {RUNNER} does not build: {reason}")

    def environment(self) -> dict[str, str]:
        """Return the versions of the generator and of Docker. Only after `prepare_generator`."""
        return {
            **self._generator_versions(),
            "docker engine": checked(self._on, "version", "--format", "{{.Server.Version}}"),
            "docker compose": checked(self._on, "compose", "version", "--short"),
        }

    def _generator_versions(self) -> dict[str, str]:
        generator = self._generator
        version = self._in_generator_image(f"{shlex.join(generator.version_command)} | head -n 1")
        if generator.package is None:
            return {generator.name: version}
        query = f"dpkg-query --show --showformat '${{Package}} ${{Version}}' {generator.package}"
        return {generator.name: version, f"{generator.name} package": self._in_generator_image(query)}

    def _in_generator_image(self, script: str) -> str:
        alone = ("--rm", "--network", "none", "--entrypoint", "sh")
        return checked(self._on, "run", *alone, self._generator_image, "-c", script)

    def begin(self, sweep_id: str, raw: Path, scratch: Path) -> None:
        """Have all containers from now on belong to that sweep, and remove what killed sweeps left."""
        self._sweep_id = sweep_id
        self._raw = raw.resolve()
        write_whole(self._raw / COMPOSE_FILE, self._services.encode())
        remove_left_over(self._on)
        if self.load_hosts is not None:
            self.load_hosts.begin(self._services, self._generator.name, _FIXTURES_VOLUME, self._raw)

    def start(self, server: Server, name: str) -> DockerServer:
        """Start a server, the generator and the agent beside it, and generators on load hosts; StartError if that does
        not work. `name` names their files."""
        check_built(server, self.unbuilt)
        override = self._raw / f"{name}.compose.yaml"
        write_whole(override, self._override(server).encode())
        project = f"ab-runner-{self._sweep_id}-{next(self._numbers)}"
        hosts = self.load_hosts
        running = DockerServer(
            self._on,
            project,
            server,
            self._generator.name,
            self._raw / f"{name}.log",
            published_at=hosts.address if hosts else "",
            load_hosts=hosts.generators(project) if hosts else (),
        )
        self._running.append(running)
        try:
            options = ["--file", str(override), "--project-name", project]
            services = (server.id, self._generator.name, AGENT)
            done = compose(self._on, self._services, *options, "up", "--detach", "--no-build", *services, jdk=self.jdk)
            if done.returncode:
                raise running.start_error(last_lines(done.stderr, 1))
            running.look_around(self.server_cpus, self.generator_cpus)
            if hosts:
                hosts.start(running.load_hosts)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            running.stop()
            raise StartError(Message(Code.DOES_NOT_START, detail=f"the Docker engine failed: {error}")) from error
        except StartError:
            running.stop()
            raise
        return running

    def close(self) -> None:
        """End whatever is left of what was started; RuntimeUnusable if that does not work."""
        each_is_tried(*(running.remove for running in self._running))

    def _override(self, server: Server) -> str:
        """Return what a sweep changes in compose.yaml for this server."""
        return docker_templates.fill(
            "override.yaml",
            server=server.id,
            image=self._images.get(server.id),
            generator=self._generator.name,
            label=OURS,
            network=self.network,
            published_at=self.load_hosts.address if self.load_hosts else "",
            port=PORT,
            sysctls=CLIENT_SYSCTLS,
            server_cpus=cpu_list(self.server_cpus),
            generator_cpus=cpu_list(self.generator_cpus),
            environment=processors(self.server_cpus),
            libraries=self._libraries.get(server.id),
            libraries_in_container=_LIBRARIES_IN_CONTAINER,
            fixtures=_FIXTURES_VOLUME,
            fixtures_in_container=FIXTURES_IN_CONTAINER,
        )
