from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from ab_runner.host import procfs
from ab_runner.host.facts import CONNTRACK_MAX, CONNTRACK_SECONDS, conditions
from ab_runner.host.preflight import conntrack_findings, findings, network_findings
from ab_runner.model.sweep import Conditions

QUIET = Conditions(
    governors=("performance",), turbo=False, swap_used_bytes=0, busy_cores=0.05, stolen=0.0, cpu_quota=None
)


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a quiet machine with one CPU, as the kernel shows them. A second of it passes at once."""
    for name, text in {
        "proc/stat": "cpu  100 0 50 800 10 0 0 40 0 0\ncpu0 100 0 50 800 10 0 0 40 0 0\n",
        "proc/swaps": "Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition\t2097148\t1024\t-2\n",
        "proc/self/cgroup": "0::/user.slice/session\n",
        "cgroup/user.slice/session/cpu.max": "max 100000\n",
        "cgroup/user.slice/cpu.max": "150000 100000\n",
        "cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
        "cpu/cpu1/cpufreq/scaling_governor": "powersave\n",
        "cpu/intel_pstate/no_turbo": "0\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def a_second_passes(seconds: float) -> None:
        clock[0] += 1.0
        (tmp_path / "proc/stat").write_text("cpu  160 0 60 810 20 0 0 50 0 0\n")

    clock = [0.0]
    monkeypatch.setattr(procfs, "PROC", tmp_path / "proc")
    monkeypatch.setattr(time, "sleep", a_second_passes)
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    return tmp_path


def seen(cpu: Path, cgroups: Path) -> Conditions:
    return msgspec.convert(conditions(cpu, cgroups), Conditions)


def test_what_the_kernel_shows_is_read(host: Path) -> None:
    assert seen(host / "cpu", host / "cgroup") == Conditions(
        governors=("powersave",), turbo=True, swap_used_bytes=2**20, busy_cores=0.7, stolen=0.1, cpu_quota=1.5
    )


def test_a_quota_of_the_first_version_of_cgroups_is_read_too(host: Path) -> None:
    (host / "proc/self/cgroup").write_text("3:memory:/a\n1:cpu:/docker/b\n0::/\n")
    folder = host / "cgroup/cpu/docker/b"
    folder.mkdir(parents=True)
    (folder / "cpu.cfs_quota_us").write_text("50000\n")
    (folder / "cpu.cfs_period_us").write_text("100000\n")
    (folder.parent / "cpu.cfs_quota_us").write_text("-1\n")
    assert seen(host / "cpu", host / "cgroup").cpu_quota == 0.5


def test_a_machine_that_shows_none_of_it_is_not_complained_about(host: Path) -> None:
    (host / "proc/swaps").unlink()
    found = seen(host / "nowhere", host / "nowhere")
    assert (found.governors, found.turbo, found.swap_used_bytes, found.cpu_quota) == ((), None, 0, None)


def test_a_quiet_machine_has_nothing_to_fix() -> None:
    assert all(finding.good for finding in findings(QUIET))
    assert all(finding.good for finding in network_findings({}))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"governors": ("performance", "powersave")}, "frequency governor is powersave"),
        ({"turbo": True}, "turbo is on"),
        ({"swap_used_bytes": 3 * 2**20}, "3 MiB of swap are in use"),
        ({"busy_cores": 1.26}, "1.3 cores are in use before anything is measured"),
        ({"stolen": 0.05}, "the hypervisor gave 5% of the CPU time to others"),
        ({"cpu_quota": 1.5}, "a CPU quota of 1.5 cores"),
    ],
)
def test_whatever_spoils_a_measurement_is_named(change: dict[str, object], said: str) -> None:
    bad = [finding.text for finding in findings(msgspec.structs.replace(QUIET, **change)) if not finding.good]
    assert len(bad) == 1
    assert said in bad[0]


@pytest.mark.parametrize(
    ("sysctls", "said"),
    [
        ({"net.core.somaxconn": "4096"}, "sysctl net.core.somaxconn=10000"),
        ({"net.ipv4.ip_local_port_range": "50000 60000"}, "10,001 local ports are few"),
    ],
)
def test_a_network_that_is_set_too_small_is_named(sysctls: dict[str, str], said: str) -> None:
    bad = [finding.text for finding in network_findings(sysctls) if not finding.good]
    assert len(bad) == 1
    assert said in bad[0]


@pytest.mark.parametrize(
    ("entries", "seconds", "good"), [("262144", "120", False), ("262144", "5", True), ("4000000", "120", True)]
)
def test_a_host_whose_connection_tracking_fills_up_is_named(entries: str, seconds: str, good: bool) -> None:
    found = list(conntrack_findings({CONNTRACK_MAX: entries, CONNTRACK_SECONDS: seconds}))
    assert [finding.good for finding in found] == [good]
    assert good or "room for 2,185 new connections per second" in found[0].text


def test_where_connection_tracking_is_not_known_nothing_is_said_of_it() -> None:
    assert list(conntrack_findings({})) == list(conntrack_findings({CONNTRACK_MAX: "x", CONNTRACK_SECONDS: "1"})) == []
