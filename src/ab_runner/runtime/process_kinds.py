"""The kinds of servers as processes of this host: what each lacks here, how it is built, and the files that it runs
from."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ab_runner import paths
from ab_runner.catalog import artifacts
from ab_runner.catalog.servers import SHARED
from ab_runner.model.message import Skip, SkipKind
from ab_runner.model.server import Server
from ab_runner.runtime.base import last_lines, needs_newer_jdk
from ab_runner.runtime.jdks import FOLDER, installed

GUESTS_PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
"""Where servers find programs."""


class ProcessKind:
    """A kind of server. `builder` is the program that builds it, empty where nothing is built."""

    builder = ""

    def lacking(self, server: Server) -> Skip | None:
        """Return why such a server cannot run here, with what to install; None if it can."""
        return None

    def build(self, folder: Path, programs: Sequence[str]) -> str:
        """Build these programs of a folder of servers, and return the builder's complaint if that fails, else
        nothing."""
        return ""

    def fill(self, folder: Path, server: Server) -> None:
        """Copy what the server runs from into its own folder, with a `start` unless it has a command."""


class Jvm(ProcessKind):
    """Servers in Java, built by Maven, which always runs on the newest JDK."""

    builder = "Maven"

    def __init__(self, servers_dir: Path, jdk: int | None) -> None:
        self._jdks = installed()
        runs = next((each for each in self._jdks if jdk in (None, each.version)), None)
        self.jdk = runs.version if runs else jdk
        self._compiles = next((each for each in self._jdks if each.compiles), None)
        self._servers_dir = servers_dir

    def java_of(self, server: Server) -> Path | None:
        """Return the program `java` that a server runs on; None where this host lacks it."""
        jdk = server.jdk or self.jdk
        return next((each.java for each in self._jdks if each.version == jdk), None)

    def lacking(self, server: Server) -> Skip | None:
        jdk = server.jdk or self.jdk
        if self.java_of(server) is None and jdk is not None:
            return Skip(
                SkipKind.OTHER,
                f"there is no JDK {jdk} in {FOLDER}, JAVA_HOME or the PATH "
                f"(Debian: apt-get install openjdk-{jdk}-jre-headless, in releases that have it)",
            )
        if self._compiles is None:
            return Skip(SkipKind.OTHER, "no JDK is installed (Debian: apt-get install default-jdk-headless)")
        if shutil.which("mvn") is None:
            return _not_installed("mvn", "maven")
        return needs_newer_jdk(server, self.jdk)

    def build(self, folder: Path, programs: Sequence[str]) -> str:
        pom = str(folder / "pom.xml")
        command = ["mvn", "-B", "-q", "-Dstyle.color=never", "--strict-checksums", "-DskipTests", "-f", pom]
        command.append(f"-Dartifacts={artifacts.cache_folder()}")
        home = {"JAVA_HOME": str(self._compiles.home)} if self._compiles else {}
        said = run_builder(*command, "-am", "-pl", ",".join(programs), "package", variables=home).splitlines()
        errors = [line for line in said if "[ERROR]" in line] or said
        return f"{errors[0]} (mvn -f {pom} package shows the rest)" if errors else ""

    def fill(self, folder: Path, server: Server) -> None:
        built = source_of(server, self._servers_dir) / server.program / "target"
        (folder / "lib").mkdir()
        if (built / "lib").is_dir():  # a program may need none
            shutil.copytree(built / "lib", folder / "lib", dirs_exist_ok=True)
        for artifact in server.artifacts:
            shutil.copy(artifacts.path_of(artifact), folder / "lib" / artifact.file)
        shutil.copy(built / "server.jar", folder)
        shutil.copy(self._servers_dir / SHARED / "start-jvm", folder / "start")


class Compiled(ProcessKind):
    """Servers in C or Go, which a script of servers/shared builds by a compiler."""

    def __init__(self, servers_dir: Path, script: str, compiler: str, packages: str) -> None:
        self.builder = compiler
        self._servers_dir = servers_dir
        self._script = script
        self._packages = packages

    def lacking(self, server: Server) -> Skip | None:
        return None if shutil.which(self.builder) else _not_installed(self.builder, self._packages)

    def build(self, folder: Path, programs: Sequence[str]) -> str:
        build = str(self._servers_dir / SHARED / self._script)
        return last_lines("".join(run_builder(build, str(folder / name)) for name in programs))

    def fill(self, folder: Path, server: Server) -> None:
        program = self._servers_dir / server.program
        for file in (program / "target" / "server", program / "start"):
            shutil.copy(file, folder)


class Debian(ProcessKind):
    """Servers of Debian's packages."""

    def __init__(self, servers_dir: Path) -> None:
        self._servers_dir = servers_dir

    def lacking(self, server: Server) -> Skip | None:
        needs = server.needs
        if needs is None or shutil.which(needs.command, path=GUESTS_PATH):
            return None
        packages = " ".join(needs.packages)
        if needs.conflicts is None:
            return _not_installed(needs.command, packages)
        why = f"{needs.command} is not installed, and Debian's {packages} conflicts with {needs.conflicts}: use Docker"
        return Skip(SkipKind.NOT_INSTALLED, why)

    def fill(self, folder: Path, server: Server) -> None:
        shutil.copytree(self._servers_dir / server.program, folder, dirs_exist_ok=True)
        shutil.copy(self._servers_dir / SHARED / "start-debian", folder)


class OwnCommand(ProcessKind):
    """Servers from outside, each with a folder of its own and a command to be run in it."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = folders

    def lacking(self, server: Server) -> Skip | None:
        program = server.command[0]
        found = _program_of(program, self._folders[server.id])
        return None if found else Skip(SkipKind.NOT_INSTALLED, f"its command {program} is not there")

    def fill(self, folder: Path, server: Server) -> None:
        # Links stay links: what they lead to is not for the server to read.
        shutil.copytree(self._folders[server.id], folder, symlinks=True, dirs_exist_ok=True, ignore=_special_files)


class ImageKind(ProcessKind):
    """Images of Docker's, which are no processes of this host."""

    def lacking(self, server: Server) -> Skip | None:
        return Skip(SkipKind.OTHER, "it is an image, which needs Docker")


def source_of(server: Server, servers_dir: Path) -> Path:
    """Return the folder that the build of a server of the repository is in: that of its study, or `servers_dir`."""
    return paths.servers_of_study(server.study) if server.study else servers_dir


def _program_of(program: str, folder: Path) -> Path | None:
    """Return the file that a command begins with: in the server's folder if it has a slash, else from the PATH. None if
    it is not there."""
    found = str(folder / program) if "/" in program else shutil.which(program, path=GUESTS_PATH)
    return Path(found) if found and Path(found).is_file() else None


def digest_of(folder: Path, program: str) -> str:
    """Return the sha256 of what a server is: of its folder's files, with their names and their right to be executed,
    and of the program that its command begins with. OSError for a file that cannot be read."""
    digest = hashlib.sha256()
    if found := _program_of(program, folder):
        digest.update(found.read_bytes())
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        digest.update(f"{path.relative_to(folder)}\0{stat.S_IFMT(mode) | mode & 0o111:o}\0".encode(errors="replace"))
        if stat.S_ISLNK(mode):
            digest.update(os.fsencode(path.readlink()))
        elif stat.S_ISREG(mode):
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return f"sha256:{digest.hexdigest()}"


def _special_files(folder: str, names: Sequence[str]) -> list[str]:
    """Return what is neither a file nor a folder nor a link: a copy of a device or a FIFO might never end."""
    modes = {name: stat.S_IFMT((Path(folder) / name).lstat().st_mode) for name in names}
    return [name for name, mode in modes.items() if mode not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK)]


def _not_installed(command: str, packages: str) -> Skip:
    return Skip(SkipKind.NOT_INSTALLED, f"{command} is not installed (Debian: apt-get install {packages})")


def run_builder(*command: str, variables: Mapping[str, str] | None = None) -> str:
    """Run a builder, and return all that it said if it fails, else nothing."""
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    return (done.stdout + done.stderr or "without any output") if done.returncode else ""
