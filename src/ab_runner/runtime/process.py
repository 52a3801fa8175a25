"""Servers and the generator as processes of this host, for people without Docker: its JDKs, Maven, cc, go, generator
and native servers.

The network's settings are the host's own and are recorded, not changed. Servers have the network and, without root, the
files of whoever runs the sweep: docs/isolation.md says what they cannot do.
"""

from __future__ import annotations

import itertools
import os
import resource
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ab_runner import paths
from ab_runner.host.facts import cpu_list
from ab_runner.host.interrupt import held
from ab_runner.host.machine import CpuSplit, raise_open_files
from ab_runner.host.orphans import Orphans
from ab_runner.host.safe_files import create
from ab_runner.host.sweep_lock import LOCK
from ab_runner.load.generator import Generator
from ab_runner.load.generator_registry import DEFAULT
from ab_runner.model.message import Code, Message, Skip
from ab_runner.model.server import Server
from ab_runner.runtime.base import (
    RuntimeUnusable,
    StartError,
    build_failures,
    cannot_run_in,
    check_built,
    each_is_tried,
    last_lines,
    processors,
    text_of,
    version_command,
)
from ab_runner.runtime.process_kinds import (
    GUESTS_PATH,
    Compiled,
    Debian,
    ImageKind,
    Jvm,
    OwnCommand,
    ProcessKind,
    digest_of,
    run_builder,
    source_of,
)
from ab_runner.runtime.process_server import ProcessServer, as_nobody

_LIMITS = {"core": 0, "fsize": 100 << 20, "nproc": 16_384, "data": 8 << 30}
"""What setrlimit(2) allows a server: bytes of a file, its log included, as many as Docker keeps of one; processes of
its user, as in docker/service.yaml; bytes of memory of each process, of which a JVM reserves more than it uses."""
_STAGE = f"{LOCK.stem}-"
"""What the names of servers' folders begin with, beside the lock: its holder may remove what earlier holders left."""


def why_unusable(generator: Generator = DEFAULT) -> str | None:
    """Return why this host cannot make load, in a line that says how to fix it; None if it can."""
    needed, package = (generator.name, generator.package) if generator.package else ("cargo", "cargo")
    if shutil.which(needed):
        return None
    what_for = "" if needed == generator.name else f", which builds {generator.name},"
    return f"{needed}{what_for} is not installed (Debian: apt-get install {package})"


def why_not_pinned() -> str | None:
    """Return why processes cannot be pinned to CPUs, in a line that says how to fix it; None if they can."""
    return None if shutil.which("taskset") else "taskset is not installed (Debian: apt-get install util-linux)"


class ProcessRuntime:
    """Runs servers and the generator as processes of this host."""

    name = "process"
    starts_ahead = False
    """What a server leaves running is looked for among the runner's children; a generator would be taken for it."""
    network = "loopback"

    def __init__(
        self,
        servers_dir: Path,
        fixtures: Path,
        cpus: CpuSplit,
        port: int,
        jdk: int | None = None,
        generator: Generator = DEFAULT,
        outside: Mapping[str, Path] | None = None,
    ) -> None:
        """JVM servers run on that JDK, or on the newest of this host. `outside` has the folders of servers from outside
        `servers_dir`."""
        self._outside = outside or {}
        self._servers_dir = servers_dir
        self._jvm = Jvm(servers_dir, jdk)
        self._kinds: dict[str, ProcessKind] = {
            "jvm": self._jvm,
            "c": Compiled(servers_dir, "build-c", "cc", "gcc libc6-dev"),
            "go": Compiled(servers_dir, "build-go", "go", "golang-go"),
            "debian": Debian(servers_dir),
            "command": OwnCommand(self._outside),
            "image": ImageKind(),
        }
        self.jdk = self._jvm.jdk
        self.server_cpus = cpus.server
        self.generator_cpus = cpus.generator
        self._fixtures = fixtures
        self._port = port
        self._generator = generator
        self._taskset = shutil.which("taskset")
        if self._taskset is None:
            self.server_cpus = self.generator_cpus = ()
        setpriv = shutil.which("setpriv")
        self._tied = [setpriv, "--no-new-privs", "--pdeathsig", "TERM"] if setpriv else []
        """Ends a process when the runner is killed and cannot do it, and keeps it from becoming another user."""
        prlimit = shutil.which("prlimit")
        self._limited = (
            [prlimit, *(f"--{name}={_allowed(name, most)}" for name, most in _LIMITS.items())] if prlimit else []
        )
        self._running: list[ProcessServer] = []
        self._orphans = Orphans()
        self._unbuilt: dict[str, str] = {}

    def unavailable(self, server: Server) -> Skip | None:
        """Return why this server cannot run here, with what to install; None if it can."""
        return cannot_run_in(self.name, server) or self._kinds[server.kind].lacking(server)

    def program_of(self, server: Server) -> str:
        """Return the sha256 of the files of a server from outside. RuntimeUnusable if one cannot be read."""
        try:
            return digest_of(self._outside[server.id], server.command[0])
        except OSError as error:
            raise RuntimeUnusable(f"{server.id}: {error.filename} cannot be read: {error.strerror}") from None

    def prepare_generator(self) -> int:
        """Raise the limit of open files, and return it. RuntimeUnusable if the generator is not installed, or one of
        our own does not build."""
        if reason := why_unusable(self._generator):
            raise RuntimeUnusable(reason)
        if self._generator.package is None:
            build = ("cargo", "build", "--quiet", "--release", "--locked", "--manifest-path")
            if said := run_builder(*build, str(_source_of(self._generator) / "Cargo.toml")):
                raise RuntimeUnusable(f"{self._generator.name} does not build: {last_lines(said)}")
        return raise_open_files()

    def prepare(self, servers: Sequence[Server], say: Callable[[str], None]) -> dict[str, str]:
        """Build the servers' programs. Return those that could not be built, with the reason; they do not start."""
        failures: dict[str, str] = {}
        for (name, folder), builds in self._builds(servers).items():
            kind = self._kinds[name]
            say(f"building {', '.join(builds)} with {kind.builder}")
            failures |= build_failures(builds, partial(kind.build, folder))
        self._unbuilt |= failures
        return failures

    def _builds(self, servers: Sequence[Server]) -> dict[tuple[str, Path], dict[str, list[str]]]:
        """Return what is to be built, by kind and folder: the programs, and the servers that each is for."""
        builds: dict[tuple[str, Path], dict[str, list[str]]] = {}
        for server in sorted(servers, key=lambda each: each.program):
            if self._kinds[server.kind].builder:
                place = server.kind, source_of(server, self._servers_dir)
                builds.setdefault(place, {}).setdefault(server.program, []).append(server.id)
        return builds

    def environment(self) -> dict[str, str]:
        """Return the versions of the generator, as far as they can be known."""
        generator = self._generator
        versions = {generator.name: text_of([*self._path_prefix(), *generator.version_command]).partition("\n")[0]}
        if generator.package is not None:
            query = ["dpkg-query", "--show", "--showformat", "${Package} ${Version}", generator.package]
            versions[f"{generator.name} package"] = text_of(query)
        return {name: value for name, value in versions.items() if value}

    def _path_prefix(self) -> list[str]:
        """Return what a command of the generator begins with, so that its program is found."""
        if self._generator.package is not None:
            return []
        programs = _source_of(self._generator) / "target" / "release"
        return ["env", f"PATH={programs}{os.pathsep}{os.environ.get('PATH', '')}"]

    def begin(self, sweep_id: str, raw: Path, scratch: Path) -> None:
        """Have logs go to the folder `raw` and the generator's files to `scratch` from now on, and remove what killed
        sweeps left."""
        self._orphans.adopt()
        self._raw = raw.resolve()
        self._scratch = scratch.resolve()
        for left in LOCK.parent.glob(f"{_STAGE}*"):
            shutil.rmtree(left, ignore_errors=True)

    def start(self, server: Server, name: str) -> ProcessServer:
        """Start a server; StartError if that does not work. `name` names its log and the generator's folder."""
        check_built(server, self._unbuilt)
        folder = self._scratch / name
        folder.mkdir(exist_ok=True)
        with held():
            stage = Path(tempfile.mkdtemp(prefix=_STAGE, dir=LOCK.parent))
            prefix = [*self._pinned(self.generator_cpus), *self._path_prefix()]
            running = ProcessServer(stage, self._free_port(), prefix, folder, self._fixtures, self._orphans)
            self._running.append(running)
        try:
            self._launch(running, server, name)
        except StartError:
            running.stop()
            raise
        return running

    def _launch(self, running: ProcessServer, server: Server, name: str) -> None:
        stage = running.stage
        try:
            self._fill(stage, server)
        except OSError as error:
            raise StartError(Message(Code.DOES_NOT_START, detail=str(error))) from error
        java = self._jvm.java_of(server)
        environment = {
            "PATH": os.pathsep.join([str(java.parent), GUESTS_PATH]) if java else GUESTS_PATH,
            "ADDRESS": "127.0.0.1",
            "PORT": str(running.port),
            "DOCROOT": str(stage / "www"),
            "TMPDIR": str(stage / "tmp"),
            **processors(self.server_cpus),
            **server.variables,
        }
        guest = [*self._limited, *self._pinned(self.server_cpus)]
        if asks := version_command(server, str(stage / "server")):
            running.find_version([*guest, *asks], environment)
        command = [*guest, *(server.command or [str(stage / "server" / "start")])]
        running.log = self._raw / f"{name}.log"
        with create(running.log) as log:
            if owner := as_nobody():
                os.fchown(log.fileno(), owner["user"], owner["group"])  # httpd opens /dev/stderr, which is this file
            running.launch(command, environment, log)
        running.open_accounts(self.server_cpus, self.generator_cpus)

    def _free_port(self) -> int:
        """Return the first port from the sweep's own that none of its running servers has."""
        taken = {running.port for running in self._running if not running.is_stopped}
        return next(port for port in itertools.count(self._port) if port not in taken)

    def close(self) -> None:
        """End whatever is left of what was started."""
        try:
            each_is_tried(*(running.stop for running in self._running))
        finally:
            self._orphans.release()

    def _fill(self, stage: Path, server: Server) -> None:
        """Copy a server's program and the fixtures: it reads nothing else of ours, and a runner that is root can
        start it as somebody who may not look into root's folders."""
        (stage / "server").mkdir()
        self._kinds[server.kind].fill(stage / "server", server)
        shutil.copytree(self._fixtures, stage / "www")
        (stage / "tmp").mkdir()
        (stage / "tmp").chmod(0o1777)
        stage.chmod(0o755)

    def _pinned(self, cpus: Sequence[int]) -> list[str]:
        """Return what a command begins with that runs on these CPUs and not longer than the runner."""
        pinned = [self._taskset, "--cpu-list", cpu_list(cpus)] if self._taskset and cpus else []
        return [*self._tied, *pinned]


def _source_of(generator: Generator) -> Path:
    return paths.GENERATORS / generator.name


def rights() -> str | None:
    """Return what servers may do here because the runner is not root; None if it is."""
    if os.getuid() == 0:
        return None
    return "servers run with your files and your network: use Docker for programs that you do not trust"


def _allowed(name: str, most: int) -> int:
    """Return a limit of resources that is not above the runner's own, which it could not raise."""
    hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[1]
    return most if hard == resource.RLIM_INFINITY else min(most, hard)
