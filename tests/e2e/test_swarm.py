"""Sweeps over the nodes of a Docker swarm: this machine's engine, and a second one in a network namespace."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from e2e.conftest import (
    MINUTES,
    Engine,
    Sweeper,
    another_engine,
    answered,
    containers_left,
    logged,
    wait_until,
)
from support.free_ports import first_of_free_ports

from ab_runner.model.records import NodeRecord, StartRecord
from ab_runner.model.trial import MOVED, RepeatedTrial, Trial
from ab_runner.runtime.swarm import LABEL_OF_JOBS
from ab_runner.store.nodes import with_nodes
from ab_runner.store.plan import left_of
from ab_runner.store.reader import Stored, read

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker", "fixture_files")]

OTHER = "nodeb"
OF_TESTS = "ab-runner-tests"
"""A config of a swarm that tests made: what is left of tests that were killed may go."""
ASKED = ("--swarm", "--protocol", "quick", "--warmup", "0", "--workloads", "small")
SERVERS = ("--servers", "lighttpd-1.4,nginx-1.26")


def docker(*arguments: str) -> str:
    return subprocess.run(["docker", *arguments], check=True, capture_output=True, text=True).stdout.strip()


def state() -> str:
    return docker("info", "--format", "{{.Swarm.LocalNodeState}}")


def leave() -> None:
    subprocess.run(["docker", "swarm", "leave", "--force"], capture_output=True, check=False)
    for kind, name in (("network", "docker_gwbridge"), ("volume", "ab-runner-jobs")):
        subprocess.run(["docker", kind, "rm", name], capture_output=True, check=False)


@pytest.fixture(scope="module")
def no_swarm(docker: None) -> None:
    if state() != "inactive":
        made = subprocess.run(["docker", "config", "inspect", OF_TESTS], capture_output=True, check=False)
        if made.returncode:
            pytest.skip("this engine is in a swarm, which tests leave alone")
        leave()


class Swarm:
    """This machine's engine is its manager and one of its two nodes."""

    def __init__(self, other: Engine) -> None:
        self.other = other
        self.own = docker("info", "--format", "{{.Name}}")

    def left(self) -> str:
        """What jobs left on the swarm or its nodes."""
        of_jobs = ("ps", "--all", "--quiet", "--filter", f"label={LABEL_OF_JOBS}")
        configs = docker("config", "ls", "--format", "{{.Name}}").replace(OF_TESTS, "").strip()
        return docker("service", "ls", "--quiet") + configs + docker(*of_jobs) + self.of_other(*of_jobs)

    def of_other(self, *arguments: str) -> str:
        return docker("--context", OTHER, *arguments)

    def is_ready(self) -> bool:
        return docker("node", "ls", "--format", "{{.Status}}").split() == ["Ready", "Ready"]


@pytest.fixture(scope="module")
def swarm(no_swarm: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Swarm]:
    with ExitStack() as stack:
        other = stack.enter_context(another_engine(OTHER))
        address = other.link(0)
        settings = tmp_path_factory.mktemp("docker")
        plugins = Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker") / "cli-plugins"
        if plugins.exists():
            (settings / "cli-plugins").symlink_to(plugins)
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("DOCKER_CONFIG", str(settings))
        docker("context", "create", OTHER, "--docker", f"host={other.host}")
        stack.callback(leave)
        docker("swarm", "init", "--advertise-addr", address, "--listen-addr", f"{address}:2377")
        subprocess.run(["docker", "config", "create", OF_TESTS, "-"], input=b"tests", check=True, capture_output=True)
        token = docker("swarm", "join-token", "--quiet", "worker")
        docker("--context", OTHER, "swarm", "join", "--token", token, f"{address}:2377")
        for node in docker("node", "ls", "--quiet").split():
            docker("node", "update", "--label-add", "ab-runner=bench", node)
        yield Swarm(other)


def finished(process: subprocess.Popen[str], folder: Path, swarm: Swarm) -> tuple[Stored, str]:
    """Wait for the end of a sweep: every cell was answered and stored once, and nothing is left."""
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    stored = read(folder)
    assert (stored.damage, stored.ending, left_of(stored)) == ((), "finished", []), output
    trials = [record for record in stored.records if isinstance(record, Trial)]
    assert all(answered(trial.verdict) for trial in trials), output
    assert len({(each.block, each.server, each.level) for each in trials}) == len(trials)
    assert all((folder / "raw" / trial.raw).read_text().startswith("$ ab ") for trial in trials)
    assert (swarm.left(), containers_left(stored.sweep.id)) == ("", "")
    return stored, output


def nodes_of(stored: Stored) -> dict[int, str | None]:
    return {record.block: node for record, node in with_nodes(stored.records) if isinstance(record, Trial)}


def test_without_a_swarm_it_says_so_in_a_line(sweeping: Sweeper, tmp_path: Path, no_swarm: None) -> None:
    if state() != "inactive":
        pytest.skip("tests before it made a swarm")
    process = sweeping(*ASKED, "--servers", "ceiling", "--out", str(tmp_path / "sweep"))
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 2, output
    assert output.splitlines()[-1].startswith("ab-runner: --swarm: this engine is in no swarm"), output
    assert len(output.splitlines()) == 1, output
    assert not (tmp_path / "sweep").exists()


def test_each_of_two_nodes_measures_a_block(sweeping: Sweeper, tmp_path: Path, swarm: Swarm) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(*ASKED, *SERVERS, "--concurrency", "1,10", "--blocks", "2", "--out", str(folder))
    stored, output = finished(process, folder, swarm)
    assert sorted(map(str, nodes_of(stored).values())) == sorted([OTHER, swarm.own]), output
    for record in (record for record in stored.records if isinstance(record, NodeRecord)):
        assert record.machine.kernel == os.uname().release
        assert record.machine.hostname == record.node
        assert record.server_cpus or record.machine.cpus == 1
        assert record.environment["ab"].startswith("This is ApacheBench")
    starts = [record for record in stored.records if isinstance(record, StartRecord)]
    assert {record.server for record in starts} == {"ceiling", "lighttpd-1.4", "nginx-1.26"}
    assert {record.environment["meter"] for record in starts} == {"processes"}
    assert all((folder / "raw" / f"{record.block}-{record.server}-{record.start}.log").exists() for record in starts)
    assert f"{OTHER}: block" in output
    assert f"on {OTHER}, begun" in " ".join(output.split()), "each node is a session"
    assert "root there" in output


def test_the_doctor_knows_the_nodes(sweeping: Sweeper, swarm: Swarm) -> None:
    output, _ = sweeping("doctor").communicate(timeout=MINUTES)
    assert f"node {OTHER}: ready" in output
    assert f"node {swarm.own}: ready" in output


@pytest.mark.hosts
def test_the_block_of_a_node_that_is_killed_is_measured_on_another_one(
    sweeping: Sweeper, tmp_path: Path, swarm: Swarm
) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        *ASKED, *SERVERS, "--concurrency", "1,2,4", "--duration", "3", "--blocks", "2", "--out", str(folder)
    )

    def of_other() -> list[Trial]:
        if not (folder / "sweep.json").exists():
            return []
        return [each for each, node in with_nodes(read(folder).records) if isinstance(each, Trial) and node == OTHER]

    wait_until(of_other, process)
    swarm.other.end(signal.SIGKILL)
    try:
        wait_until(lambda: set(nodes_of(read(folder)).values()) == {swarm.own} and not of_other(), process)
    finally:
        swarm.other.start()
    process.wait(timeout=MINUTES)
    wait_for_ready(swarm)
    removed, _ = sweeping("doctor", "--clean").communicate(timeout=MINUTES)
    assert "removed ab-runner-" in removed, "containers of the job that died with its engine"
    stored, output = finished(process, folder, swarm)
    assert f"{OTHER}: is gone" in output
    moved = [record for record in stored.records if isinstance(record, RepeatedTrial) and record.reason == MOVED]
    assert moved, "what it had measured is kept"


def wait_for_ready(swarm: Swarm) -> None:
    waiting = subprocess.Popen(["sleep", "120"], text=True)
    try:
        wait_until(swarm.is_ready, waiting)
    finally:
        waiting.kill()
        waiting.wait()


@pytest.mark.hosts
def test_jobs_of_a_killed_runner_go_on_and_resume_has_what_they_found(
    sweeping: Sweeper, tmp_path: Path, swarm: Swarm
) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        *ASKED, *SERVERS, "--concurrency", "1,2,4", "--duration", "3", "--blocks", "3", "--out", str(folder)
    )
    wait_until(lambda: logged(folder).count('"record":"trial"') >= 2, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {each.raw for each in read(folder).records if isinstance(each, Trial)}
    stored, output = finished(sweeping("resume", str(folder)), folder, swarm)
    assert "goes on" in output
    assert before <= {each.raw for each in stored.records if isinstance(each, Trial)}


@pytest.mark.hosts
def test_the_doctor_removes_what_a_killed_runner_left(sweeping: Sweeper, tmp_path: Path, swarm: Swarm) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        *ASKED, *SERVERS, "--concurrency", "1,2", "--duration", "3", "--blocks", "2", "--out", str(folder)
    )
    wait_until(lambda: logged(folder).count('"record":"trial"') >= 1, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    output, _ = sweeping("doctor", "--clean").communicate(timeout=MINUTES)
    assert "Docker: removed ab-runner-" in output
    waiting = subprocess.Popen(["sleep", "60"], text=True)
    try:
        wait_until(lambda: not swarm.left(), waiting)
    finally:
        waiting.kill()
        waiting.wait()


@pytest.mark.hosts
def test_an_image_that_a_node_lacks_is_brought_to_it(sweeping: Sweeper, tmp_path: Path, swarm: Swarm) -> None:
    subprocess.run(["docker", "--context", OTHER, "image", "rm", "--force", "ab-runner/nginx-1.26"], check=False)
    folder = tmp_path / "sweep"
    process = sweeping(*ASKED, *SERVERS, "--concurrency", "1", "--blocks", "2", "--out", str(folder))
    stored, _ = finished(process, folder, swarm)
    assert set(nodes_of(stored).values()) == {OTHER, swarm.own}
    assert swarm.of_other("image", "ls", "--quiet", "ab-runner/nginx-1.26")


@pytest.mark.hosts
def test_images_come_from_a_registry_by_their_digests(sweeping: Sweeper, tmp_path: Path, swarm: Swarm) -> None:
    if shutil.which("docker-registry") is None:
        pytest.skip("not installed: docker-registry")
    port = first_of_free_ports(1)
    storage = f"storage: {{filesystem: {{rootdirectory: {tmp_path}/registry}}}}"
    (tmp_path / "registry.yml").write_text(f"version: 0.1\n{storage}\nhttp: {{addr: 127.0.0.1:{port}}}\n")
    for image in ("runner", "nginx-1.26"):
        subprocess.run(["docker", "--context", OTHER, "image", "rm", "--force", f"ab-runner/{image}"], check=False)
    serve = ["docker-registry", "serve", str(tmp_path / "registry.yml")]
    folder = tmp_path / "sweep"
    # One for each network namespace, with the same files: engines need no certificate for a registry on loopback.
    with (
        subprocess.Popen(serve, stderr=subprocess.DEVNULL) as here,
        subprocess.Popen([*swarm.other.inside, *serve], stderr=subprocess.DEVNULL) as there,
    ):
        try:
            process = sweeping(
                *ASKED, *SERVERS, "--concurrency", "1", "--blocks", "2", "--registry", f"localhost:{port}", "--out",
                str(folder),
            )  # fmt: skip
            stored, _ = finished(process, folder, swarm)
        finally:
            here.kill()
            there.kill()
    assert set(nodes_of(stored).values()) == {OTHER, swarm.own}
    assert f"localhost:{port}/ab-runner/nginx-1.26" in swarm.of_other("image", "ls", "--digests")
