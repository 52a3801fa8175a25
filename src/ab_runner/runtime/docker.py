"""Servers and the generator in containers, the generator in the server's network namespace.

What a server's container is, compose.yaml says, for `docker compose up` and for a sweep alike. A sweep adds an override
to it (pinned CPUs, no network or an internal one, the generator beside it) and keeps that file with its raw output. The
runner connects to the server by sockets of the generator's container. All of it goes through the docker command line:
Compose has no other interface, and contexts are honoured there.
"""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from ab_runner.catalog import docker_templates
from ab_runner.host.interrupt import held
from ab_runner.host.machine import SYSCTLS, CpuSplit, cpu_list
from ab_runner.host.safe_files import create, write_whole
from ab_runner.host.sweep_lock import LOCK
from ab_runner.load import generator_registry
from ab_runner.load.generator import Completed
from ab_runner.model.server import DEFAULT_JDK, Server
from ab_runner.monitor.accounting import Cgroup, ResourceAccounts, accounts_of
from ab_runner.runtime import engine, perf_files
from ab_runner.runtime.base import (
    INTERRUPT_SECONDS,
    OVER_TIME,
    PORT,
    STOP_SECONDS,
    RuntimeUnusable,
    StartError,
    build_failures,
    check_built,
    end_group,
    last_lines,
    needs_newer_jdk,
    processors,
    version_command,
)
from ab_runner.runtime.shell import Shell
from ab_runner.runtime.sockets import NAME, SocketSource

RAW_IN_CONTAINER = "/raw"
GENERATOR = generator_registry.DEFAULT.name
"""Its service in compose.yaml."""
_GENERATOR_IMAGE = f"ab-runner/{GENERATOR}"
_CLIENT_SYSCTLS = {"net.ipv4.ip_local_port_range": "10000 65535", "net.ipv4.tcp_tw_reuse": 1}
"""As docker/service.yaml has them for servers."""
_OURS = f"ab-runner.sweep-under={LOCK}"
"""Label of every container of a sweep: the holder of the lock may remove what earlier holders left."""
_BASE_OF_JDK_8 = "debian:sid-slim"
"""The one base image that docker/base-images leaves out unless it is named."""
_FACTS = (
    "{{.State.Pid}}|{{.Id}}|{{.Image}}|{{.HostConfig.Memory}}|{{.HostConfig.PidsLimit}}|"
    "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}"
)
"""What `docker inspect` is asked about a container."""
_ENGINE_SECONDS = 120.0
"""Longest time that the engine may take for one of our small requests."""
_ANSWER_SECONDS = 5.0
"""Longest time that a JVM's counters may take."""
_SOCKETS_SECONDS = 10.0
"""Longest time until the generator's container makes sockets."""
_ENGINE_BACK_SECONDS = 120.0
"""How long a sweep waits for an engine that is restarted."""

INSTALL_HINT = (
    "on Debian run docker/install-engine as root, "
    "elsewhere install Docker Engine 25 or newer with Compose v2 and buildx"
)


def why_unusable() -> str | None:
    """Return why Docker cannot be used here, in a line that says how to fix it; None if it can."""
    if engine.is_usable():  # the docker command needs 0.1 s and more to start, and `list` would wait for it
        return None
    # One call for all three. That it names the server's version makes it ask the engine.
    template = "{{.ServerVersion}}{{range .ClientInfo.Plugins}} {{.Name}}{{end}}"
    try:
        done = _run("docker", "info", "--format", template, seconds=15)
    except (OSError, subprocess.TimeoutExpired):
        return f"no Docker engine answers: {INSTALL_HINT}"
    if "permission denied" in done.stderr:
        return "you may not use the Docker engine: join the group docker, or run as root"
    if done.returncode:
        return f"no Docker engine answers ({last_lines(done.stderr, 1)}): {INSTALL_HINT}"
    plugins = done.stdout.split()[1:]
    for plugin, name in (("compose", "Compose v2"), ("buildx", "buildx")):
        if plugin not in plugins:
            return f"the docker command has no {name}: {INSTALL_HINT}"
    return None


class DockerRuntime:
    """Runs servers and the generator in containers, by Compose."""

    name = "docker"

    def __init__(self, root: Path, fixtures: Path, cpus: CpuSplit, network: str, jdk: int = DEFAULT_JDK) -> None:
        """`root` is the repository, with compose.yaml in it; `network` is loopback or bridge."""
        self.jdk: int | None = jdk
        self.network = network
        self.server_cpus = cpus.server
        self.generator_cpus = cpus.generator
        self._root = root
        self._compose_file = root / "compose.yaml"
        self._fixtures = fixtures
        self._sweep_id = ""
        self._running: list[DockerServer] = []
        self._unbuilt: dict[str, str] = {}

    def unavailable(self, server: Server) -> str | None:
        """Return why this server cannot run here; None if it can."""
        return needs_newer_jdk(server, self.jdk)

    def prepare_generator(self) -> int:
        """Build the generator's image, and return how many files it may open."""
        self._make_base_images()
        if reason := self._build([GENERATOR]):
            raise RuntimeUnusable(f"the image of {GENERATOR} does not build: {reason}")
        ours = _checked("docker", "image", "inspect", "--format", "{{.Architecture}}", _GENERATOR_IMAGE)
        engines = _checked("docker", "version", "--format", "{{.Server.Arch}}")
        if ours != engines:
            raise RuntimeUnusable(
                f"images are built for {ours} and this is a machine of {engines}: an emulator would be measured "
                "(is DOCKER_DEFAULT_PLATFORM set?)"
            )
        return int(self._in_generator_image("ulimit -n"))

    def prepare(self, servers: Sequence[Server], say: Callable[[str], None]) -> dict[str, str]:
        """Build the servers' images. Return those that could not be built, with the reason; they do not start."""
        say("building images (minutes at first, then seconds)")
        if self.jdk == 8 and any(server.kind == "jvm" for server in servers):
            self._make_base_images(_BASE_OF_JDK_8)
        failures = build_failures(servers, sorted({server.program for server in servers}), self._build)
        self._unbuilt |= failures
        return failures

    def _make_base_images(self, *images: str) -> None:
        done = _run(str(self._root / "docker" / "base-images"), *images, seconds=900)
        if done.returncode:
            raise RuntimeUnusable(f"docker/base-images failed: {last_lines(done.stderr)}")

    def _compose(self, *arguments: str, seconds: float = _ENGINE_SECONDS) -> subprocess.CompletedProcess[str]:
        command = ("docker", "compose", "--file", str(self._compose_file), *arguments)
        return _run(*command, seconds=seconds, variables={"JDK": str(self.jdk)})

    def _build(self, services: Sequence[str]) -> str:
        """Build these services' images, and return the end of what Docker said if that fails, else an empty text."""
        # Not --quiet, which leaves out what the step that failed has said.
        done = self._compose("--progress", "plain", "build", *services, seconds=3600)
        return last_lines(done.stdout + done.stderr, 5) if done.returncode else ""

    def environment(self) -> dict[str, str]:
        """Return the versions of the generator and of Docker. Only after `prepare_generator`."""
        generator = generator_registry.DEFAULT
        version = f"{shlex.join(generator.version_command)} | head -n 1"
        package = f"dpkg-query --show --showformat '${{Package}} ${{Version}}' {generator.package}"
        program, package = self._in_generator_image(f"{version}; {package}").splitlines()
        return {
            generator.name: program,
            f"{generator.name} package": package,
            "docker engine": _checked("docker", "version", "--format", "{{.Server.Version}}"),
            "docker compose": _checked("docker", "compose", "version", "--short"),
        }

    def _in_generator_image(self, script: str) -> str:
        return _checked(
            "docker", "run", "--rm", "--network", "none", "--entrypoint", "sh", _GENERATOR_IMAGE, "-c", script
        )

    def begin(self, sweep_id: str, raw: Path, scratch: Path) -> None:
        """Have all containers from now on belong to that sweep, and remove what killed sweeps left."""
        self._sweep_id = sweep_id
        self._raw = raw.resolve()
        self._scratch = scratch.resolve()
        for project in self._left_over():
            _down(project)

    @staticmethod
    def _left_over() -> set[str]:
        """Return the projects of sweeps that were killed: this one is alone, so that no other can be running."""
        template = '{{.Label "com.docker.compose.project"}}'
        return set(_checked("docker", "ps", "--all", "--filter", f"label={_OURS}", "--format", template).splitlines())

    def start(self, server: Server, name: str) -> DockerServer:
        """Start a server and the generator beside it; StartError if that does not work. `name` names their files."""
        check_built(server, self._unbuilt)
        (self._scratch / name).mkdir(exist_ok=True)
        override = self._raw / f"{name}.compose.yaml"
        write_whole(override, self._override(server, name).encode())
        project = f"ab-runner-{self._sweep_id}-{len(self._running) + 1}"
        running = DockerServer(project, server, self._raw / f"{name}.log", self._scratch / name)
        self._running.append(running)
        try:
            options = ["--file", str(override), "--project-name", project]
            done = self._compose(*options, "up", "--detach", "--no-build", server.id, GENERATOR)
            if done.returncode:
                raise StartError("does not start", last_lines(done.stderr))
            running.look_around(self.server_cpus, self.generator_cpus)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            running.stop()
            raise StartError("does not start", f"the Docker engine failed: {error}") from error
        except StartError:
            running.stop()
            raise
        return running

    def close(self) -> None:
        """End whatever is left of what was started; RuntimeUnusable if that does not work."""
        for running in self._running:
            running.remove()

    def _override(self, server: Server, name: str) -> str:
        """Return what a sweep changes in compose.yaml for this server."""
        return docker_templates.fill(
            "override.yaml",
            server=server.id,
            generator=GENERATOR,
            label=_OURS,
            network=self.network,
            sysctls=_CLIENT_SYSCTLS,
            server_cpus=cpu_list(self.server_cpus),
            generator_cpus=cpu_list(self.generator_cpus),
            environment=processors(self.server_cpus),
            user=f"{os.getuid()}:{os.getgid()}",
            fixtures=str(self._fixtures),
            raw=str(self._scratch / name),
            raw_in_container=RAW_IN_CONTAINER,
            sockets=f"{RAW_IN_CONTAINER}/{NAME}",
        )


class DockerServer:
    """A server's container and the generator's, under the names that Compose gives them."""

    def __init__(self, project: str, server: Server, log: Path, shared: Path) -> None:
        """`shared` is the folder that the generator may write to, as seen from here."""
        self.host = ""
        self.environment: dict[str, str] = {}
        self.accounts: ResourceAccounts | None = None
        self.generator_folder = RAW_IN_CONTAINER
        self._project = project
        self._container = f"{project}-{server.id}-1"
        self._generator = f"{project}-{GENERATOR}-1"
        self._is_removed = False
        self._shells: dict[str, Shell] = {}
        """Of containers, by their names."""
        self._server = server
        self._log = log
        self._shared = shared
        self._address = ("127.0.0.1", PORT)
        self._sockets: SocketSource | None = None

    def look_around(self, server_cpus: tuple[int, ...], generator_cpus: tuple[int, ...]) -> None:
        """Find its address, what really runs in it, and its accounts. StartError if it has ended already or cannot be
        reached, subprocess.CalledProcessError if there is no such container."""
        self._shell(self._generator)  # opens while the server is asked
        lines = _checked("docker", "inspect", "--format", _FACTS, self._container, self._generator).splitlines()
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
            self._sockets = SocketSource(self._shared, _SOCKETS_SECONDS)
        except OSError as error:
            reason = f"no sockets of its network from the container of {GENERATOR} ({error.strerror})"
            raise StartError(
                "does not start", self.ended() or f"{reason}: the engine must run on this machine"
            ) from error
        if self._server.kind != "jvm":
            self._shells.pop(self._container).close()  # the memory of a small server would be a shell's as well
        with suppress(OSError):  # this system does not show them
            account = Cgroup(int(pid), container)
            generator_account = Cgroup(int(generator_pid), generator)
            self.accounts = accounts_of(account, generator_account.cpu_seconds, server_cpus, generator_cpus)

    def connect(self, seconds: float) -> socket.socket:
        """Return a new connection from the generator's container. OSError if there is none within so many seconds."""
        assert self._sockets is not None, "it has looked around"
        return self._sockets.connect(self._address, seconds)

    def perf_data(self) -> bytes:
        """Return a copy of its JVM's performance counters; empty if there are none."""
        if self._server.kind == "jvm":
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

    def pause(self) -> None:
        """Freeze the server's container."""
        self._change("pause")

    def resume(self) -> None:
        """Let the server's container run again."""
        self._change("unpause")

    def _change(self, verb: str) -> None:
        if engine.post(f"/containers/{self._container}/{verb}"):
            return
        done = _run("docker", verb, self._container)
        if done.returncode and self.ended() is None:
            raise RuntimeUnusable(f"docker {verb} {self._container} failed: {last_lines(done.stderr)}")

    def use_cpus(self, cpus: Sequence[int]) -> None:
        """Let it run on these CPUs and no others. RuntimeUnusable if that does not work while it runs."""
        done = _run("docker", "update", "--cpuset-cpus", cpu_list(cpus), self._container)
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
        """Return what really runs. StartError if the command for it fails, as all do where the server has ended
        already."""
        done = self._shell(self._container).run(version_command(self._server, "/server"), _ENGINE_SECONDS)
        said = _text(done.stdout + done.stderr).strip()
        if done.exit_code:
            raise StartError("does not start", self.ended() or last_lines(said))
        return said

    def ended(self) -> str | None:
        """Return why there can be no further load; None while server and generator are there."""
        template = "{{.State.Status}} {{.State.OOMKilled}} {{.State.ExitCode}}"
        try:
            states = _checked("docker", "inspect", "--format", template, self._container, self._generator)
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
            return "containers are gone" if why_unusable() is None else "no Docker engine"
        ends = zip(("server", "generator"), map(_end_text, states.splitlines()), strict=True)
        return next((f"{which} {end}" for which, end in ends if end), None)

    def stop(self) -> None:
        """Remove both containers and keep the server's log. RuntimeUnusable if that does not work."""
        with suppress(OSError, subprocess.TimeoutExpired), create(self._log) as log:
            _run("docker", "logs", self._container, output=log)
        for shell in self._shells.values():
            shell.close()
        if self._sockets is not None:
            self._sockets.close()
        self.remove(_ENGINE_BACK_SECONDS)

    def remove(self, seconds: float = 1) -> None:
        """Remove both containers, unless they are gone, and try for so long to do it. RuntimeUnusable if that does not
        work."""
        if not self._is_removed:
            _down(self._project, seconds)
            self._is_removed = True

    def _sysctls(self) -> dict[str, str]:
        """Return the network's settings as they are inside; a kernel need not have all of them."""
        names = {"/proc/sys/" + name.replace(".", "/"): name for name in SYSCTLS}
        found = self._shell(self._container).run(["grep", "-H", ".", *names], _ENGINE_SECONDS)
        pairs = (line.partition(":") for line in _text(found.stdout).splitlines())
        return {names[path]: " ".join(value.split()) for path, _, value in pairs if path in names}


def _text(output: bytes) -> str:
    return output.decode(errors="backslashreplace")


def _end_text(state: str) -> str | None:
    status, out_of_memory, code = state.split()
    if status == "running":
        return None
    if status != "exited":
        return f"is {status}"
    return "ran out of memory" if out_of_memory == "true" else f"exited with {code}"


def _down(project: str, seconds: float = 1) -> None:
    """Remove all that a project has, by its labels, and try for so long to do it; RuntimeUnusable if some of it stays:
    it would share the CPUs. Nothing is given time to end in its own way, which takes a JVM 0.3 s each time: what it had
    to say has been kept."""
    command = ("docker", "compose", "--project-name", project, "down", "--volumes", "--remove-orphans")
    deadline = time.monotonic() + seconds
    while True:
        with suppress(subprocess.TimeoutExpired):
            done = _run(*command, "--timeout", "0")
            if done.returncode == 0:
                return
        if time.monotonic() >= deadline:
            break
        time.sleep(1)
    raise RuntimeUnusable(f"the Docker engine does not remove what the sweep started; run: {' '.join(command)}")


def _run(
    *command: str,
    seconds: float = _ENGINE_SECONDS,
    output: BinaryIO | None = None,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command in a session of its own, so that Ctrl-C reaches the runner alone. `output` takes both streams.

    However it ends early (its time is up, the runner is interrupted), its whole process group is asked to end first:
    a script's clean-up runs, and a client tells the engine.
    """
    # These are for a person's `docker compose up`; a sweep must not depend on them.
    own = {name: value for name, value in os.environ.items() if name not in ("SERVER", "PORT", "JDK")}
    process: subprocess.Popen[str] | None = None
    try:
        with held():
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output or subprocess.PIPE,
                stderr=subprocess.STDOUT if output else subprocess.PIPE,
                text=True,
                errors="backslashreplace",
                env={**own, **(variables or {})},
                start_new_session=True,
            )
        stdout, stderr = process.communicate(timeout=seconds)
    except BaseException:
        if process is not None:
            with process:  # which closes its pipes
                end_group(process, STOP_SECONDS)
        raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def _checked(*command: str) -> str:
    """Return a command's output; subprocess.CalledProcessError if it fails."""
    done = _run(*command)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return done.stdout.strip()
