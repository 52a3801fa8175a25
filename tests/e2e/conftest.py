"""What the end-to-end tests share. Where Docker or ab is missing they skip, and pytest's summary says why."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from support.cargo import OPEN_LOAD, cargo, why_no_cargo
from support.free_ports import first_of_free_ports
from support.workloads import workload_named

from ab_runner.cli.measuring import has_result
from ab_runner.load import ab_command
from ab_runner.model.message import Code, Verdict
from ab_runner.model.records import StartRecord
from ab_runner.model.server import DEFAULT_JDK, REFERENCE
from ab_runner.model.trial import BEFORE, NotMeasured, RepeatedTrial, Trial
from ab_runner.model.workload import WorkloadName
from ab_runner.runtime.docker_commands import why_unusable
from ab_runner.store.reader import Stored, read
from ab_runner.sweep.server import probe

ROOT = Path(__file__).parents[2]
MINUTES = 600.0
"""Seconds after which a sweep of a test hangs, also on a slow machine."""
FIXTURES = ROOT / "fixtures" / "files"


@pytest.fixture(scope="session")
def docker() -> None:
    if reason := why_unusable():
        pytest.skip(reason)


@pytest.fixture(scope="session")
def fixture_files() -> None:
    """Makes what tests compare answers with."""
    command = [sys.executable, str(ROOT / "fixtures" / "generate.py"), str(FIXTURES)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def host_tools() -> None:
    missing = [tool for tool in ("ab", "java", "mvn") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="session")
def program() -> Path:
    """Builds open-load, and returns its executable."""
    if reason := why_no_cargo():
        pytest.skip(reason)
    cargo("build", "--release")
    return OPEN_LOAD / "target" / "release" / "open-load"


@pytest.fixture
def free_port() -> int:
    """The first of three free ports."""
    return first_of_free_ports(3)


@pytest.fixture
def copy_of_toolkit(tmp_path: Path) -> Path:
    """Another copy of the repository, to be changed; its environment is this one's."""
    copy = tmp_path / "toolkit"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "results", "target"))
    (copy / ".venv").symlink_to(ROOT / ".venv")
    return copy


class Engine:
    """A Docker engine of our own beside this machine's, with its images, to be ended and started again.

    It lives in a network namespace of its own: every engine takes docker0 for its own, to change or to remove it. So
    there is no route from here to its containers."""

    SERVICES = ("agent", "fixtures", "ab", "ceiling", "lighttpd-1.4", "jdk-httpserver")

    def __init__(self, folder: Path, hostname: str = "") -> None:
        """Without a `hostname` of its own it has that of this machine."""
        self._hostname = ("unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', hostname) if hostname else ()
        self.host = f"unix://{folder}/socket"
        self.data = folder / "data"
        self._folder = folder
        # Named after its folder: a run of the tests that was killed leaves its namespace behind.
        self._namespace = folder.name
        self.inside = ("nsenter", f"--net=/run/netns/{self._namespace}")
        """What a command begins with that is to run in its network namespace."""
        self._daemon: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Engine:
        subprocess.run(["ip", "netns", "add", self._namespace], check=True)
        subprocess.run([*self.inside, "ip", "link", "set", "lo", "up"], check=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.end(signal.SIGTERM)
        subprocess.run(["ip", "netns", "delete", self._namespace], check=True)
        # Engines leave mounts, one that is killed more of them. The last one made goes first.
        places = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
        for place in reversed([each for each in places if each.startswith(f"{self._folder}/")]):
            subprocess.run(["umount", place], check=True)
        shutil.rmtree(self._folder)

    def start(self) -> None:
        folder = self._folder
        with (folder / "log").open("ab") as log:
            self._daemon = subprocess.Popen(
                [*self.inside, *self._hostname, "dockerd", "--host", self.host, "--data-root", self.data,
                 "--exec-root", folder / "exec", "--pidfile", folder / "pid"],
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        for _ in range(1200):
            asked = subprocess.run(["docker", "--host", self.host, "version"], capture_output=True, check=False)
            if asked.returncode == 0:
                return
            if self._daemon.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError((folder / "log").read_text()[-300:])

    def link(self, number: int) -> str:
        """Makes a link between its namespace and this one, by which hosts reach each other, and returns the address of
        this machine on it. It goes with the namespace."""
        here, there = (f"ab{os.getpid()}{end}{number}" for end in "he")
        subnet = f"10.{99 + number}.{os.getpid() % 250}"
        ip = ["ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", self._namespace]
        for command in (
            ip,
            ["ip", "addr", "add", f"{subnet}.1/24", "dev", here],
            ["ip", "link", "set", here, "up"],
            [*self.inside, "ip", "addr", "add", f"{subnet}.2/24", "dev", there],
            [*self.inside, "ip", "link", "set", there, "up"],
            [*self.inside, "ip", "route", "add", "default", "via", f"{subnet}.1"],
        ):
            subprocess.run(command, check=True)
        return f"{subnet}.1"

    def load_images(self) -> None:
        subprocess.run(["docker", "compose", "build", "--quiet", *self.SERVICES], cwd=ROOT, check=True)
        of_jdk = {"jdk-httpserver": f":jdk{DEFAULT_JDK}"}
        images = [f"ab-runner/{service}{of_jdk.get(service, '')}" for service in self.SERVICES]
        with subprocess.Popen(["docker", "save", *images], stdout=subprocess.PIPE) as saved:
            subprocess.run(["docker", "--host", self.host, "load", "--quiet"], stdin=saved.stdout, check=True)

    def end(self, number: int) -> None:
        if self._daemon is not None:
            self._daemon.send_signal(number)
            self._daemon.wait(timeout=MINUTES)
            self._daemon = None


@contextmanager
def another_engine(hostname: str = "") -> Iterator[Engine]:
    """An engine that has no images yet. Skips the test where there can be none."""
    if os.getuid() != 0 or not all(map(shutil.which, ("dockerd", "ip", "nsenter", "umount"))):
        pytest.skip("a second Docker engine needs root, dockerd, iproute2 and util-linux")
    # pytest's paths are too long for sockets
    with Engine(Path(tempfile.mkdtemp(prefix="engine-", dir="/tmp")), hostname) as engine:
        try:
            engine.start()
        except RuntimeError as error:
            pytest.skip(f"a second Docker engine does not run here: {error}")
        yield engine


@pytest.fixture(scope="module")
def engine(docker: None) -> Iterator[Engine]:
    with another_engine() as engine:
        engine.load_images()
        yield engine


def take_images_as_they_are(toolkit: Path) -> None:
    """Dockerfiles that need no network, which the engine's namespace has not got."""
    folder = toolkit / "docker"
    for dockerfile in folder.rglob("*.Dockerfile"):
        dockerfile.unlink()
    for service in ("generators/ab", "agent", "fixtures"):
        (folder / f"{service}.Dockerfile").write_text(f"FROM ab-runner/{Path(service).name}\n")
    for kind in ("c", "debian", "go"):
        (folder / f"{kind}.Dockerfile").write_text("ARG PROGRAM\nFROM ab-runner/${PROGRAM}\n")
    (folder / "jvm.Dockerfile").write_text("ARG PROGRAM\nARG JDK\nFROM ab-runner/${PROGRAM}:jdk${JDK}\n")


Sweeper = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def sweeping() -> Iterator[Sweeper]:
    """Starts ./ab-runner, of this copy or another, with the given arguments; what is still running at the end of the
    test is interrupted."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, root: Path = ROOT) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [str(root / "ab-runner"), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=MINUTES)


def wait_until(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Wait until the condition is true, which must be before the sweep ends."""
    deadline = time.monotonic() + MINUTES
    while not condition():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def wait_for_trials(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Waits until so many trials of the sweep's own blocks are stored."""
    wait_until(lambda: logged(folder).count('"record":"trial","block":1') >= count, process)


def logged(folder: Path) -> str:
    """The log so far."""
    log = folder / "trials.jsonl"
    return log.read_text() if log.exists() else ""


def verdicts(stored: Stored) -> dict[tuple[str, WorkloadName, int], Verdict]:
    """What became of each cell of a sweep with one block. Each must be there once; the reference's is there once a
    batch, and a failure of it counts."""
    found: dict[tuple[str, WorkloadName, int], Verdict] = {}
    for record in stored.records:
        if isinstance(record, Trial | NotMeasured) and record.block > BEFORE:
            key = (record.server, record.workload, record.level)
            assert key not in found or record.server == REFERENCE
            if key in found and not answered(found[key]):
                continue
            found[key] = record.verdict if isinstance(record, Trial) else Verdict(False, record.reason)
    return found


def answered(verdict: Verdict) -> bool:
    """Was every answer right? Trials of tests are too short for a JVM to be warm, which is looked at last."""
    return verdict.reason is None or verdict.reason.code == Code.COLD


def question_of_ab(name: WorkloadName) -> probe.Question:
    """What ab asks in a workload of a server in a container."""
    workload = workload_named(name)
    return probe.question(
        ab_command.request_head("127.0.0.1:8080", workload.path, workload.keep_alive, workload.headers),
        workload,
        FIXTURES,
    )


def check_usage(stored: Stored, trial: Trial) -> None:
    """What a valid trial took of this machine, and what its JVM did, are there and can be true."""
    sweep, usage = stored.sweep, trial.usage
    if sys.platform == "linux":
        assert usage is not None
        assert trial.outcome is not None
        assert usage.server_cpu_seconds > 0
        assert usage.generator_cpu_seconds > 0
        cpus = len(sweep.server_cpus) or sweep.machine.cpus
        if usage.server_cores_busy is not None and usage.generator_cores_busy is not None:
            # A look that is interrupted between its clock and its counters is off by as much.
            assert 0 <= usage.server_cores_busy < cpus + 0.5, "a server that stalls may do nothing for a while"
            assert 0 <= usage.generator_cores_busy < 1.5
        assert usage.peak_memory_bytes is None or usage.peak_memory_bytes > 0
        assert usage.context_switches is None or usage.context_switches > 0
    kinds = {server.id: server.kind for server in sweep.servers}
    if kinds.get(trial.server) != "jvm":
        assert trial.jvm is None
        return
    assert trial.jvm is not None
    assert trial.jvm.gc_count >= 0
    assert trial.jvm.jit_seconds >= 0
    assert trial.jvm.gc_seconds >= 0
    if trial.jvm.heap_after_gc_bytes is not None:
        assert 100_000 < trial.jvm.heap_after_gc_bytes < 512 * 2**20, "start-jvm gives it 512 MB"


def check_store(folder: Path, starts: int) -> Stored:
    """The store is whole, and every valid trial's figures are those of the fixture's bytes."""
    stored = read(folder)
    assert stored.damage == ()
    records = [record for record in stored.records if isinstance(record, Trial)]
    for trial in records:
        assert (folder / "raw" / trial.raw).read_text().startswith("$ ab ")
        if answered(trial.verdict):
            assert trial.samples is not None
            assert trial.outcome is not None
            assert sum(trial.outcome.latency.values()) == trial.outcome.completed
            assert trial.wall_seconds is not None
            assert trial.wall_seconds > trial.outcome.seconds
            if trial.workload != "echo":
                length = 947_111 if trial.workload == "large" else 100
                assert trial.outcome.body_length == length
                assert trial.outcome.body_bytes is not None
                assert trial.outcome.body_bytes >= trial.outcome.completed * length
            check_usage(stored, trial)
    made = [*records, *(record.trial for record in stored.records if isinstance(record, RepeatedTrial))]
    jvms = [trial.jvm for trial in made if trial.jvm]
    assert not jvms or max(jvm.jit_seconds for jvm in jvms) > 0
    compiling = [each.usage.jit_cpu_seconds for each in records if each.jvm and each.usage]
    assert all(seconds is not None and seconds >= 0 for seconds in compiling)
    for name in ("tables.md", "trials.csv"):
        assert (folder / name).stat().st_size > 0
    begun = [record for record in stored.records if isinstance(record, StartRecord)]
    assert len(begun) >= starts
    assert all(record.environment["version"] for record in begun if record.error is None)
    sweep = stored.sweep
    assert sweep.machine.kernel == os.uname().release
    assert sweep.environment["ab"].startswith("This is ApacheBench")
    assert set(sweep.fixtures) == {"small.html", "large.bin"}
    if sweep.machine.cpus > 1:
        assert sweep.server_cpus
        assert not set(sweep.server_cpus) & set(sweep.generator_cpus)
    return stored


def check_exit_code(process: subprocess.Popen[str], stored: Stored, output: str) -> None:
    """Check the exit code of a sweep that ended. Whether a trial after a short warm-up is valid depends on the speed of
    the machine: with none the sweep ends with 1."""
    assert process.returncode == (0 if has_result(stored) else 1), output


def finished_batch(process: subprocess.Popen[str], folder: Path, starts: int) -> tuple[Stored, list[Trial]]:
    """Wait for the end of a sweep, check it, that it was one batch and that every cell was answered, and return it with
    its trials."""
    output, _ = process.communicate(timeout=MINUTES)
    stored = check_store(folder, starts)
    check_exit_code(process, stored, output)
    assert all(map(answered, verdicts(stored).values())), output
    trials = [record for record in stored.records if isinstance(record, Trial)]
    assert {trial.batch for trial in trials} == {1}
    return stored, trials


def containers_left(sweep_id: str) -> str:
    """Containers, networks and volumes of a sweep."""
    name = f"name=ab-runner-{sweep_id}"
    kinds = (["ps", "--all"], ["network", "ls"], ["volume", "ls"])
    return "".join(subprocess.check_output(["docker", *kind, "--quiet", "--filter", name], text=True) for kind in kinds)


def containers_of(sweep_id: str, service: str) -> list[str]:
    """The names of a sweep's containers of that service of compose.yaml that are running."""
    filters = [f"--filter=name=ab-runner-{sweep_id}", f"--filter=label=com.docker.compose.service={service}"]
    return subprocess.check_output(["docker", "ps", "--format", "{{.Names}}", *filters], text=True).split()


def listeners(port: int) -> bool:
    """Does anything listen on the port?"""
    lines = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    return any(f":{port:04X}" in line.split()[1] and line.split()[3] == "0A" for line in lines.splitlines()[1:])


def servers_left(port: int) -> list[str]:
    """Processes that were started as a server on this port."""
    return [(folder / "cmdline").read_text() for folder in _server_folders(port)]


def server_states(port: int) -> list[str]:
    """The states of these processes: T is stopped."""
    return [(folder / "stat").read_text().rpartition(")")[2].split()[0] for folder in _server_folders(port)]


def _server_folders(port: int) -> list[Path]:
    setting = f"PORT={port}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if setting in (folder / "environ").read_bytes().split(b"\0"):
                found.append(folder)
    return found
