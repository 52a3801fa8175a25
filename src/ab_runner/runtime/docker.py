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
from ab_runner.host.sweep_lock import LOCK
from ab_runner.load.generator import Generator
from ab_runner.load.generator_registry import DEFAULT
from ab_runner.model.message import Code, Message, Skip, SkipKind
from ab_runner.model.server import DEFAULT_JDK, Server
from ab_runner.runtime.base import (
    RuntimeUnusable,
    StartError,
    build_failures,
    check_built,
    last_lines,
    needs_newer_jdk,
    processors,
)
from ab_runner.runtime.docker_builds import build, compose, fill_fixtures, fill_libraries, make_base_images
from ab_runner.runtime.docker_commands import checked, down
from ab_runner.runtime.docker_images import Image, UnusableImage, image_called
from ab_runner.runtime.docker_server import AGENT, FIXTURES_IN_CONTAINER, DockerServer
from ab_runner.runtime.engine_machine import EngineMachine

COMPOSE_FILE = "compose.yaml"
"""In a sweep's folder of raw output: its servers' services. Beside it is an override for each start."""
FIXTURES = "fixtures"
"""The service that makes them."""
_FIXTURES_VOLUME = "ab-runner-fixtures"
"""Stays on the engine, as images do; each sweep has it checked."""
_LIBRARIES_IN_CONTAINER = "/server/lib"
_CLIENT_SYSCTLS = {"net.ipv4.ip_local_port_range": "10000 65535", "net.ipv4.tcp_tw_reuse": 1}
"""As docker/service.yaml has them for servers."""
_OURS = f"ab-runner.sweep-under={LOCK}"
"""Label of every container of a sweep: the holder of the lock may remove what earlier holders left."""
_BASE_OF_JDK_8 = "debian:sid-slim"
"""The one base image that docker/base-images leaves out unless it is named."""


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
    ) -> None:
        """`network` is loopback or bridge. `there` is the engine's machine, where that is another one than this."""
        self.there = there
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
        self._unbuilt: dict[str, str] = {}
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
        return needs_newer_jdk(server, self.jdk)

    def _unavailable_image(self, server: Server) -> Skip | None:
        if not server.image:
            return Skip(SkipKind.OTHER, "it is a command, which needs --runtime process")
        try:
            self._images[server.id] = image_called(server.image)
        except UnusableImage as error:
            return Skip(SkipKind.OTHER, str(error))
        return None

    def program_of(self, server: Server) -> str:
        """Return the id of the image of a server from outside."""
        return self._images[server.id].id

    def prepare_generator(self) -> int:
        """Build the images beside those of servers, make the fixtures, and return how many files the generator may
        open."""
        self._services = render((), of_sweep=True)
        make_base_images()
        services = (self._generator.name, AGENT, FIXTURES)
        if reason := self._build(services):
            raise RuntimeUnusable(f"the image of {' or '.join(services)} does not build: {reason}")
        fill_fixtures(f"ab-runner/{FIXTURES}", _FIXTURES_VOLUME, FIXTURES_IN_CONTAINER)
        try:
            image_called(self._generator_image)
        except UnusableImage as error:
            raise RuntimeUnusable(f"{error} (is DOCKER_DEFAULT_PLATFORM set?)") from None
        return int(self._in_generator_image("ulimit -n"))

    def prepare(self, servers: Sequence[Server], say: Callable[[str], None]) -> dict[str, str]:
        """Build the servers' images. Return those that could not be built, with the reason; they do not start."""
        say("building images (minutes at first, then seconds)")
        self._services = render(servers, of_sweep=True)
        failures = self._without_jdk_8(servers)
        images: dict[tuple[str | None, str, int | None], list[str]] = {}
        for server in sorted(servers, key=lambda each: each.id):
            if not server.is_from_outside and server.id not in failures:
                images.setdefault((server.study, server.program, server.jdk), []).append(server.id)
        failures |= build_failures({ids[0]: ids for ids in images.values()}, self._build)
        failures |= self._fill_libraries([server for server in servers if server.id not in failures])
        self._unbuilt |= failures
        return failures

    def _fill_libraries(self, servers: Sequence[Server]) -> dict[str, str]:
        """Make the volumes of those servers that need files that no registry has. Return these where that fails, with
        the reason."""
        failures: dict[str, str] = {}
        for server in servers:
            if server.artifacts:
                files = [artifacts.path_of(each) for each in server.artifacts]
                folder = f"{server.study}/" if server.study else ""
                image = f"ab-runner/{folder}{server.program}:jdk{server.jdk or self.jdk}"
                try:
                    self._libraries[server.id] = fill_libraries(image_called(image).id, _LIBRARIES_IN_CONTAINER, files)
                except (UnusableImage, subprocess.CalledProcessError) as error:
                    failures[server.id] = f"{', '.join(file.name for file in files)}: {error}"
        return failures

    def _without_jdk_8(self, servers: Sequence[Server]) -> dict[str, str]:
        """Make the base image of JDK 8 if one of the servers needs it. Return these where it cannot be made, with the
        reason."""
        need = [server.id for server in servers if server.is_jvm and (server.jdk or self.jdk) == 8]
        try:
            if need:
                make_base_images(_BASE_OF_JDK_8)
        except RuntimeUnusable as error:
            return dict.fromkeys(need, str(error))
        return {}

    def _build(self, services: Sequence[str]) -> str:
        return build(self._services, services, self.jdk)

    def environment(self) -> dict[str, str]:
        """Return the versions of the generator and of Docker. Only after `prepare_generator`."""
        return {
            **self._generator_versions(),
            "docker engine": checked("docker", "version", "--format", "{{.Server.Version}}"),
            "docker compose": checked("docker", "compose", "version", "--short"),
        }

    def _generator_versions(self) -> dict[str, str]:
        generator = self._generator
        version = self._in_generator_image(f"{shlex.join(generator.version_command)} | head -n 1")
        if generator.package is None:
            return {generator.name: version}
        query = f"dpkg-query --show --showformat '${{Package}} ${{Version}}' {generator.package}"
        return {generator.name: version, f"{generator.name} package": self._in_generator_image(query)}

    def _in_generator_image(self, script: str) -> str:
        return checked(
            "docker", "run", "--rm", "--network", "none", "--entrypoint", "sh", self._generator_image, "-c", script
        )

    def begin(self, sweep_id: str, raw: Path, scratch: Path) -> None:
        """Have all containers from now on belong to that sweep, and remove what killed sweeps left."""
        self._sweep_id = sweep_id
        self._raw = raw.resolve()
        write_whole(self._raw / COMPOSE_FILE, self._services.encode())
        for project in self._left_over():
            down(project)

    @staticmethod
    def _left_over() -> set[str]:
        """Return the projects of sweeps that were killed: this one is alone, so that no other can be running."""
        template = '{{.Label "com.docker.compose.project"}}'
        return set(checked("docker", "ps", "--all", "--filter", f"label={_OURS}", "--format", template).splitlines())

    def start(self, server: Server, name: str) -> DockerServer:
        """Start a server, the generator and the agent beside it; StartError if that does not work. `name` names their
        files."""
        check_built(server, self._unbuilt)
        override = self._raw / f"{name}.compose.yaml"
        write_whole(override, self._override(server).encode())
        project = f"ab-runner-{self._sweep_id}-{next(self._numbers)}"
        running = DockerServer(project, server, self._generator.name, self._raw / f"{name}.log")
        self._running.append(running)
        try:
            options = ["--file", str(override), "--project-name", project]
            services = (server.id, self._generator.name, AGENT)
            done = compose(self._services, *options, "up", "--detach", "--no-build", *services, jdk=self.jdk)
            if done.returncode:
                raise running.start_error(last_lines(done.stderr, 1))
            running.look_around(self.server_cpus, self.generator_cpus)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            running.stop()
            raise StartError(Message(Code.DOES_NOT_START, detail=f"the Docker engine failed: {error}")) from error
        except StartError:
            running.stop()
            raise
        return running

    def close(self) -> None:
        """End whatever is left of what was started; RuntimeUnusable if that does not work."""
        for running in self._running:
            running.remove()

    def _override(self, server: Server) -> str:
        """Return what a sweep changes in compose.yaml for this server."""
        return docker_templates.fill(
            "override.yaml",
            server=server.id,
            image=self._images.get(server.id),
            generator=self._generator.name,
            label=_OURS,
            network=self.network,
            sysctls=_CLIENT_SYSCTLS,
            server_cpus=cpu_list(self.server_cpus),
            generator_cpus=cpu_list(self.generator_cpus),
            environment=processors(self.server_cpus),
            libraries=self._libraries.get(server.id),
            libraries_in_container=_LIBRARIES_IN_CONTAINER,
            fixtures=_FIXTURES_VOLUME,
            fixtures_in_container=FIXTURES_IN_CONTAINER,
        )
