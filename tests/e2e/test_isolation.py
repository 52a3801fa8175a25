"""What a server in a container may not do, with containers that really try it. As a process of the host:
tests/runtime/test_process_runtime.py."""

from __future__ import annotations

import datetime
import json
import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from e2e.conftest import ROOT, containers_of
from support.hostile import COMPOSE_ATTACKS, toml

from ab_runner.catalog.servers import load
from ab_runner.host.machine import cpu_split
from ab_runner.host.sweep_lock import sweep_lock
from ab_runner.runtime.docker import DockerRuntime
from ab_runner.runtime.docker_server import DockerServer

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("docker", "fixture_files")]

SERVER = load(ROOT / "servers")["lighttpd-1.4"]
SWEEP = f"isolation-{os.getpid()}"
OUTSIDE = "192.0.2.1"
"""Of TEST-NET-1: nobody has it, and a container without a route is told so at once."""


class Guest:
    """A server of a sweep, and commands in its container with its rights."""

    def __init__(self, running: DockerServer) -> None:
        self.running = running
        (self.container,) = containers_of(SWEEP, SERVER.id)

    def run(self, script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["docker", "exec", self.container, "bash", "-c", script],
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip

    def reaches(self, address: str, port: int) -> bool:
        return self.run(_reach(address, port)).returncode == 0

    def inspect(self, what: str) -> Any:
        template = "{{json " + what + "}}"
        return json.loads(subprocess.check_output(["docker", "inspect", "--format", template, self.container]))

    def answers(self) -> bool:
        with self.running.connect(5) as connection:
            connection.sendall(b"GET /small.html HTTP/1.0\r\n\r\n")
            return connection.recv(12).endswith(b" 200")


def _reach(address: str, port: int) -> str:
    return f"timeout 2 bash -c 'exec 3<>/dev/tcp/{address}/{port}'"


@pytest.fixture
def guest(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Guest]:
    network = getattr(request, "param", "loopback")
    for folder in ("raw", "scratch"):
        (tmp_path / folder).mkdir()
    runtime = DockerRuntime(cpu_split(), network)
    runtime.prepare_generator()
    assert runtime.prepare([SERVER], print) == {}
    with sweep_lock():
        runtime.begin(SWEEP, tmp_path / "raw", tmp_path / "scratch")
        try:
            yield Guest(runtime.start(SERVER, SERVER.id))
        finally:
            runtime.close()


@pytest.fixture
def service_of_the_host() -> Iterator[int]:
    with socket.create_server(("0.0.0.0", 0), backlog=100) as listener:
        yield listener.getsockname()[1]


def addresses_of_the_host() -> list[str]:
    """Those of its interfaces and bridges, and what any network could have as a gateway."""
    return subprocess.check_output(["hostname", "--all-ip-addresses"], text=True).split()


def test_the_attack_works_from_a_container_of_the_default_network(service_of_the_host: int) -> None:
    """Or the next test would show nothing."""
    gateway = subprocess.check_output(
        ["docker", "network", "inspect", "--format", "{{(index .IPAM.Config 0).Gateway}}", "bridge"], text=True
    ).strip()
    attack = _reach(gateway, service_of_the_host)
    command = ["docker", "run", "--rm", "--entrypoint", "bash", "ab-runner/lighttpd-1.4", "-c", attack]
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize("guest", ["loopback", "bridge"], indirect=True)
def test_a_server_of_a_sweep_reaches_neither_services_of_the_host_nor_the_outside(
    guest: Guest, service_of_the_host: int
) -> None:
    gateways = [network["Gateway"] for network in guest.inspect(".NetworkSettings.Networks").values()]
    own = [network["IPAddress"] for network in guest.inspect(".NetworkSettings.Networks").values()]
    subnet = [f"{address.rpartition('.')[0]}.1" for address in own if address]
    tried = {OUTSIDE, "127.0.0.1", *gateways, *subnet, *addresses_of_the_host()} - {""}
    assert [address for address in tried if guest.reaches(address, service_of_the_host)] == []
    neighbours = guest.run("cat /proc/net/if_inet6 /proc/net/ipv6_route").stdout
    assert "fe80" not in neighbours, "an address of IPv6 would be a way around"
    assert guest.answers()


def test_compose_itself_reads_a_hostile_server_toml_as_values_of_its_own_service(copy_of_toolkit: Path) -> None:
    folder = copy_of_toolkit / "servers" / "thttpd-2.29"
    folder.mkdir()
    environment = {f"V{number}": value for number, value in enumerate(COMPOSE_ATTACKS)}
    description = {
        "format": 1, "summary": "a server", "family": "thttpd", "version": "2.29",
        "released": datetime.date(2006, 1, 5), "io_model": "event loop", "workloads": ["small"], "kind": "debian",
        "needs": {"command": "thttpd", "packages": ["thttpd"]}, "environment": environment,
    }  # fmt: skip
    (folder / "server.toml").write_text(toml(description).replace("\x7f", "\\u007f"))
    subprocess.run(["make", "compose"], cwd=copy_of_toolkit, check=True)
    command = ["docker", "compose", "--profile", "*", "config", "--format", "json"]
    services = json.loads(subprocess.check_output(command, cwd=copy_of_toolkit))["services"]
    read = {name: value.replace("$$", "$") for name, value in services["thttpd-2.29"].pop("environment").items()}
    assert read == environment
    (like_it,) = (each for id, each in services.items() if id == SERVER.id)
    assert services["thttpd-2.29"].keys() == like_it.keys() - {"environment"}, "nothing of it is privileged"


def test_a_server_can_neither_find_nor_signal_the_agent_beside_it(guest: Guest) -> None:
    (agent,) = containers_of(SWEEP, "agent")
    number = "cd /proc; for p in [0-9]*; do grep -qs ab_runner.agent $p/cmdline && echo $p && break; done"
    found = subprocess.check_output(["docker", "exec", agent, "sh", "-c", number], text=True).strip()
    assert found, "it runs"
    assert guest.run("cat /proc/[0-9]*/cmdline").stdout.count("ab_runner") == 0
    assert guest.run("id -u").stdout.strip() != "0"
    guest.run("kill -9 -1")  # all that it may
    assert subprocess.run(["docker", "exec", agent, "test", "-d", f"/proc/{found}"], check=False).returncode == 0


def test_the_agent_can_neither_signal_nor_read_a_server_and_has_no_rights(guest: Guest) -> None:
    (agent,) = containers_of(SWEEP, "agent")
    facts = json.loads(subprocess.check_output(["docker", "inspect", agent]))[0]
    host = facts["HostConfig"]
    assert (host["CapDrop"], host["ReadonlyRootfs"], host["Privileged"]) == (["ALL"], True, False)
    assert "no-new-privileges:true" in host["SecurityOpt"]
    assert (facts["Config"]["User"], facts["Mounts"], host["Binds"]) == ("65532:65532", [], None)
    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (256 << 20, 256 << 20, 64)
    server = str(guest.inspect(".State.Pid"))
    tried = f"cd /proc/{server}; kill -0 {server}; cat environ; ls root/; cat maps; cat stat"
    done = subprocess.run(["docker", "exec", agent, "sh", "-c", tried], capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"{server} ("), "its account alone can be read"
    assert done.stdout.count("\n") == 1
    assert len(re.findall("[Pp]ermi(ssion denied|tted)", done.stderr)) == 4, done.stderr


def test_over_loopback_a_server_has_no_network_at_all(guest: Guest) -> None:
    assert guest.run("echo /sys/class/net/*").stdout == "/sys/class/net/lo\n"
    assert guest.running.host == "127.0.0.1:8080"


def test_a_server_fills_neither_disk_nor_memory_by_its_files(guest: Guest) -> None:
    assert "No space left on device" in guest.run("head -c 300M /dev/zero > /tmp/full").stderr
    assert int(guest.run("stat -c %s /tmp/full; rm /tmp/full").stdout) == 256 << 20
    assert "No space left on device" in guest.run("head -c 100M /dev/zero > /dev/shm/full; rm /dev/shm/full").stderr
    writable = guest.run("find / -xdev -writable -not -path '/proc/*' -not -path '/dev/*' 2>/dev/null").stdout.split()
    refused = guest.run("touch /tried /server/tried /srv/www/tried /etc/tried /var/tmp/tried")
    assert refused.stderr.count("Read-only file system") == 5, writable
    assert guest.inspect(".HostConfig.LogConfig")["Type"] == "local", "it keeps 100 MB"
    assert guest.answers()


def test_a_server_takes_no_more_memory_than_its_limit(guest: Guest) -> None:
    assert guest.inspect(".HostConfig.Memory") == guest.inspect(".HostConfig.MemorySwap") == 4 << 30
    assert guest.running.environment["memory limit"] == str(4 << 30)
    # The attack on a lower limit, for the sake of the machine.
    subprocess.run(["docker", "update", "--memory=128m", "--memory-swap=128m", guest.container], check=True)
    assert guest.run("head -c 200M /dev/zero | tail > /dev/null").returncode == 137


def test_a_server_starts_no_more_processes_than_its_limit(guest: Guest) -> None:
    assert guest.inspect(".HostConfig.PidsLimit") == 16_384
    assert guest.running.environment["pids limit"] == "16384"
    subprocess.run(["docker", "update", "--pids-limit=100", guest.container], check=True)
    bomb = guest.run("for i in $(seq 200); do sleep 5 & done; echo $(jobs -p | wc -w)")
    assert "Resource temporarily unavailable" in bomb.stderr
    assert guest.answers()


def test_nothing_that_a_server_starts_survives_its_container(guest: Guest) -> None:
    seconds = 600_000_000 + os.getpid()
    subprocess.run(["docker", "exec", "--detach", guest.container, "setsid", "sleep", str(seconds)], check=True)
    subprocess.run(["docker", "exec", guest.container, "bash", "-c", f"(setsid sleep {seconds} &)"], check=True)
    found = ["pgrep", "-f", f"^sleep {seconds}$"]
    assert len(subprocess.run(found, capture_output=True, check=False).stdout.split()) == 2
    guest.running.stop()
    assert subprocess.run(found, capture_output=True, check=False).stdout == b""


def test_the_generators_container_and_that_of_the_fixtures_have_limits_too(guest: Guest) -> None:
    (generator,) = containers_of(SWEEP, "ab")
    facts = json.loads(subprocess.check_output(["docker", "inspect", generator]))[0]["HostConfig"]
    assert (facts["Memory"], facts["MemorySwap"], facts["PidsLimit"]) == (4 << 30, 4 << 30, 1024)
    assert facts["Tmpfs"] == {"/tmp": "size=256m"}
    config = subprocess.check_output(["docker", "compose", "config", "fixtures", "--format", "json"], cwd=ROOT)
    fixtures = json.loads(config)["services"]["fixtures"]
    assert (fixtures["mem_limit"], fixtures["pids_limit"]) == (str(1 << 30), 64)
