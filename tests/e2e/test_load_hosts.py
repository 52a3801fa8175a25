"""Load from other hosts: engines in network namespaces of their own, with links to this machine, where servers run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
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
    take_images_as_they_are,
    verdicts,
    wait_until,
)
from support.builders import said_of

from ab_runner.model.records import StartRecord
from ab_runner.model.trial import Trial
from ab_runner.store.reader import read

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker", "fixture_files")]

QUICK = ("--runtime", "docker", "--protocol", "quick", "--warmup", "0")
HOSTS = ("lab2", "lab3")


class Lab:
    """Two engines that load may come from, under contexts of a docker command whose settings are the test's own."""

    def __init__(self, engines: Sequence[Engine], address: str) -> None:
        self.engines = dict(zip(HOSTS, engines, strict=True))
        self.address = address
        """That of this machine for both."""

    def docker(self, context: str, *arguments: str) -> str:
        return subprocess.run(
            ["docker", "--context", context, *arguments], capture_output=True, text=True, check=False
        ).stdout

    def left(self, context: str) -> str:
        """Containers and networks of sweeps on a host."""
        return "".join(
            self.docker(context, *kind, "--quiet", "--filter", "name=ab-runner-2")
            for kind in (("ps", "--all"), ("network", "ls"))
        )

    def is_loaded(self, context: str) -> bool:
        """Is ab at work there?"""
        names = self.docker(context, "ps", "--format", "{{.Names}}", "--filter", "name=-ab-1").split()
        return any(re.search(r"^\d+ +ab ", self.docker(context, "top", name, "-o", "pid,args"), re.M) for name in names)


@pytest.fixture(scope="module")
def lab(docker: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with ExitStack() as stack:
        engines = [stack.enter_context(another_engine()) for _ in HOSTS]
        addresses = [engine.link(number) for number, engine in enumerate(engines)]
        settings = tmp_path_factory.mktemp("docker")
        plugins = Path(os.environ.get("DOCKER_CONFIG") or Path.home() / ".docker") / "cli-plugins"
        if plugins.exists():
            (settings / "cli-plugins").symlink_to(plugins)
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("DOCKER_CONFIG", str(settings))
        for name, engine in zip(HOSTS, engines, strict=True):
            subprocess.run(
                ["docker", "context", "create", name, "--docker", f"host={engine.host}"],
                check=True, capture_output=True,
            )  # fmt: skip
        yield Lab(engines, addresses[0])


def test_load_comes_from_two_hosts_over_their_links(sweeping: Sweeper, tmp_path: Path, lab: Lab) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        *QUICK, "--servers", "ceiling,lighttpd-1.4", "--workloads", "small,large", "--concurrency", "1,10",
        "--load-hosts", ",".join(HOSTS), "--server-address", lab.address, "--out", str(folder),
    )  # fmt: skip
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    stored = read(folder)
    assert stored.damage == ()
    assert [cell for cell, verdict in verdicts(stored).items() if not answered(verdict)] == [], output
    sweep = stored.sweep
    assert [host.name for host in sweep.load_hosts] == list(HOSTS)
    assert all(host.link > 1e6 and host.machine.cpus for host in sweep.load_hosts)
    assert sweep.links_together
    assert (sweep.request.network, sweep.request.load_hosts) == ("hosts", HOSTS)
    for trial in (record for record in stored.records if isinstance(record, Trial)):
        assert trial.load_hosts
        assert trial.outcome
        assert len(trial.load_hosts) == min(2, trial.level), "one connection comes from one host"
        assert sum(host.connections or 0 for host in trial.load_hosts) == trial.level
        assert sum(host.received_bytes or 0 for host in trial.load_hosts) == trial.outcome.received_bytes
        assert sum(host.rate or 0.0 for host in trial.load_hosts) == pytest.approx(trial.outcome.rate, rel=0.01)
        assert sum(trial.outcome.latency.values()) == trial.outcome.completed
        assert all((host.cpu_seconds or 0.0) > 0 for host in trial.load_hosts)
        assert trial.usage
        assert trial.usage.generator_cpu_seconds == pytest.approx(
            sum(host.cpu_seconds or 0.0 for host in trial.load_hosts)
        )
        assert lab.address in trial.command[-1], "what ab asked for"
    assert "load host lab2: " in " ".join(output.split()), "lines of the tables are broken anywhere"
    assert containers_left(sweep.id) == "", "nor is any port published any more"
    assert [lab.left(host) for host in HOSTS] == ["", ""]


def test_an_open_load_comes_from_two_hosts(sweeping: Sweeper, tmp_path: Path, lab: Lab) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        *QUICK, "--servers", "lighttpd-1.4", "--workloads", "small", "--rate", "301", "--load-hosts", ",".join(HOSTS),
        "--server-address", lab.address, "--out", str(folder),
    )  # fmt: skip
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    trials = [record for record in read(folder).records if isinstance(record, Trial) and record.block == 1]
    assert trials
    for trial in trials:
        assert trial.outcome
        assert trial.outcome.arrivals
        assert (trial.outcome.arrivals.rate, trial.outcome.arrivals.clean_seconds) == (301, None)
        assert trial.verdict.valid, said_of(trial.verdict.reason)


def test_a_load_host_whose_engine_is_killed_in_mid_trial_costs_that_trial(
    sweeping: Sweeper, tmp_path: Path, lab: Lab
) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        *QUICK, "--servers", "lighttpd-1.4", "--workloads", "small", "--duration", "4", "--concurrency", "2,4",
        "--load-hosts", ",".join(HOSTS), "--server-address", lab.address, "--out", str(folder),
    )  # fmt: skip
    begun = '"record":"start","block":1'
    wait_until(lambda: (folder / "trials.jsonl").exists() and begun in (folder / "trials.jsonl").read_text(), process)
    wait_until(lambda: lab.is_loaded("lab3"), process)
    lab.engines["lab3"].end(signal.SIGKILL)
    time.sleep(2)
    lab.engines["lab3"].start()
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    stored = read(folder)
    found = {cell[2]: None if answered(each) else said_of(each.reason) for cell, each in verdicts(stored).items()}
    assert found == {2: "load host lab3 is gone", 4: None}, output
    starts = [record for record in stored.records if isinstance(record, StartRecord) and record.block == 1]
    assert len(starts) == 2, "the server is started again"
    assert containers_left(stored.sweep.id) == ""
    assert [lab.left(host) for host in HOSTS] == ["", ""]


def test_what_a_killed_runner_left_on_hosts_is_removed_by_the_doctor(
    sweeping: Sweeper, tmp_path: Path, lab: Lab
) -> None:
    folder = tmp_path / "sweep"
    process = sweeping(
        *QUICK, "--servers", "ceiling", "--workloads", "small", "--duration", "4", "--concurrency", "2",
        "--load-hosts", "lab2", "--server-address", lab.address, "--out", str(folder),
    )  # fmt: skip
    wait_until(lambda: lab.is_loaded("lab2"), process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert lab.left("lab2")
    output, _ = sweeping("doctor", "--clean", "--hosts", ",".join((*HOSTS, "default"))).communicate(timeout=MINUTES)
    assert "lab2: removed ab-runner-" in output
    assert "lab3: nothing was left" in output
    assert "default: removed ab-runner-" in output
    assert (lab.left("lab2"), containers_left(read(folder).sweep.id)) == ("", "")


def test_the_doctor_tells_what_hosts_have_and_lack(sweeping: Sweeper, lab: Lab) -> None:
    output, _ = sweeping("doctor", "--hosts", "default,lab2").communicate(timeout=MINUTES)
    for said in ("lab2: Docker Engine ", "lab2: images: ", "lab2: memory: ", "lab2: open files of a container: "):
        assert said in output
    assert f"kernel {os.uname().release}" in output
    output, _ = sweeping("doctor", "--hosts", "lab9").communicate(timeout=MINUTES)
    assert "there is no Docker context lab9" in output


def test_what_cannot_be_reached_is_refused_before_anything_is_measured(
    sweeping: Sweeper, tmp_path: Path, lab: Lab
) -> None:
    asked = (*QUICK, "--servers", "ceiling", "--workloads", "small", "--concurrency", "1", "--load-hosts", "lab2")
    process = sweeping(*asked, "--out", str(tmp_path / "sweep"))
    output, _ = process.communicate(timeout=MINUTES)
    assert (process.returncode, "give one with --server-address" in output) == (2, True), output
    process = sweeping(*asked, "--server-address", "192.0.2.7", "--out", str(tmp_path / "sweep"))
    output, _ = process.communicate(timeout=MINUTES)
    assert (process.returncode, "nothing can be published at 192.0.2.7" in output) == (2, True), output
    assert not (tmp_path / "sweep").exists()


def test_servers_run_on_the_host_that_is_named(
    sweeping: Sweeper, tmp_path: Path, lab: Lab, copy_of_toolkit: Path
) -> None:
    """Without load hosts: the generator is beside the server there."""
    lab.engines["lab2"].load_images()
    take_images_as_they_are(copy_of_toolkit)
    folder = tmp_path / "sweep"
    process = sweeping(
        *QUICK, "--servers", "ceiling", "--workloads", "small", "--concurrency", "1", "--server-host", "lab2",
        "--out", str(folder), root=copy_of_toolkit,
    )  # fmt: skip
    wait_until(lambda: lab.left("lab2"), process)
    output, _ = process.communicate(timeout=MINUTES)
    assert process.returncode == 0, output
    assert json.loads((folder / "sweep.json").read_text())["asked"]["server_host"] == "lab2"
    assert lab.left("lab2") == ""
