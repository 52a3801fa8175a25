"""What is read of a machine, as plain data: its facts, its conditions and its cores. `model.sweep` says what the fields
mean. Standard library only: the agent tells those of an engine's machine (`python3 -m ab_runner.agent facts`)."""

from __future__ import annotations

import os
import platform
import resource
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ab_runner.host import procfs

SYSCTLS = (
    "net.core.somaxconn",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_tw_reuse",
    "net.ipv4.tcp_max_tw_buckets",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_max_syn_backlog",
)
CONNTRACK_MAX = "net.netfilter.nf_conntrack_max"
CONNTRACK_SECONDS = "net.netfilter.nf_conntrack_tcp_timeout_time_wait"
"""Each connection through a published port has an entry, which stays for so long after it is closed."""
_LOOK_SECONDS = 1.0
_CPU = Path("/sys/devices/system/cpu")
_CGROUPS = Path("/sys/fs/cgroup")


def machine() -> dict[str, Any]:
    """Return the fields of `Machine`."""
    return {
        "hostname": platform.node(),
        "system": _system_name(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cpu_model": _cpu_model(),
        "cpus": os.cpu_count() or 1,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "open_files": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        "sysctls": sysctls(),
    }


def sysctls() -> dict[str, str]:
    """Return the settings of the network that a figure depends on, as far as this kernel has them."""
    return _settings(SYSCTLS)


def conntrack() -> dict[str, str]:
    """Return the settings of connection tracking, as far as this kernel has them: what comes from other hosts goes
    through it."""
    return _settings((CONNTRACK_MAX, CONNTRACK_SECONDS))


def _settings(names: Iterable[str]) -> dict[str, str]:
    return {name: value for name in names if (value := procfs.sysctl(name)) is not None}


def conditions(cpu: Path = _CPU, cgroups: Path = _CGROUPS) -> dict[str, Any]:
    """Return the fields of `Conditions`. It takes a second, to see what else is running."""
    governors = {path.read_text().strip() for path in cpu.glob("cpu[0-9]*/cpufreq/scaling_governor")}
    before = procfs.machine_stat().total
    began = time.monotonic()
    time.sleep(_LOOK_SECONDS)
    seconds = time.monotonic() - began
    after = procfs.machine_stat().total
    spent = procfs.CpuTimes(*(max(0.0, now - then) for now, then in zip(after, before, strict=True)))
    return {
        "governors": sorted(governors),
        "turbo": _turbo(cpu),
        "swap_used_bytes": procfs.swap_used_bytes(),
        "busy_cores": round((spent.programs + spent.interrupts) / seconds, 2),
        "stolen": round(spent.stolen / (sum(spent) or 1.0), 3),
        "cpu_quota": _cpu_quota(cgroups),
    }


def cores() -> list[tuple[int, ...]]:
    """Return the physical cores as tuples of their hyper-threads, of which only those count that this process may use.
    Empty where it cannot choose them."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    cpus = os.sched_getaffinity(0)
    return sorted({tuple(sorted(_siblings(cpu) & cpus)) for cpu in cpus})


def _siblings(cpu: int) -> set[int]:
    try:
        text = (_CPU / f"cpu{cpu}/topology/thread_siblings_list").read_text()
    except OSError:
        return {cpu}
    return parse_cpu_list(text) | {cpu}


def parse_cpu_list(text: str) -> set[int]:
    """Return the CPUs of a list as Linux and Docker write it: `0-2,4` → {0, 1, 2, 4}."""
    cpus: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def cpu_list(cpus: Iterable[int]) -> str:
    """Return the list of CPUs that taskset and Docker take: (0, 1, 4) → `0,1,4`."""
    return ",".join(map(str, cpus))


def _cpu_model() -> str:
    name: str | None = None
    with suppress(OSError):
        name = procfs.cpu_model()
    return name or platform.processor() or "unknown"


def _system_name() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


def _turbo(cpu: Path) -> bool | None:
    for path, when_on in ((cpu / "intel_pstate/no_turbo", "0"), (cpu / "cpufreq/boost", "1")):
        if path.exists():
            return path.read_text().strip() == when_on
    return None


def _cpu_quota(cgroups: Path) -> float | None:
    """Return the least number of cores that any cgroup around this process allows, in version 2 or 1 of cgroups."""
    quotas: list[float] = []
    for controllers, path in procfs.cgroup_paths("self"):
        if not controllers or "cpu" in controllers:
            top = cgroups / ",".join(controllers)
            inside = top / path
            folders = [folder for folder in (inside, *inside.parents) if folder.is_relative_to(top)]
            quotas += [quota for folder in folders if (quota := _quota_of(folder)) is not None]
    return min(quotas, default=None)


def _quota_of(folder: Path) -> float | None:
    if (folder / "cpu.max").exists():
        quota, period = (folder / "cpu.max").read_text().split()
        return None if quota == "max" else int(quota) / int(period)
    if (folder / "cpu.cfs_quota_us").exists():
        limit = int((folder / "cpu.cfs_quota_us").read_text())
        return limit / int((folder / "cpu.cfs_period_us").read_text()) if limit > 0 else None
    return None
